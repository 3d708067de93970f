"""MadeUpStudent: a student without a network, by which a teacher is checked in no time."""

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from procgen_bench.baselines.policies.arrays import Arrays, named, named_space
from procgen_bench.baselines.training.contracts import CRITICISM, EpisodeSteps, FinishedEpisodes, Proposal
from procgen_bench.baselines.training.player import PlayerSnapshot
from procgen_bench.baselines.training.player_names import CONTROL, STUDENT
from procgen_bench.baselines.training.teacher import Teacher
from procgen_bench.core.seeding import seed_from_parts
from procgen_bench.core.task import Task

#: Steps of every episode.
_LENGTH = 10


class MadeUpStudent:
    """Solves a level with a probability that follows from the task, and is to its teacher as a real one.

    Its observations are of the environment's space, each task's its own; it sees and says what the teacher requires,
    and nothing more.

    Args:
        teacher: Whom it learns from.
        environment_id: What it plays.
        seed: Of its luck.

    Attributes:
        steps_used: Environment steps so far.
    """

    def __init__(self, teacher: Teacher, environment_id: str, seed: int):
        self._required, self._players = teacher.required_columns, tuple(dict.fromkeys((*teacher.players, CONTROL)))
        self._scores_steps = teacher.step_score is not None
        self._rng = np.random.default_rng(seed)
        self.steps_used = 0
        with gymnasium.make(environment_id) as env:
            self._shown, self.action_space = env.observation_space, env.action_space
        self.observation_space: spaces.Dict = named_space(self._shown)

    def play(self, proposals: list[Proposal]) -> FinishedEpisodes:
        """Episodes of these levels."""
        return self._played(
            [proposal.task for proposal in proposals],
            [proposal.level for proposal in proposals],
            [proposal.train for proposal in proposals],
            [proposal.player for proposal in proposals],
        )

    def evaluate(self, tasks: list[Task], episodes: int, player: str = STUDENT) -> FinishedEpisodes:
        """Every task so many times."""
        every = [(task, number) for number, task in enumerate(tasks) for _ in range(episodes)]
        numbers = [number for _, number in every]
        return self._played(
            [task for task, _ in every], numbers, [False] * len(every), [player] * len(every), probe=True
        )

    def values(self, observations: Arrays, player: str = STUDENT) -> np.ndarray:
        """Values float32 (N,) of observations (N, ...): their means, squashed."""
        means = [array.reshape(len(array), -1).mean(axis=1, dtype=np.float64) for array in observations.values()]
        return np.tanh(np.sum(means, axis=0)).astype(np.float32)

    def snapshot(self, player: str = STUDENT) -> PlayerSnapshot:
        """Of nothing: it learns nothing."""
        return PlayerSnapshot({}, {}, {})

    def load(self, snapshot: PlayerSnapshot, player: str = STUDENT) -> None:
        """It stays as it is."""

    def _played(
        self, tasks: list[Task], levels: list[int], train: list[bool], players: list[str], probe: bool = False
    ) -> FinishedEpisodes:
        count = len(tasks)
        easiness = np.array([_share_of(task) for task in tasks]).reshape(count)
        success = self._rng.random(count) < easiness
        self.steps_used += _LENGTH * count
        unknown = np.full(count, np.nan)
        known = easiness.astype(np.float32) if self._required & CRITICISM and not probe else unknown
        steps = tuple(map(self._steps_of, tasks, success.tolist()))
        return FinishedEpisodes(
            level=np.array(levels, np.int64),
            player=np.array([self._players.index(player) for player in players], np.int16),
            train=np.array(train, np.bool_),
            return_=success.astype(np.float64),
            success=success,
            length=np.full(count, _LENGTH, np.int64),
            start_value=known.astype(np.float32),
            mean_value=known.astype(np.float32),
            value_loss=(known * (1 - known)).astype(np.float32),
            step_score=(known if self._scores_steps else unknown).astype(np.float32),
            gradient_norm=(known if "gradient_norm" in self._required else unknown).astype(np.float32),
            steps=steps if "steps" in self._required and not probe else None,
            players=self._players,
        )

    def _steps_of(self, task: Task, success: bool) -> EpisodeSteps:
        """What happened: the same observation all the time, and a reward at the end."""
        seed = seed_from_parts("shown", task.fingerprint()) % 2**31
        seen = named(_drawn(self._shown, seed))
        rewards = np.zeros(_LENGTH, np.float32)
        rewards[-1] = success
        actions = np.stack([_drawn(self.action_space, seed)] * _LENGTH)
        return EpisodeSteps({name: np.stack([one] * (_LENGTH + 1)) for name, one in seen.items()}, actions, rewards)


def _drawn(space: spaces.Space, seed: int) -> Any:
    space.seed(seed)
    return space.sample()


def _share_of(task: Task) -> float:
    """A number in [0, 1) that follows from the task."""
    return int(task.fingerprint()[:8], 16) / 16**8
