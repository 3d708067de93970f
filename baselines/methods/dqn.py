"""Deep Q-learning under a teacher, with APT-Gen's two stabilisers (section B.2), and baselines with a bonus (4.2)."""

import pkgutil
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from torch import nn

from procgen_bench.baselines.methods.dqn_settings import (
    DQNConfiguration,
    ExploringConfiguration,
    ICMConfiguration,
    RIDEConfiguration,
    RNDConfiguration,
)
from procgen_bench.baselines.parts.bonuses.curiosity import Curiosity
from procgen_bench.baselines.parts.bonuses.dense_encoder import DenseEncoder
from procgen_bench.baselines.parts.bonuses.distillation import Distillation
from procgen_bench.baselines.parts.bonuses.impact import Impact
from procgen_bench.baselines.parts.bonuses.intrinsic_rewards import IntrinsicRewards
from procgen_bench.baselines.parts.bonuses.learned_bonus import LearnedBonus, LearningSettings, MakeEncoder
from procgen_bench.baselines.parts.encoders import own_network
from procgen_bench.baselines.parts.fast_twins import VALUES
from procgen_bench.baselines.parts.flat_choices import FlatChoices
from procgen_bench.baselines.parts.q_learning import UNBOUNDED, QLearner, QValues, TorchValues
from procgen_bench.baselines.parts.replay import Replay
from procgen_bench.baselines.parts.replayed_returns import ReplayedReturns
from procgen_bench.baselines.parts.space_features import normalising
from procgen_bench.baselines.parts.value_policy import ValuePolicy, value_network
from procgen_bench.baselines.policies.arrays import Arrays, below
from procgen_bench.baselines.policies.tensors import Tensors, torch_seeded_from
from procgen_bench.baselines.training.learner import Rollout
from procgen_bench.baselines.training.method import Context, RowsOptions
from procgen_bench.baselines.training.player import Player

#: What an evaluation says of a policy.
_SCORES = ("return", "success", "length", "worst_tenth_return", "worst_tenth_success")
#: Bonuses stay there: their networks are small, and read one observation at a time.
_PROCESSOR = torch.device("cpu")


