"""Policies that read no label fill in what stands in its published order, and nothing that is varied or invented."""

import gymnasium
import numpy as np
import pytest

from procgen_bench.baselines.policies.loading import load_policy
from procgen_bench.baselines.policies.scripted.site_matcher import SiteMatcherPolicy
from procgen_bench.baselines.policies.scripted.site_random import SiteRandomPolicy
from procgen_bench.core.errors import InvalidPolicyError
from procgen_bench.tasks.sites import HORIZON, SiteTaskSpace
from tests.envs.web.figures import successes

FLOORS = ("site-in-order", "site-lists", "site-usual-order", "site-trier")


@pytest.mark.parametrize("name", [*FLOORS, "site-trier+rewards"])
@pytest.mark.parametrize("suite", ["varied", pytest.param("invented", marks=pytest.mark.slow)])
def test_whoever_reads_no_label_solves_next_to_nothing(suite, name):
    """Every third task; the whole suites are in docs/web_sites.md."""
    assert successes(name, suite, every=3).mean() <= 0.1


@pytest.mark.parametrize(
    ("name", "suite", "least"),
    [
        ("site-usual-order", "test", 0.9),
        ("site-usual-order", "ordered", 0.4),
        ("site-trier+rewards", "test", 0.8),
        ("site-lists", "test", 0.15),
        ("site-in-order", "test", 0.15),
    ],
)
def test_they_are_worth_something_where_the_order_tells(name, suite, least):
    assert successes(name, suite, every=10).mean() >= least


def test_rewards_are_all_that_a_trier_goes_by():
    assert successes("site-trier", "test", every=10).mean() < 0.3


@pytest.mark.parametrize("name", FLOORS)
def test_plans_are_each_row_s_own(name):
    """A row that restarts fills in its site as it would alone."""
    played = []
    for num_rows in (1, 3):
        env = gymnasium.make_vec("GMiniWoB-v0", num_envs=num_rows, vectorization_mode="vector_entry_point")
        policy, starts, actions = load_policy(name, "GMiniWoB-v0"), np.ones(num_rows, np.bool_), []
        observations, _ = env.reset(
            seed=3, options={"task": ["varied/login-4-1", "test/flight-3-1", "test/login-2-0"][:num_rows]}
        )
        for _ in range(6):
            chosen = policy.act(observations, starts)
            actions.append(chosen[0].tolist())
            observations, _, starts, _, _ = env.step(chosen)
        env.close()
        played.append(actions)
    assert played[0] == played[1]


@pytest.mark.parametrize("name", FLOORS)
def test_other_environments_are_refused(name):
    with pytest.raises(
        InvalidPolicyError, match=f"{name} plays 'GMiniWoB-v0' and 'GMiniWoBLiteral-v0' only, not 'GridWorld-v0'"
    ):
        load_policy(name, "GridWorld-v0")


SPACE = SiteTaskSpace()


def success(suite: str, every: int) -> float:
    """The share of a suite's tasks, one in so many, that comparing words solves."""
    tasks = [task for name, task in zip(SPACE.suite(suite).task_names, SPACE.suite(suite)) if "enter" not in name]
    tasks = tasks[::every]
    options = {"num_envs": len(tasks), "vectorization_mode": "vector_entry_point"}
    envs, policy = gymnasium.make_vec("GMiniWoB-v0", **options), SiteMatcherPolicy("GMiniWoB-v0")
    observations, _ = envs.reset(seed=0, options={"task": tasks})
    solved, over = np.zeros((2, len(tasks)), np.bool_)
    for _ in range(HORIZON):
        observations, _, terminations, _, infos = envs.step(policy.act(observations, over))
        solved |= infos["success"] & ~over
        over |= terminations
    return solved.mean()


def test_comparing_words_is_enough_on_published_pages_and_is_not_on_varied_ones():
    assert success("test", 20) == 1
    assert success("varied", 4) < 0.2


def test_words_in_common_are_worth_little_where_the_key_is_another_word():
    assert success("invented", 6) < 0.2


def test_the_matcher_refuses_other_environments():
    with pytest.raises(
        InvalidPolicyError, match="plays 'GMiniWoB-v0' and 'GMiniWoBLiteral-v0' only, not 'GridWorld-v0'"
    ):
        SiteMatcherPolicy("GridWorld-v0")


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


def test_random_play_of_sites_refuses_other_environments():
    with pytest.raises(
        InvalidPolicyError, match="plays 'GMiniWoB-v0' and 'GMiniWoBLiteral-v0' only, not 'GridWorld-v0'"
    ):
        SiteRandomPolicy("GridWorld-v0")
