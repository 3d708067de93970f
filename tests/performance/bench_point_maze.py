"""SparsePointMaze-v0 beside its peers, in one run and on one thread: ``make bench``. No time is asserted."""

import gymnasium
import numpy as np
import pytest
import torch

import procgen_bench  # noqa: F401 - registers our ids
from procgen_bench.tasks.point_maze import PointMazeTask
from tests.performance.stepping import (
    BATCHES,
    ROWS,
    in_processor_seconds,
    random_actions,
    single_stepper,
    start_up_programs,
    time_bare_writes,
    time_start_up,
    time_steps,
    vector_stepper,
)

HORIZON, GOAL_RADIUS, GAP = 50, 0.15, 0.005
#: A step changes x and y, each written as the observation and as the achieved goal.
NUMBERS = 4
PEER_STEPS = 2_000


class TorchMaze:
    """The rules as the published environment keeps them: one maze, walls looked up in a set, tensors for the state."""

    def __init__(self, task: PointMazeTask):
        upright = {(0, column, row) for row, column in np.argwhere(task.vertical_walls).tolist()}
        level = {(1, row, column) for row, column in np.argwhere(task.horizontal_walls).tolist()}
        border = {(axis, line, cell) for axis in (0, 1) for line in (-1, 9) for cell in range(10)}
        #: Axis of the motion that the wall stops, the cell before it on that axis, the cell on the other one.
        self.walls = upright | level | border
        self.goal = torch.tensor(task.goal, dtype=torch.float32)
        self.state, self.steps = torch.tensor(task.start, dtype=torch.float32), 0

    def step(self, action: torch.Tensor) -> bool:
        """Advance by one action; whether the episode is over."""
        self.state = torch.tensor(self.moved(self.state.tolist(), action.tolist()))
        self.steps += 1
        distance = torch.sqrt(torch.sum(torch.pow(self.goal - self.state, 2)))
        return bool(distance <= GOAL_RADIUS) or self.steps >= HORIZON

    def moved(self, place: list[float], rest: list[float]) -> list[float]:
        """Where the motion ``rest`` leads from ``place``."""
        while hits := self.hits(place, rest):
            time, axis, line = min(hits)
            place = [at + time * part for at, part in zip(place, rest)]
            place[axis] = line - GAP if rest[axis] > 0 else line + GAP
            rest = [(1 - time) * part for part in rest]
            rest[axis] = 0.0
        place = [at + part for at, part in zip(place, rest)]
        cell = [round(at) for at in place]
        for axis in (0, 1):
            if (axis, cell[axis] - 1, cell[1 - axis]) in self.walls:
                place[axis] = max(place[axis], cell[axis] - 0.5 + GAP)
            if (axis, cell[axis], cell[1 - axis]) in self.walls:
                place[axis] = min(place[axis], cell[axis] + 0.5 - GAP)
        return place

    def hits(self, place: list[float], rest: list[float]) -> list[tuple[float, int, float]]:
        """When (0 to 1) the motion meets which walls: time, axis and coordinate."""
        found = []
        for axis in (0, 1):
            here, there = round(place[axis]), round(place[axis] + rest[axis])
            for before in range(min(here, there), max(here, there)):
                line = before + 0.5
                time = (line - place[axis]) / rest[axis]
                cell = round(place[1 - axis] + time * rest[1 - axis])
                if (axis, before, cell) in self.walls:
                    found.append((time, axis, line))
        return found


@in_processor_seconds
@pytest.mark.parametrize("tasks", ["test", None])
@pytest.mark.parametrize("copy", [False, True])
def test_native_vector_env(benchmark, tasks, copy):
    env = gymnasium.make_vec(
        "SparsePointMaze-v0", num_envs=ROWS, vectorization_mode="vector_entry_point", tasks=tasks, copy=copy
    )
    label = f"point maze native, {ROWS} rows, tasks={tasks!r}, copy={copy}"
    time_steps(benchmark, label, "ours", BATCHES * ROWS, vector_stepper(env))


@in_processor_seconds
def test_native_track(benchmark):
    env = gymnasium.make_vec(
        "SparsePointMaze-v0",
        num_envs=ROWS,
        vectorization_mode="vector_entry_point",
        kind="track",
        max_episode_steps=5,
        copy=False,
    )
    time_steps(benchmark, f"track native, {ROWS} rows, copy=False", "ours", BATCHES * ROWS, vector_stepper(env))


@in_processor_seconds
def test_single_env(benchmark):
    env = gymnasium.make("SparsePointMaze-v0")
    time_steps(benchmark, "point maze single", "ours", 5_000, single_stepper(env, 5_000))


@in_processor_seconds
def test_torch_maze(benchmark):
    env = gymnasium.make("SparsePointMaze-v0")
    suite = env.unwrapped.task_space.suite("test")
    tasks = suite.tasks[: PEER_STEPS // HORIZON]
    actions = random_actions(env.action_space, (PEER_STEPS,))
    # Faithful: it goes through the states that ours goes through.
    for task, episode in zip(tasks, actions.reshape(-1, HORIZON, 2)):
        env.reset(options={"task": task})
        maze = TorchMaze(task)
        for action in episode:
            observation, _, terminated, truncated, _ = env.step(action)
            assert maze.step(torch.from_numpy(action)) == (terminated or truncated)
            assert np.allclose(maze.state.numpy(), observation["observation"], rtol=0, atol=1e-4)
            if terminated or truncated:
                break
    tensors = torch.from_numpy(actions)

    def advance() -> None:
        begun = 0
        maze = TorchMaze(tasks[begun])
        for action in tensors:
            if maze.step(action):
                begun += 1
                maze = TorchMaze(tasks[begun % len(tasks)])

    torch.set_num_threads(1)
    time_steps(benchmark, "one maze in PyTorch", "peer", PEER_STEPS, advance)


@in_processor_seconds
def test_sync_vector_env(benchmark):
    env = gymnasium.make_vec("SparsePointMaze-v0", num_envs=16, vectorization_mode="sync")
    time_steps(benchmark, "SyncVectorEnv, 16 point mazes", "peer", BATCHES * 16, vector_stepper(env))


@in_processor_seconds
def test_bare_writes(benchmark):
    time_bare_writes(benchmark, NUMBERS)


@pytest.mark.parametrize(("label", "program"), start_up_programs("SparsePointMaze-v0"))
def test_start_up(benchmark, label, program):
    time_start_up(benchmark, label, program)
