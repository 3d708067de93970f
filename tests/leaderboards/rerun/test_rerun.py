"""Re-runs: what ranks is what the verifier sees; what was sent of the suite has to be what the policies do there."""

import dataclasses
import hashlib

import gymnasium
import numpy as np
import onnx
import pytest
from onnx import helper

from procgen_bench.core.benchmarks import BENCHMARKS, get_benchmark
from procgen_bench.leaderboards.board.board import read_entries
from procgen_bench.leaderboards.board.submitting import submit
from procgen_bench.leaderboards.errors import InvalidSubmissionError
from procgen_bench.leaderboards.evaluation.draft import MethodDescription
from procgen_bench.leaderboards.evaluation.evaluation import evaluate
from procgen_bench.leaderboards.rerun.fresh_episodes import commitment, fresh_episodes
from procgen_bench.leaderboards.rerun.rerun import (
    _first_difference,
    episodes_wanted,
    standard_error,
    verify_and_rerun,
)
from procgen_bench.leaderboards.rerun.sandboxed_play import Budget
from procgen_bench.leaderboards.submission.folder import read_submission, write_submission
from procgen_bench.leaderboards.verification.verification import Tier
from tests.leaderboards.onnx_policies import constant_policy, noisy_policy

SECRET = b"a secret of thirty-two bytes ..."


@pytest.fixture(scope="module")
def learned(target, tmp_path_factory):
    """A submission of the policy that always goes left."""
    folder = tmp_path_factory.mktemp("learned")
    (folder / "left.onnx").write_bytes(constant_policy(0))
    evaluate(target, [(str(folder / "left.onnx"), 0)], folder / "submission", MethodDescription("Tests", "pytest"))
    return folder / "submission"


def test_policies_are_played_on_the_suite_and_on_fresh_episodes(learned, target, random_folder, tmp_path):
    assert (learned / "policy-0.onnx").read_bytes() == constant_policy(0)
    submission = read_submission(learned)
    assert submission.metadata.runs[0].policy_hash == hashlib.sha256(constant_policy(0)).hexdigest()
    assert (submission.metadata.method, submission.metadata.training_steps) == ("left", 10)
    entry, other = submit(learned, tmp_path), submit(random_folder, tmp_path)
    assert (entry.record.tier, other.record.tier) == (Tier.RERUN, Tier.REPLAYED)
    fresh = entry.record.fresh
    assert (fresh.episodes, len(fresh.runs)) == (target.num_fresh_episodes, 1) and fresh.error < 1e-9
    assert fresh.score == pytest.approx(entry.record.score) and fresh.seconds > 0
    assert entry.record.traces == submission.traces.address()  # what was played is what was sent
    assert [entry.name for entry in read_entries(target, tmp_path)] == ["left", "random"]
    assert (entry.folder / "policy-0.onnx").read_bytes() == constant_policy(0)


def test_fresh_episodes_depend_on_the_secret_and_the_policy_alone():
    graded = dataclasses.replace(get_benchmark("grid-world/graded"), num_fresh_episodes=4)
    drawn = [fresh_episodes(graded, name, secret) for name in ("a", "b") for secret in (SECRET, b"another")]
    texts = [[(one.task.fingerprint(), one.seed) for one in episodes] for episodes in drawn]
    assert len(set(map(tuple, texts))) == 4
    assert [(one.task.fingerprint(), one.seed) for one in fresh_episodes(graded, "a", SECRET, [2])] == texts[0][2:3]
    suite = {task.fingerprint() for task in graded.task_suite().tasks}
    assert suite.isdisjoint(fingerprint for text in texts for fingerprint, _ in text)
    assert commitment(SECRET) != commitment(SECRET + b"2")


def test_a_policy_that_draws_its_actions_does_the_same_again(target, tmp_path):
    """Its noise is the verifier's, by the seeds of the episodes."""
    (tmp_path / "noisy.onnx").write_bytes(noisy_policy())
    evaluate(target, [(str(tmp_path / "noisy.onnx"), 0)], tmp_path / "noisy", MethodDescription("Tests", "pytest"))
    sent = read_submission(tmp_path / "noisy")
    played, _, found = verify_and_rerun(sent, SECRET)
    np.testing.assert_array_equal(played.traces.actions, sent.traces.actions)
    assert played.traces.address() == sent.traces.address()
    assert found.scores.std() > 0 and found.error == standard_error(found.scores)


def relabelled(folder, policy: bytes, method: str, tmp_path):
    """A submission whose actions are claimed to be those of an ONNX policy."""
    submission = read_submission(folder)
    runs = [
        run.model_copy(update={"policy_hash": hashlib.sha256(policy).hexdigest()}) for run in submission.metadata.runs
    ]
    metadata = submission.metadata.model_copy(
        update={"method": method, "runs": runs, "oracle": False, "policies": True}
    )
    seeds = np.concatenate([submission.protocol.seeds(run) for run in runs])
    traces = dataclasses.replace(submission.traces, seeds=seeds)
    changed = dataclasses.replace(submission, metadata=metadata, traces=traces, policies=(policy,), raw_metadata=b"")
    write_submission(changed, tmp_path / method)
    return tmp_path / method


