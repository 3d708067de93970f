"""The corridor's compiled rules, and the rows of arrays that they work on."""

from types import MappingProxyType

import numpy as np

from corridor.task import DOORS, CorridorTask
from procgen_bench.core.compiled import njit
from procgen_bench.core.streams import draw_below
from procgen_bench.engine.outcomes import SUCCESS_REWARD, begin, count_steps
from procgen_bench.engine.simulation import NativeSimulation, TaskArray


class CorridorSimulation(NativeSimulation[CorridorTask]):
    """N corridors.

    Attributes:
        observations: float32 (N, 2), the doors passed, and the sign ahead: -1 left, 1 right, 0 at the end.
    """

    observations: np.ndarray
    task_type = CorridorTask
    task_arrays = MappingProxyType({"signs": TaskArray((DOORS,), np.int8)})
    state_names = ("observations",)

    def __init__(self, num_rows: int, max_episode_steps: int | None):
        super().__init__(num_rows, max_episode_steps)
        self.observations = np.zeros((num_rows, 2), np.float32)

    def start(self, rows: np.ndarray, fresh: np.ndarray) -> None:
        """Begin an episode in every row of ``rows``."""
        start_rows(rows, fresh, self.streams, *self.bank, *self.task_rows, self.observations, self.outcomes)

    def step(self, actions: np.ndarray, active: np.ndarray) -> None:
        """Advance every active row by one action."""
        step_rows(actions, active, self.max_episode_steps, *self.task_rows, self.observations, self.outcomes)


@njit
def start_rows(rows, fresh, streams, bank, signs, observations, outcomes):
    """Begin an episode in every row of ``rows``; ``fresh`` rows first draw a task, from the bank if it holds any."""
    begin(outcomes, rows)
    for i in range(rows.shape[0]):
        if not rows[i]:
            continue
        drawn = 0
        if fresh[i] and bank.shape[0] > 0:
            streams[i], drawn = draw_below(streams[i], bank.shape[0])
        for door in range(DOORS):
            if fresh[i] and bank.shape[0] > 0:
                signs[i, door] = bank[drawn, door]
            elif fresh[i]:
                streams[i], signs[i, door] = draw_below(streams[i], 2)
        observations[i, 0], observations[i, 1] = 0, 2 * signs[i, 0] - 1


@njit
def step_rows(actions, active, max_episode_steps, signs, observations, outcomes):
    """Advance every active row: through the door if the action is its sign, else back by one door."""
    count_steps(outcomes, active, max_episode_steps)
    rewards, terminations, _, successes, _ = outcomes
    for i in range(actions.shape[0]):
        if not active[i]:
            continue
        door = np.int64(observations[i, 0])
        door = door + 1 if actions[i] == signs[i, door] else max(door - 1, 0)
        solved = door == DOORS
        terminations[i] = successes[i] = solved
        rewards[i] = SUCCESS_REWARD if solved else 0.0
        observations[i, 0], observations[i, 1] = door, 0 if solved else 2 * signs[i, door] - 1
