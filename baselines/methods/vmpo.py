"""V-MPO (Song et al., 2020) under a teacher, in any environment: settings, losses, learner and training.

Actions with advantages in the upper half become more likely, in proportion to their exponentiated advantages; a bound
limits how far the policy moves from the acting one. XLand's agents use it (section 4.3, table 4). The help of the
settings says where they differ from the source; the constants are XLand's.
"""

import math
from copy import deepcopy
from typing import Any

import numpy as np
import torch
from torch import nn

from procgen_bench.baselines.methods.ppo import AdvantageLearner, actor_critic, minibatches_of, rows_options
from procgen_bench.baselines.methods.vmpo_settings import VMPOConfiguration
from procgen_bench.baselines.parts.actor_critic import ActorCritic, Evaluated
from procgen_bench.baselines.parts.distributions import Actions
from procgen_bench.baselines.parts.popart import PopArt
from procgen_bench.baselines.policies.arrays import Arrays, below, network_arrays
from procgen_bench.baselines.policies.tensors import Tensors, optimizer_arrays, restore_optimizer
from procgen_bench.baselines.training.learner import Rollout
from procgen_bench.baselines.training.method import Context
from procgen_bench.baselines.training.player import Player

#: Share of a minibatch's steps, those of the greatest advantages, that the policy learns from (XLand's table 4).
_TOP_SHARE = 0.5
#: Initial temperature of the advantages, and the bound of its loss (XLand's table 4).
_TEMPERATURE, _TEMPERATURE_BOUND = 1.0, 0.1
#: Initial weight of the bound of the policy's divergence (XLand's table 4).
_KL_WEIGHT = 5.0
#: Learning rate of Adam for the temperature and the bound's weight.
_DUAL_LEARNING_RATE = 1e-2
#: The temperature and the bound's weight are kept above this.
_LEAST_DUAL = 1e-3
#: V-MPO's rows are PPO's.
__all__ = ["VMPO", "make_players", "rows_options"]


