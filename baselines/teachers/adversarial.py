"""LeastSquaresGAN: a generator of points that a discriminator takes for good ones, trained on good and bad ones."""

from itertools import pairwise

import numpy as np
import torch
from torch import nn

from procgen_bench.baselines.teachers.proposal import TeacherArrays

#: What the discriminator says of bad points, good points, and what the generator wants it to say (Florensa 2018, 4.2).
_BAD, _GOOD, _WANTED = -1.0, 1.0, 0.0


class LeastSquaresGAN:
    """Least-squares GAN over [-1, 1]^d, which learns from bad examples, too (Florensa et al. 2018, equation 5).

    Args:
        num_dimensions: d.
        noise_size: Dimensions of the generator's noise.
        generator_size: Units in each of the generator's two hidden layers.
        discriminator_size: Units in each of the discriminator's.
        learning_rate: Adam's, of both.
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
        chance = torch.Generator().manual_seed(seed)
        self.noise_size = noise_size
        self._generator = nn.Sequential(*_layers(noise_size, generator_size, num_dimensions, chance), nn.Tanh())
        self._discriminator = nn.Sequential(*_layers(num_dimensions, discriminator_size, 1, chance))
        self._optimisers = {
            "generator": torch.optim.Adam(self._generator.parameters(), learning_rate),
            "discriminator": torch.optim.Adam(self._discriminator.parameters(), learning_rate),
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
            good: bool (n,), which of them the generator shall imitate.
            steps: Of each network, in turns.
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
            self._step("generator", ((self._discriminator(generated) - _WANTED) ** 2).mean())

    def state(self) -> TeacherArrays:
        """Weights and the optimisers' moments, as arrays."""
        arrays: TeacherArrays = {}
        for name, network in self._networks().items():
            arrays |= {f"{name}.{part}": tensor.numpy().copy() for part, tensor in network.state_dict().items()}
            for place, moments in self._optimisers[name].state_dict()["state"].items():
                arrays |= {f"{name}.adam.{place}.{part}": tensor.numpy().copy() for part, tensor in moments.items()}
        return arrays

    def restore(self, arrays: TeacherArrays) -> None:
        """Go on from what :meth:`state` returned."""
        for name, network in self._networks().items():
            network.load_state_dict({part: torch.tensor(arrays[f"{name}.{part}"]) for part in network.state_dict()})
            optimiser = self._optimisers[name]
            moments: dict[int, dict[str, torch.Tensor]] = {}
            for key in arrays:
                if key.startswith(f"{name}.adam."):
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


def _layers(inputs: int, hidden: int, outputs: int, chance: torch.Generator) -> list[nn.Module]:
    """Two hidden layers with rectified units, and the outputs."""
    sizes = (inputs, hidden, hidden, outputs)
    layers: list[nn.Module] = []
    for size_in, size_out in pairwise(sizes):
        linear = nn.utils.skip_init(nn.Linear, size_in, size_out)
        nn.init.xavier_uniform_(linear.weight, generator=chance)
        nn.init.zeros_(linear.bias)
        layers += [linear, nn.ReLU()]
    return layers[:-1]
