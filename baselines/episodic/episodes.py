"""Whole episodes of a goal environment, played by a policy that is still learning."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from procgen_bench.baselines.encoder import Tensors

Observations = dict[str, np.ndarray]
#: What the two rows of a pair share: nothing, the goal, or the start and the goal.
Siblings = Literal["none", "goal", "start and goal"]


@dataclass(frozen=True)
class Episodes:
    """N episodes side by side, time first; what lies behind an episode's end is zero.

    Attributes:
        observations: By name (T, N, ...), what the policy saw before each action, on its device; where a collector made
            them, its next episodes take their place.
        actions: (T, N, ...), of the environment's action space.
        log_probabilities: float32 (T, N), of the actions when they were taken.
        lengths: int64 (N,), steps of each episode; T is the greatest.
        final_observations: By name (N, ...), what the environment showed at the end.
        successes: bool (N,), whether the goal was reached.
        train: bool (N,), whether the episode may be learned from.
    """

    observations: "Tensors"
    actions: np.ndarray
    log_probabilities: np.ndarray
    lengths: np.ndarray
    final_observations: Observations
    successes: np.ndarray
    train: np.ndarray

    @property
    def goals(self) -> np.ndarray:
        """The goals (N, ...)."""
        return self.final_observations["desired_goal"]

    @property
    def ends(self) -> np.ndarray:
        """The goals (N, ...) that were achieved at the end: m(s_T)."""
        return self.final_observations["achieved_goal"]

    @property
    def played(self) -> np.ndarray:
        """bool (T, N): whether the episode had that step."""
        return np.arange(len(self.actions))[:, np.newaxis] < self.lengths

    @property
    def last_steps(self) -> np.ndarray:
        """bool (T, N): whether the step was the last of its episode."""
        return np.arange(len(self.actions))[:, np.newaxis] == self.lengths - 1

    def observed(self, name: str) -> np.ndarray:
        """(T, N, ...), what the environment showed before each action."""
        return self.observations[name].cpu().numpy()

    def next_observations(self, name: str) -> np.ndarray:
        """(T, N, ...), what the environment showed after each action; 0 behind an episode's end."""
        return self.after(self.observed(name), self.final_observations[name])

    def after(self, columns: np.ndarray, finals: np.ndarray) -> np.ndarray:
        """What columns (T, N, ...) hold of the next step; at an episode's last one, its row of ``finals`` (N, ...)."""
        following = np.zeros_like(columns)
        following[:-1] = columns[1:]
        following[self.lengths - 1, np.arange(len(self.lengths))] = finals
        return following

    def changes(self, columns: np.ndarray, finals: np.ndarray) -> np.ndarray:
        """float64 (T, N): by how much columns (T, N), which end with ``finals`` (N,), change with every step."""
        return np.where(self.played, self.after(columns, finals) - columns, 0.0)

    def at_the_end(self, values: np.ndarray) -> np.ndarray:
        """float64 (T, N): ``values`` (N,) at each episode's last step, and 0 before."""
        return np.where(self.last_steps, values, 0.0)


def siblings_of(values: np.ndarray) -> np.ndarray:
    """``values`` (N, ...) with the two rows of every pair (2k, 2k + 1) exchanged."""
    return values.reshape(-1, 2, *values.shape[1:])[:, ::-1].reshape(values.shape)
