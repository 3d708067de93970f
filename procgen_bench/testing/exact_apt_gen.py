"""APT-Gen under exact progress in a whole run: ``--teacher procgen_bench.testing.exact_apt_gen:ExactAPTGenTeacher``.

The discriminator's score gives way to how near each task is to the target; returns and all else stay. What this run
reaches and one of ``--teacher apt-gen`` does not, the discriminator keeps from it.
"""

import dataclasses
from typing import Any

import numpy as np
from gymnasium import spaces

from procgen_bench.baselines.papers.apt_gen.apt_gen import APTGenConfiguration, APTGenTeacher
from procgen_bench.baselines.training.contracts import EpisodeSteps, FinishedEpisodes
from procgen_bench.baselines.training.level_source import LevelSource
from procgen_bench.testing.exact_progress import ExactDiscriminator, TaskDistances, progress_of


class ExactAPTGenTeacher(APTGenTeacher):
    """APT-Gen that knows how near each generated task is to the target, the first that its benchmark draws."""

    configuration_type = APTGenConfiguration

    def __init__(self, levels: LevelSource, rng: np.random.Generator, configuration: Any):
        super().__init__(levels, rng, configuration)
        self._distances = TaskDistances(levels, levels.draw_target(rng))

    def setup(self, observation_space: spaces.Space, action_space: spaces.Space) -> None:
        """Make the networks, with the truth in the discriminator's place."""
        super().setup(observation_space, action_space)
        self.networks.discriminator = ExactDiscriminator()

    def observe(self, played: FinishedEpisodes) -> None:
        """Let every episode show its task's progress."""
        assert played.steps is not None  # as is wanted
        steps = tuple(map(self._with_progress, played.level.tolist(), played.steps))
        super().observe(dataclasses.replace(played, steps=steps))

    def _with_progress(self, number: int, steps: EpisodeSteps) -> EpisodeSteps:
        point = self._flying.get(number)  # a target's has none, and neither have episodes that count nowhere
        progress = 0.0 if point is None else progress_of(self._distances.apart_of(point[None]))[0]
        shown = np.full((len(steps) + 1, 1), progress, np.float32)
        return dataclasses.replace(steps, observations=steps.observations | {"progress": shown})
