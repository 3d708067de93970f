"""GridMaze-v0: GridWorld's walls and goals alone, as another package would add them; what both sides play."""

from typing import ClassVar

import gymnasium
import numpy as np
from gymnasium import spaces

from procgen_bench.core.benchmark import Benchmark
from procgen_bench.core.suites import Arrays, FamilySuites, SuiteDescriptor
from procgen_bench.core.task_space import Parameters, TaskSpace
from procgen_bench.core.task_suite import TaskSuite, numbered
from procgen_bench.envs.grid_world import GridWorldEnv, GridWorldVectorEnv
from procgen_bench.tasks.grid_world import HORIZON, GridWorldTask
from procgen_bench.tasks.grid_world.solver import solve
from procgen_bench.tasks.grid_world.task import ABSENT, EMPTY, GOAL, NUM_OBJECTS, SIDE, WALL

#: Tiles but the agent's first.
PLACES = SIDE * SIDE - 1
#: A tile is a wall where its parameter is above this: a third of all tiles, nearly what 25 blocks dropped on 8 x 8
#: tiles make, JaxUED's number.
OPEN = 2 / 3
#: Of the held-out mazes: moves of their shortest solutions, mazes of each, and mutations in a row without a longer one
#: before the search starts over.
LENGTHS, MAZES_PER_LENGTH, PATIENCE, SEED = range(5, 25), 10, 500, 20_261


def held_out_suite(name: str, _: Arrays) -> TaskSuite[GridWorldTask]:
    """200 solvable mazes, ten of every shortest length from 5 to 24: uniform ones, lengthened by mutations."""
    space, rng = MazeTaskSpace(), np.random.default_rng(SEED)
    mazes: dict[GridWorldTask, int] = {}
    for length in LENGTHS:
        while len(mazes) < MAZES_PER_LENGTH * (length - LENGTHS.start + 1):
            maze = space.lengthen(*space.draw_solvable(rng, 1), rng, length, PATIENCE)
            if space.solution_length(maze) == length:
                mazes[maze] = length
    return TaskSuite(name, tuple(mazes), numbered(len(mazes)), {"length": np.array(list(mazes.values()))})


class MazeTaskSpace(TaskSpace[GridWorldTask]):
    """GridWorld's tasks without lava, doors and keys.

    Raw parameters: ``walls``, float32 (8, 8) in [0, 1], a wall where above 2/3; ``goal``, 0 to 62, the number of its
    tile row by row, which becomes empty. The agent's first tile is empty, too.
    """

    task_type = GridWorldTask
    draws_solvable_quickly = True
    searches_quickly = True
    suites = FamilySuites(descriptors=(SuiteDescriptor("held-out", held_out_suite),))
    space: ClassVar[spaces.Dict] = spaces.Dict(
        {"goal": spaces.Discrete(PLACES), "walls": spaces.Box(0.0, 1.0, (SIDE, SIDE), np.float32)}
    )

    def _decode(self, params: Parameters) -> GridWorldTask:
        return _maze(np.where(params["walls"] > OPEN, WALL, EMPTY).astype(np.int8), int(params["goal"]) + 1)

    def encode(self, task: GridWorldTask) -> Parameters:
        """Zeros and ones, and the goal's number."""
        return {"goal": np.int64(_place(task) - 1), "walls": (task.tiles == WALL).astype(np.float32)}

    def mutate(self, task: GridWorldTask, rng: np.random.Generator) -> GridWorldTask:
        """A wall built or torn down somewhere, or the goal put somewhere else, equally likely."""
        tiles, place, goal = task.tiles.copy(), int(rng.integers(1, PLACES + 1)), _place(task)
        if rng.random() < 0.5:
            return _maze(tiles, place)
        tiles.flat[place] = EMPTY if tiles.flat[place] == WALL else WALL
        return _maze(tiles, goal)

    def validate(self, task: GridWorldTask) -> None:
        """See :meth:`GridWorldTask.validate`."""
        task.validate()

    def solve(self, task: GridWorldTask) -> np.ndarray | None:
        """A shortest solution by breadth-first search; ``None`` when there is none within 50 steps."""
        return solve(task)


def _maze(tiles: np.ndarray, goal: int) -> GridWorldTask:
    """The maze of these tiles (changed in place) whose goal is on the tile number ``goal``."""
    tiles.flat[0] = tiles.flat[goal] = EMPTY
    objects = np.full((NUM_OBJECTS, 2), ABSENT, np.int8)
    objects[GOAL] = goal % SIDE + 1, goal // SIDE + 1
    return GridWorldTask(tiles, objects)


def _place(task: GridWorldTask) -> int:
    x, y = task.objects[GOAL].tolist()
    return (y - 1) * SIDE + x - 1


class MazeEnv(GridWorldEnv):
    """GridWorld on mazes; its rows are always given their levels."""

    task_space = MazeTaskSpace()


class MazeVectorEnv(GridWorldVectorEnv):
    """Many such mazes at once."""

    single_env_type = MazeEnv


gymnasium.register(
    "GridMaze-v0",
    entry_point=MazeEnv,
    vector_entry_point=MazeVectorEnv,
    max_episode_steps=HORIZON,
    disable_env_checker=True,
)

BENCHMARK = Benchmark(
    id="grid-maze/held-out",
    version=1,
    environment_id="GridMaze-v0",
    suite="held-out",
    task_names=None,
    episodes_per_task=1,
    interaction_budget=100_000_000,
    training_tasks="any other maze",
    metric="success",
    minimum=0.0,
    maximum=1.0,
    tolerance=0.0,
    description="Share solved of 200 mazes, shortest lengths 5 to 24.",
)
