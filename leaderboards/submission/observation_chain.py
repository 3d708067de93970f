"""Hash chains over observations: they tell where a replay's physics parts from what was recorded."""

import hashlib
from collections.abc import Mapping, Sequence

import numpy as np

#: Steps between two links of a chain, and bytes of a link.
LINK_STEPS, LINK_BYTES = 50, 16

Observation = np.ndarray | Mapping[str, "Observation"]


class ObservationChain:
    """The chain of one episode, which grows with its observations.

    A link is the BLAKE2b hash (16 bytes) over the bytes of all observations so far. There is one for every 50 steps and
    one for the last step, so that the first link in which two chains differ says in which steps the episodes parted.

    Args:
        first: What the reset returned, an array or a dict of arrays.
    """

    def __init__(self, first: Observation):
        self._hash = hashlib.blake2b(digest_size=LINK_BYTES)
        self._steps = 0
        self._whole_links: list[bytes] = []
        self._hash.update(_bytes_of(first))

    def append(self, observation: Observation) -> None:
        """Go on by what a step returned."""
        self._hash.update(_bytes_of(observation))
        self._steps += 1
        if self._steps % LINK_STEPS == 0:
            self._whole_links.append(self._hash.digest())

    @property
    def links(self) -> tuple[bytes, ...]:
        """The links up to the last step; none before the first."""
        last = () if self._steps % LINK_STEPS == 0 else (self._hash.digest(),)
        return (*self._whole_links, *last)


def _bytes_of(observation: Observation) -> bytes:
    """All numbers of an observation, by the names of its parts in their order."""
    if isinstance(observation, np.ndarray):
        return observation.tobytes()
    if isinstance(observation, Mapping):
        return b"".join([_bytes_of(observation[name]) for name in sorted(observation)])
    return np.asarray(observation).tobytes()


def num_links(steps):
    """Number of links of an episode of ``steps`` steps; of an array of such numbers, an array."""
    return -(-steps // LINK_STEPS)


def links_array(chains: Sequence[Sequence[bytes]]) -> np.ndarray:
    """The links of all chains, one after the other: uint8 (number of links, 16)."""
    joined = b"".join(link for chain in chains for link in chain)
    return np.frombuffer(joined, np.uint8).reshape(-1, LINK_BYTES)


def first_difference(recorded: Sequence[bytes], replayed: Sequence[bytes], num_steps: int) -> tuple[int, int] | None:
    """The first and the last of the steps in which two chains part.

    Args:
        recorded: Links of an episode.
        replayed: Links of its replay, at most as many.
        num_steps: Steps of the recorded episode.

    Returns:
        Steps from 1; 0 is the reset. ``None``: the replay saw what was recorded, as far as it went.
    """
    for place, (then, now) in enumerate(zip(recorded, replayed)):
        if then != now:
            first = place * LINK_STEPS
            return first + 1 if place else 0, min(first + LINK_STEPS, num_steps)
    return None
