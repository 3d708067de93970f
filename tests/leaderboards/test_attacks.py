"""All that is known to have been tried against a board, and what comes of it.

The attacks themselves are in ``attacks/``, by kind. The report ends with one line: how many there were, the slowest to
be stopped, and the one that took the most memory.
"""

import re
import shutil
import time
from itertools import chain
from pathlib import Path

import numpy as np
import pytest

from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.leaderboards.board.beginning import begin_epoch, play_rows, row_folders
from procgen_bench.leaderboards.board.board import board_contents, read_entries
from procgen_bench.leaderboards.board.reviewing import RESULTS, review
from procgen_bench.leaderboards.board.submitting import LOCK_FILE, submit
from procgen_bench.leaderboards.board.table import read_table, table_of
from procgen_bench.leaderboards.evaluation.draft import MethodDescription
from procgen_bench.leaderboards.evaluation.evaluation import evaluate
from procgen_bench.leaderboards.submission.plain_folder import UNFINISHED_PREFIX
from tests.leaderboards.attacks import (
    arrays,
    changes,
    episodes,
    folders,
    harmless,
    metadata_fields,
    metadata_texts,
    obstacles,
    policies,
    records,
    training_lists,
    zips,
)
from tests.leaderboards.attacks.checks import assert_cheap, assert_one_line, assert_refused, tree_hash
from tests.leaderboards.attacks.meter import PROPERTY, Meter
from tests.leaderboards.attacks.tampering import Tampering
from tests.leaderboards.onnx_policies import constant_policy

SUBMISSIONS = list(
    chain.from_iterable(
        kind.ATTACKS
        for kind in (
            *(folders, metadata_texts, metadata_fields, zips, arrays, episodes, policies),
            training_lists,
        )
    )
)


@pytest.fixture
def tell(request, record_property):
    """tell(name, cost) brings the cost of an attack into the summary."""
    return lambda name, cost: record_property(PROPERTY, (name, cost.seconds, cost.mebibytes))


def by_name(attack) -> str:
    return attack.name


@pytest.mark.parametrize("attack", SUBMISSIONS, ids=by_name)
def test_attack_by_a_submission_is_refused(attack, request, copied, tell):
    forged, board = copied(request.getfixturevalue(attack.victim)), request.getfixturevalue(attack.board)
    attack.change(forged)
    refusal, cost = assert_refused(forged.folder, board, attack.refusal, attack.error, attack.seconds, attack.mebibytes)
    tell(attack.name, cost)
    print(f"{cost.seconds:.3f} s, {cost.mebibytes:.1f} MiB: {refusal}")  # pytest -rP shows them


@pytest.fixture(scope="module")
def two_entries(tmp_path_factory, random_folder, solver_folder):
    """A board with two entries of target A."""
    board = tmp_path_factory.mktemp("two") / "board"
    for folder in (random_folder, solver_folder):
        submit(folder, board)
    return board


@pytest.mark.parametrize("attack", records.ATTACKS, ids=by_name)
def test_attack_on_an_entry_leaves_it_out_by_name(attack, two_entries, tmp_path, tell):
    board, benchmark = shutil.copytree(two_entries, tmp_path / "board"), get_benchmark(attack.benchmark)
    attack.change(board / "grid-world" / "target-a" / "v1" / "random", board)
    before = tree_hash(board)
    with Meter() as cost:
        contents = board_contents(benchmark, board, attack.version)
    (left_out,) = contents.unreadable
    assert_one_line(f"{left_out.name}: {left_out.reason}", attack.reason)
    rows = table_of(benchmark, contents.entries)
    assert tuple(sorted(row.entry.name for row in rows)) == attack.remaining
    assert_cheap(cost, mebibytes=attack.mebibytes)
    assert tree_hash(board) == before
    tell(attack.name, cost)


@pytest.mark.parametrize("attack", obstacles.ATTACKS, ids=by_name)
def test_obstacle_on_a_board_neither_holds_up_nor_misleads_a_submit(
    attack, solver_board, random_folder, target, tmp_path, tell
):
    board, beside = shutil.copytree(solver_board, tmp_path / "board"), tmp_path / "beside"
    beside.mkdir()
    (beside / "precious").write_text("precious")
    attack.plant(board, beside)
    before = tree_hash(board)
    with Meter() as cost:
        if attack.refusal is None:
            submit(random_folder, board)
        else:
            with pytest.raises(attack.error) as refusal:
                submit(random_folder, board)
    assert_cheap(cost)
    assert (beside / "precious").read_text() == "precious" and len(list(beside.iterdir())) == 1
    if attack.refusal is None:
        assert [entry.name for entry in read_entries(target, board)] == ["random", "solver"]
        assert not any(board.glob(f"{UNFINISHED_PREFIX}*"))
    else:
        assert_one_line(str(refusal.value), attack.refusal)
        assert tree_hash(board) == before
    tell(attack.name, cost)


