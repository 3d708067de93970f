"""Sibling Rivalry's off-policy baselines (Trott et al., 2019): DDPG and DQN with hindsight, and DQN on distances.

All play whole horizons, store them in a replay buffer, and then do one phase of gradient steps.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
import torch
from gymnasium import spaces
from torch import nn
from torch.nn import functional

from procgen_bench.baselines.parts.convolutions import multiply_in
from procgen_bench.baselines.parts.deterministic import DDPG, Critic, DeterministicPolicy, make_deterministic_actor
from procgen_bench.baselines.parts.episode_learner import ANT_EVALUATION_TASKS
from procgen_bench.baselines.parts.flat_choices import FlatChoices
from procgen_bench.baselines.parts.goal_networks import Actor
from procgen_bench.baselines.parts.hierarchy import (
    GoalPolicy,
    check_goal_options,
    policy_settings,
    row_options,
    steps_per_action,
)
from procgen_bench.baselines.parts.off_policy import OffPolicyLearner, OffPolicySettings, TargetUpdates
from procgen_bench.baselines.parts.q_learning import QLearner, TorchValues
from procgen_bench.baselines.parts.replay import Goals, Hindsight, Replay
from procgen_bench.baselines.parts.two_levels import with_low_level
from procgen_bench.baselines.policies.tensors import UncorrectedAdam, array_leaves, torch_seeded_from
from procgen_bench.baselines.training.player import Player
from procgen_bench.baselines.training.prepare import prepare_run, rng_of
from procgen_bench.baselines.training.rollouts import Rollout
from procgen_bench.baselines.training.run_folder import RunFolder
from procgen_bench.baselines.training.settings import (
    AMOUNT,
    COUNT,
    NUMBER,
    SHARE,
    GoalConfiguration,
    PaperDefaults,
    for_environment,
    option,
)
from procgen_bench.baselines.training.trainer import Trainer
from procgen_bench.core.benchmark import Benchmark
from procgen_bench.core.checks import check_choice
from procgen_bench.engine.goal_env import GoalRows

#: Table 2's figures that differ between environments, but for the size of the minibatches.
#:
#: The paper averages the gradients of 20 workers' minibatches of 64 (ant, bits: 128), so the same step on one process
#: has 1,280 (2,560) transitions. With the defaults, 4 million steps in the point maze take five minutes on one core,
#: and ten million on bits half an hour.
_VECTORS: PaperDefaults = {
    "SparsePointMaze-v0": {"action_l2": 0.25, "batch_size": 512},
    "SparseAntMaze-v0": {"action_l2": 0.0002, "batch_size": 512, "evaluation_tasks": ANT_EVALUATION_TASKS},
}
_BITS: PaperDefaults = {"BitGrid-v0": {"batch_size": 256}}
_STRATEGIES = ("future", "final")


@dataclass(frozen=True)
class GoalReplayConfiguration(GoalConfiguration):
    """Table 2's, for 20 workers in one."""

    rollouts: int = option(80, "Rows, each played for one horizon between updates: the paper's 4 of 20 workers.", COUNT)
    minibatches: int = option(40, "Gradient steps per update.", COUNT)
    batch_size: int | None = option(
        None, "Transitions per minibatch; by default bounded by what one processor core can do (see the method).", COUNT
    )
    learning_rate: float = option(1e-3, "Learning rate of Adam.", AMOUNT)
    adam_epsilon: float = option(1e-3, "Adam's epsilon (the published source's).", AMOUNT)
    discount: float = option(0.98, "Discount factor.", SHARE)
    polyak: float = option(0.95, "Share of the target networks that stays, once per update.", SHARE)
    epsilon: float = option(0.2, "Probability of a uniformly random action.", SHARE)
    buffer_size: int = option(400_000, "Capacity of the replay buffer, in transitions.", COUNT)
    evaluate_every: int = option(200_000, "Steps between evaluations.", COUNT)
    evaluation_tasks: int | None = option(
        None, "Tasks per evaluation; by default all of the benchmark's, ant 30.", COUNT
    )
    checkpoint_every: int = option(1_000_000, "Least steps between checkpoints.", COUNT)

    #: Trained policies play their best action.
    stochastic: ClassVar[bool] = False
    method: ClassVar[str]
    table: ClassVar[PaperDefaults] = _BITS
    policy_type: ClassVar[type[GoalPolicy | DeterministicPolicy]] = GoalPolicy

    @property
    def settings(self) -> OffPolicySettings:
        """Settings of the learner, with the paper's defaults filled in."""
        assert self.batch_size is not None
        return OffPolicySettings(
            learning_rate=self.learning_rate,
            batch_size=self.batch_size,
            discount=self.discount,
            target_updates=TargetUpdates(1 - self.polyak, "updates"),
            updates_per_rollout=self.minibatches,
            device=self.device,
        )

    def check(self) -> None:
        """Refuse invalid settings."""

    def policy_settings(self, environment_id: str) -> dict[str, Any]:
        """What the policy is built from besides the environment."""
        return policy_settings(environment_id, self)

    def hindsight(self, goals: Goals) -> Hindsight:
        """How goals are replaced: not at all."""
        return Hindsight(goals, relabelled=0)

    def make_learner(
        self,
        observation_space: spaces.Dict,
        action_space: spaces.Space,
        goals: Goals,
        horizon: int,
        rng: np.random.Generator,
    ) -> OffPolicyLearner:
        """The learner; torch's generator draws its weights. Rollouts have ``horizon`` steps."""
        assert isinstance(action_space, spaces.Discrete)
        return GoalDQN(observation_space, action_space, self, goals, horizon, rng)

    def make_replay(
        self, space: spaces.Dict, action: np.ndarray, goals: Goals, horizon: int, rng: np.random.Generator
    ) -> Replay:
        """The replay; goals that are arrays and no vectors are bits."""
        return Replay(
            self.buffer_size,
            space,
            action,
            self.rollouts,
            rng,
            self.device,
            self.hindsight(goals),
            as_bytes=len(array_leaves(space)["desired_goal"].shape) > 1,
            least_steps=horizon,
        )

    def prepared(self, network: nn.Module) -> tuple[Any, UncorrectedAdam]:
        """A network where it is trained, and its optimiser."""
        network = network.to(self.device)
        multiply_in(self.precision, network)
        return network, UncorrectedAdam(network.parameters(), self.learning_rate, self.adam_epsilon)


