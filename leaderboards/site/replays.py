"""Which of an entry's episodes its page shows: chosen by their recorded scores, and played again by its policies."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from procgen_bench.leaderboards.board.board import Entry, stored_submission
from procgen_bench.leaderboards.scoring.fresh import suite_episodes
from procgen_bench.leaderboards.scoring.playing import play_policy
from procgen_bench.leaderboards.scoring.rows import players_of
from procgen_bench.leaderboards.submission.metadata import policy_file
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
    """The best episode of the suite, a median one and the worst, such of them as differ in score.

    Raises:
        InvalidSubmissionError: A policy is refused or stopped.
        TooSlowHereError, NoSandboxError, MissingExtraError: It cannot be played here.
    """
    submission, scores = stored_submission(entry.folder), entry.record.suite_scores
    chosen = []
    for reason, place in chosen_places(scores.ravel()):
        run, number = divmod(place, scores.shape[1])
        if submission.traces is not None:
            trace = submission.episode(place)
        else:
            benchmark, protocol = entry.benchmark, submission.protocol
            episode = suite_episodes(benchmark, entry.epoch.salt_bytes)[number]
            (played,) = play_policy(players_of(submission)[run], policy_file(run), benchmark, [episode]).episodes
            task, score = int(protocol.task_indices[number]), float(scores[run, number])
            name = protocol.suite.task_names[task]
            trace = EpisodeTrace(episode.task, name, task, episode.seed, played.actions, score)
        chosen.append(ChosenEpisode(reason, run, trace))
    return chosen


def chosen_places(scores: Sequence[float] | np.ndarray) -> list[tuple[str, int]]:
    """(reason, place) of the episodes to show, by the score of each; of equals, the first."""
    order = np.argsort(-np.asarray(scores), kind="stable")
    wanted = {"best score": 0, "median score": len(order) // 2, "worst score": len(order) - 1}
    shown: dict[float, tuple[str, int]] = {}
    for reason, position in wanted.items():
        score = float(scores[order[position]])
        first = next(int(place) for place in order if scores[place] == score)
        shown.setdefault(score, (reason, first))
    return list(shown.values())
