"""CompiledQUpdates: the gradient steps of stable-baselines3's DQN in compiled code, for networks that can be laid."""

import numpy as np
from stable_baselines3.dqn.policies import QNetwork
from torch import nn

from procgen_bench.baselines.parts.compiled_networks.adam import CompiledAdam, take_step
from procgen_bench.baselines.parts.compiled_networks.compiled_network import CompiledNetwork
from procgen_bench.baselines.parts.compiled_networks.layer_table import LayerTable
from procgen_bench.baselines.parts.compiled_networks.passes import backward, enter, forward, outputs
from procgen_bench.baselines.parts.modality_encoder import ModalityEncoder
from procgen_bench.baselines.policies.arrays import Arrays
from procgen_bench.baselines.sb3.replay_configuration import DQNConfiguration
from procgen_bench.baselines.sb3.rollout_replay import RolloutReplay
from procgen_bench.core.compiled import njit

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
        self._adam = CompiledAdam(self._online.arrays, configuration.learning_rate, configuration.max_gradient)

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
            drawn = replay.sample(min(_AT_ONCE, missing) * self._batch)
            observations = {name: array.numpy() for name, array in drawn.observations.items()}
            following = {name: array.numpy() for name, array in drawn.next_observations.items()}
            losses += _take_steps(
                self._online.arrays,
                self._target.arrays,
                self._adam.arrays,
                self._batch,
                self._online.written(observations),
                self._target.written(following),
                drawn.actions.numpy()[:, 0],
                drawn.rewards.numpy()[:, 0],
                self._discount * (1 - drawn.dones.numpy()[:, 0]),
                np.array(bounds, np.float32),
            ).tolist()
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


@njit(error_model="numpy")
def _take_steps(online, target, optimizer, batch, observations, following, actions, rewards, discounts, bounds):
    """Gradient steps on minibatches that lie behind each other, down the mean Huber loss.

    Args:
        online: :class:`.NetworkArrays` of what is learned.
        target: Of what values the next states.
        optimizer: :class:`.AdamArrays`.
        batch: Transitions of each step.
        observations: Written ones of n transitions, see :func:`.enter`.
        following: The next ones, likewise.
        actions: int64 (n,).
        rewards: float32 (n,).
        discounts: float32 (n,), 0 where episodes end.
        bounds: float32 (2,): the least and the greatest that a next state may be worth.

    Returns:
        float64 (n / batch,), the loss before each step.
    """
    losses = np.zeros(len(actions) // batch)
    for step in range(len(losses)):
        first = step * batch
        enter(target, following, len(actions), first, batch)
        worths = forward(target, batch)
        enter(online, observations, len(actions), first, batch)
        values = forward(online, batch)
        slopes = outputs(online, online.slopes, batch)
        slopes[:] = 0
        for sample in range(batch):
            drawn = first + sample
            worth = min(max(worths[sample].max(), bounds[0]), bounds[1])
            error = values[sample, actions[drawn]] - (rewards[drawn] + discounts[drawn] * worth)
            cut = min(max(error, np.float32(-1)), np.float32(1))
            slopes[sample, actions[drawn]] = cut / np.float32(batch)
            losses[step] += cut * (error - cut / 2) / batch
        backward(online, batch)
        take_step(online, optimizer)
    return losses


def _laid(network: QNetwork, capacity: int) -> CompiledNetwork:
    table = LayerTable()
    encoder = network.features_extractor.encoder
    assert isinstance(encoder, ModalityEncoder)
    block = encoder.lay(table)
    dense = [module for module in network.q_net if isinstance(module, nn.Linear)]
    for module in dense:
        block = table.dense(block, module, relu=module is not dense[-1])
    return CompiledNetwork(network, table, block, capacity)
