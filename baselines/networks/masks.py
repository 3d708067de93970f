"""Masks among what is observed: which actions are of any use now, and no feature of anything."""

from collections.abc import Sequence

import torch
from gymnasium import spaces

from procgen_bench.baselines.encoder import Tensors

#: How the names of masks end.
_MASK = "_mask"
#: Output of an action that is masked: never drawn beside one that is not.
_NEVER = -1e9


def without_masks(space: spaces.Space) -> spaces.Space:
    """An observation space without its masks."""
    if not isinstance(space, spaces.Dict):
        return space
    return spaces.Dict({name: leaf for name, leaf in space.items() if not name.endswith(_MASK)})


def masks_of(space: spaces.Space, sizes: Sequence[int]) -> list[str]:
    """The masks of distributions over so many actions each, by name; an empty one where there is none.

    A mask is a leaf whose name ends in ``_mask``, of zeros and ones, one for each action. Of several distributions of
    one size, the first is given the first mask.
    """
    leaves = dict(space.items()) if isinstance(space, spaces.Dict) else {}
    free = [name for name in leaves if name.endswith(_MASK)]
    found = []
    for size in sizes:
        name = next((name for name in free if leaves[name].shape == (size,)), "")
        free = [other for other in free if other != name]
        found.append(name)
    return found


def masked(outputs: torch.Tensor, observations: Tensors, mask: str) -> torch.Tensor:
    """Outputs (n, k) of a distribution, with those of masked actions so low that they are never drawn."""
    return torch.where(observations[mask] > 0, outputs, outputs * 0 + _NEVER) if mask else outputs
