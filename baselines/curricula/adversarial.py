"""LeastSquaresGAN: a generator of points that a discriminator takes for good ones, trained on good and bad ones."""

from itertools import pairwise

import numpy as np
import torch
from torch import nn

from procgen_bench.baselines.training.teacher import TeacherArrays

#: What the discriminator is to say of bad points and of good ones.
#: The generator aims for the latter, as in the public code; in the least-squares GANs of Mao et al. 2017 it aims for 0.
_BAD, _GOOD = -1.0, 1.0
#: Of the discriminator's rectified units below zero.
_SLOPE = 0.1
#: How much of its mean of squared gradients RMSProp keeps from step to step (the published code's, TensorFlow's own).
_DECAY = 0.9


class LeastSquaresGAN:
    """Least-squares GAN over [-1, 1]^d, which learns from bad examples, too.

    Losses, activations and optimisers as in the public code of Florensa et al. 2018 (florensacc/rllab-curriculum,
    curriculum/gan/gan.py).

    Args:
        num_dimensions: d.
        noise_size: Dimensions of the generator's noise.
        generator_size: Units in each of the generator's two hidden layers.
        discriminator_size: Units in each of the discriminator's.
        learning_rate: RMSProp's, of both.
        seed: Of the first weights.
    """

    def __init__(
        self,
        num_dimensions: int,
        noise_size: int,
        generator_size: int,
        discriminator_size: int,
        learning_rate: float,
        seed: int,
    ):
        torch_rng = torch.Generator().manual_seed(seed)
        self.noise_size = noise_size
        generator = _layers(noise_size, generator_size, num_dimensions, nn.ReLU(), torch_rng)
        self._generator = nn.Sequential(*generator, nn.Tanh())
        self._discriminator = nn.Sequential(
            *_layers(num_dimensions, discriminator_size, 1, nn.LeakyReLU(_SLOPE), torch_rng)
        )
        self._optimisers = {
            name: torch.optim.RMSprop(network.parameters(), learning_rate, alpha=_DECAY)
            for name, network in self._networks().items()
        }

    def points(self, rng: np.random.Generator, count: int) -> np.ndarray:
        """Generated points, float32 (count, d)."""
        with torch.no_grad():
            return self._generator(self._noise(rng, count)).numpy()

    def train(self, rng: np.random.Generator, points: np.ndarray, good: np.ndarray, steps: int, batch: int) -> None:
        """So many steps of both networks.

        Args:
            rng: Draws batches and noise.
            points: (n, d) in [-1, 1].
            good: bool (n,), which of them the generator is to imitate.
            steps: Of each network, alternating.
            batch: Points per step.
        """
        examples = torch.as_tensor(points, dtype=torch.float32)
        targets = torch.where(torch.as_tensor(good), _GOOD, _BAD)[:, None]
        for _ in range(steps):
            chosen = torch.as_tensor(rng.integers(len(points), size=batch))
            generated = self._generator(self._noise(rng, batch))
            said, said_of_generated = self._discriminator(examples[chosen]), self._discriminator(generated.detach())
            self._step(
                "discriminator", ((said - targets[chosen]) ** 2).mean() + ((said_of_generated - _BAD) ** 2).mean()
            )
            self._step("generator", ((self._discriminator(generated) - _GOOD) ** 2).mean())

    def state(self) -> TeacherArrays:
        """Weights and the optimisers' moments, as arrays."""
        arrays: TeacherArrays = {}
        for name, network in self._networks().items():
            arrays |= {f"{name}.{part}": tensor.numpy().copy() for part, tensor in network.state_dict().items()}
            for place, moments in self._optimisers[name].state_dict()["state"].items():
                arrays |= {f"{name}.rmsprop.{place}.{part}": tensor.numpy().copy() for part, tensor in moments.items()}
        return arrays

    def restore(self, arrays: TeacherArrays) -> None:
        """Continue from what :meth:`state` returned."""
        for name, network in self._networks().items():
            network.load_state_dict({part: torch.tensor(arrays[f"{name}.{part}"]) for part in network.state_dict()})
            optimiser = self._optimisers[name]
            moments: dict[int, dict[str, torch.Tensor]] = {}
            for key in arrays:
                if key.startswith(f"{name}.rmsprop."):
                    place, part = key.split(".")[2:]
                    moments.setdefault(int(place), {})[part] = torch.tensor(arrays[key])
            optimiser.load_state_dict({**optimiser.state_dict(), "state": moments})

    def _networks(self) -> dict[str, nn.Module]:
        return {"generator": self._generator, "discriminator": self._discriminator}

    def _noise(self, rng: np.random.Generator, count: int) -> torch.Tensor:
        return torch.as_tensor(rng.standard_normal((count, self.noise_size), np.float32))

    def _step(self, name: str, loss: torch.Tensor) -> None:
        optimiser = self._optimisers[name]
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()


def _layers(
    inputs: int, hidden: int, outputs: int, activation: nn.Module, torch_rng: torch.Generator
) -> list[nn.Module]:
    """Two hidden layers, each with the activation, and the outputs."""
    sizes = (inputs, hidden, hidden, outputs)
    layers: list[nn.Module] = []
    for size_in, size_out in pairwise(sizes):
        linear = nn.utils.skip_init(nn.Linear, size_in, size_out)
        nn.init.xavier_uniform_(linear.weight, generator=torch_rng)
        nn.init.zeros_(linear.bias)
        layers += [linear, activation]
    return layers[:-1]
