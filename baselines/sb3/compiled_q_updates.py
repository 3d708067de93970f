"""CompiledQUpdates: the gradient steps of stable-baselines3's DQN in compiled code, for networks that can be laid."""

import numpy as np
from stable_baselines3.dqn.policies import QNetwork
from torch import nn

from procgen_bench.baselines.compiled_networks.adam import CompiledAdam
from procgen_bench.baselines.compiled_networks.compiled_network import CompiledNetwork
from procgen_bench.baselines.compiled_networks.layer_table import LayerTable
from procgen_bench.baselines.named_arrays import Arrays
from procgen_bench.baselines.networks.modality_encoder import ModalityEncoder
from procgen_bench.baselines.sb3.replay_configuration import DQNConfiguration
from procgen_bench.baselines.sb3.rollout_replay import RolloutReplay

#: Gradient steps whose minibatches are drawn at once.
_AT_ONCE = 10


def can_be_laid(network: QNetwork) -> bool:
    """Whether a network is of layers that a table can tell."""
    encoder = network.features_extractor.encoder
    return isinstance(encoder, ModalityEncoder) and encoder.can_be_laid


class CompiledQUpdates:
    """Steps of Q-learning as its ``train()`` takes them, on the same parameters.

    Args:
        network: What is learned.
        target_network: Values what follows.
        configuration: The method's settings.
    """

    def __init__(self, network: QNetwork, target_network: QNetwork, configuration: DQNConfiguration):
        self._batch, self._discount = configuration.batch_size, np.float32(configuration.discount)
        rows = max(self._batch, configuration.num_envs)
        self._online, self._target = (_laid(own, rows) for own in (network, target_network))
        self._adam = CompiledAdam(len(self._online.parameters), configuration.learning_rate, configuration.max_gradient)

    def train(self, replay: RolloutReplay, steps: int, bounds: tuple[float, float]) -> dict[str, float]:
        """Take gradient steps on what a replay holds.

        Args:
            replay: What is drawn from.
            steps: How many.
            bounds: The least and the greatest that a next state may be worth.

        Returns:
            Their mean ``"loss"``.
        """
        losses: list[float] = []
        while (missing := steps - len(losses)) > 0:
            count = min(_AT_ONCE, missing)
            drawn = replay.sample(count * self._batch)
            observations = {name: array.numpy() for name, array in drawn.observations.items()}
            following = {name: array.numpy() for name, array in drawn.next_observations.items()}
            actions, rewards = drawn.actions.numpy()[:, 0], drawn.rewards.numpy()[:, 0]
            kept = self._discount * (1 - drawn.dones.numpy()[:, 0])
            for step in range(count):
                part = slice(step * self._batch, (step + 1) * self._batch)
                worth = self._target.forward(_part(following, part)).max(axis=1).clip(*bounds)
                targets = rewards[part] + kept[part] * worth
                losses.append(self._learn(_part(observations, part), actions[part], targets))
        return {"loss": float(np.mean(losses))}

    def values(self, observations: Arrays) -> np.ndarray:
        """Values float32 (n, actions) of observations by name (n, ...), as many as rows play."""
        return self._online.forward(observations)

    def state(self) -> Arrays:
        """The optimiser's; the networks are the algorithm's."""
        return self._adam.state()

    def restore(self, arrays: Arrays) -> None:
        """Go on from what :meth:`state` returned."""
        self._adam.restore(arrays)

    def _learn(self, observations: Arrays, actions: np.ndarray, targets: np.ndarray) -> float:
        """A step down the mean Huber loss, whose slope is the error cut to [-1, 1]."""
        values = self._online.forward(observations)
        rows = np.arange(len(actions))
        errors = values[rows, actions] - targets
        cut = errors.clip(-1, 1)
        slopes = np.zeros_like(values)
        slopes[rows, actions] = cut / len(actions)
        self._online.backward(slopes)
        self._adam.step(self._online.parameters, self._online.gradient)
        return float((cut * (errors - cut / 2)).mean())


def _laid(network: QNetwork, capacity: int) -> CompiledNetwork:
    table = LayerTable()
    encoder = network.features_extractor.encoder
    assert isinstance(encoder, ModalityEncoder)
    block = encoder.lay(table)
    dense = [module for module in network.q_net if isinstance(module, nn.Linear)]
    for module in dense:
        block = table.dense(block, module, relu=module is not dense[-1])
    return CompiledNetwork(network, table, block, capacity)


def _part(arrays: Arrays, part: slice) -> Arrays:
    return {name: array[part] for name, array in arrays.items()}
