"""LearningLegs: the ant's low level while it learns; every walk to a subgoal is an episode."""

import numpy as np
import torch

from procgen_bench.baselines.encoder import tensors_of
from procgen_bench.baselines.episodic.episodes import Episodes
from procgen_bench.baselines.episodic.learner import EpisodeLearner
from procgen_bench.baselines.learning.taught_rows import TaughtRows
from procgen_bench.tasks.ant_maze import SUBGOAL_STEPS


class LearningLegs:
    """Walks the ants of rows to their subgoals (see :class:`~procgen_bench.envs.ant_maze.simulation.Legs`).

    Args:
        learner: The low level's PPO.
        rows: Whose ants walk; walks in levels that may not be learned from are left out.
    """

    def __init__(self, learner: EpisodeLearner, rows: TaughtRows):
        self.learner, self._rows = learner, rows
        self._walks: list[Episodes] = []
        self._begin()

    def walk(
        self, observations: dict[str, np.ndarray], places: np.ndarray, rows: np.ndarray, torques: np.ndarray
    ) -> None:
        """Draw torques, and keep what was seen and done."""
        seen = _towards(observations, places, rows)
        actions, noted, _ = self.learner.act(
            {name: tensor.to(self.learner.device) for name, tensor in tensors_of(seen).items()}, torch.empty(0)
        )
        torques[rows] = drawn = actions.cpu().numpy()
        step = self._steps
        for name, array in seen.items():
            self._seen.setdefault(name, self._zeros(*array.shape[1:]))[step, rows] = array
        self._actions[step, rows] = drawn
        self._log_probabilities[step, rows] = noted["log_probabilities"].cpu().numpy()
        self._lengths += rows
        self._steps += 1

    def arrive(self, observations: dict[str, np.ndarray], places: np.ndarray, rows: np.ndarray) -> None:
        """The walks of ``rows`` are over."""
        walk = Episodes(
            observations=tensors_of({name: array[:, rows] for name, array in self._seen.items()}),
            actions=self._actions[:, rows],
            log_probabilities=self._log_probabilities[:, rows],
            lengths=self._lengths[rows],
            final_observations=_towards(observations, places, rows),
            successes=np.zeros(int(rows.sum()), np.bool_),  # a walk goes on, in the critic's eyes, where it is cut off
            train=self._rows.train[rows],
        )
        self._walks.append(walk)
        self._begin()

    def update(self) -> dict[str, float]:
        """Learn from all walks since the last update; returns measures of them."""
        walks, self._walks = self._walks, []
        return self.learner.update(_joined(walks)) if walks else {}

    def _begin(self) -> None:
        self._seen: dict[str, np.ndarray] = {}
        self._actions = self._zeros(self.learner.network.actions.num_outputs // 2)
        self._log_probabilities = self._zeros()
        self._lengths = np.zeros(self._rows.num_rows, np.int64)
        self._steps = 0

    def _zeros(self, *shape: int) -> np.ndarray:
        return np.zeros((SUBGOAL_STEPS, self._rows.num_rows, *shape), np.float32)


def _towards(observations: dict[str, np.ndarray], places: np.ndarray, rows: np.ndarray) -> dict[str, np.ndarray]:
    """What those rows see, their subgoals' places for goals."""
    return {name: array[rows] for name, array in (observations | {"desired_goal": places}).items()}


def _joined(walks: list[Episodes]) -> Episodes:
    """The walks as episodes side by side."""

    def all_of(name: str) -> np.ndarray:
        columns = [getattr(walk, name) for walk in walks]
        return np.concatenate(columns, axis=0 if columns[0].ndim == 1 else 1)

    names = walks[0].observations
    return Episodes(
        observations={name: torch.cat([walk.observations[name] for walk in walks], dim=1) for name in names},
        final_observations={name: np.concatenate([walk.final_observations[name] for walk in walks]) for name in names},
        **{name: all_of(name) for name in ("actions", "log_probabilities", "lengths", "successes", "train")},
    )