class DQN(QLearner):
    """Explores at random until learning starts, and then with a probability that falls linearly.

    Args:
        observation_space: Of one row, by name.
        action_space: Of one row: discrete, or several discrete ones, which are learned as one.
        configuration: The method's settings.
        steps: Environment steps of the whole run.
        rng: Draws everything.
    """

    def __init__(
        self,
        observation_space: spaces.Dict,
        action_space: spaces.Space,
        configuration: DQNConfiguration,
        steps: int,
        rng: np.random.Generator,
    ):
        self.configuration, self._run_steps = configuration, steps
        choices, device = FlatChoices(action_space), torch.device(configuration.device)
        with torch_seeded_from(rng, device):
            network = value_network(
                observation_space, choices, configuration.width, configuration.layers, configuration.network
            )
        replay = Replay(
            configuration.buffer_size,
            observation_space,
            np.zeros(1, np.int64),
            configuration.num_envs,
            rng,
            device,
            least_steps=configuration.rollout_steps,
        )
        network = network.to(device)
        settings = configuration.off_policy
        super().__init__(choices, network, self._make_values, replay, settings, rng, normalising(network))
        self._returns = ReplayedReturns(configuration.num_envs, replay.capacity)
        #: The networks of the last evaluation that was no drop, and its scores.
        self._kept_networks: Arrays = {}
        self._kept_scores = dict.fromkeys(_SCORES, -np.inf)

    @property
    def epsilon(self) -> float:
        """1 until learning starts; from then on as the schedule has it, which counts from the run's beginning."""
        if self.steps < self.settings.learning_starts:
            return 1.0
        final, share = self.configuration.exploration_final, self.steps / self._run_steps
        fraction = self.configuration.exploration_fraction
        return final if share >= fraction else 1 + (final - 1) * share / fraction

    @property
    def next_value_bounds(self) -> tuple[float, float]:
        """The least and the greatest return in the replay, or none."""
        return self._returns.bounds if self.configuration.clip_next_values else UNBOUNDED

    def update(self, rollout: Rollout) -> dict[str, float]:
        """As every off-policy learner."""
        self._returns.add(self.rewarded(rollout))
        return super().update(rollout)

    def after_evaluation(self, scores: dict[str, float]) -> None:
        """Keep the evaluated network or, if it is a drop from above 0, put the kept one back.

        The row's scores become those of the network that goes on; it says also whether that one was restored, and what
        the evaluated one returned.
        """
        if not self.configuration.restore_on_drop:
            return
        scores["evaluated_return"] = scores["return"]
        drops = self._kept_scores["return"] > 0 and scores["return"] < self._kept_scores["return"]
        if drops:
            self.load_networks(self._kept_networks)
            scores.update(self._kept_scores)
        else:
            self._kept_scores = {name: scores[name] for name in _SCORES if name in scores}
            self._kept_networks = self.network_arrays()
        scores["restored"] = int(drops)

    def state(self) -> tuple[Arrays, dict[str, Any]]:
        """And the kept networks, and the returns in the replay."""
        arrays, values = super().state()
        arrays |= {f"kept.{name}": array for name, array in self._kept_networks.items()}
        arrays |= {f"returns.{name}": array for name, array in self._returns.state().items()}
        return arrays, values | {"kept_scores": self._kept_scores}

    def restore(self, arrays: Arrays, values: dict[str, Any]) -> None:
        """Continue from what :meth:`state` returned."""
        super().restore(arrays, values)
        self._kept_networks, self._kept_scores = below(arrays, "kept"), values["kept_scores"]
        self._returns.restore(below(arrays, "returns"))

    def _make_values(self, network: nn.ModuleDict, target_network: nn.ModuleDict) -> QValues:
        own = self.configuration
        fast = pkgutil.resolve_name(VALUES).of(
            network,
            target_network,
            learning_rate=own.learning_rate,
            max_gradient=own.max_gradient,
            discount=own.discount,
            batch_size=own.batch_size,
            num_rows=own.num_envs,
        )
        if fast is not None:
            return fast
        optimizer = torch.optim.Adam(network.parameters(), own.learning_rate, fused=True)
        return TorchValues(network, target_network, optimizer, self.settings, max_gradient=own.max_gradient)


def make_bonus(
    configuration: ExploringConfiguration,
    seen: spaces.Dict,
    choices: spaces.Discrete,
    make_encoder: MakeEncoder,
    settings: LearningSettings,
) -> LearnedBonus:
    """The bonus that a configuration is for, over these observations and numbered actions."""
    match configuration:
        case ICMConfiguration():
            return Curiosity(seen, choices, make_encoder, settings)
        case RNDConfiguration():
            return Distillation(seen, make_encoder, settings, whiten=False)
        case RIDEConfiguration():
            return Impact(seen, choices, make_encoder, settings)
    raise TypeError(f"no bonus is known for {type(configuration).__name__}")


