"""ReplayLearner: an off-policy algorithm of stable-baselines3 as a learner of the one loop."""

from abc import abstractmethod
from collections.abc import Callable
from operator import attrgetter
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.off_policy_algorithm import OffPolicyAlgorithm

from procgen_bench.baselines.learning.valued_learner import ValuedLearner
from procgen_bench.baselines.parts.encoders import SpaceEncoder
from procgen_bench.baselines.policies.arrays import Arrays, below
from procgen_bench.baselines.policies.tensors import (
    Tensors,
    optimizer_arrays,
    restore_optimizer,
    torch_seeded_from,
)
from procgen_bench.baselines.sb3.replay_configuration import ReplayConfiguration
from procgen_bench.baselines.sb3.rollout_replay import Goals, RolloutReplay
from procgen_bench.baselines.sb3.space_features import SpaceFeatures
from procgen_bench.baselines.training.rollouts import Rollout
from procgen_bench.core.errors import ProcgenBenchError

_COUNTERS = ("num_timesteps", "_n_updates", "_n_calls", "exploration_rate")


class SmallReplayError(ProcgenBenchError):
    """The replay cannot hold what is collected between two updates."""


class ReplayLearner(ValuedLearner):
    """Keeps what it did in stable-baselines3's replay and learns by its ``train()``, driven by the one loop.

    A subclass says how to act and what states are worth.

    Args:
        algorithm_type: Which algorithm.
        observation_space: Of one row: a ``Dict`` of arrays.
        action_space: As the algorithm knows actions.
        configuration: The method's settings; its ``num_envs`` is the number of rows.
        steps: Environment steps of the whole run, over which exploration falls.
        rng: What everything is drawn by.
        hindsight: See :class:`.RolloutReplay`.
        goals: Likewise.
        **keywords: The algorithm's own.

    Attributes:
        encoder_type: What reads observations where no network of a person's own is named.

    Raises:
        SmallReplayError: The replay is smaller than a rollout.
    """

    encoder_type: type = SpaceEncoder

    def __init__(
        self,
        algorithm_type: Callable[..., OffPolicyAlgorithm],
        observation_space: spaces.Space,
        action_space: spaces.Space,
        configuration: ReplayConfiguration,
        steps: int,
        rng: np.random.Generator,
        hindsight: int = 0,
        goals: Goals | None = None,
        **keywords: Any,
    ):
        self.configuration, self.rng, self._steps = configuration, rng, steps
        self.device = torch.device(configuration.device)
        self.algorithm = algorithm_type(
            "MultiInputPolicy",
            env=None,  # the loop has the rows
            learning_rate=configuration.learning_rate,
            buffer_size=configuration.buffer_size,
            learning_starts=configuration.learning_starts,
            batch_size=configuration.batch_size,
            gamma=configuration.discount,
            replay_buffer_class=RolloutReplay,
            replay_buffer_kwargs={"rng": rng, "hindsight": hindsight, "goals": goals},
            policy_kwargs={
                "features_extractor_class": SpaceFeatures,
                "features_extractor_kwargs": {"network": configuration.network, "otherwise": self.encoder_type},
                "net_arch": [configuration.width] * configuration.layers,
                "normalize_images": False,
                "optimizer_kwargs": {"fused": True},
            },
            device=self.device,
            _init_setup_model=False,
            **keywords,
        )
        self.algorithm.observation_space, self.algorithm.action_space = observation_space, action_space
        self.algorithm.n_envs = configuration.num_envs
        self.algorithm.set_logger(Logger(None, []))
        with torch_seeded_from(rng, self.device):
            self.algorithm._setup_model()
        readers = [module for module in self.algorithm.policy.modules() if isinstance(module, SpaceFeatures)]
        self._normalising = [reader.encoder for reader in readers if reader.encoder.normalises]
        assert isinstance(self.algorithm.replay_buffer, RolloutReplay)
        self.replay = self.algorithm.replay_buffer
        if self.replay.buffer_size < configuration.rollout_steps:
            raise SmallReplayError(
                f"the replay holds {self.replay.buffer_size} steps of {configuration.num_envs} rows, expected at least "
                f"{configuration.rollout_steps}, a rollout's; give more buffer_size, or fewer num_envs or rollout_steps"
            )

    @abstractmethod
    def kept_actions(self, actions: np.ndarray) -> np.ndarray:
        """Actions (T, N, ...) of the environment as the algorithm knows them, (T, N, k)."""

    @property
    def acts_at_random(self) -> bool:
        """Whether the replay is still being filled by chance."""
        return self.algorithm.num_timesteps < self.configuration.learning_starts

    def update(self, rollout: Rollout) -> dict[str, float]:
        """Keep the rollout, let the algorithm's schedules go on, and take the gradient steps that are due."""
        self._see(rollout)
        self.replay.extend(rollout, self.kept_actions(rollout.actions.cpu().numpy()))
        before = self.algorithm.num_timesteps
        for _ in rollout.rewards:
            self.algorithm.num_timesteps += self.algorithm.n_envs
            self.algorithm._update_current_progress_remaining(self.algorithm.num_timesteps, self._steps)
            self.algorithm._on_step()
        due = self._due(self.algorithm.num_timesteps) - self._due(before)
        if due and len(self.replay):
            self._train(due)
        return self._measures()

    def state(self) -> tuple[Arrays, dict[str, Any]]:
        """Networks, optimisers, the replay, counters and the generator."""
        tensors = self.algorithm.policy.state_dict() | self._variables()
        arrays = {f"tensor.{name}": _array(tensor) for name, tensor in tensors.items()}
        for owner, optimizer in self._optimizers().items():
            arrays |= {f"{owner}.{name}": array for name, array in optimizer_arrays(optimizer).items()}
        kept, places = self.replay.state()
        arrays |= {f"replay.{name}": array for name, array in kept.items()}
        counters = {name: getattr(self.algorithm, name) for name in _COUNTERS if hasattr(self.algorithm, name)}
        return arrays, {"counters": counters, "replay": places, "rng": self.rng.bit_generator.state}

    def restore(self, arrays: Arrays, values: dict[str, Any]) -> None:
        """Go on from what :meth:`state` returned."""
        tensors = {name: torch.as_tensor(array) for name, array in below(arrays, "tensor").items()}
        for name, variable in self._variables().items():
            variable.data.copy_(tensors.pop(name))
        self.algorithm.policy.load_state_dict(tensors)
        for owner, optimizer in self._optimizers().items():
            restore_optimizer(optimizer, below(arrays, owner))
        self.replay.restore(below(arrays, "replay"), values["replay"])
        for name, value in values["counters"].items():
            setattr(self.algorithm, name, value)
        self.rng.bit_generator.state = values["rng"]

    def _train(self, steps: int) -> None:
        with torch_seeded_from(self.rng, self.device):
            self.algorithm.train(steps, self.configuration.batch_size)

    def _due(self, steps: int) -> int:
        """Gradient steps that are due after so many environment steps."""
        return int(max(steps - self.configuration.learning_starts, 0) * self.configuration.updates_per_step)

    def _see(self, rollout: Rollout) -> None:
        for encoder in self._normalising:
            encoder.see({name: array.flatten(0, 1) for name, array in rollout.observations.items()})

    def _measures(self) -> dict[str, float]:
        logged = self.algorithm.logger.name_to_value
        measures = {name.rpartition("/")[2]: float(value) for name, value in logged.items()}
        logged.clear()
        measures.pop("n_updates", None)
        return measures

    def _optimizers(self) -> dict[str, torch.optim.Optimizer]:
        names = [name for name in self.algorithm._get_torch_save_params()[0] if name.endswith("optimizer")]
        return {name: attrgetter(name)(self.algorithm) for name in names}

    def _variables(self) -> Tensors:
        """What the algorithm learns beside its networks."""
        names = self.algorithm._get_torch_save_params()[1]
        return {name: attrgetter(name)(self.algorithm) for name in names}


def _array(tensor: torch.Tensor) -> np.ndarray:
    return tensor.detach().cpu().numpy()
