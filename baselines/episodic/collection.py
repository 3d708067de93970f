"""EpisodeCollector: one whole episode in every row between updates."""

import numpy as np
import torch

from procgen_bench.baselines.encoder import rows_of
from procgen_bench.baselines.episodic.episode_rows import EpisodeRows
from procgen_bench.baselines.episodic.episodes import Episodes
from procgen_bench.baselines.episodic.learner import EpisodeLearner
from procgen_bench.baselines.episodic.two_levels import TwoLevels
from procgen_bench.baselines.learning.collection import RowCollector
from procgen_bench.baselines.teachers.proposal import EpisodeSteps, Played


class EpisodeCollector(RowCollector[Episodes]):
    """Collects episodes; rows whose episode is over rest until the last one is."""

    rows: EpisodeRows
    learner: EpisodeLearner | TwoLevels[Episodes]

    def affordable(self, steps: int) -> int:
        """All steps of an episode, or none: where episodes might be cut there are none any more."""
        return self.num_steps if steps >= self.num_steps * self.rows.steps_at_once else 0

    def collect(self, num_steps: int | None = None) -> Episodes:
        """Play the episodes that have begun to their ends, and begin the next ones."""
        rows, space = self.rows, self.rows.env.action_space
        train, active = rows.train.copy(), []
        actions: list[np.ndarray] = []
        rewards: list[np.ndarray] = []
        log_probabilities: list[np.ndarray] = []
        while rows.active.any():
            active.append(rows.active)
            acting = torch.as_tensor(np.flatnonzero(rows.active), device=self.learner.device)
            chosen, noted, _ = self.learner.act(rows_of(self._see(len(actions)), acting), self.memory[acting])
            actions.append(np.zeros(space.shape or (), space.dtype))
            actions[-1][rows.active] = chosen.cpu().numpy()
            log_probabilities.append(np.zeros(rows.num_rows, np.float32))
            log_probabilities[-1][rows.active] = noted["log_probabilities"].cpu().numpy()
            rewards.append(rows.step(actions[-1]).rewards.astype(np.float32))
        played = np.stack(active)
        observations, finals = rows.view.add(
            {name: _without_rest(seen[: len(played)], played) for name, seen in self._seen.items()},
            {name: _single(array) for name, array in rows.observations.items()},
        )
        episodes = Episodes(
            observations=observations,
            actions=np.stack(actions),
            log_probabilities=np.stack(log_probabilities),
            lengths=played.sum(axis=0),
            final_observations=finals,
            successes=rows.env.simulation.successes.copy(),
            train=train,
        )
        self._rewards = np.stack(rewards)
        rows.begin()
        return episodes

    def played(self, rollout: Episodes) -> Played:
        """The episodes that were just collected."""
        judged = self.learner.judge(rollout)
        starts = np.zeros(rollout.played.shape, np.bool_)
        starts[0] = True
        steps = self._steps(rollout) if "steps" in self.rows.teacher.wants else None
        return self._told(starts, rollout.last_steps, judged.values, judged.advantages, steps)

    def _steps(self, rollout: Episodes) -> tuple[EpisodeSteps, ...]:
        """What happened in each, in the order of ending."""
        shown = {name: rollout.observed(name) for name in rollout.observations}
        return tuple(
            EpisodeSteps(
                {
                    name: np.concatenate([array[: last + 1, row], rollout.final_observations[name][None, row]])
                    for name, array in shown.items()
                },
                rollout.actions[: last + 1, row],
                self._rewards[: last + 1, row],
            )
            for last, row in np.argwhere(rollout.last_steps)
        )


def _single(array: np.ndarray) -> np.ndarray:
    """A copy, in single precision as rollouts are kept."""
    return array.astype(np.float32 if array.dtype == np.float64 else array.dtype)


def _without_rest(seen: torch.Tensor, played: np.ndarray) -> torch.Tensor:
    seen.flatten(0, 1).index_fill_(0, torch.as_tensor(np.flatnonzero(~played), device=seen.device), 0)
    return seen
