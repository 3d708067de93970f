"""What is taken as an action; the conformance suite holds that every environment keeps to it."""

import numpy as np
import pytest
from gymnasium import spaces

from procgen_bench.core.errors import InvalidActionError
from procgen_bench.engine.action_rule import ActionRule
from procgen_bench.engine.serial_vector_env import SerialVectorEnv

BOX = spaces.Box(-0.95, 0.95, (2,), np.float32)
FROM_TWO = spaces.Discrete(3, start=2)
FEW = spaces.MultiDiscrete([3, 5], dtype=np.int8)


@pytest.mark.parametrize(
    ("space", "action", "taken"),
    [
        (FROM_TWO, 4, 4),
        (FROM_TWO, np.int64(2), 2),
        (FROM_TWO, np.uint8(3), 3),
        (FROM_TWO, np.array(3), 3),
        (BOX, [0, 0.5], [0, 0.5]),
        (BOX, (0, 0), [0, 0]),
        # Rounds onto the bound, which float32 has below 0.95.
        (BOX, np.array([0.95, -0.95]), [np.float32(0.95), -np.float32(0.95)]),
        (FEW, np.array([2, 4], np.uint64), [2, 4]),
    ],
)
def test_actions_of_the_same_kind_are_cast(space, action, taken):
    found = ActionRule(space).checked(action)
    assert np.array_equal(found, taken) and space.contains(found)
    rows = ActionRule(space, 2).checked([action, action])
    assert np.array_equal(rows, [taken, taken]) and rows.dtype == space.dtype


@pytest.mark.parametrize(
    ("space", "action"),
    [
        (FROM_TWO, 1),
        (FROM_TWO, 5),
        (FROM_TWO, True),
        (FROM_TWO, np.True_),
        (FROM_TWO, 3.0),
        (FROM_TWO, [3]),
        (FROM_TWO, 2**70),
        (BOX, [0, 0.96]),
        (BOX, [True, False]),
        (BOX, np.array([1e300, 0])),
        (BOX, [np.nan, 0]),
        (BOX, ["0", "0"]),
        (FEW, [256, 0]),  # as int8: 0
        (FEW, np.array([2**63 + 1, 0], np.uint64)),
        (FEW, [0, -1]),
    ],
)
def test_what_is_no_action_is_refused(space, action):
    with pytest.raises(InvalidActionError, match="expected a member of"):
        ActionRule(space).checked(action)
    with pytest.raises(InvalidActionError, match="expected"):
        ActionRule(space, 2).checked([action, action])


def test_long_actions_are_reported_in_one_line():
    with pytest.raises(InvalidActionError) as caught:
        ActionRule(spaces.Box(-1, 1, (20,))).checked(np.full(20, 1.23456789))
    assert "\n" not in str(caught.value)


def test_serial_rows_keep_to_it_before_any_advances():
    env = SerialVectorEnv("GridWorld-v0", 2)
    env.reset(seed=[0, 1])
    for actions in ([0, 4], [0.0, 1.0], [0], [True, True], [[0], [0, 1]]):
        with pytest.raises(InvalidActionError):
            env.step(actions)
    assert [one.unwrapped.simulation.elapsed.item() for one in env.envs] == [0, 0]
    env.step((0, np.int8(1)))
