"""What an unfinished evaluation keeps on disk, as arrays: episodes that were played together."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from procgen_bench.baselines.policies.arrays import Arrays
from procgen_bench.baselines.policies.episode import Episode


@dataclass(frozen=True, eq=False)
class Chunk:
    """Episodes that were played together.

    Attributes:
        episodes: The episodes.
        crash: What the policy raised; empty if nothing.
    """

    episodes: Sequence[Episode]
    crash: str = ""


def packed_chunk(chunk: Chunk) -> Arrays:
    """A chunk of K episodes as arrays by name.

    Returns:
        ``returns`` (float64), ``successes`` and ``finished`` (bool), ``seeds`` (uint64) and ``lengths`` (int64), (K,)
        each; ``actions`` (steps of all, ...) and ``crash`` (str ()).
    """
    episodes = chunk.episodes
    return {
        "returns": np.array([episode.return_ for episode in episodes], np.float64),
        "successes": np.array([episode.success for episode in episodes], np.bool_),
        "finished": np.array([episode.finished for episode in episodes], np.bool_),
        "seeds": np.array([episode.seed for episode in episodes], np.uint64),
        "lengths": np.array([episode.length for episode in episodes], np.int64),
        "actions": np.concatenate([episode.actions for episode in episodes]),
        "crash": np.array(chunk.crash),
    }


def unpacked_chunk(arrays: Arrays) -> Chunk:
    """The chunk of which :func:`packed_chunk` made these ``arrays``, with their shapes and dtypes.

    Raises:
        KeyError, ValueError: They are none of a chunk.
    """
    parts = _parts(arrays["actions"], arrays["lengths"])
    columns = (arrays[name].tolist() for name in ("returns", "successes", "lengths", "finished", "seeds"))
    episodes = [Episode(*row) for row in zip(*columns, parts, strict=True)]
    return Chunk(episodes, str(arrays["crash"]))


def _parts(joined: np.ndarray, lengths: np.ndarray) -> list[np.ndarray]:
    """The arrays of these lengths that were joined."""
    return np.split(joined, np.cumsum(lengths))[: len(lengths)]
