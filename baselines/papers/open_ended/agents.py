"""XLand's agents: PPO, A2C and V-MPO with what "Open-Ended Learning Leads to Generally Capable Agents" (2021) adds.

That is goal attention, the prediction of a goal's atoms, distillation from a teacher's policy, self reward-play, and
for PPO, PopArt. ``train METHOD`` makes them of ``ppo``, ``recurrent-ppo``, ``a2c`` and ``vmpo`` in XLand.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import nn

from procgen_bench.baselines.methods import ppo
from procgen_bench.baselines.methods.ppo import (
    AdvantageLearner,
    Minibatch,
    PolicyGradient,
    actor_critic,
    shared_rows,
)
from procgen_bench.baselines.methods.vmpo import VMPO
from procgen_bench.baselines.papers.open_ended.agent_policy import AgentNetwork, AgentPolicy
from procgen_bench.baselines.papers.open_ended.agents_settings import AgentVMPOConfiguration
from procgen_bench.baselines.papers.open_ended.atom_predictor import AtomPredictor
from procgen_bench.baselines.papers.open_ended.auxiliary_loss import AuxiliaryLoss
from procgen_bench.baselines.papers.open_ended.distillation import Distillation
from procgen_bench.baselines.papers.open_ended.goal_attention import ConsistencyLoss
from procgen_bench.baselines.parts.actor_critic import Evaluated
from procgen_bench.baselines.parts.popart import PopArt
from procgen_bench.baselines.policies.arrays import Arrays, below, network_arrays
from procgen_bench.baselines.policies.folders import TRAINED, PolicyFolder, policy_path
from procgen_bench.baselines.policies.tensors import Tensors, torch_seeded_from
from procgen_bench.baselines.policies.weighted import view_options
from procgen_bench.baselines.training.learner import Learner, Rollout
from procgen_bench.baselines.training.method import Context, RowsOptions, cooling, rng_of, seed_of_player
from procgen_bench.baselines.training.player import Player
from procgen_bench.core.errors import InvalidOptionError


class AgentLearner(AdvantageLearner):
    """What every algorithm is given: auxiliary losses, and self reward-play.

    Args:
        arguments: The algorithm's.
        auxiliary: Losses that are added to its own.
    """

    def __init__(self, *arguments: Any, auxiliary: Sequence[AuxiliaryLoss] = ()):
        self.auxiliary = auxiliary
        self.required_infos = tuple(name for loss in auxiliary for name in loss.required_infos)
        super().__init__(*arguments)

    def trained_parameters(self) -> Iterable[nn.Parameter]:
        """The network's, and those of losses."""
        return [*super().trained_parameters(), *(own for loss in self.auxiliary for own in loss.parameters())]

    def further_columns(self, rollout: Rollout) -> dict[str, np.ndarray]:
        """What losses require of each step, by name (T, N, ...)."""
        return {name: column for loss in self.auxiliary for name, column in loss.columns(rollout).items()}

    def estimate_advantages(self, rollout: Rollout, *values: np.ndarray) -> np.ndarray:
        """Advantages float32 (T, N), of self reward-play where that is asked for."""
        paid = flipped(rollout) if self.configuration.reward_play else rollout
        return super().estimate_advantages(paid, *values)

    def auxiliary_losses(self, evaluated: Evaluated, kept: Tensors) -> dict[str, torch.Tensor]:
        """The losses () of n steps, by the names of their measures."""
        return {f"{one.name}_loss": one.loss(evaluated, kept) for one in self.auxiliary}

    def state(self) -> tuple[Arrays, dict[str, Any]]:
        """The algorithm's, and the weights of losses."""
        arrays, values = super().state()  # type: ignore[safe-super]  # the algorithm's
        for loss in self.auxiliary:
            arrays |= {f"auxiliary.{loss.name}.{name}": array for name, array in network_arrays(loss).items()}
        return arrays, values

    def restore(self, arrays: Arrays, values: dict[str, Any]) -> None:
        """Continue from what :meth:`state` returned."""
        super().restore(arrays, values)  # type: ignore[safe-super]
        for loss in self.auxiliary:
            kept = below(arrays, f"auxiliary.{loss.name}")
            loss.load_state_dict({name: torch.as_tensor(array) for name, array in kept.items()})


