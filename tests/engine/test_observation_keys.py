"""Names that observations may not have: a family that declares one cannot be made by its id."""

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.envs.registration import EnvSpec

from procgen_bench.core.errors import InvalidSpaceError
from procgen_bench.engine.observation_keys import check_observation_keys
from procgen_bench.envs.grid_world.environment import GridWorldEnv, GridWorldVectorEnv

LEAF = spaces.Box(0, 1, (2,), np.float32)
REFUSED = ["values", "items", "type", "training", "done", "reward", "action", "next", "is_init", "batch_size"]
REFUSED += ["lambda", "None", "_private", "two words", "a.b", "a/b", "", "1st", 3, "noise", "state_in_0"]


class OwnEnv(GridWorldEnv):
    """A family of another package with an unfortunate key."""

    observation_space = spaces.Dict({**GridWorldEnv.observation_space.spaces, "keys": LEAF})


class OwnVectorEnv(GridWorldVectorEnv):
    single_env_type = OwnEnv


def assert_refused(caught, key) -> None:
    assert repr(key) in str(caught.value) and "\n" not in str(caught.value) and "rename it" in str(caught.value)


@pytest.mark.parametrize("key", REFUSED)
@pytest.mark.parametrize(
    "within", [lambda part: part, lambda part: spaces.Dict(outer=part), lambda part: spaces.Tuple([LEAF, part])]
)
def test_key_is_refused(key, within):
    space = spaces.Dict()
    space.spaces = {key: LEAF}
    with pytest.raises(InvalidSpaceError) as caught:
        check_observation_keys(within(space))
    assert_refused(caught, key)


@pytest.mark.parametrize("key", ["observation", "achieved_goal", "state", "element_values", "match", "new"])
def test_key_is_taken(key):
    check_observation_keys(spaces.Dict({key: LEAF}))


def test_family_is_refused_when_it_is_made():
    spec = EnvSpec("Own-v0", entry_point=OwnEnv, vector_entry_point=OwnVectorEnv)
    with pytest.raises(InvalidSpaceError) as caught:
        gymnasium.make(spec)
    assert_refused(caught, "keys")
    with pytest.raises(InvalidSpaceError) as caught:
        gymnasium.make_vec(spec, num_envs=2, vectorization_mode="vector_entry_point")
    assert_refused(caught, "keys")
