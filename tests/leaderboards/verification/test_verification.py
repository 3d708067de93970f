import dataclasses

import gymnasium
import numpy as np
import pytest

from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.leaderboards.errors import InvalidSubmissionError, OtherVersionsError
from procgen_bench.leaderboards.submission.folder import read_submission
from procgen_bench.leaderboards.verification import verification
from procgen_bench.leaderboards.verification.verification import verify
from tests.leaderboards.agents import Recorded


def independent_score(env, benchmark, episode, actions) -> float | None:
    """The episode's score in the single environment; ``None`` where it ends before its actions do."""
    env.reset(seed=episode.seed, options={"task": episode.task})
    total = 0.0
    for step, action in enumerate(actions):
        _, reward, terminated, truncated, info = env.step(action)
        total += float(reward)
        if terminated or truncated:
            if step + 1 < len(actions):
                return None
            return float(info["success"]) if benchmark.metric == "success" else total
    return benchmark.minimum


@pytest.mark.parametrize(
    ("name", "policy", "flips"),
    [
        ("graded", "solver", 100),
        pytest.param("graded", "solver", 500, marks=pytest.mark.slow),
        pytest.param("target-c", "solver", 500, marks=pytest.mark.slow),
        pytest.param("graded", "random", 100, marks=pytest.mark.slow),
    ],
)
def test_one_flipped_action_never_keeps_a_false_score(name, policy, flips, play):
    """Single flips in a trace: those that change an episode's score are refused, the others tell the truth."""
    benchmark = get_benchmark(f"grid-world/{name}")
    submission = read_submission(play(benchmark, Recorded(policy), method=policy))
    claimed = submission.metadata.claimed_score
    episodes = submission.episodes(0)
    starts = np.cumsum([0, *(len(episode.actions) for episode in episodes)])
    rng = np.random.default_rng(42)
    refused = kept = 0
    env = gymnasium.make(benchmark.environment_id)
    for at in rng.integers(0, len(submission.traces.actions), flips):
        actions = submission.traces.actions.copy()
        actions[at] = (actions[at] + rng.integers(1, 4)) % 4
        index = int(np.searchsorted(starts, at, side="right")) - 1
        truth = independent_score(env, benchmark, episodes[index], actions[starts[index] : starts[index + 1]])
        forged = with_actions(submission, actions)
        if truth != episodes[index].claimed_score:
            refused += 1
            with pytest.raises(InvalidSubmissionError, match=rf"run 0, episode {index} is"):
                verify(forged)
        else:
            kept += 1
            assert verify(forged)[0].score == claimed
    env.close()
    print(f"{refused} of {flips} flips refused, {kept} kept the true score")  # pytest -rP shows it
    if policy == "solver":
        assert refused > flips / 2  # every action of a shortest solution matters
    else:
        assert refused and kept


def with_actions(submission, actions):
    return dataclasses.replace(submission, traces=dataclasses.replace(submission.traces, actions=actions))


def test_unfinished_episode_claimed_honestly_scores_the_minimum(random_folder, target, claiming, written):
    submission = read_submission(random_folder)
    whole, _ = verify(submission)
    lengths = submission.traces.lengths.copy()
    lengths[-1] = 0
    actions = submission.traces.actions[: lengths.sum()]
    honest = read_submission(written(claiming(submission, lengths=lengths, actions=actions)))
    verification, _ = verify(honest)
    assert verification.unfinished_episodes == 1
    assert verification.episode_scores[-1, -1] == target.minimum
    assert verification.score < whole.score
    np.testing.assert_array_equal(verification.episode_scores.ravel()[:-1], whole.episode_scores.ravel()[:-1])


def test_score_is_the_mean_of_the_matrix(random_folder):
    verification, _ = verify(read_submission(random_folder))
    assert verification.scores.shape == (2, 1)
    assert verification.episode_scores.shape == (2, 50)
    np.testing.assert_allclose(verification.scores[:, 0], verification.episode_scores.mean(axis=1))
    assert verification.score == pytest.approx(verification.scores.mean())


def test_what_does_not_hold_under_other_versions_is_unverifiable_and_no_forgery(play, monkeypatch):
    submission = read_submission(play(get_benchmark("grid-world/target-a"), Recorded("solver"), method="solver"))
    forged = dataclasses.replace(
        submission, traces=dataclasses.replace(submission.traces, scores=submission.traces.scores - 0.5)
    )
    with pytest.raises(InvalidSubmissionError, match="score of run 0, episode 0"):
        verify(forged)
    recorded = submission.metadata.package_versions
    monkeypatch.setattr(verification, "package_versions", lambda: {**recorded, "numpy": "99.0"})
    with pytest.raises(OtherVersionsError) as caught:
        verify(forged)
    assert str(caught.value).startswith("submission unverifiable: traces.npz: score of run 0, episode 0 is ")
    assert f"numpy '{recorded['numpy']}', here '99.0'" in str(caught.value) and caught.value.exit_code == 3
    assert verify(submission)[0].score == submission.metadata.claimed_score, "what holds is verified"
    monkeypatch.setattr(verification, "package_versions", lambda: {**recorded, "libc": "glibc 99"})
    with pytest.raises(InvalidSubmissionError):
        verify(forged)
