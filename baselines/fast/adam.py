"""Adam, and RMSprop, for compiled networks."""

from typing import Any, NamedTuple

import numpy as np

from procgen_bench.baselines.fast.network_arrays import NetworkArrays
from procgen_bench.baselines.fast.passes import finish
from procgen_bench.baselines.policies.arrays import Arrays
from procgen_bench.core.compiled import njit


class AdamArrays(NamedTuple):
    """An optimiser as compiled code knows it.

    Attributes:
        mean: float32 (P,), first moments.
        square: float32 (P,), second ones.
        steps: int64 (1,), how many were taken.
        rate: Learning rate.
        least: What is added to the root of the second moments.
        greatest_norm: Longer gradients are cut to this norm.
        decay: Weight decay apart from the gradient, as in torch's AdamW.
        betas: How much is kept of the first and of the second moments in a step.
        corrected: Whether moments are corrected for having begun at zero.
    """

    mean: np.ndarray
    square: np.ndarray
    steps: np.ndarray
    rate: float
    least: float
    greatest_norm: float
    decay: float
    betas: tuple[float, float] = (0.9, 0.999)
    corrected: bool = True


class CompiledAdam:
    """Steps of Adam (Kingma and Ba, 2015) with its published betas, as torch takes them.

    Args:
        network: Whose parameters are changed, by the gradient that was found last.
        rate, greatest_norm, decay, least: See :class:`AdamArrays`.

    Attributes:
        arrays: The optimiser as compiled code knows it.
    """

    def __init__(
        self,
        network: NetworkArrays,
        rate: float,
        greatest_norm: float = np.inf,
        decay: float = 0.0,
        least: float = 1e-8,
    ):
        self._network = network
        mean, square = np.zeros((2, len(network.parameters)), np.float32)
        steps = np.zeros(1, np.int64)
        self.arrays = AdamArrays(mean, square, steps, float(rate), float(least), float(greatest_norm), float(decay))

    def set_rate(self, rate: float) -> None:
        """Learn at this rate from now on."""
        self.arrays = self.arrays._replace(rate=float(rate))

    def step(self) -> None:
        """Change the parameters."""
        take_step(self._network, self.arrays)

    def state(self) -> Arrays:
        """Arrays from which :meth:`restore` goes on."""
        return {"mean": self.arrays.mean, "square": self.arrays.square, "step": np.array(self.arrays.steps[0])}

    def restore(self, arrays: Arrays) -> None:
        """Continue from what :meth:`state` returned."""
        self.arrays.mean[:], self.arrays.square[:] = arrays["mean"], arrays["square"]
        self.arrays.steps[0] = arrays["step"]


#: RMSprop (Tieleman and Hinton, 2012) as torch takes its steps, with stable-baselines3's decay: Adam without a first
#: moment and without corrections.
RMSPROP: dict[str, Any] = {"betas": (0.0, 0.99), "corrected": False}


@njit(error_model="numpy")
def take_step(network, optimizer):
    """A step down the gradient that was found, of :class:`.NetworkArrays` by :class:`AdamArrays`."""
    network.stale[0] = 1
    finish(network)
    parameters, gradients = network.parameters, network.parameter_gradients
    mean, square = optimizer.mean, optimizer.square
    optimizer.steps[0] += 1
    step = optimizer.steps[0]
    norm = np.sqrt(np.dot(gradients, gradients))
    scale = np.float32(min(1.0, optimizer.greatest_norm / (norm + 1e-6)))
    first, second = optimizer.betas
    size = np.float32(optimizer.rate / (1 - first**step if optimizer.corrected else 1.0))
    correction = np.float32(1 / np.sqrt(1 - second**step) if optimizer.corrected else 1.0)
    new_mean, kept_square, new_square = np.float32(1 - first), np.float32(second), np.float32(1 - second)
    least = np.float32(optimizer.least)
    kept = np.float32(1 - optimizer.rate * optimizer.decay)
    if first == 0.0:  # no moment: what rounding would keep of the gradient before is nothing that a checkpoint restores
        mean[:] = 0.0
    for place in range(len(parameters)):
        gradient = scale * gradients[place]
        mean[place] += new_mean * (gradient - mean[place])
        square[place] = kept_square * square[place] + new_square * gradient * gradient
    for place in range(len(parameters)):
        root = np.sqrt(square[place]) * correction + least
        parameters[place] = kept * parameters[place] - size * mean[place] / root
