"""What an episode of a physics track leaves beside its actions: states from which others can take its physics up."""

import gymnasium
import numpy as np

from procgen_bench.core.segments import Segments
from procgen_bench.engine.physics_env import physics_env


def num_states(steps, segments: Segments):
    """Number of recorded states of an episode of ``steps`` steps; of an array of such numbers, an array.

    There is one at the end of every segment, the last of which ends with the episode.
    """
    return -(-steps // segments.steps)


def state_ending(step: int, last: bool, segments: Segments) -> int | None:
    """Which of an episode's states is recorded after ``step`` (from 1), maybe its ``last``; ``None``: none is."""
    if step % segments.steps and not last:
        return None
    return int(num_states(step, segments)) - 1


class PhysicsRecord:
    """The states of one episode, recorded as it is played.

    Args:
        env: The environment that plays it.
        segments: When states are recorded.
    """

    def __init__(self, env: gymnasium.Env, segments: Segments):
        self._env, self._segments = physics_env(env), segments
        self._states: list[np.ndarray] = []

    def after(self, step: int, last: bool) -> None:
        """Look at the environment after its step of this number (from 1), which may be the episode's last."""
        if state_ending(step, last, self._segments) is not None:
            self._states.append(self._env.physics_vector())

    @property
    def states(self) -> np.ndarray:
        """float64 (states, numbers of one state); (0, 0) before the first."""
        return np.array(self._states, np.float64) if self._states else np.empty((0, 0))