@pytest.fixture(scope="module")
def trained_folder(tmp_path_factory, target):
    """Three runs of policies that were put together by hand."""
    folder = tmp_path_factory.mktemp("trained")
    for run, action in enumerate((0, 1, 2)):
        (folder / f"{run}.onnx").write_bytes(constant_policy(action))
    sources = [(str(folder / f"{run}.onnx"), run) for run in range(3)]
    evaluate(target, sources, folder / "submission", MethodDescription("Tests", "pytest", method="trained"))
    return folder / "submission"


@pytest.fixture(scope="module")
def begun_board(tmp_path_factory, solver_board):
    """A board whose newest epoch names the policies that it ranks."""
    board = shutil.copytree(solver_board, tmp_path_factory.mktemp("begun") / "board")
    begin_epoch(board)
    list(play_rows(board, row_folders(board)))
    return board


@pytest.fixture(scope="module")
def other_board(tmp_path_factory, solver_board, trained_folder):
    """The same, with the trained policies on another benchmark since before the epoch."""
    board = shutil.copytree(solver_board, tmp_path_factory.mktemp("other") / "board")
    folder = shutil.copytree(trained_folder, board.parent / "elsewhere")
    Tampering(folder).fields(benchmark="grid-world/target-b")
    submit(folder, board)
    begin_epoch(board)
    list(play_rows(board, row_folders(board)))
    return board


@pytest.mark.parametrize("attack", harmless.ATTACKS, ids=by_name)
def test_attack_that_is_accepted_gains_nothing(attack, request, copied, target, tmp_path, tell):
    board = shutil.copytree(request.getfixturevalue(attack.board), tmp_path / "board")
    forged = copied(request.getfixturevalue(attack.victim))
    attack.change(forged)
    with Meter() as cost:
        entry = submit(forged.folder, board)
    (row,) = [row for row in read_table(target, board) if row.entry.name == entry.name]
    assert re.search(attack.standing, standing(row)), standing(row)
    assert board_contents(target, board).unreadable == []
    assert_cheap(cost)
    tell(attack.name, cost)


@pytest.fixture(scope="module")
def repository(tmp_path_factory, target):
    """A repository whose board is in its second epoch, a row of each epoch; and an honest row that it does not have."""
    folder = tmp_path_factory.mktemp("changes")
    repository, board = folder / "repository", folder / "repository" / RESULTS
    repository.mkdir()
    changes.git(repository, "init", "-q")

    def enter(name: str, action: int, to: Path):
        path = folder / f"{name}.onnx"
        path.write_bytes(constant_policy(action))
        evaluate(target, [(str(path), 0)], folder / name, MethodDescription("Tests", "pytest", method=name))
        return submit(folder / name, to).folder

    enter("left", 2, board)
    begin_epoch(board)
    list(play_rows(board, row_folders(board)))
    committed(repository)
    enter("up", 3, board)
    committed(repository)
    row = enter("new", 1, Path(shutil.copytree(board, folder / "board")))
    return repository, row


def committed(repository) -> str:
    (repository / RESULTS / LOCK_FILE).unlink(missing_ok=True)
    changes.git(repository, "add", "-A", "-f")
    if changes.git(repository, "status", "--porcelain"):
        changes.git(repository, "commit", "-qm", "a change")
    return changes.git(repository, "rev-parse", "HEAD")


@pytest.mark.parametrize("attack", changes.ATTACKS, ids=by_name)
def test_attack_by_a_pull_request_is_refused(attack, repository, tmp_path):
    base, row = repository
    changes.git(tmp_path, "clone", "-q", str(base), "clone")
    clone = tmp_path / "clone"
    head = attack.change(clone, clone / RESULTS, row) or committed(clone)
    with pytest.raises(attack.error) as refusal:
        list(review(clone, changes.git(base, "rev-parse", "HEAD"), head))
    assert_one_line(str(refusal.value), attack.refusal)


def test_an_honest_pull_request_passes(repository, tmp_path):
    """What the attacks set out from."""
    base, row = repository
    changes.git(tmp_path, "clone", "-q", str(base), "clone")
    changes.entered(row, tmp_path / "clone" / RESULTS)
    head = committed(tmp_path / "clone")
    (entry,) = review(tmp_path / "clone", changes.git(base, "rev-parse", "HEAD"), head)
    assert entry.row == "grid-world/target-a/new" and entry.is_provisional


def standing(row) -> str:
    """How a row stands, in words."""
    runs = f"runs {' '.join(map(str, row.counted_runs))} of {len(row.entry.metadata.runs)}"
    folded = f", {row.badge}" if row.folded_under is None else f", folded under {row.folded_under.name}"
    return f"{row.entry.name}: {row.entry.tier}, {runs}, rank {row.rank}{folded}"


def test_the_meter_sees_time_and_memory():
    """What all refusals are measured by would see one that takes too much.

    A busy machine may drop libraries that have been read meanwhile, some 200 MiB, which hide as much that is taken.
    """
    with Meter() as cost:
        taken = np.ones(2**26)
        while time.process_time() - cost.processor_start < 0.1:
            taken.sum()
    assert 250 < cost.mebibytes < 520 and cost.seconds >= cost.processor_seconds >= 0.1
    with pytest.raises(AssertionError, match=rf"\d\.\d+ s of .* s, {cost.mebibytes:.0f} MiB"):
        assert_cheap(cost)
