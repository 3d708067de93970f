"""What an unfinished evaluation keeps on disk, as arrays: episodes that were played together, and their replays."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from procgen_bench.baselines.episode import Episode
from procgen_bench.baselines.named_arrays import Arrays
from procgen_bench.leaderboards.submission.observation_chain import links_array
from procgen_bench.leaderboards.verification.replay import Outcome


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
    """A chunk as arrays by name."""
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
    """The chunk of which :func:`packed_chunk` made these.

    Raises:
        KeyError, ValueError: They are none of a chunk.
    """
    parts = np.split(arrays["actions"], np.cumsum(arrays["lengths"])[:-1])
    columns = (arrays[name].tolist() for name in ("returns", "successes", "lengths", "finished", "seeds"))
    return Chunk([Episode(*row) for row in zip(*columns, parts, strict=True)], str(arrays["crash"]))


def packed_outcomes(outcomes: Sequence[Outcome]) -> Arrays:
    """Outcomes as arrays by name."""
    states = [np.empty((0, 0)) if outcome.states is None else outcome.states for outcome in outcomes]
    return {
        "returns": np.array([outcome.return_ for outcome in outcomes], np.float64),
        "successes": np.array([outcome.success for outcome in outcomes], np.bool_),
        "steps": np.array([outcome.steps for outcome in outcomes], np.int64),
        "finished": np.array([outcome.finished for outcome in outcomes], np.bool_),
        "links": links_array([outcome.links for outcome in outcomes]),
        "numbers_of_links": np.array([len(outcome.links) for outcome in outcomes], np.int64),
        "states": np.concatenate([own.ravel() for own in states]),
        "shapes_of_states": np.array([own.shape for own in states], np.int64),
        "with_states": np.array([outcome.states is not None for outcome in outcomes], np.bool_),
    }


def unpacked_outcomes(arrays: Arrays) -> list[Outcome]:
    """The outcomes of which :func:`packed_outcomes` made these.

    Raises:
        KeyError, ValueError: They are none of outcomes.
    """
    columns = [arrays[name].tolist() for name in ("returns", "successes", "steps", "finished")]
    links = np.split(arrays["links"], np.cumsum(arrays["numbers_of_links"])[:-1])
    columns.append([tuple(link.tobytes() for link in own) for own in links])
    shapes = arrays["shapes_of_states"]
    numbers = np.split(arrays["states"], np.cumsum(shapes.prod(axis=1))[:-1])
    there = zip(numbers, shapes, arrays["with_states"], strict=True)
    columns.append([own.reshape(shape) if with_states else None for own, shape, with_states in there])
    return [Outcome(*row) for row in zip(*columns, strict=True)]
