"""What every environment says of success to those who read ``is_success``, as stable-baselines3 does."""

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
