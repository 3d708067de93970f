"""What an unfinished evaluation keeps on disk, as arrays: episodes that were played together, and their replays."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from procgen_bench.baselines.policies.arrays import Arrays
from procgen_bench.baselines.policies.episode import Episode
from procgen_bench.leaderboards.submission.observation_chain import links_array
from procgen_bench.leaderboards.verification.replay import Outcome

_RECORDED = "recorded_"


@dataclass(frozen=True, eq=False)
class Chunk:
    """Episodes that were played together.

    Attributes:
        episodes: The episodes.
        crash: What the policy raised; empty if nothing.
        outcomes: What their replay would give, as it was recorded while they were played; none where it could not be.
    """

    episodes: Sequence[Episode]
    crash: str = ""
    outcomes: Sequence[Outcome] = ()


def packed_chunk(chunk: Chunk) -> Arrays:
    """A chunk of K episodes as arrays by name.

    Returns:
        ``returns`` (float64), ``successes`` and ``finished`` (bool), ``seeds`` (uint64) and ``lengths`` (int64), (K,)
        each; ``actions`` (steps of all, ...), ``crash`` (str ()), and the arrays of :func:`packed_outcomes`.
    """
    episodes = chunk.episodes
    outcomes = {_RECORDED + name: array for name, array in packed_outcomes(chunk.outcomes).items()}
    played = {
        "returns": np.array([episode.return_ for episode in episodes], np.float64),
        "successes": np.array([episode.success for episode in episodes], np.bool_),
        "finished": np.array([episode.finished for episode in episodes], np.bool_),
        "seeds": np.array([episode.seed for episode in episodes], np.uint64),
        "lengths": np.array([episode.length for episode in episodes], np.int64),
        "actions": np.concatenate([episode.actions for episode in episodes]),
        "crash": np.array(chunk.crash),
    }
    return played | outcomes


def unpacked_chunk(arrays: Arrays) -> Chunk:
    """The chunk of which :func:`packed_chunk` made these ``arrays``, with their shapes and dtypes.

    Raises:
        KeyError, ValueError: They are none of a chunk.
    """
    parts = _parts(arrays["actions"], arrays["lengths"])
    columns = (arrays[name].tolist() for name in ("returns", "successes", "lengths", "finished", "seeds"))
    outcomes = {name.removeprefix(_RECORDED): array for name, array in arrays.items() if name.startswith(_RECORDED)}
    episodes = [Episode(*row) for row in zip(*columns, parts, strict=True)]
    return Chunk(episodes, str(arrays["crash"]), unpacked_outcomes(outcomes))


def packed_outcomes(outcomes: Sequence[Outcome]) -> Arrays:
    """K outcomes as arrays by name.

    Returns:
        ``returns`` (float64), ``successes`` and ``finished`` (bool), ``steps`` and ``numbers_of_links`` (int64), (K,)
        each; ``links`` (uint8 (links, 16)), those of all behind each other; ``states`` (float64 (numbers,)), likewise,
        and ``shapes_of_states`` (int64 (K or 0, 2)).
    """
    states = [outcome.states for outcome in outcomes if outcome.states is not None]
    return {
        "returns": np.array([outcome.return_ for outcome in outcomes], np.float64),
        "successes": np.array([outcome.success for outcome in outcomes], np.bool_),
        "steps": np.array([outcome.steps for outcome in outcomes], np.int64),
        "finished": np.array([outcome.finished for outcome in outcomes], np.bool_),
        "links": links_array([outcome.links for outcome in outcomes]),
        "numbers_of_links": np.array([len(outcome.links) for outcome in outcomes], np.int64),
        "states": np.concatenate([np.empty(0), *(own.ravel() for own in states)]),
        "shapes_of_states": np.array([own.shape for own in states], np.int64).reshape(-1, 2),
    }


def unpacked_outcomes(arrays: Arrays) -> list[Outcome]:
    """The outcomes of which :func:`packed_outcomes` made these ``arrays``, with their shapes and dtypes.

    Raises:
        KeyError, ValueError: They are none of outcomes.
    """
    columns = [arrays[name].tolist() for name in ("returns", "successes", "steps", "finished")]
    links = _parts(arrays["links"], arrays["numbers_of_links"])
    columns.append([tuple(link.tobytes() for link in own) for own in links])
    shapes = arrays["shapes_of_states"]
    numbers = _parts(arrays["states"], shapes.prod(axis=1))
    states = [own.reshape(shape) for own, shape in zip(numbers, shapes, strict=True)]
    # Either all of them hold states or none does.
    columns.append(states or [None] * len(links))
    return [Outcome(*row) for row in zip(*columns, strict=True)]


def _parts(joined: np.ndarray, lengths: np.ndarray) -> list[np.ndarray]:
    """The arrays of these lengths that were joined."""
    return np.split(joined, np.cumsum(lengths))[: len(lengths)]
