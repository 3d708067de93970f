"""Re-runs: policies that chose their actions pass on fresh tasks; copied actions do not."""

import dataclasses
import hashlib

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from procgen_bench.core.benchmarks import BENCHMARKS, get_benchmark
from procgen_bench.leaderboards.board.board import read_entries
from procgen_bench.leaderboards.board.submitting import submit
from procgen_bench.leaderboards.errors import InvalidSubmissionError, RerunFailedError
from procgen_bench.leaderboards.evaluation.draft import MethodDescription
from procgen_bench.leaderboards.evaluation.evaluation import evaluate
from procgen_bench.leaderboards.submission.folder import read_submission, write_submission
from procgen_bench.leaderboards.verification.fresh_episodes import commitment, fresh_episodes
from procgen_bench.leaderboards.verification.rerun import verify_and_rerun
from procgen_bench.leaderboards.verification.verification import Tier

SECRET = b"a secret of thirty-two bytes ..."


def policy_of(action: int, name: str = "left") -> bytes:
    """An ONNX policy for GridWorld that always takes one action."""
    inputs = [
        helper.make_tensor_value_info("objects", TensorProto.FLOAT, ["N", 10]),
        helper.make_tensor_value_info("position", TensorProto.FLOAT, ["N", 2]),
        helper.make_tensor_value_info("view", TensorProto.FLOAT, ["N", 7, 7]),
    ]
    nodes = [
        helper.make_node("ReduceSum", ["position", "axis"], ["sum"], keepdims=0),
        helper.make_node("Mul", ["sum", "zero"], ["nothing"]),
        helper.make_node("Cast", ["nothing"], ["integers"], to=TensorProto.INT64),
        helper.make_node("Add", ["integers", "chosen"], ["action"]),
    ]
    constants = [
        helper.make_tensor("axis", TensorProto.INT64, [1], [1]),
        helper.make_tensor("zero", TensorProto.FLOAT, [], [0.0]),
        helper.make_tensor("chosen", TensorProto.INT64, [], [action]),
    ]
    output = [helper.make_tensor_value_info("action", TensorProto.INT64, ["N"])]
    graph = helper.make_graph(nodes, name, inputs, output, constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
    helper.set_model_props(model, {"method": name, "environment": "GridWorld-v0", "training_steps": "10"})
    return model.SerializeToString()


@pytest.fixture(scope="module")
def graded():
    """With a quarter of its fresh episodes, whose tasks take long to draw."""
    benchmark = dataclasses.replace(get_benchmark("grid-world/graded"), num_fresh_episodes=50)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(BENCHMARKS, benchmark.id, benchmark)
        yield benchmark


@pytest.fixture
def onnx_file(tmp_path):
    path = tmp_path / "left.onnx"
    path.write_bytes(policy_of(0))
    return path


@pytest.fixture
def learned(onnx_file, graded, tmp_path):
    """A submission of that policy."""
    evaluate(graded, [(str(onnx_file), 0)], tmp_path / "learned", MethodDescription("Tests", "pytest"))
    return tmp_path / "learned"


def test_policies_are_played_on_fresh_tasks_and_rank_first(learned, graded, play, tmp_path):
    assert (learned / "policy-0.onnx").read_bytes() == policy_of(0)
    submission = read_submission(learned)
    assert submission.metadata.runs[0].policy_hash == hashlib.sha256(policy_of(0)).hexdigest()
    assert (submission.metadata.method, submission.metadata.training_steps) == ("left", 10)
    board = tmp_path / "board"
    entry, other = submit(learned, board), submit(play(graded, "random"), board)
    assert (entry.record.tier, other.record.tier) == (Tier.RERUN, Tier.REPLAYED)
    fresh = entry.record.fresh
    assert fresh.episodes == graded.num_fresh_episodes and len(fresh.runs) == 1
    assert 0 <= fresh.score <= 0.15 and fresh.seconds > 0
    assert [entry.name for entry in read_entries(graded, board)] == ["left", "random"]
    assert (entry.folder / "policy-0.onnx").read_bytes() == policy_of(0)


def test_rerun_depends_on_the_secret_and_the_policy_alone(learned, graded):
    submission = read_submission(learned)
    first = verify_and_rerun(submission, SECRET)[1]
    again = verify_and_rerun(submission, SECRET)[1]
    np.testing.assert_array_equal(first.scores, again.scores)
    assert first.secret == commitment(SECRET) != commitment(SECRET + b"2")
    hashes = submission.metadata.runs[0].policy_hash, "0" * 64
    drawn = [fresh_episodes(graded, name, secret) for name in hashes for secret in (SECRET, b"another")]
    texts = [tuple((one.task.fingerprint(), one.seed) for one in episodes) for episodes in drawn]
    assert len(set(texts)) == 4
    suite = {task.fingerprint() for task in graded.task_suite().tasks}
    assert suite.isdisjoint(fingerprint for text in texts for fingerprint, _ in text)


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


@pytest.mark.parametrize("name", ["grid-world/graded", "grid-world/target-a"])
def test_solvers_actions_under_another_policy_fail(play, name, tmp_path, tree_hash):
    benchmark = get_benchmark(name)
    board = tmp_path / "board"
    submit(play(benchmark, "random"), board)
    before = tree_hash(board)
    copied = relabelled(play(benchmark, "solver"), policy_of(1), "copied", tmp_path)
    with pytest.raises(RerunFailedError, match=r"on fresh tasks and .* on the suite, more than .* apart") as refusal:
        submit(copied, board)
    assert refusal.value.suite > 0.9 and refusal.value.fresh < 0.2
    assert tree_hash(board) == before


def test_policy_that_is_no_policy_is_refused(play, graded, tmp_path):
    copied = relabelled(play(graded, "solver"), b"no model at all", "nothing", tmp_path)
    with pytest.raises(InvalidSubmissionError, match=r"policy-0.onnx: policy is .* expected one that plays .*: .*no "):
        submit(copied, tmp_path / "board")


def test_policy_of_another_environment_is_refused(play, graded, tmp_path):
    model = onnx.load_from_string(policy_of(0))
    helper.set_model_props(model, {"method": "left", "environment": "BitGrid-v0"})
    copied = relabelled(play(graded, "solver"), model.SerializeToString(), "other", tmp_path)
    with pytest.raises(InvalidSubmissionError, match="plays 'BitGrid-v0', expected one that plays 'GridWorld-v0'"):
        submit(copied, tmp_path / "board")


def test_files_must_be_those_that_the_metadata_name(learned, tmp_path):
    path = learned / "policy-0.onnx"
    content = path.read_bytes()
    path.write_bytes(content + b" ")
    with pytest.raises(InvalidSubmissionError, match=r"policy-0.onnx: SHA-256 is"):
        read_submission(learned)
    path.rename(learned / "policy-1.onnx")
    with pytest.raises(InvalidSubmissionError, match=r"policy-0.onnx \(missing\)"):
        read_submission(learned)
    path.write_bytes(content)
    with pytest.raises(InvalidSubmissionError, match=r"content is 'policy-1.onnx', expected policy-0.onnx"):
        read_submission(learned)


def test_without_policies_nothing_is_run_again(random_folder):
    assert verify_and_rerun(read_submission(random_folder), SECRET)[1] is None


def test_where_nothing_draws_tasks_nothing_is_run_again(onnx_file, run, tmp_path, monkeypatch):
    written = dataclasses.replace(get_benchmark("grid-world/target-a"), fresh="tasks", episodes_per_task=2)
    monkeypatch.setitem(BENCHMARKS, written.id, written)
    evaluate(written, [(str(onnx_file), 0)], tmp_path / "left", MethodDescription("Tests", "pytest"))
    verification, found = verify_and_rerun(read_submission(tmp_path / "left"), SECRET)
    assert verification.tier is Tier.REPLAYED and found is None
    code, output, _ = run("verify", tmp_path / "left")
    assert code == 0 and "not run again: there is no way to draw tasks like those of suite 'targets'" in output


def test_command_tells_both_scores(learned, run):
    code, output, _ = run("verify", learned)
    assert code == 0
    assert "verified: the replay gives what the submission claims" in output
    assert "re-run: success" in output and "fresh episodes of each of 1 policies" in output


def test_all_benchmarks_say_how_many_episodes_are_fresh():
    assert all(benchmark.num_fresh_episodes >= 10 for benchmark in BENCHMARKS.values())
