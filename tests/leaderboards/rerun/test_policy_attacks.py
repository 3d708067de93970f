"""Submissions whose policies, or what is said of them, are made to rank better than they play; and what stops each."""

import dataclasses
import hashlib

import gymnasium
import numpy as np
import pytest

from procgen_bench.core.benchmarks import BENCHMARKS, get_benchmark
from procgen_bench.leaderboards.errors import InvalidSubmissionError
from procgen_bench.leaderboards.evaluation.draft import MethodDescription
from procgen_bench.leaderboards.evaluation.evaluation import evaluate
from procgen_bench.leaderboards.rerun.rerun import score_spare, verify_and_rerun
from procgen_bench.leaderboards.submission.folder import read_submission
from procgen_bench.leaderboards.submission.submission import Submission
from procgen_bench.leaderboards.verification.verification import check_claimed_score, replayed_scores
from tests.leaderboards.onnx_policies import (
    constant_policy,
    counting_policy,
    failing_policy,
    noisy_policy,
    table_policy,
)

SECRET = b"a secret of thirty-two bytes ..."


def played(policy: bytes, benchmark, folder, runs: int = 1) -> Submission:
    """An honest submission of a policy."""
    folder.mkdir(exist_ok=True)
    (folder / "policy.onnx").write_bytes(policy)
    sources = [(str(folder / "policy.onnx"), seed) for seed in range(runs)]
    evaluate(benchmark, sources, folder / "submission", MethodDescription("Tests", "pytest"))
    return read_submission(folder / "submission")


@pytest.fixture(scope="module")
def left(target, tmp_path_factory):
    """What an always-left policy plays, honestly."""
    return played(constant_policy(0), target, tmp_path_factory.mktemp("left"))


@pytest.fixture(scope="module")
def solved(solver_folder):
    return read_submission(solver_folder)


def rebuilt(submission: Submission, episodes: list[np.ndarray]) -> Submission:
    """The submission with other actions, claiming what they score."""
    lengths = np.array([len(actions) for actions in episodes], np.int32)
    traces = dataclasses.replace(submission.traces, lengths=lengths, actions=np.concatenate(episodes))
    changed = dataclasses.replace(submission, traces=traces, raw_metadata=b"")
    found = replayed_scores(changed)
    metadata = submission.metadata.model_copy(update={"claimed_score": found.score})
    return dataclasses.replace(changed, metadata=metadata)


def actions_of(submission: Submission) -> list[np.ndarray]:
    return [episode.actions for episode in submission.all_episodes()]


def spliced(left, solved):
    """A solver's actions in twenty episodes, the policy's own in the others."""
    return actions_of(solved)[:20] + actions_of(left)[20:]


def spliced_at_the_end(left, solved):
    return actions_of(left)[:-1] + actions_of(solved)[-1:]


def one_action_changed(left, solved):
    episodes = actions_of(left)
    episodes[7] = episodes[7].copy()
    episodes[7][3] = 1
    return episodes


def one_episode_cut_short(left, solved):
    episodes = actions_of(left)
    return [*episodes[:-1], episodes[-1][:-1]]


def all_of_the_solver(left, solved):
    return actions_of(solved)


def no_actions(left, solved):
    return [actions[:0] for actions in actions_of(left)]


@pytest.mark.parametrize(
    "forged", [spliced, spliced_at_the_end, one_action_changed, one_episode_cut_short, all_of_the_solver, no_actions]
)
def test_actions_that_the_policy_does_not_choose_are_refused(forged, left, solved):
    with pytest.raises(
        InvalidSubmissionError, match=r"policy-0.onnx: action \d+ of run 0, episode \d+ is .*, expected"
    ):
        verify_and_rerun(rebuilt(left, forged(left, solved)), SECRET)


@pytest.mark.parametrize("claimed", [0.982, -0.05, 0.0])
def test_a_claim_of_another_score_is_refused(claimed, left):
    metadata = left.metadata.model_copy(update={"claimed_score": claimed})
    with pytest.raises(InvalidSubmissionError, match=f"claimed_score is {claimed}, expected -"):
        verify_and_rerun(dataclasses.replace(left, metadata=metadata), SECRET)


def test_scores_in_the_traces_do_not_count(left):
    """They are replaced by what the verifier saw."""
    raised = dataclasses.replace(left.traces, scores=np.full(len(left.traces.scores), 0.982))
    sent, verification, _ = verify_and_rerun(dataclasses.replace(left, traces=raised), SECRET)
    assert sent.traces.address() == left.traces.address() and verification.score < 0


