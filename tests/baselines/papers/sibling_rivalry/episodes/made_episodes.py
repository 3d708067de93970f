"""Episodes made by hand: every observation tells its step and row, goals are points of a line."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from procgen_bench.baselines.papers.sibling_rivalry.whole_episodes import Episodes
from procgen_bench.baselines.policies.tensors import tensors_of

#: delta of the line, in whose quarters goals lie, so that distances are exact and often just at a threshold.
THRESHOLD = 0.5
QUARTERS = st.integers(0, 24).map(lambda quarters: quarters / 4)


def distance(achieved, desired):
    """|x - y| of points (..., 1)."""
    return np.abs(achieved - desired)[..., 0].astype(np.float64)


def made_episodes(lengths, ends, goals) -> Episodes:
    """Episodes of these lengths that ended in ``ends`` (N, 1) and were played for ``goals`` (N, 1)."""
    lengths, ends, goals = np.asarray(lengths), np.asarray(ends), np.asarray(goals)
    steps, rows = np.mgrid[: lengths.max(), : len(lengths)]
    played = steps < lengths
    observation = np.where(played[..., None], np.stack([steps, rows], axis=-1) + 1.0, 0.0).astype(np.float32)
    return Episodes(
        observations=tensors_of(
            {
                "observation": observation,
                "achieved_goal": observation[..., :1],
                "desired_goal": np.where(played[..., None], goals, 0.0).astype(np.float32),
            }
        ),
        actions=np.where(played, steps * 1_000 + rows, 0),
        log_probabilities=np.where(played, -steps - rows / 100, 0.0).astype(np.float32),
        lengths=lengths,
        final_observations={
            "observation": np.stack([lengths, np.arange(len(lengths))], axis=-1).astype(np.float32) + 1,
            "achieved_goal": ends,
            "desired_goal": goals,
        },
        successes=distance(ends, goals) <= THRESHOLD,
        train=np.ones(len(lengths), np.bool_),
    )


@st.composite
def episode_pairs(draw) -> Episodes:
    """One to four pairs; the two of a pair have one goal."""
    count = 2 * draw(st.integers(1, 4))
    points = arrays(np.float64, (count, 1), elements=QUARTERS)
    lengths = draw(arrays(np.int64, count, elements=st.integers(1, 6)))
    return made_episodes(lengths, draw(points), np.repeat(draw(points)[::2], 2, axis=0))
