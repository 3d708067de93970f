"""Arrays by dotted names, as checkpoints keep them."""

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from torch import nn

Arrays = dict[str, np.ndarray]


def below(arrays: Arrays, prefix: str) -> Arrays:
    """The arrays whose names begin with ``prefix`` and a dot, by the rest of their names."""
    return {name.removeprefix(f"{prefix}."): a for name, a in arrays.items() if name.startswith(f"{prefix}.")}


def network_arrays(network: "nn.Module") -> Arrays:
    """A network's weights by name, copied."""
    return {name: tensor.detach().cpu().numpy().copy() for name, tensor in network.state_dict().items()}