class VMPO(AdvantageLearner):
    """An actor-critic, on PopArt's scale unless ``popart_share`` is 0, of which a copy acts.

    Args:
        network: Actor and critic.
        actions: The distribution that is made of the actor's outputs.
        configuration: The method's settings.
        rng: What actions and minibatches are drawn by.

    Attributes:
        acting: The copy, which is replaced between rollouts.
        temperature, kl_weight: Of the two bounds, learned.
        returns_scale: Of the returns, in which critics and advantages are measured.
    """

    def __init__(
        self,
        network: ActorCritic,
        actions: Actions,
        configuration: VMPOConfiguration,
        rng: np.random.Generator,
    ):
        self.device = torch.device(configuration.device)
        self.network = network.to(self.device)
        self.acting = deepcopy(self.network).requires_grad_(False)
        self.actions, self.configuration, self.rng = actions, configuration, rng
        self.discounts, self.memory_width = (configuration.discount, configuration.gae_lambda), network.memory_width
        self.rates = {"learning_rate": configuration.learning_rate, "kl_bound": configuration.kl_bound}
        self.returns_scale = PopArt(configuration.popart_share)
        self.temperature = nn.Parameter(torch.tensor(_TEMPERATURE, device=self.device))
        self.kl_weight = nn.Parameter(torch.tensor(_KL_WEIGHT, device=self.device))
        parameters, rate = self.trained_parameters(), configuration.learning_rate
        self.optimizer = torch.optim.Adam(parameters, rate, eps=1e-5, fused=True)
        self.dual_optimizer = torch.optim.Adam([self.temperature, self.kl_weight], _DUAL_LEARNING_RATE)
        self._steps_since_copy = 0

    @torch.inference_mode()
    def act(self, observations: Tensors, memory: torch.Tensor) -> tuple[torch.Tensor, Tensors, torch.Tensor]:
        """Actions drawn by the copy, with its ``"outputs"`` (N, k) and its ``"values"`` of the states."""
        outputs, values, memory = self.acting.read(self.acting.prepare(observations), memory)
        noise = self.rng.random((len(outputs), self.actions.noise_width), np.float32)
        actions = self.actions.play(outputs, torch.as_tensor(noise, device=self.device))
        return actions, {"outputs": outputs, "values": self.returns_scale.unnormalised(values)}, memory

    def critic_values(self, observations: Tensors, memory: torch.Tensor) -> np.ndarray:
        """See :meth:`.AdvantageLearner.critic_values`; they are the copy's."""
        return self.returns_scale.unnormalised(self.acting(observations, memory)[1]).cpu().numpy()

    def update(self, rollout: Rollout) -> dict[str, float]:
        """A gradient step on every minibatch of the steps that may be learned from, some epochs long."""
        if not rollout.train.any():
            return {}
        own = self.configuration
        advantages = self.advantages(rollout) if self._advantages is None else self._advantages
        self._advantages = None
        returns = advantages + rollout.aux["values"].cpu().numpy()
        self.returns_scale.update(returns[rollout.train], [*self.network.value_heads, *self.acting.value_heads])
        self.network.update_normaliser({name: array.flatten(0, 1) for name, array in rollout.observations.items()})
        for group in self.optimizer.param_groups:
            group["lr"] = self.rates["learning_rate"]
        further = self.further_columns(rollout)
        minibatches = minibatches_of(rollout, self.network.prepare, advantages, own.minibatches, self.rng, further)
        measures = []
        for _ in range(own.epochs):
            for minibatch in minibatches:
                evaluated = self.network.evaluate(minibatch.prepared, minibatch.memory, minibatch.starts)
                measures.append(self._step(evaluated, minibatch.kept))
        self._steps_since_copy += len(measures)
        if self._steps_since_copy >= own.target_period:
            self.acting.load_state_dict(self.network.state_dict())
            self._steps_since_copy = 0
        return {name: float(np.mean([measure[name] for measure in measures])) for name in measures[0]}

    def state(self) -> tuple[Arrays, dict[str, Any]]:
        """Both networks, the duals, the scale, the optimisers and the generator."""
        arrays = {f"scale.{name}": array for name, array in self.returns_scale.state().items()}
        for name, network in (("network", self.network), ("acting", self.acting)):
            arrays |= {f"{name}.{key}": array for key, array in network_arrays(network).items()}
        for name, optimizer in (("optimizer", self.optimizer), ("dual_optimizer", self.dual_optimizer)):
            arrays |= {f"{name}.{key}": array for key, array in optimizer_arrays(optimizer).items()}
        arrays["duals"] = np.array([self.temperature.item(), self.kl_weight.item()], np.float32)
        return arrays, {"rng": self.rng.bit_generator.state, "steps_since_copy": self._steps_since_copy}

    def restore(self, arrays: Arrays, values: dict[str, Any]) -> None:
        """Continue from what :meth:`state` returned."""
        for name, network in (("network", self.network), ("acting", self.acting)):
            network.load_state_dict({key: torch.as_tensor(array) for key, array in below(arrays, name).items()})
        restore_optimizer(self.optimizer, below(arrays, "optimizer"))
        restore_optimizer(self.dual_optimizer, below(arrays, "dual_optimizer"))
        with torch.no_grad():
            for dual, kept in zip((self.temperature, self.kl_weight), arrays["duals"].tolist(), strict=True):
                dual.fill_(kept)
        self.returns_scale.restore(below(arrays, "scale"))
        self.rng.bit_generator.state = values["rng"]
        self._steps_since_copy = values["steps_since_copy"]

    def policy_weights(self) -> Arrays:
        """The weights of the network that learns, the critic's among them."""
        return network_arrays(self.network)

    def critic_scale(self) -> dict[str, float]:
        """PopArt's numbers; nothing where returns are not normalised."""
        return self.returns_scale.numbers

    def loss(self, evaluated: Evaluated, kept: Tensors) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
        """What a gradient step of network and duals makes smaller, and its parts; the critic counts as XLand's, by 1.

        Args:
            evaluated: What the network says of n steps.
            kept: By name (n, ...): see :class:`.Minibatch`.
        """
        own, learned = self.configuration, kept["weights"] > 0
        outputs, values = evaluated.outputs[learned], evaluated.values[learned]
        actions, before = kept["actions"][learned], kept["outputs"][learned]
        log_probabilities, entropies = self.actions.evaluate(outputs, actions)
        advantages = kept["advantages"][learned] / self.returns_scale.deviation
        policy_loss, temperature_loss = weighted_likelihood(
            log_probabilities, advantages, self.temperature, _TOP_SHARE, _TEMPERATURE_BOUND
        )
        divergence = self.actions.divergence(before, outputs).mean()
        bound_loss = self.kl_weight * (self.rates["kl_bound"] - divergence.detach())
        value_loss = 0.5 * (values - self.returns_scale.normalised(kept["returns"][learned])).square().mean()
        entropy = entropies.mean()
        loss = policy_loss + self.kl_weight.detach() * divergence + value_loss
        loss = loss - own.entropy_weight * entropy + temperature_loss + bound_loss
        measures = {"policy_loss": policy_loss, "value_loss": value_loss, "divergence": divergence, "entropy": entropy}
        return loss, measures

    def _step(self, evaluated: Evaluated, kept: Tensors) -> dict[str, float]:
        """One gradient step of the network, and of the duals."""
        loss, measures = self.loss(evaluated, kept)
        self.optimizer.zero_grad()
        self.dual_optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.network.parameters(), self.configuration.max_gradient)
        self.optimizer.step()
        self.dual_optimizer.step()
        with torch.no_grad():
            self.temperature.clamp_(min=_LEAST_DUAL)
            self.kl_weight.clamp_(min=_LEAST_DUAL)
        duals = {"temperature": self.temperature, "kl_weight": self.kl_weight}
        return {name: float(measure.detach()) for name, measure in (measures | duals).items()}


def weighted_likelihood(
    log_probabilities: torch.Tensor,
    advantages: torch.Tensor,
    temperature: torch.Tensor,
    top_share: float,
    bound: float,
) -> tuple[torch.Tensor, torch.Tensor]:
    """The losses of the policy and of the temperature.

    Args:
        log_probabilities: (n,), of what was done, under the present network.
        advantages: (n,).
        temperature: Learned.
        top_share: Share of the steps that count, at least one of them.
        bound: Of the temperature's loss.

    Returns:
        Minus the sum of the log-probabilities, weighted by a softmax over the greatest advantages; and what the
        temperature makes smaller.
    """
    count = max(int(len(advantages) * top_share), 1)
    greatest, places = advantages.topk(count)
    weights = torch.softmax(greatest / temperature.detach(), dim=0)
    mean = torch.logsumexp(greatest / temperature, dim=0) - math.log(count)
    return -(weights * log_probabilities[places]).sum(), temperature * (bound + mean)


def make_players(context: Context) -> list[Player]:
    """One learner."""
    configuration = context.configuration
    policy, network = actor_critic(context.benchmark, configuration, context.seed)
    learner = VMPO(network, policy.actions, configuration, context.rng("learner"))
    return [Player(learner, policy, configuration.sizes)]
