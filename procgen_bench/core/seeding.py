"""Random streams that a compiled kernel can carry: one 64-bit counter per row, advanced by splitmix64.

A native environment keeps one stream per row, so that row ``k`` of a vector environment draws exactly what the single
environment with the same seed draws, and so that drawing costs nanoseconds inside a kernel. Seeds enter through
``numpy.random.SeedSequence``, which spreads neighbouring seeds over the whole range.
"""

import hashlib
from typing import overload

import numpy as np

from procgen_bench.core.errors import InvalidOptionError

_HASH_SEED_BITS = 63


@overload
def checked_seed(seed: int) -> int: ...
@overload
def checked_seed(seed: object) -> int | None: ...
def checked_seed(seed: object) -> int | None:
    """``seed`` as a Python integer, or ``None``: the one rule for environments, rows, draws and runs.

    Raises:
        InvalidOptionError: It is neither ``None`` nor an integer (Python's or NumPy's, no truth value) of at least 0.
    """
    if seed is None:
        return None
    if not isinstance(seed, int | np.integer) or isinstance(seed, bool) or seed < 0:
        raise InvalidOptionError(f"seed is {seed!r}, expected an integer of at least 0, or None")
    return int(seed)


def stream_from_seed(seed: int | None) -> np.uint64:
    """First state of the stream of ``seed`` (see :func:`checked_seed`); ``None``: fresh entropy from the system."""
    return np.random.SeedSequence(checked_seed(seed)).generate_state(1, np.uint64)[0]


def seed_from_parts(*parts: object) -> int:
    """A seed in [0, 2**63) bound to all ``parts``: SHA-256 of their text, separated so that no two lists collide."""
    digest = hashlib.sha256("".join(f"{len(str(part))}:{part};" for part in parts).encode()).digest()
    return int.from_bytes(digest[:8], "little") >> (64 - _HASH_SEED_BITS)
