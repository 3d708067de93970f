"""Floors: players that see nothing score what playing by hand gives, and pages mark those that score much.

How tasks are shared out: what training draws meet is counted, and pages say it.
"""

from contextlib import closing
from dataclasses import replace

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

from procgen_bench.core.benchmarks import BENCHMARKS, get_benchmark
from procgen_bench.core.registrations import make_task_space
from procgen_bench.core.task_count import TaskCount, more_than
from procgen_bench.leaderboards.tracks import task_sets
from procgen_bench.leaderboards.tracks.floors import (
    MOST_HELD,
    constant_actions,
    measure_floors,
    nothing_of,
    random_sequence,
)
from procgen_bench.leaderboards.tracks.measured import FLOORS_FILE, TASK_SETS_FILE, read_measured
from procgen_bench.leaderboards.tracks.tables import (
    FLOORS,
    NOT_MEASURED,
    SETS_HEAD,
    _met_cell,
    floor_cell,
    floor_cells,
    gain,
    known_floors,
    scale_start,
    set_rows,
    why_not_measured,
)
from procgen_bench.tasks.voxel_build import VoxelBuildSmallTaskSpace, VoxelBuildTaskSpace
from procgen_bench.tasks.voxel_build.task import MATERIALS, MAX_HEIGHT, is_goal

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
    floors = known_floors(graded)
    best = max(floors.values())
    assert gain(graded, floors, best) == 0 and gain(graded, floors, 1.0) == 100 and gain(graded, floors, 0.0) < 0
    assert gain(graded, floors, (1 + best) / 2) == pytest.approx(50)
    unknown = replace(graded, id="grid-world/another")
    assert known_floors(unknown) == {} and scale_start(unknown, {}) == unknown.minimum
    assert (gain(unknown, {}, unknown.minimum), gain(unknown, {}, unknown.maximum)) == (0.0, 100.0)


def test_a_row_of_a_floor_stands_for_what_was_measured_on_some_tasks():
    small = get_benchmark("xland/small")
    measured = known_floors(small)
    rows = {"noop": measured["noop"] + 99, "xland-hunter": 299.0}
    assert known_floors(small, rows) == measured | {"noop": measured["noop"] + 99}
    assert scale_start(small, known_floors(small, rows)) == measured["noop"] + 99


#: Games of one literal are few: training meets them in other worlds, and the page says so.
FEW_GAMES = ("xland/skills",)
FRESH = [one for one in BENCHMARKS.values() if one.fresh == "tasks"]


@pytest.mark.parametrize(("space", "side"), [(VoxelBuildTaskSpace(), 11), (VoxelBuildSmallTaskSpace(), 5)])
def test_structures_are_as_many_as_counted(space, side):
    shapes = [
        (width, depth, height) for width in range(1, side + 1) for depth in range(1, side + 1) for height in (1, 2)
    ]
    goals = sum(
        (side - width + 1) * (side - depth + 1) * len(MATERIALS)
        for width, depth, height in shapes
        if height <= MAX_HEIGHT and is_goal(width, depth, height, side)
    )
    structures = {
        (height, least_image(x, y, x + width - 1, y + depth - 1, side - 1))
        for width, depth, height in shapes
        if height <= MAX_HEIGHT and is_goal(width, depth, height, side)
        for x in range(side - width + 1)
        for y in range(side - depth + 1)
    }
    assert space.task_count == TaskCount(goals * 4 * side**2, len(structures), exact=True)


def least_image(west, north, east, south, last):
    """Of a rectangle and what the square's symmetries make of it."""
    images = [(west, north, east, south)]
    for _ in range(3):
        west, north, east, south = last - south, west, last - north, east
        images.append((west, north, east, south))
    return min(images + [(one[1], one[0], one[3], one[2]) for one in images])


def test_numbers_are_written_out_where_they_are_short():
    assert TaskCount(60_000, 600, exact=True).of_tasks() == "60,000"
    assert TaskCount(2**200, 2**100, exact=True).of_marks() == "about 10^30"
    assert more_than(12).of_tasks() == "more than 10^12"


def test_what_draws_meet_is_counted(monkeypatch):
    benchmark = get_benchmark("voxel-build/small")
    monkeypatch.setattr(task_sets, "DRAWS", 4_000)
    found = task_sets.measure_task_sets(benchmark, np.random.default_rng(0))
    assert (found.scored, found.fresh) == (200, 200)
    for met in (found.plain, found.curriculum):
        assert (met.draws, met.scored, met.fresh) == (4_000, 0, 0) and met.different == 14


def test_tasks_that_are_met_are_found(monkeypatch):
    """Were fresh tasks what is trained on, all that is trained on would be met."""
    benchmark = get_benchmark("voxel-build/small")
    monkeypatch.setattr(task_sets, "DRAWS", 3_000)
    monkeypatch.setattr(type(benchmark), "draw", type(benchmark).draw_training)
    found = task_sets.measure_task_sets(benchmark, np.random.default_rng(0))
    assert (found.plain.scored, found.plain.fresh, found.plain.fresh_whole) == (0, 200, 200)


def test_tasks_that_are_met_are_marked():
    met = {"scored": 3, "scored_whole": 1, "fresh": 2, "fresh_whole": 2}
    assert _met_cell(met, "scored", 1_200) == "**3 of 1,200** in part, 1 wholly"
    assert _met_cell(met, "fresh", 40) == "**2 of 40**"
    assert _met_cell(dict.fromkeys(met, 0), "fresh", 40) == "0 of 40"


@pytest.mark.parametrize("scored", FRESH, ids=lambda one: one.id)
def test_no_training_draw_is_scored_or_fresh(scored):
    found, space = read_measured(TASK_SETS_FILE).get(scored.id), make_task_space(scored.environment_id)
    assert (found is None) == (scored.id in NOT_MEASURED)
    if found is None:
        return
    for met in (found["plain"], found["curriculum"]):
        assert met["different"] <= met["draws"]
        assert met["scored_whole"] == met["fresh_whole"] == 0
        assert met["scored"] == met["fresh"] == 0 or (scored.id in FEW_GAMES and scored.id in space.met_in_training)


def test_pages_have_a_row_of_every_benchmark_with_fresh_tasks():
    rows = set_rows(BENCHMARKS.values())
    assert [row[0] for row in rows] == [f"`{one.id}`" for one in FRESH]
    assert all(len(row) == len(SETS_HEAD) for row in rows)
    (small,) = [row for row in rows if row[0] == "`voxel-build/small`"]
    for one, row in zip(FRESH, rows):
        assert ("not measured" in row) == (one.id in NOT_MEASURED)
    assert "`xland/hand-authored`: the 33 passes" in why_not_measured(FRESH) and why_not_measured([]) == ""
    assert small[1:4] == (
        "60,000; 42 kinds",
        "their goals, up to rotation, reflection and material",
        "100,000",
    )
