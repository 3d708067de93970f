"""How tasks are shared out: what training draws meet is counted, and pages say it."""

import numpy as np
import pytest

from procgen_bench.core.benchmarks import BENCHMARKS, get_benchmark
from procgen_bench.core.registrations import make_task_space
from procgen_bench.core.task_count import TaskCount, more_than
from procgen_bench.leaderboards.tracks import task_sets
from procgen_bench.leaderboards.tracks.measured import TASK_SETS_FILE, read_measured
from procgen_bench.leaderboards.tracks.tables import NOT_MEASURED, SETS_HEAD, _met_cell, set_rows, why_not_measured
from procgen_bench.tasks.voxel_build import VoxelBuildSmallTaskSpace, VoxelBuildTaskSpace
from procgen_bench.tasks.voxel_build.task import MATERIALS, MAX_HEIGHT, is_goal

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
    assert space.task_count == TaskCount(goals * 4 * side**2, goals, exact=True)


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
        assert (met.draws, met.scored, met.fresh) == (4_000, 0, 0) and 150 < met.different < 250


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
    assert small[1:4] == ("60,000; of 600 goals", "their goals", "100,000")
