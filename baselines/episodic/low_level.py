"""The ant's low level as the published source trains it: its network, its settings, what a walk earns.

Every walk to a subgoal (20 steps) is an episode of its own, learned from by PPO beside the policy of subgoals.
"""

from typing import Any

import numpy as np
import torch

from procgen_bench.baselines.actions.choice import actions_of
from procgen_bench.baselines.encoder import Tensors
from procgen_bench.baselines.episodic.actor_critic import Actor, GoalActorCritic
from procgen_bench.baselines.episodic.configuration import EpisodicConfiguration
from procgen_bench.baselines.episodic.episodes import Episodes
from procgen_bench.baselines.episodic.labels import Labeller, Labels
from procgen_bench.baselines.episodic.learner import EpisodeLearner
from procgen_bench.baselines.episodic.learning_legs import LearningLegs
from procgen_bench.baselines.episodic.two_levels import TwoLevels
from procgen_bench.baselines.learning.beginning import rng_of
from procgen_bench.baselines.learning.chance import own_chance
from procgen_bench.baselines.learning.learner import Learner, RolloutT
from procgen_bench.baselines.learning.taught_rows import TaughtRows
from procgen_bench.envs.ant_maze import SparseAntMazeEnv
from procgen_bench.envs.ant_maze.simulation import AntMazeSimulation
from procgen_bench.tasks.ant_maze import goal_distance

#: What the low level sees, with the subgoal's place (x, y) in the place of the goal, and what it does: torques.
OBSERVATION_SPACE, ACTION_SPACE = SparseAntMazeEnv.observation_space, SparseAntMazeEnv.action_space
#: Of its layers: the published source's; the paper has 128.
WIDTH = 256
#: Where the torso's quaternion (w, x, y, z) begins in an observation.
_QUATERNION = 3


def low_level_settings(rollouts: int, learning_rate: float, adam_epsilon: float, device: str) -> EpisodicConfiguration:
    """The published source's settings.

    It learns after every episode of its 20 workers, by 2 times 4 gradient steps; here, as many after all rollouts.
    """
    return EpisodicConfiguration(
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


def over_learning_legs(high: Learner[RolloutT], rows: TaughtRows, seed: int, configuration: Any) -> TwoLevels[RolloutT]:
    """The learner, over legs that walk the rows' ants from now on.

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
    with own_chance(rng, torch.device("cpu")):
        network = GoalActorCritic(OBSERVATION_SPACE, ACTION_SPACE, width=WIDTH)
    legs = LearningLegs(EpisodeLearner(network, DistanceToSubgoal(), settings, rng), rows)
    simulation = rows.env.simulation
    assert isinstance(simulation, AntMazeSimulation)  # see above
    simulation.legs = legs
    return TwoLevels(high, legs)


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


class LearnedLegs:
    """The low level's policy, ready to play.

    Attributes:
        network: The actor, with any weights.
        noise_width: Uniform numbers that drawing torques takes.
    """

    def __init__(self):
        self._actions = actions_of(ACTION_SPACE)
        self.network = Actor(OBSERVATION_SPACE, self._actions.num_outputs, WIDTH)
        self.noise_width = self._actions.noise_width

    def torques(self, states: torch.Tensor, places: torch.Tensor, noise: torch.Tensor) -> torch.Tensor:
        """Torques that walk ants to places.

        Args:
            states: float32 (n, 30), as SparseAntMaze-v0's ``observation``.
            places: float32 (n, 2), x and y.
            noise: float32 (n, ``noise_width``), uniform in [0, 1), or (n, 0): then torques are means.

        Returns:
            float32 (n, 8), newton metres in [-30, 30].
        """
        seen: Tensors = {"observation": states, "desired_goal": places}
        return self._actions.play(self.network(seen), noise if noise.shape[1] else None)
