"""Sibling Rivalry's off-policy baselines (Trott et al., 2019): DDPG and DQN with hindsight, and DQN on distances.

All play whole horizons, store them in a replay buffer, and then do one phase of gradient steps.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from torch import nn
from torch.nn import functional

from procgen_bench.baselines.papers.sibling_rivalry.goal_replay_settings import (
    DDPGHERConfiguration,
    DQNDenseConfiguration,
    GoalReplayConfiguration,
    HindsightConfiguration,
)
from procgen_bench.baselines.papers.sibling_rivalry.two_levels import with_low_level
from procgen_bench.baselines.parts.convolutions import multiply_in
from procgen_bench.baselines.parts.deterministic import DDPG, Critic, DeterministicPolicy, make_deterministic_actor
from procgen_bench.baselines.parts.flat_choices import FlatChoices
from procgen_bench.baselines.parts.goal_networks import Actor
from procgen_bench.baselines.parts.hierarchy import (
    GoalPolicy,
    check_goal_options,
    policy_settings,
    row_options,
    steps_per_action,
)
from procgen_bench.baselines.parts.off_policy import OffPolicyLearner
from procgen_bench.baselines.parts.q_learning import QLearner, TorchValues
from procgen_bench.baselines.parts.replay import Goals, Hindsight, Replay
from procgen_bench.baselines.policies.tensors import UncorrectedAdam, array_leaves, torch_seeded_from
from procgen_bench.baselines.training.learner import Rollout
from procgen_bench.baselines.training.method import Context, RowsOptions
from procgen_bench.baselines.training.player import Player
from procgen_bench.engine.goal_env import GoalRows


def make_replay(
    configuration: GoalReplayConfiguration,
    space: spaces.Dict,
    action: np.ndarray,
    goals: Goals,
    horizon: int,
    rng: np.random.Generator,
) -> Replay:
    """The replay, which replaces goals where the method does; goals that are arrays and no vectors are bits."""
    hindsight = Hindsight(goals, relabelled=0)
    if isinstance(configuration, HindsightConfiguration):
        hindsight = Hindsight(goals, configuration.relabelled, configuration.strategy)
    return Replay(
        configuration.buffer_size,
        space,
        action,
        configuration.rollouts,
        rng,
        configuration.device,
        hindsight,
        as_bytes=len(array_leaves(space)["desired_goal"].shape) > 1,
        least_steps=horizon,
    )


def prepared(configuration: GoalReplayConfiguration, network: nn.Module) -> tuple[Any, UncorrectedAdam]:
    """A network where it is trained, and its optimiser."""
    network = network.to(configuration.device)
    multiply_in(configuration.precision, network)
    return network, UncorrectedAdam(network.parameters(), configuration.learning_rate, configuration.adam_epsilon)


class GoalDQN(QLearner):
    """Learns by the mean squared error, unclipped, as in the published source; :class:`.GoalPolicy` plays its weights.

    Args:
        observation_space: A goal environment's.
        action_space: Of one row.
        configuration: The method's settings: dense ones of ``dqn-dense``.
        goals: Says what a goal earns.
        horizon: Steps of a rollout.
        rng: Draws everything but the first weights, which torch's generator draws.
    """

    def __init__(
        self,
        observation_space: spaces.Dict,
        action_space: spaces.Discrete,
        configuration: GoalReplayConfiguration,
        goals: Goals,
        horizon: int,
        rng: np.random.Generator,
    ):
        self._goals, self._epsilon = goals, configuration.epsilon
        self.dense = isinstance(configuration, DQNDenseConfiguration)
        network, optimizer = prepared(configuration, Actor(observation_space, int(action_space.n)))

        def make_values(network: Actor, target_network: Actor) -> TorchValues:
            return TorchValues(
                network, target_network, optimizer, self.settings, functional.mse_loss, taken_by=network.unmasked
            )

        replay = make_replay(configuration, observation_space, np.zeros(1, np.int64), goals, horizon, rng)
        super().__init__(FlatChoices(action_space), network, make_values, replay, configuration.settings, rng)

    @property
    def epsilon(self) -> float:
        """The same always."""
        return self._epsilon

    def rewarded(self, rollout: Rollout) -> Rollout:
        """The rollout with the rewards that are learned from."""
        return replace(rollout, rewards=dense_rewards(rollout, self._goals)) if self.dense else rollout


def dense_rewards(rollout: Rollout, goals: Goals) -> np.ndarray:
    """float32 (T, N): a step from s to s' is rewarded by d(s, g) - d(s', g), plus 1 if it reaches g.

    The paper says that DQN learned only "if the shaped reward was exposed at every time step", not in which form. This
    is its shaped reward (equation 2) as a difference of potentials: undiscounted, an episode's rewards add up to
    equation 2's terminal reward and the distance from its start, which no action changes. With the distance itself at
    every step a longer episode would cost more, so that what is shaped would not be the same task.
    """

    def distances(achieved: np.ndarray) -> np.ndarray:
        flat = goals.distance(achieved.reshape(wanted.shape), wanted)
        return flat.reshape(rollout.rewards.shape)

    wanted = rollout.observations["desired_goal"].flatten(0, 1).cpu().numpy()
    before, after = rollout.observations["achieved_goal"].cpu().numpy(), rollout.following("achieved_goal")
    return (rollout.rewards + distances(before) - distances(after)).astype(np.float32)


def make_learner(
    configuration: GoalReplayConfiguration,
    observation_space: spaces.Dict,
    action_space: spaces.Space,
    goals: Goals,
    horizon: int,
    rng: np.random.Generator,
) -> OffPolicyLearner:
    """The method's learner; torch's generator draws its weights. Rollouts have ``horizon`` steps."""
    if not isinstance(configuration, DDPGHERConfiguration):
        assert isinstance(action_space, spaces.Discrete)  # as of the tables' environments
        return GoalDQN(observation_space, action_space, configuration, goals, horizon, rng)
    assert isinstance(action_space, spaces.Box) and configuration.action_l2 is not None  # the paper's is filled in
    actor, of_actor = prepared(configuration, make_deterministic_actor(observation_space, action_space))
    critic, of_critic = prepared(configuration, Critic(observation_space, action_space))
    action = np.zeros(action_space.shape, np.float32)
    return DDPG(
        action_space,
        actor,
        critic,
        {"actor": of_actor, "critic": of_critic},
        make_replay(configuration, observation_space, action, goals, horizon, rng),
        configuration.settings,
        rng,
        configuration.epsilon,
        configuration.noise,
        configuration.action_l2,
    )


def rows_options(environment_id: str, configuration: GoalReplayConfiguration) -> RowsOptions:
    """Rows that are played for an episode between updates."""
    check_goal_options(environment_id, configuration)
    return RowsOptions(
        configuration.rollouts,
        rollout_steps=0,
        steps_per_action=steps_per_action(environment_id),
        options=row_options(environment_id, configuration),
    )


def make_players(context: Context) -> list[Player]:
    """One learner, of subgoals over a low level where the environment has one."""
    configuration, rows, rng = context.configuration, context.rows, context.rng("learner")
    environment_id, env = context.benchmark.environment_id, rows.env
    seen, action_space = env.single_observation_space, env.single_action_space
    settings = policy_settings(environment_id, configuration)
    assert isinstance(env, GoalRows) and isinstance(seen, spaces.Dict)  # as every environment of the tables
    horizon = env.single.horizon
    policy_type: type[GoalPolicy | DeterministicPolicy] = GoalPolicy
    if isinstance(configuration, DDPGHERConfiguration):
        policy_type = DeterministicPolicy
    with torch_seeded_from(rng, torch.device("cpu")):
        policy = policy_type(environment_id, configuration.stochastic, **settings)
        learner = make_learner(configuration, seen, action_space, env, horizon, rng)
    return [Player(with_low_level(learner, rows, configuration, context.seed), policy, settings)]
