"""Which of an entry's episodes its page shows: chosen by what was verified of them, without replaying any."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from procgen_bench.leaderboards.board.board import Entry, read_entry_submission
from procgen_bench.leaderboards.submission.submission import EpisodeTrace


@dataclass(frozen=True, eq=False)
class ChosenEpisode:
    """An episode to show.

    Attributes:
        reason: Why it was chosen.
        run: Index of its run.
        trace: What was played.
    """

    reason: str
    run: int
    trace: EpisodeTrace


def choose_episodes(entry: Entry) -> list[ChosenEpisode]:
    """The best episode, a median one and the worst, such of them as differ in score; of equals, the longest.

    Raises:
        MissingTracesError: Its traces are not on this machine.
        InvalidSubmissionError: It is not what its record says.
    """
    submission = read_entry_submission(entry)
    traces, per_run = submission.traces, len(submission.protocol.task_indices)
    return [
        ChosenEpisode(reason, place // per_run, submission.episode(place))
        for reason, place in chosen_places(traces.scores, traces.lengths)
    ]


def chosen_places(scores: Sequence[float] | np.ndarray, lengths: Sequence[int] | np.ndarray) -> list[tuple[str, int]]:
    """(reason, place) of the episodes to show, by the score and the length of each."""
    # From best to worst, of equal scores from longest to shortest; the first of equals is the one that is shown.
    order = np.lexsort((-np.asarray(lengths), -np.asarray(scores)))
    wanted = {"best score": 0, "median score": len(order) // 2, "worst score": len(order) - 1}
    shown: dict[float, tuple[str, int]] = {}
    for reason, position in wanted.items():
        score = float(scores[order[position]])
        first = next(int(place) for place in order if scores[place] == score)
        shown.setdefault(score, (reason, first))
    return list(shown.values())
