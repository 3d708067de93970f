"""GridWorldLarge's tasks: targets and suites against the plain rules, and why some cannot be solved."""

import gymnasium
import numpy as np
import pytest

from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.grid_world import LARGE_HORIZON, GridWorldLargeTask, GridWorldLargeTaskSpace, GridWorldTask
from procgen_bench.tasks.grid_world.rooms import needs_key
from procgen_bench.tasks.grid_world.unsolvable import why_unsolvable
from tests.tasks.grid_world.reference_world import TILES, place, shortest_length

SPACE = GridWorldLargeTaskSpace()
NO_KEY = "door {0} is in the way and there is no key {0}"
EMPTY_ROW = "." * 16


def world_from(*rows: str) -> GridWorldLargeTask:
    """The upper left of a world whose other tiles are walls."""
    return GridWorldLargeTask.from_text("\n".join(row.ljust(16, "#") for row in [*rows, *[""] * (16 - len(rows))]))


def test_parameters_are_decoded_as_the_specification_says():
    rng = np.random.default_rng(0)
    for _ in range(50):
        params = SPACE.sample(rng)
        task = SPACE.decode(params)
        tiles = [[TILES[tile] for tile in row] for row in params["tiles"].argmax(axis=2).tolist()]
        expected, places = place(tiles, params["coordinates"].tolist())
        assert [[TILES[tile] for tile in row] for row in task.tiles.tolist()] == expected
        assert [tuple(at) for at in task.objects.tolist() if at[0] > 0] == list(places.values())
        assert SPACE.decode(SPACE.encode(task)) == task


@pytest.mark.parametrize("name", "ABC")
def test_targets_need_every_key_and_have_the_recorded_length(name):
    suite = SPACE.suite("targets")
    task, length = suite[name], int(suite.records["length"][suite.task_names.index(name)])
    assert len(SPACE.solve(task)) == length == shortest_length(task, LARGE_HORIZON) == 161
    assert needs_key(task)
    for key in range(7, 13):
        without = task.objects.copy()
        without[key] = -1
        assert SPACE.solve(GridWorldLargeTask(task.tiles, without)) is None
    benchmark = get_benchmark(f"grid-world/large-target-{name.lower()}")
    assert benchmark.maximum == pytest.approx(1 - 0.001 * length) and benchmark.task_suite().tasks == (task,)


@pytest.mark.parametrize("name", "ABC")
def test_the_worst_return_is_that_of_dying_late(name):
    """Walls are bumped into for 199 steps less the way to a hazard, which is entered in the last step."""
    task, benchmark = SPACE.suite("targets")[name], get_benchmark(f"grid-world/large-target-{name.lower()}")
    lava = task.tiles == 2
    way, last = ([], 0) if lava[0, 1] else ([0], 1)  # the tile on the right of the start is lava, or the one below that
    with gymnasium.make("GridWorldLarge-v0") as env:
        env.reset(seed=0, options={"task": task})
        outcomes = [env.step(action) for action in [*[3] * (LARGE_HORIZON - 1 - len(way)), *way, last]]
    assert [outcome[2] for outcome in outcomes] == [False] * (LARGE_HORIZON - 1) + [True]
    assert sum(outcome[1] for outcome in outcomes) == pytest.approx(benchmark.minimum)


def test_uniform_tasks_agree_with_the_reference():
    suite = SPACE.suite("random")
    found = [shortest_length(task, LARGE_HORIZON) or -1 for task in suite]
    assert found == suite.records["length"].tolist() and max(found) > 0
    drawn = SPACE.draw_solvable(np.random.default_rng(0), 30)
    assert all(shortest_length(task, LARGE_HORIZON) == len(SPACE.solve(task)) for task in drawn)


def test_graded_tasks_have_the_recorded_lengths_and_long_ones_need_keys():
    suite = SPACE.suite("graded")
    lengths = suite.records["length"].tolist()
    assert lengths == [length for length in range(4, 161, 4) for _ in range(5)]
    assert [shortest_length(task, LARGE_HORIZON) for task in suite] == lengths
    assert all(needs_key(task) for task in suite.tasks[-50:])
    benchmark = get_benchmark("grid-world/large-graded")
    assert benchmark.environment_id == "GridWorldLarge-v0" and benchmark.task_suite().tasks == suite.tasks
    target = get_benchmark("grid-world/large-target-a")
    assert target.holds_out(suite.tasks[0]) and not target.holds_out(target.task_suite().tasks[0])


def test_every_symbol_is_read_and_shown():
    text = "\n".join(["..GABCDEFabcdef#", ".~" * 8, *[EMPTY_ROW] * 14])
    task = GridWorldLargeTask.from_text(text)
    assert task.to_text() == text
    assert task.objects.tolist() == [[3 + place, 1] for place in range(13)]
    with pytest.raises(InvalidTaskError, match="expected 16 lines of 16 symbols"):
        GridWorldLargeTask.from_text("\n".join(["........"] * 8))
    with pytest.raises(InvalidTaskError, match="objects"):
        GridWorldLargeTask(task.tiles, task.objects[:5]).validate()
    assert GridWorldTask(task.tiles, task.objects) != task


@pytest.mark.parametrize(
    ("task", "reason"),
    [
        (
            world_from("..F.E.G"),
            "door 5 is in the way and there is no key 5 and door 6 is in the way and there is no key 6",
        ),
        (world_from(".fF.E.G"), NO_KEY.format(5)),
        (world_from("..G"), ""),
        (world_from("..#G"), "walls and lava cut the goal off from the start"),
        (world_from(".cC.D.Gd"), "door 4 is in the way and the agent cannot get to key 4"),
    ],
)
def test_why_a_world_cannot_be_solved(task, reason):
    if reason:
        assert SPACE.solve(task) is None and why_unsolvable(task) == reason
    else:
        assert SPACE.solve(task).tolist() == [0, 0]
