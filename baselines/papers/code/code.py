"""CoDE's generator as a teacher of a population (Gur et al., 2021, section 5), and its rivals on the same designs.

Returns are clipped to [-1, 1]; otherwise failures of up to -14 would outweigh a success seven times. The help of the
settings says where they differ from the source.
"""

from typing import ClassVar

import numpy as np
import torch

from procgen_bench.baselines.curricula.designs import Design
from procgen_bench.baselines.papers.code.design_generator import DesignGenerator, Drawn
from procgen_bench.baselines.papers.code.design_settings import CoDEConfiguration
from procgen_bench.baselines.papers.code.designs import DesignTeacher
from procgen_bench.baselines.papers.code.objectives import (
    DesignRewards,
    Outcome,
    design_rewards,
)
from procgen_bench.baselines.policies.arrays import below, network_arrays
from procgen_bench.baselines.policies.tensors import optimizer_arrays, restore_optimizer
from procgen_bench.baselines.training.level_source import LevelSource
from procgen_bench.baselines.training.player_names import STUDENT
from procgen_bench.baselines.training.teacher import TeacherArrays, TeacherValues


class CoDETeacher(DesignTeacher):
    """Designs of a generator that learns what its objective pays for, by REINFORCE, once for each batch."""

    configuration_type: ClassVar[type] = CoDEConfiguration
    configuration: CoDEConfiguration

    def __init__(self, levels: LevelSource, rng: np.random.Generator, configuration: CoDEConfiguration):
        super().__init__(levels, rng, configuration)
        if configuration.objective == "paired":
            self.players = (STUDENT, "antagonist")
        space = self.space
        self.generator = DesignGenerator(
            len(space.primitives), space.most_places, space.chooses_number, configuration.slots, rng
        )
        self.entropy_weight = configuration.entropy_weight
        self._optimizer = torch.optim.Adam(self.generator.parameters(), configuration.learning_rate, eps=1e-5)
        self._return_before = 0.0

    def draw(self, count: int) -> list[tuple[Drawn | None, Design]]:
        """So many designs of the generator's."""
        drawn = self.generator.draw(count, self.rng)
        return [(drawn.of([row]), drawn.design(row)) for row in range(count)]

    def improve(self, drawn: list[Drawn | None], outcomes: list[Outcome]) -> dict[str, float]:
        """One step of the generator; what was drawn uniformly in its place teaches it nothing."""
        own = [(one, outcome) for one, outcome in zip(drawn, outcomes) if one is not None]
        if not own:
            return {}
        batch = Drawn(*(np.concatenate(parts) for parts in zip(*(one for one, _ in own))))
        likelihoods = self.generator.likelihoods(batch)
        longer = likelihoods.difficulties / self.generator.longest
        designed = self._rewards([outcome for _, outcome in own], 1.0 - float(longer.detach().mean()))
        rewards = torch.as_tensor(designed.rewards, dtype=torch.float32)
        count = len(rewards)
        others = (rewards.sum() - rewards) / max(count - 1, 1)  # what the rest of the batch came to: the baseline
        advantages = (rewards - others) / designed.deviation
        loss = -(likelihoods.log_probabilities * advantages).mean() / self.generator.slots
        direct = torch.as_tensor(designed.direct, dtype=torch.float32)
        loss = loss - (direct * longer).mean()
        if self.configuration.cap == "gain":
            loss = loss - (direct.clamp(max=0) * likelihoods.excesses / self.generator.longest).mean()
        loss = loss - self.entropy_weight * likelihoods.entropies.mean()
        self._optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.generator.parameters(), self.configuration.max_gradient)
        self._optimizer.step()
        entropy = float(likelihoods.entropies.detach().mean())
        if self.configuration.entropy_target:
            self.entropy_weight *= float(np.exp(0.1 * np.sign(self.configuration.entropy_target - entropy)))
            self.entropy_weight = float(np.clip(self.entropy_weight, 1e-4, 10.0))
        return {
            "objective": float(rewards.mean()),
            "entropy": entropy,
            "entropy_weight": self.entropy_weight,
            "difficulty": float(longer.detach().mean()),
        }

    def state(self) -> tuple[TeacherArrays, TeacherValues]:
        """The generator, its optimiser, and the designs that are played."""
        arrays, values = super().state()
        arrays |= {f"generator.{name}": array for name, array in network_arrays(self.generator).items()}
        arrays |= {f"optimizer.{name}": array for name, array in optimizer_arrays(self._optimizer).items()}
        return arrays, values | {"entropy_weight": self.entropy_weight, "return_before": self._return_before}

    def restore(self, arrays: TeacherArrays, values: TeacherValues) -> None:
        """Go on from what :meth:`state` returned."""
        super().restore(arrays, values)
        self.generator.load_state_dict(
            {name: torch.as_tensor(array) for name, array in below(arrays, "generator").items()}
        )
        restore_optimizer(self._optimizer, below(arrays, "optimizer"))
        self.entropy_weight, self._return_before = values["entropy_weight"], values["return_before"]

    def _rewards(self, outcomes: list[Outcome], room: float) -> DesignRewards:
        settings = self.configuration
        designed = design_rewards(
            outcomes,
            settings.objective,
            settings.alpha,
            settings.count,
            settings.slots,
            self._return_before,
            settings.threshold,
            settings.regret,
            settings.trivial,
            room if settings.at_cap == "regret" else 1.0,
        )
        self._return_before = designed.last_return
        return designed
