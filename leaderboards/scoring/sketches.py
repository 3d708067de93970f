"""Sketches: the actions of fresh play at the epoch's places, so small that a record holds them."""

import zlib
from collections.abc import Sequence

import numpy as np
from gymnasium import spaces

#: Numbers into which the range of a real number is divided.
_LEVELS = 255


def action_numbers(space: spaces.Space) -> int:
    """Bytes that one action takes in a sketch."""
    return max(1, int(np.prod(space.shape or ()))) if isinstance(space, spaces.Box) else 1


def sketch(episodes: Sequence[np.ndarray], places: Sequence[np.ndarray], space: spaces.Space) -> bytes:
    """The actions at these steps of each episode, one episode after the other.

    Args:
        episodes: Actions of each episode, (steps, ...).
        places: Steps of each episode, rising; those that it did not come to are left out.
        space: The action space. Real numbers are noted to 1/255 of their range, all others by a byte of their hash.
    """
    noted = [actions[steps[steps < len(actions)]] for actions, steps in zip(episodes, places, strict=True)]
    if isinstance(space, spaces.Box):
        scaled = [(actions.astype(np.float64) - space.low) / (space.high - space.low) for actions in noted]
        return b"".join(np.rint(_LEVELS * part.clip(0, 1)).astype(np.uint8).tobytes() for part in scaled)
    return bytes(zlib.crc32(np.asarray(action).astype("<i8").tobytes()) % 256 for part in noted for action in part)
