"""LearningWalker: the ant's low level while it learns; every walk to a subgoal is an episode."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from procgen_bench.baselines.papers.sibling_rivalry.episode_learner import EpisodeAdvantages, EpisodeLearner
from procgen_bench.baselines.papers.sibling_rivalry.episode_settings import EpisodicConfiguration
from procgen_bench.baselines.papers.sibling_rivalry.whole_episodes import Episodes, Labeller, Labels
from procgen_bench.baselines.parts.goal_networks import GoalActorCritic
from procgen_bench.baselines.parts.low_level import ACTION_SPACE, OBSERVATION_SPACE, WIDTH
from procgen_bench.baselines.policies.arrays import Arrays, below
from procgen_bench.baselines.policies.tensors import Tensors, tensors_of, torch_seeded_from
from procgen_bench.baselines.training.curriculum_env import CurriculumVectorEnv
from procgen_bench.baselines.training.learner import Learner, RolloutT
from procgen_bench.baselines.training.method import rng_of
from procgen_bench.envs.ant_maze.simulation import AntMazeSimulation
from procgen_bench.tasks.ant_maze import SUBGOAL_STEPS, goal_distance


class LearningWalker:
    """Walks the ants of rows to their subgoals (see :class:`~procgen_bench.envs.ant_maze.simulation.Walker`).

    Args:
        learner: The low level's PPO.
        rows: Whose ants walk; walks in levels that may not be learned from are left out.
    """

    def __init__(self, learner: EpisodeLearner, rows: CurriculumVectorEnv):
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


#: Where the torso's quaternion (w, x, y, z) begins in an observation.
_QUATERNION = 3


@dataclass(frozen=True)
class LowLevelConfiguration(EpisodicConfiguration):
    """Settings of the low level, which is rewarded by the distance to its subgoal."""


def low_level_settings(rollouts: int, learning_rate: float, adam_epsilon: float, device: str) -> LowLevelConfiguration:
    """The published source's settings.

    It learns after every episode of its 20 workers, by 2 times 4 gradient steps; here, as many after all rollouts.
    """
    return LowLevelConfiguration(
        epochs=2,
        minibatches=max(1, rollouts // 5),
        learning_rate=learning_rate,
        learning_rate_decay=1.0,
        adam_epsilon=adam_epsilon,
        entropy_weight=0.02,
        discount=0.98,
        gae_lambda=0.95,
        bootstrap=True,
        device=device,
    )


def over_learning_walker(
    high: Learner[RolloutT], rows: CurriculumVectorEnv, seed: int, configuration: Any
) -> "TwoLevels[RolloutT]":
    """The learner, over a low level that walks the rows' ants from now on.

    Args:
        high: Chooses the subgoals.
        rows: Of SparseAntMaze-v0 with ``control="subgoal"``.
        seed: Of the run.
        configuration: The method's.
    """
    settings = low_level_settings(
        configuration.rollouts, configuration.learning_rate, configuration.adam_epsilon, configuration.device
    )
    rng = rng_of("low level", seed)
    with torch_seeded_from(rng, torch.device("cpu")):
        network = GoalActorCritic(OBSERVATION_SPACE, ACTION_SPACE, width=WIDTH)
    walker = LearningWalker(EpisodeLearner(network, DistanceToSubgoal(), settings, rng), rows)
    simulation = rows.env.simulation
    assert isinstance(simulation, AntMazeSimulation)  # see above
    simulation.walker = walker
    return TwoLevels(high, walker)


class DistanceToSubgoal(Labeller):
    """Rewards every step by minus the distance to the subgoal that it leaves."""

    def label(self, episodes: Episodes) -> Labels:
        """Every walk is included; the critic sees what the policy sees."""
        walked = episodes.observed("achieved_goal")
        places = np.broadcast_to(episodes.goals, walked.shape)
        left = goal_distance(episodes.next_observations("achieved_goal"), places)
        rewards = np.where(episodes.played, -left, 0.0)
        before = goal_distance(walked[0], episodes.goals)
        after = goal_distance(episodes.ends, episodes.goals)
        last = episodes.final_observations["observation"]
        x, y = last[:, _QUATERNION + 1], last[:, _QUATERNION + 2]
        return Labels(
            rewards=rewards,
            included=np.ones(len(episodes.lengths), np.bool_),
            anti_goals=None,
            measures={
                "return": float(rewards.sum(axis=0).mean()),
                "distance": float(after.mean()),
                "progress": float((before - after).mean()),
                "falls": float((x * x + y * y > 0.5).mean()),  # the torso's upward axis points downwards
            },
        )


#: Names of the levels' weights begin with these, and so do the low level's measures and what is kept of it.
SUBGOALS, LOW_LEVEL = "subgoals", "low_level"


class TwoLevels(Learner[RolloutT]):
    """Learns on both levels from every rollout; in all else it is the learner of subgoals.

    Args:
        high: Chooses the subgoals.
        walker: Walks to them.
    """

    def __init__(self, high: Learner[RolloutT], walker: LearningWalker):
        self.high, self.walker = high, walker
        self.device, self.memory_width, self.discounts = high.device, high.memory_width, high.discounts

    @property  # type: ignore[override]
    def rates(self) -> Mapping[str, float]:
        """Those of the learner of subgoals."""
        return self.high.rates

    @rates.setter
    def rates(self, rates: Mapping[str, float]) -> None:
        self.high.rates = rates

    def act(self, observations: Tensors, memory: torch.Tensor) -> tuple[torch.Tensor, Tensors, torch.Tensor]:
        """Subgoals."""
        return self.high.act(observations, memory)

    def update(self, rollout: RolloutT) -> dict[str, float]:
        """Both levels learn; the low one's measures have names of their own."""
        measures = self.high.update(rollout)
        return measures | {f"{LOW_LEVEL}_{name}": value for name, value in self.walker.update().items()}

    def estimate_advantages(self, episodes: Episodes) -> EpisodeAdvantages:
        """See :meth:`.EpisodeLearner.estimate_advantages`."""
        assert isinstance(self.high, EpisodeLearner)  # whose collector alone asks
        return self.high.estimate_advantages(episodes)

    def advantages(self, rollout: RolloutT) -> np.ndarray | None:
        """Those of the subgoals."""
        return self.high.advantages(rollout)

    def values(self, observations: Tensors) -> np.ndarray:
        """The values of states by the learner of subgoals."""
        return self.high.values(observations)

    def state(self) -> tuple[Arrays, dict[str, Any]]:
        """Both levels'; between updates no walk is kept."""
        arrays, values = self.high.state()
        own_arrays, own_values = self.walker.learner.state()
        return arrays | _named(LOW_LEVEL, own_arrays), values | {LOW_LEVEL: own_values}

    def restore(self, arrays: Arrays, values: dict[str, Any]) -> None:
        """Continue from what :meth:`state` returned."""
        self.high.restore(arrays, values)
        self.walker.learner.restore(below(arrays, LOW_LEVEL), values[LOW_LEVEL])

    def policy_weights(self) -> Arrays:
        """Both levels' weights."""
        low = self.walker.learner.policy_weights()
        return _named(SUBGOALS, self.high.policy_weights()) | _named(LOW_LEVEL, low)

    def after_evaluation(self, scores: dict[str, float]) -> None:
        """The learner of subgoals is given the scores."""
        self.high.after_evaluation(scores)


def _named(part: str, arrays: Arrays) -> Arrays:
    return {f"{part}.{name}": array for name, array in arrays.items()}