def with_policy(submission: Submission, policy: bytes) -> Submission:
    """Another policy's file under what was recorded, with the seeds that are bound to it."""
    runs = [submission.metadata.runs[0].model_copy(update={"policy_hash": hashlib.sha256(policy).hexdigest()})]
    metadata = submission.metadata.model_copy(update={"runs": runs})
    traces = dataclasses.replace(submission.traces, seeds=submission.protocol.seeds(runs[0]))
    return dataclasses.replace(submission, metadata=metadata, traces=traces, policies=(policy,))


@pytest.mark.parametrize(
    ("policy", "fault"),
    [
        (constant_policy(1), "action 0 of run 0, episode 0 is 1, expected 0, what was recorded"),
        (constant_policy(7), "policy is 'refused or stopped', expected .*: .*7"),
        (constant_policy(-1), "policy is 'refused or stopped', expected .*: .*-1"),
        (failing_policy(), "policy is 'refused or stopped', expected one that plays its episodes to their end"),
        (constant_policy(0)[:-40], "policy is 'refused or stopped', expected .*: the ONNX file is refused"),
    ],
)
def test_another_policy_under_recorded_actions_is_refused(policy, fault, left):
    with pytest.raises(InvalidSubmissionError, match=rf"policy-0.onnx: ({fault})"):
        verify_and_rerun(with_policy(left, policy), SECRET)


def test_memory_does_not_outlive_an_episode(target, tmp_path):
    """A policy that counts what it has seen, to know which episode this is, counts from nothing in each."""
    submission = played(counting_policy(), target, tmp_path)
    sent, _, _ = verify_and_rerun(submission, SECRET)
    firsts = [episode.actions[:4].tolist() for episode in sent.all_episodes() if len(episode.actions) >= 4]
    assert len(firsts) > 25 and all(first == [0, 1, 2, 3][: len(first)] for first in firsts)


def test_a_hash_that_gave_luck_on_the_suite_gives_none_on_fresh_episodes(target, tmp_path):
    """Noise is drawn by seeds that are bound to the hash: of many hashes, one is lucky on the suite.

    The policies are one but for their names; so on the board all but the first are folded, too.
    """
    suite, fresh = [], []
    for number in range(2):
        submission = played(noisy_policy(f"noisy {number}"), target, tmp_path / str(number))
        suite.append(submission.metadata.claimed_score)
        fresh.append(verify_and_rerun(submission, SECRET)[2].score)
    assert len({*suite, *fresh}) == 4 and max(fresh) - min(fresh) < 0.25


@pytest.fixture
def few_tasks(monkeypatch):
    """Twelve tasks of a suite that may not be trained on, of which a table is easily made."""
    graded = get_benchmark("grid-world/graded")
    names = graded.task_suite().task_names[:200:17]
    benchmark = dataclasses.replace(graded, task_names=names, num_fresh_episodes=12)
    monkeypatch.setitem(BENCHMARKS, benchmark.id, benchmark)
    return benchmark


def test_a_memorised_table_of_the_suite_ranks_by_what_it_does_elsewhere(few_tasks, play, tmp_path):
    """It knows every task of the suite by its first view, and the solver's actions in it."""
    solved, views = read_submission(play(few_tasks, "solver")), []
    with gymnasium.make(few_tasks.environment_id) as env:
        for task in few_tasks.task_suite():
            observation, _ = env.reset(seed=0, options={"task": task})
            views.append(observation["view"])
    table = np.zeros((len(views), 50), np.int64)
    for row, actions in zip(table, actions_of(solved), strict=True):
        row[: len(actions)] = actions
    submission = played(table_policy(np.array(views), table), few_tasks, tmp_path)
    _, verification, found = verify_and_rerun(submission, SECRET)
    assert verification.score > 0.5  # views of some tasks are alike
    assert found.score < 0.35 and found.score < verification.score - 0.3


def test_a_claim_on_a_physics_track_lies_within_the_interval(left, target, monkeypatch):
    verification = replayed_scores(left)
    monkeypatch.setitem(BENCHMARKS, target.id, target)
    protocol = type(left.protocol)(dataclasses.replace(target, physics=True))
    spare = score_spare(verification, dataclasses.replace(left, protocol=protocol))
    assert spare == pytest.approx(0.03 * (target.maximum - target.minimum))  # at least, where nothing varies
    assert score_spare(verification, left) == 0.0
    claims = dict.fromkeys((0.5, -2.0), 2) | {verification.score + 0.9 * spare: 0}
    for claimed, refused in claims.items():
        metadata = left.metadata.model_copy(update={"claimed_score": claimed})
        changed = dataclasses.replace(left, metadata=metadata)
        if refused:
            with pytest.raises(InvalidSubmissionError, match=f"claimed_score is {claimed}, expected .*, to "):
                check_claimed_score(changed, verification, spare)
        else:
            check_claimed_score(changed, verification, spare)
