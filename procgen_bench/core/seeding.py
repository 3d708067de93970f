"""Random streams that a compiled kernel can carry: one 64-bit counter per row, advanced by splitmix64.

A native environment keeps one stream per row, so that row ``k`` of a vector environment draws exactly what the single
environment with the same seed draws, and so that drawing costs nanoseconds inside a kernel. Seeds enter through
``numpy.random.SeedSequence``, which spreads neighbouring seeds over the whole range.
"""

import hashlib

import numpy as np

_HASH_SEED_BITS = 63


def stream_from_seed(seed: int | None) -> np.uint64:
    """First state of the stream of ``seed``, a non-negative integer; ``None`` takes fresh entropy from the system."""
    return np.random.SeedSequence(seed).generate_state(1, np.uint64)[0]


def seed_from_parts(*parts: object) -> int:
    """A seed in [0, 2**63) bound to all ``parts``: SHA-256 of their text, separated so that no two lists collide."""
    digest = hashlib.sha256("".join(f"{len(str(part))}:{part};" for part in parts).encode()).digest()
    return int.from_bytes(digest[:8], "little") >> (64 - _HASH_SEED_BITS)
