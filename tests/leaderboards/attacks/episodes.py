"""Well-formed submissions that claim what they did not play, or play what is not asked; and duplicates."""

import numpy as np

from procgen_bench.leaderboards.errors import DuplicateEntryError
from tests.leaderboards.attacks.attack import Attacks

ATTACKS = Attacks()


def episodes_of(arrays):
    """The episodes as rows (run, task, seed, score, actions)."""
    parts = np.split(arrays["actions"], np.cumsum(arrays["lengths"])[:-1])
    return list(zip(arrays["runs"], arrays["tasks"], arrays["seeds"], arrays["scores"], parts))


def rebuilt(forged, episodes):
    """Write traces of these rows."""
    arrays = forged.load()
    runs, tasks, seeds, scores, parts = zip(*episodes)
    columns = {"runs": runs, "tasks": tasks, "seeds": seeds, "scores": scores, "lengths": [len(part) for part in parts]}
    changed = {name: np.array(column, arrays[name].dtype) for name, column in columns.items()}
    forged.save({**changed, "actions": np.concatenate(parts)})


def with_episodes(name: str, refusal: str, change):
    ATTACKS.add(name, lambda forged: rebuilt(forged, change(episodes_of(forged.load()))), refusal)


def changed_episode(episodes, index, **changes):
    row = dict(zip(("run", "task", "seed", "score", "actions"), episodes[index]))
    row.update({name: change(row[name]) for name, change in changes.items()})
    return [*episodes[:index], tuple(row.values()), *episodes[index + 1 :]]


def best_first(episodes):
    """Exchange the best episode of run 1 with its first one."""
    scores = [score for _, _, _, score, _ in episodes]
    best = 50 + int(np.argmax(scores[50:]))
    episodes[50], episodes[best] = episodes[best], episodes[50]
    return episodes


def second_run_copied_over_the_first(episodes):
    copies = [(run, task, seed, *best) for (run, task, seed, _, _), (_, _, _, *best) in zip(episodes, episodes[50:])]
    return copies + episodes[50:]


with_episodes("episode_missing", r"runs's shape is \(99,\), expected \(100,\)", lambda rows: rows[:-1])
with_episodes("episode_extra", r"runs's shape is \(101,\), expected \(100,\)", lambda rows: [*rows, rows[-1]])
with_episodes("episodes_in_another_order", r"seeds\[0\] \(run 0, episode 0\) is", lambda rows: rows[49::-1] + rows[50:])
with_episodes("best_episode_first", r"seeds\[50\] \(run 1, episode 0\) is", best_first)
with_episodes("runs_exchanged", r"runs\[0\] \(run 0, episode 0\) is 1, expected 0", lambda rows: rows[50:] + rows[:50])
with_episodes(
    "run_copied_without_its_score",
    r"submission.json: claimed_score is .*, expected .*, what",
    second_run_copied_over_the_first,
)
with_episodes(
    "episode_cut_short",
    r"score of run 0, episode 2 is .*, expected -0.591, what its replay gives",
    lambda rows: changed_episode(rows, 2, actions=lambda actions: actions[:-1]),
)
with_episodes(
    "episode_emptied",
    r"score of run 0, episode 2 is .*, expected -0.591, what its replay gives",
    lambda rows: changed_episode(rows, 2, actions=lambda actions: actions[:0]),
)
with_episodes(
    "episode_score_raised",
    r"score of run 1, episode 49 is .*, expected .*, what its replay gives",
    lambda rows: changed_episode(rows, 99, score=lambda score: score + 1e-9),
)
with_episodes(
    "episode_score_nan",
    r"score of run 0, episode 0 is nan, expected .*, what its replay gives",
    lambda rows: changed_episode(rows, 0, score=lambda _: np.nan),
)
with_episodes(
    "episode_score_infinite",
    r"score of run 0, episode 0 is inf, expected .*, what its replay gives",
    lambda rows: changed_episode(rows, 0, score=lambda _: np.inf),
)


@ATTACKS.refused(
    r"number of actions of run \d, episode \d+ is \d+, expected \d+: too many steps, the episode ends there"
)
def episode_goes_on_after_its_end(forged):
    """One more action for the first episode that ended before the time limit."""
    rows = episodes_of(forged.load())
    ended = next(index for index, row in enumerate(rows) if len(row[-1]) < 50)
    rebuilt(forged, changed_episode(rows, ended, actions=lambda actions: np.append(actions, 0)))


@ATTACKS.refused(r"traces.npz: score of run 0, episode 0 is .*, expected .*, what its replay gives")
def everything_claimed_consistently(forged):
    """Every episode, and the mean, claims the best possible return."""
    forged.array("scores", lambda scores: np.full_like(scores, 0.982))
    forged.fields(claimed_score=0.982)


def with_claim(name: str, difference: float):
    def change(forged):
        forged.fields(claimed_score=forged.metadata()["claimed_score"] + difference)

    ATTACKS.add(name, change, "submission.json: claimed_score is .*, expected .*, what the replay gives")


with_claim("claim_raised_a_little", 1e-9)
with_claim("claim_lowered_a_little", -1e-9)
with_claim("claim_raised", 0.5)


def duplicate(name: str, refusal: str, **fields):
    refusal = f"grid-world/target-a already has {refusal}"
    ATTACKS.add(
        name, lambda forged: forged.fields(**fields), refusal, error=DuplicateEntryError, board="occupied_board"
    )


duplicate("submitted_again", "an entry 'random'")
duplicate("same_method_in_capitals", "an entry 'random'", method="RANDOM")
duplicate(
    "same_policies_renamed",
    "the policy [0-9a-f]{12}... in entry 'random'; a policy is entered once",
    method="My own method",
    authors="Somebody else",
)
