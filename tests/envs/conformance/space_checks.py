"""What spaces hold: whatever one contains goes through Gymnasium's other functions of spaces and comes back equal."""

import copy
import json
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv
from gymnasium.vector.utils import (
    batch_space,
    concatenate,
    create_empty_array,
    create_shared_memory,
    iterate,
    read_from_shared_memory,
    write_to_shared_memory,
)
from gymnasium.wrappers import FlattenObservation

from procgen_bench.engine.observation_keys import check_observation_keys
from tests.envs.conformance.single_checks import Factory, assert_in_space
from tests.envs.conformance.trajectory import assert_equal, play, seeded_space


def check_observation_names(factory: Factory) -> None:
    """No key of an observation is a word of torch, TorchRL or Python."""
    check_observation_keys(factory().observation_space)


def check_spaces_hold_what_they_contain(factory: Factory, steps: int = 6) -> None:
    """Observations of two episodes, samples of them, and actions."""
    env = factory()
    seen = [moment.observation for seed in (0, 1) for moment in play(env, seed, steps)]
    for space, values in ((env.observation_space, seen), (env.action_space, [])):
        samples = seeded_space(space, 0)
        check_values(space, values + [samples.sample() for _ in range(2)])
    env.close()


def check_values(space: spaces.Space, values: list[Any]) -> None:
    """These values of a space, one by one and as a batch."""
    for value in values:
        assert space.contains(value), f"{space} does not contain {value!r:.200}"
        flat = spaces.flatten(space, value)
        assert_in_space(flat, spaces.flatten_space(space), f"{value!r:.100} flattened")
        assert_equal(spaces.unflatten(space, flat), value, "a value that was flattened")
    written = json.loads(json.dumps(space.to_jsonable(values)))
    for value, read in zip(values, space.from_jsonable(written), strict=True):
        assert_equal(read, value, "a value that was JSON")
    count = len(values)
    batch = copy.deepcopy(concatenate(space, values, create_empty_array(space, count)))
    assert batch_space(space, count).contains(batch), "the batched space does not contain a batch"
    for value, row in zip(values, iterate(batch_space(space, count), batch), strict=True):
        assert_equal(_bare(row), _bare(value), "a row of a batch")
    memory = create_shared_memory(space, count)
    shared = read_from_shared_memory(space, memory, count)  # as AsyncVectorEnv does: once, before anything is written
    for row, value in enumerate(values):
        write_to_shared_memory(space, row, value, memory)
    assert_equal(copy.deepcopy(shared), batch, "a batch in shared memory")


def check_gymnasiums_vectors(factory: Factory, steps: int = 5) -> None:
    """``AsyncVectorEnv`` with shared memory returns what ``SyncVectorEnv`` does, and what their spaces contain."""
    outcomes = []
    for kind in (SyncVectorEnv, AsyncVectorEnv):
        env = kind([factory] * 2)
        actions = seeded_space(env.action_space, 4)
        moments = [env.reset(seed=3)[0], *(env.step(actions.sample())[0] for _ in range(steps))]
        env.close()
        for number, moment in enumerate(moments):
            assert env.observation_space.contains(moment), f"{kind.__name__}, moment {number}: outside the space"
        outcomes.append(moments)
    assert_equal(outcomes[1], outcomes[0], "AsyncVectorEnv returned something else than SyncVectorEnv")


def check_flattened_observations(factory: Factory) -> None:
    """Gymnasium's ``FlattenObservation`` makes one array of what is observed."""
    env = FlattenObservation(factory())
    env.action_space.seed(0)
    for observation in (env.reset(seed=0)[0], env.step(env.action_space.sample())[0]):
        assert_in_space(observation, env.observation_space, "the flattened observation")
    env.close()


def _bare(value: Any) -> Any:
    """A number as an array without axes: rows of a batch of numbers are either."""
    return np.asarray(value) if isinstance(value, np.generic) else value


#: Of a single environment's factory.
SPACE_CHECKS = [
    check_observation_names,
    check_spaces_hold_what_they_contain,
    check_gymnasiums_vectors,
    check_flattened_observations,
]
