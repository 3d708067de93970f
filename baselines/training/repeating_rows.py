"""RepeatingRows: rows in which an action lasts several steps."""

from typing import Any

import numpy as np

from procgen_bench.baselines.training.curriculum_env import CurriculumVectorEnv, closed_on_error
from procgen_bench.baselines.training.teacher import Teacher
from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.core.registrations import find_spec


class RepeatingRows(CurriculumVectorEnv):
    """Rows in which an action is done ``steps_per_action`` times; what it earns is added up.

    All their episodes are of one length, of which an action's steps are a divisor, so that none ends within one.

    Raises:
        InvalidOptionError: That is not so.
    """

    def __init__(self, environment_id: str, num_rows: int, teacher: Teacher, seed: int, **options: Any):
        super().__init__(environment_id, num_rows, teacher, seed, **options)
        with closed_on_error(self):
            self._check_lengths()

    def _act(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        rewards, terminations, truncations, infos = super()._act(actions)
        for _ in range(self.steps_per_action - 1):
            if (terminations | truncations).any():  # the physics diverged somewhere: all act again
                break
            further, terminations, truncations, infos = super()._act(actions)
            rewards = rewards + further
        return rewards, terminations, truncations, infos

    def _check_lengths(self) -> None:
        repeat, longest = self.steps_per_action, find_spec(self.environment_id).max_episode_steps
        if not self.env.single.has_fixed_length or longest is None:
            raise InvalidOptionError(
                f"action_repeat is {repeat}, expected 1: episodes of {self.environment_id} end within an action"
            )
        if longest % repeat:
            raise InvalidOptionError(
                f"action_repeat is {repeat}, expected a divisor of {longest}, the steps of an episode"
            )
