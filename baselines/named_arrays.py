"""Arrays by dotted names, as checkpoints keep them."""

import numpy as np

Arrays = dict[str, np.ndarray]


def below(arrays: Arrays, prefix: str) -> Arrays:
    """The arrays whose names begin with ``prefix`` and a dot, by the rest of their names."""
    return {name.removeprefix(f"{prefix}."): a for name, a in arrays.items() if name.startswith(f"{prefix}.")}