@dataclass(frozen=True)
class DQNDenseConfiguration(GoalReplayConfiguration):
    """The distance reward at every step (section 4.2 and appendix F)."""

    method: ClassVar[str] = "dqn-dense"


@dataclass(frozen=True)
class HindsightConfiguration(GoalReplayConfiguration):
    """Hindsight experience replay (Andrychowicz et al., 2017)."""

    relabelled: int = option(4, "Relabelled transitions to every one as played (k).", AMOUNT)
    strategy: Literal["future", "final"] = option(
        "future", "Goals of relabelled transitions: achieved at a later step (future), or at the episode's end (final)."
    )
    goals_end: bool = option(True, "Whether reaching a goal ends the episode; otherwise staying there is learned.")
    reward_offset: float = option(
        0.0, "Added to every reward that is learned from: -1 makes it 0 at the goal and -1 elsewhere.", NUMBER
    )
    clip_targets: bool = option(False, "Whether targets are clipped to the values that these rewards can add up to.")

    def check(self) -> None:
        """Refuse an unknown strategy."""
        check_choice("strategy", self.strategy, _STRATEGIES)

    def hindsight(self, goals: Goals) -> Hindsight:
        """How goals are replaced."""
        return Hindsight(goals, self.relabelled, self.strategy, self.goals_end)

    @property
    def settings(self) -> OffPolicySettings:
        """What the learner is set by."""
        clip = self.least_and_greatest_value() if self.clip_targets else (-np.inf, np.inf)
        return replace(super().settings, reward_offset=self.reward_offset, target_clip=clip)

    def least_and_greatest_value(self) -> tuple[float, float]:
        """What rewards of 0, and 1 at the goal, with the offset can add up to."""
        for_ever = 1 / (1 - self.discount) if self.discount < 1 else np.inf
        elsewhere, at_goal = self.reward_offset, 1 + self.reward_offset
        sums = [one * for_ever if one else 0.0 for one in (elsewhere, at_goal)]
        return min(sums[0], at_goal), max(sums[0], at_goal if self.goals_end else sums[1])


