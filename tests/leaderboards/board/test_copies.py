"""Copies: policies that act alike in fresh play stand under the first; names that look alike are refused."""

import dataclasses
import hashlib

import numpy as np
import pytest

from procgen_bench.core.benchmarks import BENCHMARKS, get_benchmark
from procgen_bench.leaderboards.board.beginning import begin_epoch, play_rows, row_folders
from procgen_bench.leaderboards.board.folding import Resemblance, counted_runs, folded_entries, resemblances
from procgen_bench.leaderboards.board.method_names import look
from procgen_bench.leaderboards.board.submitting import submit
from procgen_bench.leaderboards.board.table import read_table
from procgen_bench.leaderboards.errors import DuplicateEntryError
from procgen_bench.leaderboards.evaluation.draft import MethodDescription
from procgen_bench.leaderboards.evaluation.evaluation import evaluate
from procgen_bench.leaderboards.submission.folder import read_submission, write_submission
from tests.leaderboards.entries import entry
from tests.leaderboards.onnx_policies import linear_policy
from tests.leaderboards.scoring.disguises import DISGUISES, LINEAR

GRADED = ("grid-world/graded", 1)


@pytest.fixture
def few_tasks(monkeypatch):
    """A suite of few tasks, and few fresh ones: seconds."""
    graded = get_benchmark("grid-world/graded")
    names = graded.task_suite().task_names[:200:40]
    benchmark = dataclasses.replace(graded, task_names=names, num_fresh_episodes=40)
    monkeypatch.setitem(BENCHMARKS, benchmark.id, benchmark)
    return benchmark


def submitted(policies, board, benchmark, tmp_path, method):
    """Enter policies, a run each."""
    sources = []
    for run, policy in enumerate(policies):
        path = tmp_path / f"{method}-{run}.onnx"
        path.write_bytes(policy)
        sources.append((str(path), run))
    evaluate(benchmark, sources, tmp_path / method, MethodDescription("Tests", "pytest", method=method))
    return submit(tmp_path / method, board)


def test_disguises_of_a_published_policy_are_no_runs_of_their_own(few_tasks, tmp_path):
    """Five once stood first, as five runs of a method. That each acts as the policy is tested where rows are scored."""
    board = tmp_path / "board"
    submitted([LINEAR], board, few_tasks, tmp_path, "a-original")
    submitted([DISGUISES["a little noise"], DISGUISES["cells in another order"]], board, few_tasks, tmp_path, "better")
    other = linear_policy(np.random.default_rng(4).normal(size=196).tolist())
    submitted([other], board, few_tasks, tmp_path, "other")
    rows = {row.entry.name: row for row in read_table(few_tasks, board)}
    assert rows["better"].folded_under is rows["a-original"].entry and rows["better"].rank is None
    assert rows["better"].resembles[0].share == 1.0
    assert rows["a-original"].folded_under is None and rows["other"].folded_under is None


def test_a_copy_with_an_earlier_name_does_not_fold_the_original(few_tasks, tmp_path):
    """Once an epoch had begun after both, the name decided, and the original lost its rank to its copy."""
    board = tmp_path / "board"
    submitted([LINEAR], board, few_tasks, tmp_path, "original")
    begin_epoch(board)
    submitted([DISGUISES["scaled weights"]], board, few_tasks, tmp_path, "a-copy")
    for _ in range(2):
        list(play_rows(board, row_folders(board)))
        rows = {row.entry.name: row for row in read_table(few_tasks, board)}
        assert rows["a-copy"].folded_under is rows["original"].entry and rows["original"].folded_under is None
        begin_epoch(board)


def test_runs_that_act_alike_count_once():
    one = entry("one", ("a", 0.5), ("a", 0.5), ("b", 0.6), fresh=[0.5, 0.5, 0.6], benchmark=GRADED)
    assert counted_runs(one) == (0, 2)
    assert resemblances([one])[one][1] == Resemblance("one", 0, 1.0)


def test_copies_stand_under_the_first():
    first = entry("first", ("a", 0.5), fresh=[0.5], benchmark=GRADED)
    second = entry("second", ("a", 0.9), fresh=[0.9], benchmark=GRADED)
    third = entry("third", ("c", 0.9), fresh=[0.9], benchmark=GRADED)
    assert folded_entries([third, second, first]) == {second: first}


def test_an_oracle_is_no_copy_of_anybody():
    oracle = entry("solver", ("a", 0.9), fresh=[0.9], benchmark=GRADED, oracle=True)
    learner = entry("dqn", ("a", 0.9), fresh=[0.9], benchmark=GRADED)
    assert folded_entries([learner, oracle]) == {learner: oracle}


def test_rows_of_one_task_are_no_copies():
    rows = [entry(name, ("a", 0.9), fresh=[0.9]) for name in ("first", "second")]
    assert folded_entries(rows) == {}


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
    seeds = np.concatenate([submission.protocol.seeds(run) for run in runs])
    traces = dataclasses.replace(submission.recorded, seeds=seeds)
    write_submission(
        dataclasses.replace(submission, metadata=metadata, traces=traces, raw_metadata=b""), tmp_path / "x"
    )
    with pytest.raises(
        DuplicateEntryError, match="already has an entry 'random'; submit under another method name than"
    ):
        submit(tmp_path / "x", tmp_path)
