"""Chance of one's own where a library draws from torch's generator."""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import torch


@contextmanager
def own_chance(rng: np.random.Generator, device: torch.device) -> Iterator[None]:
    """What torch draws is drawn by ``rng``, and nobody else's chance is touched."""
    with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
        torch.manual_seed(int(rng.integers(2**63)))
        yield
