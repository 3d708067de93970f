"""The intrinsic curiosity module (Pathak et al., 2017), with the choices of Burda et al. (2018a)."""

import numpy as np
import torch
from gymnasium import spaces
from torch import nn
from torch.nn import functional

from procgen_bench.baselines.parts.bonuses.learned_bonus import (
    LearnedBonus,
    LearningSettings,
    MakeEncoder,
    Observations,
    tensors_of,
)
from procgen_bench.baselines.parts.bonuses.predicted_actions import predicted_actions

Tensors = dict[str, torch.Tensor]


class Curiosity(LearnedBonus):
    """Rewards transitions whose outcome the forward model does not predict.

    An inverse model guesses the action from the features of the observations before and after it, and thereby teaches
    the encoder to keep what actions change. A forward model guesses the features after from those before and the
    action; its error does not teach the encoder. Features are of length 1, so that their scale cannot shrink the bonus.

    Args:
        observation_space: Of the observations; ``make_encoder`` takes it.
        action_space: Discrete, or a bounded vector.
        make_encoder: Makes the encoder.
        settings: How the module learns.
    """

    network: nn.ModuleDict

    def __init__(
        self,
        observation_space: spaces.Dict,
        action_space: spaces.Space,
        make_encoder: MakeEncoder,
        settings: LearningSettings,
    ):
        self._actions = predicted_actions(action_space)
        encoder = make_encoder(observation_space)
        features, actions = encoder.features, self._actions.size
        parts = {
            "encoder": nn.Sequential(encoder, nn.Linear(features, features)),
            "inverse_model": _two_layers(2 * features, features, actions),
            "forward_model": _two_layers(features + actions, features, features),
        }
        super().__init__(nn.ModuleDict(parts), settings)

    @torch.inference_mode()
    def bonus(self, observations: Observations, actions: np.ndarray, next_observations: Observations) -> np.ndarray:
        """float64 (M,): the squared error of the predicted features, mean of the features, in [0, 4 / features]."""
        before, after = self.features(tensors_of(observations), tensors_of(next_observations))
        predicted = self.predict(before, torch.as_tensor(actions))
        return (predicted - after).square().mean(dim=1).double().numpy()

    def losses(self, observations: Tensors, actions: torch.Tensor, next_observations: Tensors) -> Tensors:
        """``inverse_loss`` and ``forward_loss``, float32 (), of M transitions (M, ...)."""
        before, after = self.features(observations, next_observations)
        predicted = self.predict(before.detach(), actions)
        return {
            "inverse_loss": self.guess_loss(before, after, actions),
            "forward_loss": (predicted - after.detach()).square().mean(),
        }

    def features(self, observations: Tensors, next_observations: Tensors) -> tuple[torch.Tensor, torch.Tensor]:
        """Those before and after M transitions, float32 (M, features) each."""
        every = {name: torch.cat([array, next_observations[name]]) for name, array in observations.items()}
        before, after = self.scaled(self.network["encoder"](every)).chunk(2)
        return before, after

    def scaled(self, features: torch.Tensor) -> torch.Tensor:
        """Features, float32 (M, features), or expected ones, at the length at which they are compared: 1."""
        return functional.normalize(features, dim=1)

    def guess_loss(self, before: torch.Tensor, after: torch.Tensor, actions: torch.Tensor) -> torch.Tensor:
        """How badly the inverse model guesses actions (M, ...) between features, float32 (M, features): float32 ()."""
        return self._actions.loss(self.network["inverse_model"](torch.cat([before, after], dim=1)), actions)

    def predict(self, features: torch.Tensor, actions: torch.Tensor) -> torch.Tensor:
        """The features, float32 (M, features), that the forward model expects after actions (M, ...)."""
        seen = torch.cat([features, self._actions.inputs(actions)], dim=1)
        return self.scaled(self.network["forward_model"](seen))


def _two_layers(inputs: int, hidden: int, outputs: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(inputs, hidden), nn.ReLU(), nn.Linear(hidden, outputs))
