"""Copies: policies that act alike on observations that nobody knows, nearly equal actions, names that look alike."""

import dataclasses
import hashlib
from functools import cache

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.leaderboards.board.board import read_entries
from procgen_bench.leaderboards.board.method_names import look
from procgen_bench.leaderboards.board.record import Resemblance
from procgen_bench.leaderboards.board.submitting import submit
from procgen_bench.leaderboards.board.table import read_table, table_of
from procgen_bench.leaderboards.board.verifier import FOLDER_VARIABLE, SECRET_BYTES
from procgen_bench.leaderboards.errors import DuplicateEntryError
from procgen_bench.leaderboards.evaluation.draft import MethodDescription
from procgen_bench.leaderboards.evaluation.evaluation import evaluate
from procgen_bench.leaderboards.rerun.behaviour import Behaviour, behaviour_of
from procgen_bench.leaderboards.rerun.sandboxed_play import Budget
from procgen_bench.leaderboards.submission.folder import read_submission, write_submission
from tests.leaderboards.entries import entry
from tests.leaderboards.onnx_policies import constant_policy, counting_policy, linear_policy

SECRET = bytes(range(32))
WEIGHTS = np.random.default_rng(3).normal(size=49 * 4)


def likeness(one: bytes, other: bytes, secret: bytes = SECRET, name: str = "grid-world/target-a") -> float:
    first, second = (behaviour(policy, secret, name) for policy in (one, other))
    return first.likeness(second)


@cache
def behaviour(policy: bytes, secret: bytes, name: str) -> Behaviour:
    return behaviour_of(policy, get_benchmark(name), secret, Budget())


def with_hidden_order(policy: bytes) -> bytes:
    """The same function, computed in another order: the view's cells and the rows of the weights are exchanged."""
    model = onnx.load_from_string(policy)
    weights = next(tensor for tensor in model.graph.initializer if tensor.name == "weights")
    array, order = numpy_helper.to_array(weights), np.random.default_rng(1).permutation(49)
    weights.CopyFrom(numpy_helper.from_array(array[order], "weights"))
    model.graph.initializer.append(numpy_helper.from_array(order.astype(np.int64), "order"))
    model.graph.node.insert(1, onnx.helper.make_node("Gather", ["cells", "order"], ["ordered"], axis=1))
    model.graph.node[2].input[0] = "ordered"
    return model.SerializeToString()


LINEAR = linear_policy(WEIGHTS)


@pytest.mark.parametrize(
    "copy",
    [
        pytest.param(linear_policy(WEIGHTS, doc="x"), id="a byte of its doc_string"),
        pytest.param(linear_policy(WEIGHTS, name="mine"), id="its name"),
        pytest.param(linear_policy(2 * WEIGHTS), id="scaled weights"),
        pytest.param(linear_policy(WEIGHTS, bias=[7.0] * 4), id="shifted values"),
        pytest.param(linear_policy(WEIGHTS + 1e-4 * np.random.default_rng(0).normal(size=196)), id="a little noise"),
        pytest.param(with_hidden_order(LINEAR), id="cells in another order"),
    ],
)
def test_a_changed_file_acts_the_same(copy):
    assert copy != LINEAR and likeness(LINEAR, copy) >= 0.95


def test_policies_of_their_own_do_not():
    other = linear_policy(np.random.default_rng(4).normal(size=196))
    assert likeness(LINEAR, other) < 0.9
    assert likeness(LINEAR, constant_policy(0)) < 0.9
    assert likeness(counting_policy(), constant_policy(0)) < 0.6


def test_what_is_shown_depends_on_the_secret():
    target = get_benchmark("grid-world/target-a")
    known, other, again = (behaviour_of(LINEAR, target, secret, Budget()) for secret in (SECRET, b"x", SECRET))
    assert known.likeness(other) < 0.9
    np.testing.assert_array_equal(known.actions, again.actions)


def submitted(policies, board, target, tmp_path, method):
    """Enter policies, a run each."""
    sources = []
    for run, policy in enumerate(policies):
        path = tmp_path / f"{method}-{run}.onnx"
        path.write_bytes(policy)
        sources.append((str(path), run))
    evaluate(target, sources, tmp_path / method, MethodDescription("Tests", "pytest", method=method))
    return submit(tmp_path / method, board)


@pytest.fixture
def known_secret(tmp_path, monkeypatch):
    """Policies are compared on observations that the verifier's secret decides: always the same ones."""
    folder = tmp_path / "verifier"
    folder.mkdir()
    (folder / "episodes.secret").write_text(bytes(SECRET_BYTES).hex())
    monkeypatch.setenv(FOLDER_VARIABLE, str(folder))


