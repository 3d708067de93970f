"""TaughtRows: a vector environment whose rows play the levels that a teacher proposes."""

from collections import deque
from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode

from procgen_bench.baselines.learning.proposed_levels import NEWEST
from procgen_bench.baselines.learning.row_states import can_be_kept, restore_rows, save_rows
from procgen_bench.baselines.named_arrays import Arrays, below
from procgen_bench.baselines.named_observations import named, named_space
from procgen_bench.baselines.task_recorder import TaskRecorder
from procgen_bench.baselines.teachers.proposal import Proposal
from procgen_bench.baselines.teachers.teacher import Teacher
from procgen_bench.core.seeding import seed_from_parts
from procgen_bench.core.task import Task
from procgen_bench.engine.task_vector_env import TaskVectorEnv


@dataclass(frozen=True)
class Step:
    """What came of one action in every row.

    Attributes:
        rewards, terminations, truncations: As the environment returns them, (N,).
        last: By name (K, ...), the last observations of the rows whose episode ended, in the order of their numbers.
    """

    rewards: np.ndarray
    terminations: np.ndarray
    truncations: np.ndarray
    last: Arrays


@dataclass(frozen=True)
class Ended:
    """Finished episodes as columns (K,), in the order of ending: see :class:`.Played`."""

    level: np.ndarray
    train: np.ndarray
    return_: np.ndarray
    success: np.ndarray
    length: np.ndarray


