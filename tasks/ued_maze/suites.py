"""UEDMaze's suites: the published mazes by name, and random ones that can be solved."""

from pathlib import Path
from typing import Any

import numpy as np

from procgen_bench.core.seeding import stream_from_seed
from procgen_bench.core.suites import Arrays, FamilySuites, SuiteDescriptor
from procgen_bench.core.task_suite import TasksOnDemand, TaskSuite, numbered
from procgen_bench.tasks.ued_maze.named import NAMED_MAZES
from procgen_bench.tasks.ued_maze.solver import STEPS, draw_solvable_levels, shortest_length
from procgen_bench.tasks.ued_maze.symmetries import NUM_SYMMETRIES, image
from procgen_bench.tasks.ued_maze.task import DIRECTIONS, EMPTY, NUM_TILES, NUM_WALLS, SIDE, UEDMazeTask

RANDOM_SEED, RANDOM_LEVELS = 20_264, 10_000
#: Tiles that the agent of a fresh named maze may be away from where the published one starts.
_FARTHEST_START = 3


def named_suite(name: str, _: Arrays) -> TaskSuite[UEDMazeTask]:
    """The published mazes; the record ``length`` (int64 (8,)) holds the steps of each's shortest solution."""
    tasks = tuple(map(UEDMazeTask.from_text, NAMED_MAZES.values()))
    return TaskSuite(name, tasks, tuple(NAMED_MAZES), {"length": np.array(list(map(shortest_length, tasks)))})


def turned_maze(_space: Any, suite: TaskSuite[UEDMazeTask], place: int, rng: np.random.Generator) -> UEDMazeTask:
    """The maze of the suite's at ``place``, rotated and reflected at random; its agent starts up to three tiles from
    where that one's does, and faces anywhere."""
    task = suite.tasks[place]
    starts = _tiles_near_start(task)
    x, y = starts[rng.integers(len(starts))]
    agent = np.array([x, y, rng.integers(len(DIRECTIONS))], np.int8)
    return image(UEDMazeTask(task.walls, task.goal, agent), int(rng.integers(NUM_SYMMETRIES)))


def _tiles_near_start(task: UEDMazeTask) -> list[tuple[int, int]]:
    """x and y of the tiles, in the order in which a search finds them, that the agent can walk to in so few moves."""
    x, y, _ = task.agent.tolist()
    distances, queue = {(x, y): 0}, [(x, y)]
    for x, y in queue:  # which grows while it is gone through
        for step_x, step_y in STEPS.tolist():
            to_x, to_y = to = x + step_x, y + step_y
            is_empty = 0 <= to_x < SIDE and 0 <= to_y < SIDE and task.walls[to_y, to_x] == EMPTY
            if is_empty and [*to] != task.goal.tolist() and to not in distances and distances[x, y] < _FARTHEST_START:
                distances[to] = distances[x, y] + 1
                queue.append(to)
    return list(distances)


def random_arrays(_space: Any) -> Arrays:
    """10,000 solvable levels of 60 walls, drawn from a fixed seed.

    Returns:
        ``walls``, uint8 (10000, 22), the tiles as bits, row by row; ``goal`` and ``agent``, int8, as in the task; and
        ``length``, uint8 (10000,), the steps of each's shortest solution.
    """
    walls = np.empty((RANDOM_LEVELS, SIDE, SIDE), np.int8)
    goals, agents = np.empty((RANDOM_LEVELS, 2), np.int8), np.empty((RANDOM_LEVELS, 3), np.int8)
    draw_solvable_levels(stream_from_seed(RANDOM_SEED), NUM_WALLS, walls, goals, agents)
    lengths = [shortest_length(task) for task in map(UEDMazeTask, walls, goals, agents)]
    return {
        "walls": np.packbits(walls.reshape(RANDOM_LEVELS, NUM_TILES), axis=1),
        "goal": goals,
        "agent": agents,
        "length": np.array(lengths, np.uint8),
    }


def random_suite(name: str, arrays: Arrays) -> TaskSuite[UEDMazeTask]:
    """The levels of :func:`random_arrays` by number; the record ``length`` (int64 (10000,)) holds the steps of each's
    shortest solution."""

    def built(place: int) -> UEDMazeTask:
        walls = np.unpackbits(arrays["walls"][place], count=NUM_TILES).reshape(SIDE, SIDE).astype(np.int8)
        return UEDMazeTask(walls, arrays["goal"][place], arrays["agent"][place])

    count = len(arrays["walls"])
    return TaskSuite(name, TasksOnDemand(count, built), numbered(count), {"length": arrays["length"].astype(np.int64)})


def another_level(_space: Any, _suite: TaskSuite, _place: int, rng: np.random.Generator) -> UEDMazeTask:
    """One more solvable level of 60 walls."""
    walls, goals, agents = np.empty((1, SIDE, SIDE), np.int8), np.empty((1, 2), np.int8), np.empty((1, 3), np.int8)
    draw_solvable_levels(rng.integers(2**64, dtype=np.uint64), NUM_WALLS, walls, goals, agents)
    return UEDMazeTask(walls[0], goals[0], agents[0])


SUITES = FamilySuites[UEDMazeTask](
    Path(__file__).parent / "data",
    (
        SuiteDescriptor("named", named_suite, draw_like=turned_maze, repeats_marks=True),
        SuiteDescriptor(
            "random",
            random_suite,
            "742c76f415ea75dd92ad40b551588a9a0a68fa4116e92f9e7d023d7d6640c6c6",
            random_arrays,
            another_level,
        ),
    ),
)