class AgentPolicyGradient(AgentLearner, PolicyGradient):
    """The policy gradient with auxiliary losses, and a critic of returns that PopArt normalises."""

    def __init__(self, *arguments: Any, auxiliary: Sequence[AuxiliaryLoss] = ()):
        super().__init__(*arguments, auxiliary=auxiliary)
        self.returns_scale = PopArt(self.configuration.popart_share)

    def critic_values(self, observations: Tensors, memory: torch.Tensor) -> np.ndarray:
        """See :meth:`.PolicyGradient.critic_values`."""
        return self.returns_scale.unnormalised(self.network(observations, memory)[1]).cpu().numpy()

    def loss(self, minibatch: Minibatch) -> tuple[torch.Tensor, dict[str, float]]:
        """See :meth:`.PolicyGradient.loss`."""
        judged = self.judged(minibatch)
        assert judged.evaluated is not None
        kept = minibatch.kept | {"returns": self.returns_scale.normalised(minibatch.kept["returns"])}
        loss, measures = self.policy_loss(judged, kept)
        further = self.auxiliary_losses(judged.evaluated, kept)
        loss = sum(further.values(), loss)
        return loss, measures | {name: float(one.detach()) for name, one in further.items()}

    def critic_scale(self) -> dict[str, float]:
        """See :attr:`.PopArt.numbers`."""
        return self.returns_scale.numbers

    def state(self) -> tuple[Arrays, dict[str, Any]]:
        """The same, and the scale of returns."""
        arrays, values = super().state()
        return arrays | {f"scale.{name}": array for name, array in self.returns_scale.state().items()}, values

    def restore(self, arrays: Arrays, values: dict[str, Any]) -> None:
        """Continue from what :meth:`state` returned."""
        super().restore(arrays, values)
        self.returns_scale.restore(below(arrays, "scale"))

    def _act(
        self, observations: Tensors, memory: torch.Tensor, noise: np.ndarray
    ) -> tuple[torch.Tensor, Tensors, torch.Tensor]:
        actions, noted, memory = super()._act(observations, memory, noise)
        return actions, noted | {"values": self.returns_scale.unnormalised(noted["values"])}, memory

    def _learn(self, rollout: Rollout, observations: Tensors, advantages: np.ndarray) -> dict[str, float]:
        returns = advantages + rollout.aux["values"].cpu().numpy()
        self.returns_scale.update(returns[rollout.train], self.network.value_heads)
        return super()._learn(rollout, observations, advantages)


class AgentVMPO(AgentLearner, VMPO):
    """V-MPO with auxiliary losses."""

    def loss(self, evaluated: Evaluated, kept: Tensors) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
        """See :meth:`.VMPO.loss`."""
        loss, measures = super().loss(evaluated, kept)
        further = self.auxiliary_losses(evaluated, kept)
        return sum(further.values(), loss), measures | further


def flipped(rollout: Rollout) -> Rollout:
    """A rollout as self reward-play pays it: where rewards begin or stop, behind which nothing counts.

    The source's section 5.3: an agent is to reach a goal, and then to undo that, and so on, so that it learns to bring
    about whatever its goals speak of. Before an episode nothing is rewarded. Only advantages are of this; the episode
    goes on.
    """
    flips = (rollout.rewards > 0) != (rollout.rewards_before > 0)
    return replace(rollout, rewards=flips.astype(np.float32), terminations=rollout.terminations | flips)


def rows_options(environment_id: str, configuration: Any) -> RowsOptions:
    """Rows with the co-players and the view that the configuration names."""
    options = ppo.rows_options(environment_id, configuration)
    others = [name.strip() for name in configuration.co_players.split(",") if name.strip()]
    paths = {name: policy_path(name, environment_id) for name in others if "/" in name or name == TRAINED}
    folders = {name: PolicyFolder.read_for(path, environment_id) for name, path in paths.items()}
    further = {"drawn_co_players": others, **view_options(environment_id, configuration.sizes)}
    return replace(options, frozen_players=folders, options={**options.options, **further})


def make_players(context: Context) -> list[Player]:
    """A learner for each of the teacher's players."""
    players, configuration, rows = [], context.configuration, context.rows
    for name in rows.teacher.players:
        own_seed = seed_of_player(name, context.seed)
        policy, network = actor_critic(context.benchmark, configuration, own_seed, AgentPolicy)
        assert isinstance(policy, AgentPolicy) and isinstance(network, AgentNetwork)
        losses = make_losses(configuration, policy, network, rng_of("auxiliary losses", own_seed))
        rng, settings = rng_of("learner", own_seed), shared_rows(configuration, len(rows.teacher.players))
        learner: Learner[Rollout]
        if isinstance(configuration, AgentVMPOConfiguration):
            learner = AgentVMPO(network, policy.actions, settings, rng, auxiliary=losses)
        else:
            learner = own = AgentPolicyGradient(
                network, policy.actions, settings, rng, configuration.device, auxiliary=losses
            )
            own.share_left = cooling(configuration.cooldown, rows, context.steps)
        for loss in losses:
            learner = loss.around(learner, lambda: rows.steps < configuration.distil_share * context.steps)
        players.append(Player(learner, policy, configuration.sizes, name))
    return players


def make_losses(
    configuration: Any, policy: AgentPolicy, network: AgentNetwork, rng: np.random.Generator
) -> list[AuxiliaryLoss]:
    """The losses that a configuration asks for, on its device.

    Args:
        configuration: The method's settings, with :class:`.AgentOptions`.
        policy: What is evaluated.
        network: What is trained.
        rng: Draws the first weights of those that have any.

    Raises:
        InvalidOptionError: They cannot be computed here.
        InvalidPolicyError: The teacher's policy cannot be read.
    """
    losses: list[AuxiliaryLoss] = []
    if configuration.atom_weight:
        with torch_seeded_from(rng, torch.device("cpu")):
            losses.append(AtomPredictor.of_network(network, configuration.atom_weight))
    if configuration.goal_attention:
        if not configuration.popart_share:
            raise InvalidOptionError("popart_share is 0, expected more where goal_attention compares values")
        losses.append(ConsistencyLoss())
    if configuration.teacher_policy:
        losses.append(Distillation.of_folder(configuration.teacher_policy, policy, configuration.distil))
    return [loss.to(configuration.device) for loss in losses]