class TaughtRows:
    """Rows that begin a level of the teacher's as soon as their episode is over.

    Args:
        environment_id: A registered environment.
        num_rows: Number of rows, N; of worlds, where every player of a world is a row, which makes N more.
        teacher: Proposes the levels.
        seed: Of the rows' own chance.
        steps_per_action: Steps of the environment, as it is scored, that an action lasts.
        **options: The environment's further keyword arguments.

    Attributes:
        environment_id: What they play.
        env: The vector environment, whose rows are reset by hand.
        observation_space: Of what one row shows, by name.
        observations: By name (N, ...), what the rows show now: the environment's own arrays, which the next step
            overwrites.
        starts: bool (N,), whether that is the first observation of an episode.
        train: bool (N,), whether the rows' episodes may be learned from.
        steps: Environment steps so far.
        steps_per_action: How many of them an action lasts.
        recorder: Holds the tasks of all episodes that were begun.
    """

    def __init__(
        self, environment_id: str, num_rows: int, teacher: Teacher, seed: int, steps_per_action: int = 1, **options: Any
    ):
        env = gymnasium.make_vec(
            environment_id,
            num_envs=num_rows,
            vectorization_mode="vector_entry_point",
            autoreset_mode=AutoresetMode.DISABLED,
            copy=False,
            **options,
        )
        assert isinstance(env, TaskVectorEnv)  # as every registered one is
        num_rows = env.num_envs
        self.environment_id = environment_id
        self.env, self.num_rows, self.teacher, self.steps = env, num_rows, teacher, 0
        self.observation_space = named_space(env.single_observation_space)
        teacher.meet(self.observation_space, env.single_action_space)
        self.observations: Arrays = {}
        self.starts = np.ones(num_rows, np.bool_)
        self.train = np.ones(num_rows, np.bool_)
        self.steps_per_action, self._seed = steps_per_action, seed
        self._levels = np.zeros(num_rows, np.int64)
        self._returns = np.zeros(num_rows)
        self._lengths = np.zeros(num_rows, np.int64)
        self._ended: list[Ended] = []
        self.recorder = TaskRecorder()
        self._proposed: deque[Task] = deque(maxlen=NEWEST)

    def begin(self) -> None:
        """Begin a level in every row, whatever it was playing."""
        seeds: list[int | None] = [seed_from_parts("row", self._seed, self.steps, row) for row in range(self.num_rows)]
        self.starts = np.ones(self.num_rows, np.bool_)
        self._start(self.starts, seeds)

    @property
    def steps_at_once(self) -> int:
        """Environment steps that an action of every row takes."""
        return self.num_rows * self.steps_per_action

    @property
    def can_be_kept(self) -> bool:
        """Whether :meth:`state` keeps the rows' episodes; otherwise they are to begin anew after it, as restored."""
        return can_be_kept(self.env)

    def step(self, actions: np.ndarray) -> Step:
        """Advance every row; rows whose episode is over begin their next level."""
        _, rewards, terminations, truncations, infos = self.env.step(actions)
        self.steps += self.steps_at_once
        self._returns += rewards
        self._lengths += self.steps_per_action
        ended = terminations | truncations
        self.starts = ended
        last = {}
        if ended.any():
            last = {name: array[ended] for name, array in self._shown().items()}
            self._note(ended, infos["success"])
            self._start(ended, None)
        return Step(rewards, terminations, truncations & ~terminations, last)

    def propose(self, rows: np.ndarray) -> list[Proposal]:
        """What these rows (their indices) are to play."""
        return self.teacher.propose(rows, self.steps)

    def take_ended(self) -> list[Ended]:
        """The episodes that ended since this was last asked."""
        ended, self._ended = self._ended, []
        return ended

    def take_proposed(self) -> list[Task]:
        """The newest levels among those that were proposed since this was last asked."""
        proposed = list(self._proposed)
        self._proposed.clear()
        return proposed

    def close(self) -> None:
        """Close the environment."""
        self.env.close()

    def state(self) -> tuple[Arrays, dict[str, Any]]:
        """Arrays and plain values from which :meth:`restore` goes on; the teacher's are apart."""
        recorded = {f"recorder.{name}": array for name, array in self.recorder.arrays().items()}
        if not self.can_be_kept:
            return recorded, {"steps": self.steps}
        arrays, values = save_rows(self.env)
        own = recorded | {
            "starts": self.starts,
            "train": self.train,
            "levels": self._levels,
            "returns": self._returns,
            "lengths": self._lengths,
        }
        own |= {f"env.{name}": array for name, array in arrays.items()}
        return own, {"steps": self.steps, "env": values}

    def restore(self, arrays: Arrays, values: dict[str, Any]) -> None:
        """Go on from what :meth:`state` returned; rows that have begun, with their teacher's state restored."""
        self.recorder.restore(below(arrays, "recorder"))
        self._proposed.clear()
        self.steps = values["steps"]
        if "env" not in values:
            self.begin()
            return
        restore_rows(self.env, below(arrays, "env"), values["env"])
        self.observations = self._shown()
        self.starts, self.train, self._levels = arrays["starts"], arrays["train"].copy(), arrays["levels"].copy()
        self._returns, self._lengths = arrays["returns"].copy(), arrays["lengths"].copy()

    def _start(self, rows: np.ndarray, seeds: list[int | None] | None) -> None:
        starting = np.flatnonzero(rows)
        each = self.env.rows_per_task
        proposals = [proposal for proposal in self.propose(starting[::each]) for _ in range(each)]
        tasks: list[Any] = [None] * self.num_rows
        row_seeds = seeds or [None] * self.num_rows
        for row, proposal in zip(starting.tolist(), proposals):
            tasks[row] = proposal.task
            self._levels[row], self.train[row] = proposal.level, proposal.train
            if proposal.seed is not None:
                row_seeds[row] = proposal.seed
        if each > 1:  # a task has one seed
            row_seeds = [row_seeds[row - row % each] for row in range(self.num_rows)]
        _, infos = self.env.reset(seed=row_seeds, options={"task": tasks, "reset_mask": rows})
        self.train[rows] &= infos.get("acts", rows)[rows]
        self.recorder.record(proposal.task for proposal in proposals)
        self._proposed.extend(proposal.task for proposal in proposals if proposal.train)
        self.observations = self._shown()
        self._returns[rows] = 0.0
        self._lengths[rows] = 0

    def _note(self, ended: np.ndarray, successes: np.ndarray) -> None:
        columns = (self._levels, self.train, self._returns, successes, self._lengths)
        self._ended.append(Ended(*(column[ended] for column in columns)))

    def _shown(self) -> Arrays:
        return named(self.env.observe(copy=False))
