"""Which of an entry's episodes its page shows: chosen by their recorded scores, and played again by its policies."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from procgen_bench.baselines.policies.episode import Episode
from procgen_bench.leaderboards.board.board import Entry, stored_submission
from procgen_bench.leaderboards.scoring.fresh import suite_episodes
from procgen_bench.leaderboards.scoring.playing import part_of, play_policy
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
    places = chosen_places(scores.ravel())
    if submission.traces is not None:
        return [ChosenEpisode(reason, place // scores.shape[1], submission.episode(place)) for reason, place in places]
    episodes = suite_episodes(entry.benchmark, entry.epoch.salt_bytes)
    chosen, played = [], dict[tuple[int, int], list[Episode]]()
    for reason, place in places:
        run, number = divmod(place, scores.shape[1])
        first, part = part_of(entry.benchmark, episodes, number)
        if (run, first) not in played:
            player = players_of(submission)[run]
            played[run, first] = play_policy(player, policy_file(run), entry.benchmark, part).episodes
        task, one = int(submission.protocol.task_indices[number]), episodes[number]
        name, actions = submission.protocol.suite.task_names[task], played[run, first][number - first].actions
        trace = EpisodeTrace(one.task, name, task, one.seed, actions, float(scores[run, number]))
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
