"""BitGrid-v0 beside its peers, in one run and on one thread: ``make bench``. No time is asserted."""

import gymnasium
import numpy as np
import pytest
import torch
from numba import njit

import procgen_bench  # noqa: F401 - registers our ids
from tests.performance.stepping import (
    BATCHES,
    ROWS,
    in_processor_seconds,
    single_stepper,
    start_up_programs,
    time_bare_writes,
    time_start_up,
    time_steps,
    vector_stepper,
)

SIDE, HORIZON = 13, 50
NUMBERS = 3 * SIDE * SIDE
TOGGLE = 4
PEER_STEPS = 2_000


class TorchGrid:
    """The rules as the published environment keeps them: one game, a new tensor for every state."""

    def __init__(self):
        self.reset(torch.zeros(2, dtype=torch.long), torch.zeros(SIDE, SIDE))

    def reset(self, start: torch.Tensor, goal: torch.Tensor) -> None:
        """Begin at ``start`` (x, y) with the goal's bits."""
        self.state, self.goal, self.steps = torch.zeros(2, SIDE, SIDE), goal, 0
        self.state[1, start[1], start[0]] = 1

    def step(self, action: torch.Tensor) -> bool:
        """Advance by one action; whether the episode is over."""
        state = self.state.clone()
        row, column = state[1].nonzero()[0]
        if action == TOGGLE:
            state[0, row, column] = 1 - state[0, row, column]
        else:
            state[1].zero_()
            state[1, (row + action % 3 - 1).clamp(0, SIDE - 1), (column + action // 3 - 1).clamp(0, SIDE - 1)] = 1
        self.state, self.steps = state, self.steps + 1
        return self.steps >= HORIZON or bool((state[0] - self.goal).abs().sum() == 0)


def drawn_tasks(count: int) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """Starts and goals of the paper's distribution, as tensors."""
    env = gymnasium.make_vec("BitGrid-v0", num_envs=count)
    env.reset(seed=0)
    return [
        (torch.tensor(task.start, dtype=torch.long), torch.tensor(task.goal, dtype=torch.float32))
        for task in env.unwrapped.tasks
    ]


@in_processor_seconds
@pytest.mark.parametrize("tasks", ["test", None])
@pytest.mark.parametrize("copy", [False, True])
def test_native_vector_env(benchmark, tasks, copy):
    env = gymnasium.make_vec(
        "BitGrid-v0", num_envs=ROWS, vectorization_mode="vector_entry_point", tasks=tasks, copy=copy
    )
    label = f"BitGrid native, {ROWS} rows, tasks={tasks!r}, copy={copy}"
    time_steps(benchmark, label, "ours", BATCHES * ROWS, vector_stepper(env))


@in_processor_seconds
def test_single_env(benchmark):
    env = gymnasium.make("BitGrid-v0")
    time_steps(benchmark, "BitGrid single", "ours", 5_000, single_stepper(env, 5_000))


@in_processor_seconds
def test_torch_grid(benchmark):
    grid, tasks = TorchGrid(), drawn_tasks(PEER_STEPS // HORIZON)
    actions = torch.tensor(np.random.default_rng(0).integers(9, size=PEER_STEPS))
    # Faithful: it goes through the states that ours goes through.
    env = gymnasium.make("BitGrid-v0")
    for (start, goal), episode in zip(tasks, actions.reshape(-1, HORIZON)):
        env.reset(options={"start": start.numpy(), "goal": goal.numpy()})
        grid.reset(start, goal)
        for action in episode:
            observation, _, terminated, truncated, _ = env.step(int(action))
            assert grid.step(action) == (terminated or truncated)
            assert np.array_equal(np.moveaxis(grid.state.numpy(), 0, -1), observation["observation"])
            if terminated or truncated:
                break

    def advance() -> None:
        begun = 0
        grid.reset(*tasks[begun])
        for action in actions:
            if grid.step(action):
                begun += 1
                grid.reset(*tasks[begun % len(tasks)])

    torch.set_num_threads(1)
    time_steps(benchmark, "one grid in PyTorch", "peer", PEER_STEPS, advance)


@in_processor_seconds
def test_sync_vector_env(benchmark):
    env = gymnasium.make_vec("BitGrid-v0", num_envs=16, vectorization_mode="sync")
    time_steps(benchmark, "SyncVectorEnv, 16 BitGrids", "peer", BATCHES * 16, vector_stepper(env))


@njit
def write_places(observations, places, shifts):
    """Measured: one number off and another on per row, the least that moving an agent in an observation takes."""
    for i in range(observations.shape[0]):
        observations[i, places[i]] = 0
        places[i] = (places[i] + shifts[i]) % NUMBERS
        observations[i, places[i]] = 1


@in_processor_seconds
def test_two_bare_writes(benchmark):
    observations, places = np.zeros((ROWS, NUMBERS), np.float32), np.zeros(ROWS, np.uint64)
    shifts = np.random.default_rng(0).integers(NUMBERS, size=(BATCHES, ROWS)).astype(np.uint64)
    write_places(observations, places, shifts[0])

    def advance() -> None:
        for batch in shifts:
            write_places(observations, places, batch)

    time_steps(benchmark, "2 bare float32 writes", "peer", BATCHES * ROWS, advance)
    assert (observations.sum(axis=1) == 1).all() and (observations[np.arange(ROWS), places] == 1).all()


@in_processor_seconds
def test_bare_writes(benchmark):
    time_bare_writes(benchmark, NUMBERS)


@pytest.mark.parametrize(("label", "program"), start_up_programs("BitGrid-v0"))
def test_start_up(benchmark, label, program):
    time_start_up(benchmark, label, program)