def test_a_copy_of_a_published_policy_stands_under_it(target, tmp_path, known_secret):
    """One byte of its doc_string was changed: another hash, other fresh episodes, another name."""
    board = tmp_path / "board"
    submitted([LINEAR], board, target, tmp_path, "original")
    copy = submitted([linear_policy(WEIGHTS, doc="x")], board, target, tmp_path, "better")
    twice = submitted([constant_policy(1), constant_policy(1, doc="x")], board, target, tmp_path, "twice")
    assert copy.record.resembles == [Resemblance(entry="original", run=0, share=1.0)]
    assert twice.record.resembles == [None, Resemblance(entry="twice", run=0, share=1.0)]
    rows = {row.entry.name: row for row in read_table(target, board)}
    assert rows["better"].folded_under is rows["original"].entry and rows["better"].rank is None
    assert rows["original"].badge == "1 run" and rows["original"].folded_under is None
    assert rows["twice"].counted_runs == (0,) and rows["twice"].folded_under is None


def test_rows_are_folded_by_what_their_records_say(target):
    copy = Resemblance(entry="first", run=0, share=0.96)
    first = entry("first", ("a", 0.5), fresh=[0.5], resembles=[None])
    second = entry("second", ("b", 0.9), fresh=[0.9], resembles=[copy], on="2026-01-02")
    third = entry(
        "third", ("c", 0.9), fresh=[0.9], resembles=[copy.model_copy(update={"entry": "second"})], on="2026-01-03"
    )
    derived = entry(
        "derived", ("d", 0.9), fresh=[0.9], resembles=[copy.model_copy(update={"share": 0.92})], on="2026-01-04"
    )
    rows = {row.entry.name: row for row in table_of(target, [third, second, derived, first])}
    assert rows["second"].folded_under is first and rows["third"].folded_under is first
    assert rows["derived"].folded_under is None and rows["first"].folded_under is None
    alone = {row.entry.name: row for row in table_of(target, [second])}
    assert alone["second"].folded_under is None  # what it resembles is gone


def test_actions_that_are_nearly_the_same_are_folded(solver_folder, target, renamed, written, claiming, tmp_path):
    """A solver's trace of which some episodes have another ending, under another name: no equal hash."""
    solved = read_submission(solver_folder)
    submit(solver_folder, tmp_path)
    lengths = solved.traces.lengths.copy()
    lengths[-1] -= 1
    changed = renamed(claiming(solved, lengths=lengths, actions=solved.traces.actions[: lengths.sum()]), 1)
    submit(written(changed), tmp_path)
    one, other = read_entries(target, tmp_path)
    assert one.record.run_actions != other.record.run_actions
    _, copy = read_table(target, tmp_path)
    assert (copy.entry.name, copy.folded_under.name) == ("method-1", "solver")


def test_sketches_tell_equal_actions_from_others(random_folder, solver_folder):
    played = read_submission(random_folder).traces
    first, second = (np.frombuffer(bytes.fromhex(sketch), np.uint8) for sketch in played.sketches(2))
    assert len(first) == 128 and (first == second).mean() < 0.6
    jitter = dataclasses.replace(played, actions=played.actions.astype(np.float32) + 1e-3)
    assert jitter.sketches(2) == dataclasses.replace(jitter, actions=jitter.actions - 1e-3).sketches(2)


@pytest.mark.parametrize("name", ["dqn", "D Q N", "d.q.n", "DQN-", "(dqn)"])
def test_names_are_compared_by_their_looks(name):
    assert look(name) == look("DQN")


@pytest.mark.parametrize(
    ("one", "other"), [("ppo 1", "PPO l"), ("solver", "s0lver"), ("corner", "comer"), ("v5", "vs")]
)
def test_look_alikes_are_one_name(one, other):
    assert look(one) == look(other) != look("random")


def test_a_name_that_looks_like_another_s_is_refused(random_folder, honest, tmp_path):
    submit(random_folder, tmp_path)
    submission = read_submission(honest.folder)
    runs = [
        run.model_copy(update={"policy_hash": hashlib.sha256(run.policy_hash.encode()).hexdigest()})
        for run in submission.metadata.runs
    ]
    metadata = submission.metadata.model_copy(update={"method": "RAND0M", "runs": runs})
    traces = dataclasses.replace(
        submission.traces, seeds=np.concatenate([submission.protocol.seeds(run) for run in runs])
    )
    write_submission(
        dataclasses.replace(submission, metadata=metadata, traces=traces, raw_metadata=b""), tmp_path / "x"
    )
    with pytest.raises(
        DuplicateEntryError, match="already has an entry 'random'; submit under another method name than"
    ):
        submit(tmp_path / "x", tmp_path)
