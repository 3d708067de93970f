"""StudentHandle: the players of a run as their teacher sees them between updates."""

from collections.abc import Mapping

import numpy as np
import torch

from procgen_bench.baselines.policies.scripted.policies import RandomPolicy
from procgen_bench.baselines.training.contracts import FinishedEpisodes
from procgen_bench.baselines.training.curriculum_env import CurriculumVectorEnv
from procgen_bench.baselines.training.evaluation import play_episodes
from procgen_bench.baselines.training.player import Player, PlayerSnapshot
from procgen_bench.baselines.training.player_names import CONTROL, STUDENT
from procgen_bench.baselines.training.run_folder import RunFolder
from procgen_bench.core.errors import UnknownNameError
from procgen_bench.core.policy import Policy
from procgen_bench.core.seeding import seed_from_parts
from procgen_bench.core.task import Task


class StudentHandle:
    """Players that their teacher may probe and copy: see :class:`~procgen_bench.baselines.training.contracts.Student`.

    Args:
        players: The run's, by name.
        rows: Their rows, which count the steps.
        run: What they are trained in: where, and for how many steps.
    """

    def __init__(self, players: Mapping[str, Player], rows: CurriculumVectorEnv, run: RunFolder):
        self._players, self._rows = players, rows
        self._benchmark, self._steps = run.benchmark, run.steps

    @property
    def steps_used(self) -> int:
        """Environment steps so far, probes among them."""
        return self._rows.steps

    def evaluate(self, tasks: list[Task], episodes: int, player: str = STUDENT) -> FinishedEpisodes:
        """Play every task so many times with a player's policy; the steps count.

        At the end of a run only as many of the first as its steps are sure to suffice for.

        Raises:
            UnknownNameError: There is no such player.
            PolicyCrashedError: The player's policy raised an error.
        """
        left = (self._steps - self._rows.steps) // self._benchmark.max_episode_steps
        every = [task for task in tasks for _ in range(episodes)][: max(left, 0)]
        seeds = [seed_from_parts("probe", self._rows.steps, number) for number in range(len(every))]
        names = list(self._players) if player in self._players else [*self._players, CONTROL]
        if player == CONTROL and player not in self._players:
            policy: Policy = RandomPolicy(self._benchmark.environment_id)
            policy.seed(seed_from_parts("control", self._rows.steps))
        else:
            policy = self._player(player).current_policy()
        played = play_episodes(policy, self._benchmark.environment_id, every, seeds)
        lengths = np.array([episode.length for episode in played], np.int64)
        self._rows.steps += int(lengths.sum())
        unknown = np.full(len(every), np.nan, np.float32)
        return FinishedEpisodes(
            level=np.repeat(np.arange(len(tasks)), episodes)[: len(every)],
            player=np.full(len(every), names.index(player), np.int16),
            train=np.zeros(len(every), np.bool_),
            return_=np.array([episode.return_ for episode in played]),
            success=np.array([episode.success for episode in played], np.bool_),
            length=lengths,
            start_value=unknown,
            mean_value=unknown,
            value_loss=unknown,
            players=tuple(names),
        )

    def values(self, observations: dict[str, np.ndarray], player: str = STUDENT) -> np.ndarray:
        """The player's critic's values float32 (N,) of first observations by name (N, ...); NaN where it has none.

        Raises:
            UnknownNameError: There is no such player.
        """
        learner = self._player(player).learner
        if learner is None:
            return np.full(len(next(iter(observations.values()))), np.nan, np.float32)
        return learner.values(
            {name: torch.as_tensor(array, device=learner.device) for name, array in observations.items()}
        )

    def snapshot(self, player: str = STUDENT) -> PlayerSnapshot:
        """A copy of what the player has learned; :class:`UnknownNameError`: there is no such player."""
        return self._player(player).snapshot()

    def load(self, snapshot: PlayerSnapshot, player: str = STUDENT) -> None:
        """Let the player continue from a snapshot of a player of its kind; :class:`UnknownNameError`: there is no such
        one."""
        self._player(player).load(snapshot)

    def _player(self, name: str) -> Player:
        if name not in self._players:
            raise UnknownNameError("player", name, list(self._players))
        return self._players[name]
