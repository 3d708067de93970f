"""Floors: players that see nothing score what playing by hand gives, and pages mark those that score much."""

from contextlib import closing
from dataclasses import replace

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

from procgen_bench.core.benchmarks import BENCHMARKS, get_benchmark
from procgen_bench.leaderboards.tracks.floors import (
    MOST_HELD,
    constant_actions,
    measure_floors,
    nothing_of,
    random_sequence,
)
from procgen_bench.leaderboards.tracks.measured import FLOORS_FILE, read_measured
from procgen_bench.leaderboards.tracks.tables import (
    FLOORS,
    NOT_MEASURED,
    floor_cell,
    floor_cells,
    gain,
    known_floors,
    scale_start,
)

CORRIDOR = get_benchmark("point-maze/corridor-2")


def played_by_hand(benchmark, actions) -> float:
    """The share of the suite that these actions solve, one after the other, in the single environment."""
    solved = []
    with closing(gymnasium.make(benchmark.environment_id)) as env:
        for task in benchmark.task_suite():
            env.reset(seed=0, options={"task": task})
            over, step = False, 0
            while not over:
                *_, terminated, truncated, info = env.step(actions[step % len(actions)])
                over, step = terminated or truncated, step + 1
            solved.append(info["success"])
    return float(np.mean(solved))


def test_floors_are_what_playing_by_hand_gives():
    floors = measure_floors(CORRIDOR, np.random.default_rng(0))
    space = gymnasium.make(CORRIDOR.environment_id).action_space
    constants = list(constant_actions(space, nothing_of(space, None)))
    by_hand = [played_by_hand(CORRIDOR, [action]) for action in constants]
    assert len(constants) == 4 and floors.tasks == 20
    assert floors.constant == pytest.approx(max(by_hand)) and max(by_hand) > 0
    assert floors.constant_action == constants[int(np.argmax(by_hand))].tolist()
    assert floors.noop == played_by_hand(CORRIDOR, [np.zeros(2, np.float32)]) == 0
    assert floors.in_turn == pytest.approx(played_by_hand(CORRIDOR, constants))
    assert floors.open_loop > 0.3, "a sequence that is good for one start is good for others in two cells"
    assert floors == measure_floors(CORRIDOR, np.random.default_rng(0))


def test_constants_differ_from_doing_nothing_in_one_number():
    box, several = spaces.Box(-1, 2, (2,), np.float32), spaces.MultiDiscrete([3, 2])
    assert [one.tolist() for one in constant_actions(box, np.zeros(2, np.float32))] == [
        [-1, 0],
        [2, 0],
        [0, -1],
        [0, 2],
    ]
    assert [one.tolist() for one in constant_actions(several, np.array([1, 0]))] == [[0, 0], [2, 0], [1, 1]]
    assert [int(one) for one in constant_actions(spaces.Discrete(3), np.array(0))] == [0, 1, 2]
    with pytest.raises(TypeError, match="not of Text"):
        list(constant_actions(spaces.Text(3), np.array(0)))
    assert nothing_of(several, (1, 0)).tolist() == [1, 0] and nothing_of(box, None).tolist() == [0, 0]


def test_a_sequence_holds_its_actions():
    lengths = set()
    for seed in range(40):
        actions = random_sequence(spaces.Box(-1, 1, (1,), np.float32), 60, np.random.default_rng(seed))
        assert actions.shape == (60, 1)
        lengths.add(int(np.flatnonzero(np.diff(actions[:, 0]))[0]) + 1)
    assert lengths == set(range(1, MOST_HELD + 1))


def test_what_is_above_a_fifth_of_the_best_is_marked():
    assert (floor_cell(0.4, 1.0), floor_cell(0.2, 1.0)) == ("**0.4**", "0.2")
    assert (floor_cell(0.027, 0.048), floor_cell(140.0, 900.0)) == ("**0.027**", "140")


def test_every_track_s_floors_are_measured():
    measured = read_measured(FLOORS_FILE)
    assert set(measured) == set(BENCHMARKS) - set(NOT_MEASURED)
    for name, found in measured.items():
        assert len(floor_cells(BENCHMARKS[name])) == len(FLOORS) == 5
        assert all(BENCHMARKS[name].minimum <= found[floor] <= BENCHMARKS[name].maximum + 1e-9 for floor in FLOORS)
    assert "**" in "".join(floor_cells(CORRIDOR)), "of two cells a blind player reaches every third goal"


def test_a_gain_is_0_at_the_best_floor_and_100_at_the_best_possible_score():
    graded = get_benchmark("grid-world/graded")
    best = max(known_floors(graded).values())
    assert gain(graded, best) == 0 and gain(graded, 1.0) == 100 and gain(graded, 0.0) < 0
    assert gain(graded, (1 + best) / 2) == pytest.approx(50)
    unknown = replace(graded, id="grid-world/another")
    assert known_floors(unknown) is None and scale_start(unknown) == unknown.minimum
    assert (gain(unknown, unknown.minimum), gain(unknown, unknown.maximum)) == (0.0, 100.0)