class ExploringDQN(DQN):
    """Rewards that enter the replay are the environment's and the bonus's; the bonus learns from the replay.

    What enters the replay stays there as it was, however well the bonus knows it later. For the arguments see
    :class:`DQN`.
    """

    configuration: ExploringConfiguration

    def __init__(
        self,
        observation_space: spaces.Dict,
        action_space: spaces.Space,
        configuration: ExploringConfiguration,
        steps: int,
        rng: np.random.Generator,
    ):
        super().__init__(observation_space, action_space, configuration, steps, rng)
        learning = LearningSettings(configuration.bonus_learning_rate, 1.0, epochs=1, minibatches=1)
        make_encoder = partial(DenseEncoder, width=configuration.bonus_width)
        with torch_seeded_from(rng, _PROCESSOR):
            numbered = spaces.Discrete(self.choices.count)
            bonus = make_bonus(configuration, observation_space, numbered, make_encoder, learning)
        self.intrinsic = IntrinsicRewards(
            bonus,
            configuration.bonus_weight,
            configuration.discount,
            configuration.bonus_starts,
            configuration.num_envs,
            configuration.episodic,
        )
        #: The rollout whose rewards were asked for last, and what it was with them.
        self._asked: tuple[Rollout, Rollout] | None = None

    def rewarded(self, rollout: Rollout) -> Rollout:
        """With the intrinsic rewards; computed once, for advantages are asked for before the update."""
        if self._asked is None or self._asked[0] is not rollout:
            numbers = self.kept_actions(rollout.actions.cpu().numpy())[..., 0]
            rewards = rollout.rewards + self.intrinsic.of(rollout, numbers)
            self._asked = rollout, replace(rollout, rewards=rewards)
        return self._asked[1]

    def update(self, rollout: Rollout) -> dict[str, float]:
        """As without a bonus; then the bonus learns."""
        given = float((self.rewarded(rollout).rewards - rollout.rewards).mean())
        before = self.steps
        measures = super().update(rollout)
        return measures | {"bonus": given, "bonus_scale": self.intrinsic.scale} | self._learn_bonus(before)

    def state(self) -> tuple[Arrays, dict[str, Any]]:
        """And the intrinsic rewards'."""
        arrays, values = super().state()
        own, own_values = self.intrinsic.state()
        return arrays | {f"intrinsic.{name}": array for name, array in own.items()}, values | {"intrinsic": own_values}

    def restore(self, arrays: Arrays, values: dict[str, Any]) -> None:
        """Continue from what :meth:`state` returned."""
        super().restore(arrays, values)
        self.intrinsic.restore(below(arrays, "intrinsic"), values["intrinsic"])
        self._asked = None

    def _learn_bonus(self, before: int) -> dict[str, float]:
        """The gradient steps that are due since ``before`` environment steps; returns their last losses."""
        rate, losses = self.configuration.bonus_updates_per_step, dict[str, float]()
        if not len(self.replay):
            return losses
        for _ in range(int(self.steps * rate) - int(before * rate)):
            drawn = self.replay.sample(self.configuration.batch_size)
            seen, following = _arrays(drawn.observations), _arrays(drawn.next_observations)
            with torch_seeded_from(self.rng, _PROCESSOR):
                losses = self.intrinsic.bonus.learn(seen, drawn.actions.cpu().numpy()[:, 0], following)
        return losses


def _arrays(tensors: Tensors) -> Arrays:
    return {name: tensor.cpu().numpy() for name, tensor in tensors.items()}


def make_learner(
    configuration: DQNConfiguration,
    observation_space: spaces.Dict,
    action_space: spaces.Space,
    steps: int,
    rng: np.random.Generator,
) -> DQN:
    """The learner of a run of so many environment steps, with a bonus where the method has one."""
    if isinstance(configuration, ExploringConfiguration):
        return ExploringDQN(observation_space, action_space, configuration, steps, rng)
    return DQN(observation_space, action_space, configuration, steps, rng)


def rows_options(environment_id: str, configuration: DQNConfiguration) -> RowsOptions:
    """Rows as the environment has them."""
    return RowsOptions(configuration.num_envs, configuration.rollout_steps)


def make_players(context: Context) -> list[Player]:
    """One learner."""
    configuration = context.configuration
    own_network(configuration.network)
    with torch.random.fork_rng(devices=[]):
        policy = ValuePolicy(context.benchmark.environment_id, configuration.stochastic, **configuration.sizes)
    spaces_of_rows = context.rows.observation_space, context.rows.env.single_action_space
    learner = make_learner(configuration, *spaces_of_rows, context.steps, context.rng("learner"))
    return [Player(learner, policy, configuration.sizes)]
