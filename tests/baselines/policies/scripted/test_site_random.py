import gymnasium
import numpy as np
import pytest

from procgen_bench.baselines.policies.scripted.site_random import SiteRandomPolicy
from procgen_bench.core.errors import InvalidPolicyError

ROWS = 16


def played(seed: int, steps: int = 60):
    """The actions of the policy in ``ROWS`` sites, and the masks of what there was to act upon."""
    envs = gymnasium.make_vec("GMiniWoB-v0", num_envs=ROWS, vectorization_mode="vector_entry_point", widgets="literal")
    policy, starts = SiteRandomPolicy("GMiniWoB-v0"), np.ones(ROWS, np.bool_)
    policy.seed(seed)
    observations, infos = envs.reset(seed=1)
    for _ in range(steps):
        actions = policy.act(observations, starts)
        yield actions, infos["element_mask"], infos["field_mask"]
        observations, _, _, _, infos = envs.step(actions)


def test_it_acts_on_what_there_is():
    rows = np.arange(ROWS)
    for actions, element_masks, field_masks in played(2):
        assert element_masks[rows, actions[:, 0]].all() and field_masks[rows, actions[:, 1]].all()


def test_all_that_there_is_is_drawn():
    policy = SiteRandomPolicy("GMiniWoB-v0")
    env = gymnasium.make("GMiniWoB-v0")
    observation, info = env.reset(seed=4, options={"task": "login/4"})
    batch = {name: array[None] for name, array in observation.items()}
    drawn = np.concatenate([policy.act(batch, np.ones(1, np.bool_)) for _ in range(600)])
    assert set(drawn[:, 0]) == set(np.flatnonzero(info["element_mask"]))
    assert set(drawn[:, 1]) == set(np.flatnonzero(info["field_mask"]))


def test_equal_seeds_give_equal_actions():
    first, again, other = ([actions for actions, _, _ in played(seed, 10)] for seed in (5, 5, 6))
    assert np.array_equal(first, again) and not np.array_equal(first, other)


def test_other_environments_are_refused():
    with pytest.raises(
        InvalidPolicyError, match="plays 'GMiniWoB-v0' and 'GMiniWoBLiteral-v0' only, not 'GridWorld-v0'"
    ):
        SiteRandomPolicy("GridWorld-v0")
