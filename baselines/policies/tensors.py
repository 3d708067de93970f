"""Tensors by name, optimisers and torch's random generator, as learners use and keep them."""

import math
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from torch import nn

from procgen_bench.baselines.policies.arrays import Arrays, named_space

Tensors = dict[str, torch.Tensor]
#: The output of an action that is masked: it is never drawn beside one that is not.
NEVER = -1e9


class Encoder(nn.Module):
    """A network from a dict of tensors (n, ...) to features.

    Attributes:
        features: Number of features.
    """

    features: int


def array_leaves(space: spaces.Space) -> dict[str, spaces.Box]:
    """The leaves of an observation space by name, in its order.

    Raises:
        UnreadableObservationsError: A part of it is no array.
    """
    return {name: leaf for name, leaf in named_space(space).items() if isinstance(leaf, spaces.Box)}


def tensors_of(observations: dict[str, np.ndarray]) -> Tensors:
    """Observations, (N, ...) by name, as tensors of the same shapes and dtypes."""
    return {name: torch.as_tensor(array) for name, array in observations.items()}


def rows_of(tensors: Tensors, rows: torch.Tensor) -> Tensors:
    """``rows``, int64 (n,), of tensors (N, ...): pictures are copied as wholes, which brackets do byte by byte."""
    return {name: tensor.index_select(0, rows) for name, tensor in tensors.items()}


@contextmanager
def global_generators_kept() -> Iterator[None]:
    """Python's, NumPy's and torch's global generators are afterwards what they were before."""
    standard, numpy_state = random.getstate(), np.random.get_state()
    try:
        with torch.random.fork_rng(devices=[]):
            yield
    finally:
        random.setstate(standard)
        np.random.set_state(numpy_state)


def normal_draws(noise: torch.Tensor) -> torch.Tensor:
    """Uniform numbers, float32 (n, 2k) in [0, 1) -> standard normal ones, float32 (n, k), by Box and Muller."""
    first, second = noise.chunk(2, dim=1)
    return torch.sqrt(-2 * torch.log(1 - first)) * torch.cos(2 * math.pi * second)


def optimizer_arrays(optimizer: torch.optim.Optimizer) -> Arrays:
    """What an optimiser remembers of every parameter, by ``"index.name"``: arrays of their shapes and dtypes."""
    return {
        f"{index}.{name}": torch.as_tensor(value).cpu().numpy().copy()
        for index, state in optimizer.state_dict()["state"].items()
        for name, value in state.items()
    }


def restore_optimizer(optimizer: torch.optim.Optimizer, arrays: Arrays) -> None:
    """Let an optimiser of the same parameters remember what :func:`optimizer_arrays` returned, of the same shapes."""
    parameters = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    state: dict[int, dict[str, torch.Tensor]] = {}
    for name, array in arrays.items():
        index, _, part = name.partition(".")
        state.setdefault(int(index), {})[part] = _laid_out_as(parameters[int(index)], torch.as_tensor(array))
    optimizer.load_state_dict({"state": state, "param_groups": optimizer.state_dict()["param_groups"]})


def _laid_out_as(parameter: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    """The values in the parameter's memory format (channels last, say), which fused optimisers take for granted."""
    return torch.empty_like(parameter).copy_(values) if values.shape == parameter.shape else values


class UncorrectedAdam(torch.optim.Adam):
    """Adam that adds its epsilon to the root of the second moments as they are, and corrects their bias afterwards.

    Beside PyTorch's, epsilon counts ``1 / sqrt(1 - beta2 ** t)`` times as much in step ``t``: 32 times in the first,
    3.2 times in the hundredth, 1.3 times in the thousandth. With an epsilon of the gradients' size the first thousand
    steps are that much shorter. Optimisers of 2018, and those of methods published with them, do so.
    """

    def __init__(self, parameters: Any, learning_rate: float, epsilon: float):
        super().__init__(parameters, lr=learning_rate, eps=epsilon, fused=True)
        self._epsilon = epsilon

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Take a step; see :class:`torch.optim.Adam`."""
        for group in self.param_groups:
            # All parameters that ever have a gradient have one in every step: the first one's count is everyone's.
            steps = next((int(self.state[p]["step"]) for p in group["params"] if p in self.state), 0)
            group["eps"] = self._epsilon / math.sqrt(1 - group["betas"][1] ** (steps + 1))
        return super().step(closure)


@contextmanager
def torch_seeded_from(source: int | np.random.Generator, device: torch.device) -> Iterator[None]:
    """Torch draws by a seed, given or drawn from a generator; no other random generator is touched."""
    seed = source if isinstance(source, int) else int(source.integers(2**63))
    with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
        # For each kind of device that is missing, torch.manual_seed formats a trace of the stack.
        (torch.default_generator if device.type == "cpu" else torch).manual_seed(seed)
        yield
