"""Time limits: what ``max_episode_steps`` says means the same to ``make`` and to every mode of ``make_vec``.

What every environment says of success to those who read ``is_success``, as stable-baselines3 does.
"""

from functools import partial

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from procgen_bench.core.success import counted_success
from tests.envs.conformance import suite
from tests.envs.conformance.makers import MAKERS
from tests.installed import INSTALLED_IDS
from tests.tasks.conformance.cases import marks_of

#: A native vector environment, one over threads, one over processes, and one of several players.
IDS = ("GridWorld-v0", "FetchBlocks-v0", "TablePush-v0", "XLandSmall-v0")
MODES = ("sync", "vector_entry_point")


@pytest.mark.parametrize(
    "environment_id", [*IDS[:2], *(pytest.param(name, marks=pytest.mark.slow) for name in IDS[2:])]
)
@pytest.mark.parametrize(("given", "limited"), [(None, True), (-1, False)])
def test_a_limit_that_is_not_given_is_the_registered_one(environment_id, given, limited):
    limit = gymnasium.spec(environment_id).max_episode_steps
    made = [gymnasium.make_vec(environment_id, 1, mode, max_episode_steps=given) for mode in MODES]
    last = [_steps_to_a_truncation(env, 4 * limit) for env in made]
    assert last == [limit if limited else None] * 2
    assert [env.spec.max_episode_steps for env in made] == [limit] * 2


def _steps_to_a_truncation(env, most: int) -> int | None:
    """Steps of the first episode that is truncated, under one action; ``None``: none is in so many steps."""
    env.action_space.seed(0)
    env.reset(seed=0)
    action, age = np.zeros_like(env.action_space.sample()), 0
    for _ in range(most):
        _, _, terminations, truncations, _ = env.step(action)
        age += 1
        if truncations[0]:
            return age
        age = -1 if terminations[0] else age  # the next step is a reset
    return None


VECTOR_IDS = [
    pytest.param(name, marks=marks_of(name))
    for name in INSTALLED_IDS
    if gymnasium.spec(name).vector_entry_point is not None
]


@pytest.mark.parametrize("maker", MAKERS)
def test_every_info_counts_success(maker):
    env = maker(max_episode_steps=2)
    infos, ended = [env.reset(seed=0)[1]], False
    while not ended:
        *_, terminated, truncated, info = env.step(env.action_space.sample())
        infos.append(info)
        ended = terminated or truncated
    for info in infos:
        assert info.get("is_success") is counted_success(info)
    env.close()


@pytest.mark.parametrize("environment_id", VECTOR_IDS)
def test_every_rows_info_counts_success(environment_id):
    make = partial(suite.often_made(environment_id), num_envs=2, autoreset_mode=AutoresetMode.SAME_STEP)
    env = make(max_episode_steps=2)
    told = [env.reset(seed=0)[1]]
    while "final_info" not in told[-1]:
        told.append(env.step(env.action_space.sample())[-1])
    for infos in (*told, told[-1]["final_info"]):
        assert np.array_equal(infos.get("is_success"), counted_success(infos))
        assert infos["is_success"].dtype == np.bool_ and infos["_is_success"].any()
    env.close()