def test_solvers_actions_under_another_policy_are_refused(solver_folder, random_folder, tmp_path, tree_hash):
    board = tmp_path / "board"
    submit(random_folder, board)
    before = tree_hash(board)
    copied = relabelled(solver_folder, constant_policy(1), "copied", tmp_path)
    with pytest.raises(InvalidSubmissionError, match=r"policy-0.onnx: action \d+ of run 0, episode 0 is 1, expected"):
        submit(copied, board)
    assert tree_hash(board) == before


def test_policy_that_is_no_policy_is_refused(solver_folder, tmp_path):
    copied = relabelled(solver_folder, b"no model at all", "nothing", tmp_path)
    with pytest.raises(InvalidSubmissionError, match=r"policy-0.onnx: policy is .* expected one that plays .*: .*no "):
        submit(copied, tmp_path / "board")


def test_policy_of_another_environment_is_refused(solver_folder, tmp_path):
    model = onnx.load_from_string(constant_policy(0))
    helper.set_model_props(model, {"method": "left", "environment": "BitGrid-v0"})
    copied = relabelled(solver_folder, model.SerializeToString(), "other", tmp_path)
    with pytest.raises(InvalidSubmissionError, match="plays 'BitGrid-v0', expected one that plays 'GridWorld-v0'"):
        submit(copied, tmp_path / "board")


def test_files_must_be_those_that_the_metadata_name(learned, copied):
    folder = copied(learned).folder
    path = folder / "policy-0.onnx"
    content = path.read_bytes()
    path.write_bytes(content + b" ")
    with pytest.raises(InvalidSubmissionError, match=r"policy-0.onnx: SHA-256 is"):
        read_submission(folder)
    path.rename(folder / "policy-1.onnx")
    with pytest.raises(InvalidSubmissionError, match=r"policy-0.onnx \(missing\)"):
        read_submission(folder)
    path.write_bytes(content)
    with pytest.raises(InvalidSubmissionError, match=r"content is 'policy-1.onnx', expected policy-0.onnx"):
        read_submission(folder)


def test_without_policies_nothing_is_run_again(random_folder):
    _, verification, found = verify_and_rerun(read_submission(random_folder), SECRET)
    assert found is None and verification.tier is Tier.REPLAYED


def test_where_nothing_draws_tasks_nothing_is_run_again(learned, copied, run, monkeypatch):
    written = dataclasses.replace(get_benchmark("grid-world/target-a"), fresh="tasks")
    monkeypatch.setitem(BENCHMARKS, written.id, written)
    code, output, _ = run("verify", copied(learned).folder)
    assert code == 0 and "not run again: there is no way to draw tasks like those of suite 'targets'" in output


def test_command_tells_both_scores(learned, run):
    code, output, _ = run("verify", learned)
    assert code == 0
    assert "verified: the policies choose what the submission recorded" in output
    assert "re-run: return" in output and "on 50 fresh episodes of each of 1 policies (standard error " in output


def test_a_submission_has_a_time_that_all_its_policies_share(learned):
    with pytest.raises(InvalidSubmissionError, match=r"policy-0.onnx: seconds .* took is \d+, expected at most 0.001"):
        verify_and_rerun(read_submission(learned), SECRET, budget=Budget(0.001))
    assert Budget(30.0).limits.total_seconds == 30.0


@pytest.mark.parametrize(
    ("scores", "wanted"),
    [
        (np.full((1, 50), 0.5), 50),  # nothing varies
        (np.tile([0.0, 1.0], 25)[None], 278),
        (np.tile([0.0, 1.0], 50).reshape(2, 50), 139),
        (np.tile([0.0] * 9 + [1.0], 100)[None], 1_000),  # already known well enough
    ],
)
def test_more_episodes_are_played_where_the_error_would_be_large(scores, wanted):
    graded = get_benchmark("grid-world/graded")
    assert episodes_wanted(scores, graded) == wanted
    few = dataclasses.replace(graded, num_fresh_episodes=10)
    assert episodes_wanted(np.array([[0.0, 1.0] * 5]), few) == 160  # sixteen times as many at most


def test_actions_differ_by_more_than_rounding():
    discrete, box = gymnasium.spaces.Discrete(4), gymnasium.spaces.Box(-1.0, 1.0, (2,))
    sent = np.array([0, 1, 2])
    assert _first_difference(sent, sent, discrete) is None
    assert _first_difference(sent, np.array([0, 3, 2]), discrete) == 1
    assert _first_difference(sent, sent[:2], discrete) == 2
    real = np.zeros((3, 2), np.float32)
    assert _first_difference(real, real + 1e-6, box) is None
    assert _first_difference(real, real + np.array([[0, 0], [0, 0], [0, 0.1]]), box) == 2


def test_all_benchmarks_say_how_many_episodes_are_fresh():
    assert all(benchmark.num_fresh_episodes >= 10 for benchmark in BENCHMARKS.values())
