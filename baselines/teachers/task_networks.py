"""TaskNetworks: APT-Gen's generator, discriminator and value networks, and how they learn from each other."""

import numpy as np
import torch
from gymnasium import spaces
from torch import nn
from torch.nn import functional

from procgen_bench.baselines.named_arrays import below, network_arrays
from procgen_bench.baselines.optimizer_arrays import optimizer_arrays, restore_optimizer
from procgen_bench.baselines.teachers.experience import Experience
from procgen_bench.baselines.teachers.generated_parameters import Generator, ParameterValue
from procgen_bench.baselines.teachers.proposal import TeacherArrays
from procgen_bench.baselines.teachers.task_discriminator import TaskDiscriminator
from procgen_bench.core.task_space import TaskSpace


class TaskNetworks:
    """Four networks, each with an Adam of its own.

    Args:
        task_space: Whose parameters are generated.
        observation_space: What a row of the student observes.
        action_space: What it does.
        noise_size: Dimensions of the generator's noise.
        learning_rate: Adam's, of all.
        seed: Of the first weights.

    Attributes:
        generated: Experience of generated tasks, with their parameters and what their episodes were worth.
        targets: Experience of target tasks.
    """

    def __init__(
        self,
        task_space: TaskSpace,
        observation_space: spaces.Space,
        action_space: spaces.Space,
        noise_size: int,
        learning_rate: float,
        latest: int,
        seed: int,
    ):
        self.generated, self.targets = Experience(latest), Experience(latest)
        self._noise_size = noise_size
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.networks = nn.ModuleDict(
                {
                    "generator": Generator(task_space, noise_size),
                    "discriminator": TaskDiscriminator(observation_space, action_space),
                    "progress": ParameterValue(task_space),
                    "worth": ParameterValue(task_space),
                }
            )
        self._optimisers = {
            name: torch.optim.Adam(network.parameters(), learning_rate, fused=True)
            for name, network in self.networks.items()
        }

    @torch.no_grad()
    def points(self, rng: np.random.Generator, count: int) -> np.ndarray:
        """Generated parameters, float32 (count, d) in [0, 1], each for itself: by what batches were like on average."""
        generator = self.networks["generator"].eval()
        return generator(self._noise(rng, count)).numpy()

    def discriminate(self, rng: np.random.Generator, batch: int, num_steps: int) -> float:
        """A step of the discriminator, on so many steps of a batch of episodes from each source; returns its loss."""
        discriminator = self.networks["discriminator"]
        samples = [source.sample(rng, source.draw(rng, batch), num_steps) for source in (self.targets, self.generated)]
        of_targets, of_generated = map(discriminator, samples)
        loss = -(functional.logsigmoid(of_targets).mean() + functional.logsigmoid(-of_generated).mean())
        return self._step("discriminator", loss)

    def fit(self, rng: np.random.Generator, batch: int, num_steps: int) -> float:
        """A step of both value networks, on a batch of generated tasks; returns the batch's mean progress."""
        places = self.generated.draw(rng, batch)
        with torch.no_grad():
            progress = self.networks["discriminator"](self.generated.sample(rng, places, num_steps)).sigmoid()
        points, worth = self.generated.worths(places)
        for name, target in (("progress", progress), ("worth", worth)):
            self._step(name, functional.mse_loss(self.networks[name](points), target))
        return float(progress.mean())

    def generate(self, rng: np.random.Generator, batch: int, progress: float, worth: float) -> None:
        """A step of the generator up the expected progress and worth of a batch of its tasks, each by its weight."""
        points = self.networks["generator"].train()(self._noise(rng, batch))
        values = {name: self.networks[name](points).mean() for name in ("progress", "worth")}
        self._step("generator", -(progress * values["progress"] + worth * values["worth"]))

    def state(self) -> TeacherArrays:
        """Weights, statistics, the optimisers' moments, and the experience."""
        arrays: TeacherArrays = {}
        for name, network in self.networks.items():
            arrays |= {f"{name}.{part}": array for part, array in network_arrays(network).items()}
            moments = optimizer_arrays(self._optimisers[name])
            arrays |= {f"{name}.adam.{part}": array for part, array in moments.items()}
        arrays |= {f"generated.{name}": array for name, array in self.generated.state().items()}
        return arrays | {f"targets.{name}": array for name, array in self.targets.state().items()}

    def restore(self, arrays: TeacherArrays) -> None:
        """Go on from what :meth:`state` returned."""
        for name, network in self.networks.items():
            own = below(arrays, name)
            network.load_state_dict({part: torch.tensor(own[part]) for part in network.state_dict()})
            restore_optimizer(self._optimisers[name], below(own, "adam"))
        self.generated.restore(below(arrays, "generated"))
        self.targets.restore(below(arrays, "targets"))

    def _noise(self, rng: np.random.Generator, count: int) -> torch.Tensor:
        return torch.as_tensor(rng.standard_normal((count, self._noise_size), np.float32))

    def _step(self, name: str, loss: torch.Tensor) -> float:
        optimiser = self._optimisers[name]
        optimiser.zero_grad()
        loss.backward(inputs=list(self.networks[name].parameters()))
        optimiser.step()
        return loss.item()