@dataclass(frozen=True)
class DQNHERConfiguration(HindsightConfiguration):
    """Defaults are the paper's (table 2)."""

    method: ClassVar[str] = "dqn-her"


@dataclass(frozen=True)
class DDPGHERConfiguration(HindsightConfiguration):
    """Defaults are the paper's (table 2)."""

    noise: float = option(
        0.1, "Standard deviation of behaviour's noise, as a share of an action's greatest size.", AMOUNT
    )
    action_l2: float | None = option(
        None, "Weight of the mean squared action; the paper's for the environment by default.", AMOUNT
    )
    normalise: bool = option(
        False, "Whether observations and goals are normalised by running means and deviations (hindsight's source)."
    )

    method: ClassVar[str] = "ddpg-her"
    table: ClassVar[PaperDefaults] = _VECTORS
    policy_type: ClassVar[type[GoalPolicy | DeterministicPolicy]] = DeterministicPolicy

    def policy_settings(self, environment_id: str) -> dict[str, Any]:
        """And whether it normalises."""
        return super().policy_settings(environment_id) | {"normalise": self.normalise}

    def make_learner(
        self,
        observation_space: spaces.Dict,
        action_space: spaces.Space,
        goals: Goals,
        horizon: int,
        rng: np.random.Generator,
    ) -> DDPG:
        """The learner."""
        assert isinstance(action_space, spaces.Box) and self.action_l2 is not None  # the paper's is filled in
        actor, of_actor = self.prepared(make_deterministic_actor(observation_space, action_space, self.normalise))
        critic, of_critic = self.prepared(Critic(observation_space, action_space, self.normalise))
        action = np.zeros(action_space.shape, np.float32)
        return DDPG(
            action_space,
            actor,
            critic,
            {"actor": of_actor, "critic": of_critic},
            self.make_replay(observation_space, action, goals, horizon, rng),
            self.settings,
            rng,
            self.epsilon,
            self.noise,
            self.action_l2,
        )


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
        network, optimizer = configuration.prepared(Actor(observation_space, int(action_space.n)))

        def make_values(network: Actor, target_network: Actor) -> TorchValues:
            return TorchValues(
                network, target_network, optimizer, self.settings, functional.mse_loss, taken_by=network.unmasked
            )

        replay = configuration.make_replay(observation_space, np.zeros(1, np.int64), goals, horizon, rng)
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


def train(benchmark: Benchmark, configuration: GoalReplayConfiguration, seed: int, steps: int, out: Path) -> RunFolder:
    """Train for ``steps`` environment steps (the last rollout is cut to fit); resumes the run that ``out`` holds."""
    environment_id = benchmark.environment_id
    configuration = for_environment(configuration, environment_id, configuration.table)
    configuration.check()
    settings = configuration.policy_settings(environment_id)
    check_goal_options(environment_id, configuration)
    run, rows = prepare_run(
        benchmark,
        configuration,
        seed,
        steps,
        out,
        configuration.rollouts,
        steps_per_action(environment_id),
        **row_options(environment_id, configuration),
    )
    env, seen, rng = rows.env, rows.env.single_observation_space, rng_of("learner", seed)
    assert isinstance(env, GoalRows) and isinstance(seen, spaces.Dict)  # as every environment of the tables
    horizon = env.single.horizon
    with torch_seeded_from(rng, torch.device("cpu")):
        policy = configuration.policy_type(environment_id, configuration.stochastic, **settings)
        learner = configuration.make_learner(seen, env.single_action_space, env, horizon, rng)
    both_levels = with_low_level(learner, rows, configuration, seed)
    with Trainer(run, Player(both_levels, policy, settings), rows, horizon) as trainer:
        trainer.advance(steps)
    return run
