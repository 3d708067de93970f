"""Adam for compiled networks."""

import numpy as np

from procgen_bench.baselines.compiled_networks.kernels import adam
from procgen_bench.baselines.named_arrays import Arrays


class CompiledAdam:
    """Steps of Adam (Kingma and Ba, 2015) with its published betas, as torch takes them.

    Args:
        num_parameters: P.
        rate: Learning rate.
        greatest_norm: Longer gradients are cut to this norm.
        decay: Weight decay apart from the gradient, as in torch's AdamW.
        least: What is added to the root of the second moments.
    """

    def __init__(
        self,
        num_parameters: int,
        rate: float,
        greatest_norm: float = np.inf,
        decay: float = 0.0,
        least: float = 1e-8,
    ):
        self.rate, self._greatest_norm, self._decay, self._least = rate, greatest_norm, decay, least
        self._mean, self._square = np.zeros((2, num_parameters), np.float32)
        self._step = 0

    def step(self, parameters: np.ndarray, gradient: np.ndarray) -> None:
        """Change parameters float32 (P,) by their gradient."""
        self._step += 1
        moments = (self._mean, self._square)
        adam(parameters, gradient, *moments, self._step, self.rate, self._least, self._greatest_norm, self._decay)

    def state(self) -> Arrays:
        """Arrays from which :meth:`restore` goes on."""
        return {"mean": self._mean, "square": self._square, "step": np.array(self._step)}

    def restore(self, arrays: Arrays) -> None:
        """Go on from what :meth:`state` returned."""
        self._mean[:], self._square[:] = arrays["mean"], arrays["square"]
        self._step = int(arrays["step"])
