"""Vector environments as stable-baselines3's VecEnv: TaskVecEnv draws tasks, CurriculumVecEnv takes a teacher's."""

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from stable_baselines3.common.vec_env import VecEnv

from procgen_bench.baselines.policies.arrays import Arrays
from procgen_bench.baselines.training.contracts import FinishedEpisodes
from procgen_bench.baselines.training.curriculum_env import CurriculumVectorEnv
from procgen_bench.baselines.training.rollouts import EpisodeScores, UnfinishedEpisodes, finished_episodes_of
from procgen_bench.core.errors import ProcgenBenchError
from procgen_bench.core.success import counted_success
from procgen_bench.engine.task_vector_env import TaskVectorEnv


class UnsupportedTeacherError(ProcgenBenchError):
    """A teacher asks for what stable-baselines3's algorithms do not do."""


class _OneEnvironment(VecEnv):
    """What all rows share: one vector environment, ``rows``, whose attributes and methods are every row's."""

    rows: TaskVectorEnv
    _actions: np.ndarray

    def step_async(self, actions: np.ndarray) -> None:
        """Keep the actions for :meth:`step_wait`."""
        self._actions = actions

    def close(self) -> None:
        """Close the environment."""
        self.rows.close()

    def get_attr(self, attr_name: str, indices=None) -> list[Any]:
        """The environment's attribute, once per row."""
        return [getattr(self.rows, attr_name) for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices=None) -> None:
        """Set an attribute of the environment, which all rows share."""
        setattr(self.rows, attr_name, value)

    def env_method(self, method_name: str, *method_args, indices=None, **method_kwargs) -> list[Any]:
        """Call a method of the environment, which all rows share."""
        result = getattr(self.rows, method_name)(*method_args, **method_kwargs)
        return [result for _ in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class, indices=None) -> list[bool]:
        """No row is wrapped."""
        return [False for _ in self._get_indices(indices)]


class TaskVecEnv(_OneEnvironment):
    """Rows that end are reset within the step, as stable-baselines3 expects, and draw their next task.

    Observations are copied once, out of the simulation's arrays.

    Args:
        environment_id: A registered environment.
        num_envs: Number of rows.
        tasks: As the environment's argument of this name.
        **environment_options: The environment's further keyword arguments.

    Attributes:
        rows: The vector environment, whose rows are reset by hand.
    """

    def __init__(self, environment_id: str, num_envs: int, tasks=None, **environment_options):
        rows = gymnasium.make_vec(
            environment_id,
            num_envs=num_envs,
            vectorization_mode="vector_entry_point",
            autoreset_mode=AutoresetMode.DISABLED,
            copy=False,
            tasks=tasks,
            **environment_options,
        )
        assert isinstance(rows, TaskVectorEnv)  # as every registered one is
        self.rows = rows
        self._returns = np.zeros(num_envs)
        self._lengths = np.zeros(num_envs, np.int64)
        super().__init__(num_envs, self.rows.single_observation_space, self.rows.single_action_space)

    def reset(self):
        """Begin an episode in every row; seeds given to :meth:`seed` are used once."""
        every_row = np.ones(self.num_envs, np.bool_)
        seeds = None if all(seed is None for seed in self._seeds) else self._seeds
        self._start(every_row, seeds)
        self._reset_seeds()
        self._reset_options()
        return self.rows.observe()

    def step_wait(self):
        """Advance every row; rows that ended hold their next episode's first observation."""
        _, rewards, terminations, truncations, infos = self.rows.step(self._actions)
        self._returns += rewards
        self._lengths += 1
        ended = terminations | truncations
        row_infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        if ended.any():
            for row in np.flatnonzero(ended):
                row_infos[row] = {
                    "terminal_observation": self.rows.observe_row(row),
                    "TimeLimit.truncated": bool(truncations[row] and not terminations[row]),
                    "episode": {"r": float(self._returns[row]), "l": int(self._lengths[row]), "t": 0.0},
                    "is_success": bool(counted_success(infos)[row]),
                }
            self._start(ended, None)
        return self.rows.observe(), rewards.astype(np.float32), ended, row_infos

    def _start(self, rows: np.ndarray, seeds: Sequence[int | None] | None) -> None:
        options: dict[str, Any] = {"reset_mask": rows}
        self.rows.reset(seed=seeds, options=options)
        self._returns[rows] = 0.0
        self._lengths[rows] = 0


class CurriculumVecEnv(_OneEnvironment):
    """Rows that play what a teacher proposes.

    Args:
        rows: They count steps and finished episodes.

    Raises:
        UnsupportedTeacherError: From :meth:`reset` and :meth:`step`: the teacher proposes a level that is not to be
            learned from; stable-baselines3's algorithms learn from every step.
    """

    def __init__(self, rows: CurriculumVectorEnv):
        self.curriculum, self.rows = rows, rows.env
        self._steps: list[Arrays] = []
        self._ends: list[Arrays] = []
        self._scores = EpisodeScores(rows.num_rows, rows.teacher.step_score)
        self._unfinished = UnfinishedEpisodes(rows.num_rows)
        super().__init__(rows.num_rows, rows.observation_space, rows.env.single_action_space)

    def reset(self):
        """Begin a level in every row, unless they have begun; their seeds are the run's."""
        self.curriculum.ensure_begun()
        self._check_learned_from()
        return self._seen()

    def step_wait(self):
        """Advance every row; rows that ended hold their next level's first observation."""
        rows = self.curriculum
        noted = {f"observations.{name}": array for name, array in self._seen().items()}
        noted |= {"actions": np.array(self._actions), "starts": rows.starts.copy()}
        step = rows.step(self._actions)
        ended = step.terminations | step.truncations
        self._steps.append(noted | {"rewards": step.rewards.astype(np.float32), "ends": ended})
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        if ended.any():
            self._check_learned_from()
            self._ends.append(step.last)
            for number, row in enumerate(np.flatnonzero(ended)):
                last = {name: array[number] for name, array in step.last.items()}
                infos[row] = {"terminal_observation": last, "TimeLimit.truncated": bool(step.truncations[row])}
        return self._seen(), step.rewards.astype(np.float32), ended, infos

    def pop_finished_episodes(
        self,
        values: np.ndarray | None = None,
        advantages: np.ndarray | None = None,
        discounts: tuple[float, ...] = (),
    ) -> FinishedEpisodes:
        """The episodes that ended in the T steps since this was last asked.

        Args:
            values: float32 (T, N), what a critic thought of every step; ``None``: there is none.
            advantages: float32 (T, N).
            discounts: Their discount and decay.
        """
        columns = {name: np.stack([step[name] for step in self._steps]) for name in self._steps[0]}
        last = {name: np.concatenate([end[name] for end in self._ends]) for name in (self._ends or [{}])[0]}
        self._steps, self._ends = [], []
        starts, ends, episodes = columns.pop("starts"), columns.pop("ends"), None
        if "steps" in self.curriculum.teacher.required_columns:
            episodes = self._unfinished.ended_in(columns, ends, last)
        scores = self._scores.of(starts, ends, values, advantages, discounts)
        return finished_episodes_of(self.curriculum, scores, episodes)

    def _seen(self) -> Arrays:
        return {name: array.copy() for name, array in self.curriculum.observations.items()}

    def _check_learned_from(self) -> None:
        if not self.curriculum.train.all():
            raise UnsupportedTeacherError(
                f"{type(self.curriculum.teacher).__name__} proposes levels that are not to be learned from, and "
                "stable-baselines3's algorithms learn from every step; choose another teacher, or ppo or dqn"
            )
