"""Random network distillation (Burda et al., 2018b)."""

from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from torch import nn

from procgen_bench.baselines.parts.bonuses.learned_bonus import (
    LearnedBonus,
    LearningSettings,
    MakeEncoder,
    Observations,
    tensors_of,
)
from procgen_bench.baselines.parts.bonuses.running_moments import RunningMoments
from procgen_bench.baselines.policies.arrays import below
from procgen_bench.baselines.policies.tensors import array_leaves

Tensors = dict[str, torch.Tensor]
#: Whitened observations are clipped to this many standard deviations.
CLIP = 5.0
#: Least standard deviation that observations are divided by: what never changed is not blown up.
_LEAST_DEVIATION = 1e-3


class Distillation(LearnedBonus):
    """Rewards observations for which a network does not yet predict the features of another, random one.

    Observations are whitened by their running moments and clipped, but for encoders that scale what they read
    themselves. Actions and the observations before them are not looked at.

    Args:
        observation_space: Of the observations.
        make_encoder: Makes the encoders of both networks, for whitened observations if these are.
        settings: How the predictor learns.
        whiten: Whether observations are whitened.
    """

    network: nn.ModuleDict

    def __init__(
        self,
        observation_space: spaces.Dict,
        make_encoder: MakeEncoder,
        settings: LearningSettings,
        whiten: bool = True,
    ):
        leaves = array_leaves(observation_space) if whiten else {}
        whitened = spaces.Dict({name: spaces.Box(-CLIP, CLIP, leaf.shape, np.float32) for name, leaf in leaves.items()})
        shown = whitened if whiten else observation_space
        target_encoder, predictor_encoder = make_encoder(shown), make_encoder(shown)
        features = target_encoder.features
        target = nn.Sequential(target_encoder, nn.Linear(features, features))
        predictor = nn.Sequential(
            predictor_encoder, nn.Linear(features, features), nn.ReLU(), nn.Linear(features, features)
        )
        network = nn.ModuleDict({"target": target, "predictor": predictor})
        network.apply(_initialise)
        target.requires_grad_(False)
        super().__init__(network, settings)
        self._moments = {name: RunningMoments(leaf.shape) for name, leaf in leaves.items()}

    @torch.inference_mode()
    def bonus(self, observations: Observations, actions: np.ndarray, next_observations: Observations) -> np.ndarray:
        """float64 (M,): the predictor's squared error, mean of the features.

        Before anything was learned, observations are whitened by their own moments, in the place of Burda et al.'s
        first steps by a random agent.
        """
        whitened = tensors_of(self._whitened(next_observations))
        return self._errors(whitened).double().numpy()

    def learn(
        self, observations: Observations, actions: np.ndarray, next_observations: Observations
    ) -> dict[str, float]:
        """Update the moments, then the predictor, by M transitions (M, ...); returns the ``distillation_loss``."""
        self._moments = self._moments_with(next_observations)
        return super().learn({}, actions, self._whitened(next_observations))

    def losses(self, observations: Tensors, actions: torch.Tensor, next_observations: Tensors) -> Tensors:
        """``distillation_loss``, float32 (), of whitened next observations, float32 (M, ...)."""
        return {"distillation_loss": self._errors(next_observations).mean()}

    def state(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """As :meth:`.LearnedBonus.state`, and the moments (float64)."""
        arrays, values = super().state()
        for name, moments in self._moments.items():
            arrays |= {f"moments.{name}.{part}": array for part, array in moments.state().items()}
        return arrays, values

    def restore(self, arrays: dict[str, np.ndarray], values: dict[str, Any]) -> None:
        """Continue from what :meth:`state` returned."""
        super().restore(arrays, values)
        for name, moments in self._moments.items():
            moments.restore(below(arrays, f"moments.{name}"))

    def _moments_with(self, observations: Observations) -> dict[str, RunningMoments]:
        return {name: moments.updated(observations[name]) for name, moments in self._moments.items()}

    def _whitened(self, observations: Observations) -> Observations:
        """As they are, where they are not to be whitened."""
        known = all(moments.count for moments in self._moments.values())
        whitened = dict(observations)
        for name, moments in (self._moments if known else self._moments_with(observations)).items():
            scale = np.maximum(moments.deviation, _LEAST_DEVIATION)
            whitened[name] = np.clip((observations[name] - moments.mean) / scale, -CLIP, CLIP)
        return whitened

    def _errors(self, whitened: Tensors) -> torch.Tensor:
        predicted, target = self.network["predictor"](whitened), self.network["target"](whitened)
        return (predicted - target).square().mean(dim=1)


def _initialise(layer: nn.Module) -> None:
    if isinstance(layer, nn.Linear | nn.Conv2d | nn.Conv3d):
        # Not in place: the layer's weights may be laid out channels last, which PyTorch's function cannot view.
        layer.weight.data.copy_(nn.init.orthogonal_(torch.empty(layer.weight.shape), np.sqrt(2)))
        if layer.bias is not None:
            nn.init.zeros_(layer.bias)
