"""What runs met of the suite in their training: counted, held against chance, marked, and shown."""

import hashlib
import io
import json
from functools import cache

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.leaderboards.board.auditing import AuditError, audit
from procgen_bench.leaderboards.board.board import kept_list, stored_submission
from procgen_bench.leaderboards.board.eligibility import Unranked
from procgen_bench.leaderboards.board.submitting import submit
from procgen_bench.leaderboards.board.table import read_table
from procgen_bench.leaderboards.errors import InvalidSubmissionError
from procgen_bench.leaderboards.site.page import write_site
from procgen_bench.leaderboards.submission.training_tasks import packed_list, unpacked_list
from procgen_bench.leaderboards.verification import training_overlap as overlaps
from procgen_bench.leaderboards.verification.training_overlap import TrainingOverlap, training_overlap


def short(tasks) -> np.ndarray:
    return np.array(sorted({task.short_fingerprint() for task in tasks}), np.uint64)


@cache
def suite(benchmark_id: str) -> np.ndarray:
    return short(get_benchmark(benchmark_id).task_suite())


@cache
def drawn_by_voxel_build() -> np.ndarray:
    """What a run lists that plays 15,000 tasks as the environment draws them."""
    rows = gymnasium.make_vec(
        "VoxelBuild-v0", num_envs=250, vectorization_mode="vector_entry_point", autoreset_mode=AutoresetMode.DISABLED
    )
    rows.reset(seed=0)
    tasks = []
    for _ in range(60):
        rows.reset()
        tasks += rows.tasks
    return short(tasks)


def test_a_small_space_is_met_by_chance_and_not_marked():
    """More than half of voxel-build's suite, and as much of fresh draws."""
    found = training_overlap(get_benchmark("voxel-build/test"), drawn_by_voxel_build())
    assert found.scored == 500 and 250 < found.met < 325 and found.drawn == 200
    assert found.met / found.scored == pytest.approx(found.met_drawn / found.drawn, abs=0.08)
    assert not found.beyond_chance


def test_a_run_on_the_suite_is_distinguished_from_chance():
    benchmark, scored = get_benchmark("voxel-build/test"), suite("voxel-build/test")
    found = training_overlap(benchmark, np.union1d(drawn_by_voxel_build(), scored))
    assert found.met == 500 and found.beyond_chance
    assert training_overlap(benchmark, scored).beyond_chance
    assert training_overlap(benchmark, scored[::5]).beyond_chance


def test_few_tasks_of_the_suite_take_no_draws(monkeypatch):
    """They earn at most the tenth that is spared, and drawing may take long."""
    monkeypatch.setattr(overlaps, "_fresh_draws", None)
    found = training_overlap(get_benchmark("bit-grid/test"), suite("bit-grid/test")[:50])
    assert found == TrainingOverlap(count=50, scored=500, met=50, drawn=0, met_drawn=0)
    assert not found.beyond_chance


def test_targets_may_be_trained_on():
    found = training_overlap(get_benchmark("grid-world/target-a"), suite("grid-world/target-a"))
    assert found == TrainingOverlap(count=1, scored=0, met=0, drawn=0, met_drawn=0)
    assert not found.beyond_chance


def test_a_sample_tells_only_of_tasks_up_to_its_greatest(monkeypatch):
    every = suite("bit-grid/test")
    monkeypatch.setattr(overlaps, "MAX_RECORDED_TASKS", 100)
    found = training_overlap(get_benchmark("bit-grid/test"), every[:100])
    assert (found.scored, found.met, found.is_sample) == (100, 100, True)
    assert 0 < found.drawn < 200 and found.beyond_chance
    shorter = training_overlap(get_benchmark("bit-grid/test"), every[:99])
    assert (shorter.scored, shorter.met, shorter.is_sample) == (500, 99, False)


@pytest.mark.parametrize(
    ("scored", "met", "drawn", "met_drawn", "beyond"),
    [
        (500, 500, 200, 0, True),
        (500, 56, 200, 0, True),
        (500, 255, 200, 102, False),
        (500, 320, 200, 100, False),  # 14 %, and 3.4 standard errors
        (500, 340, 200, 100, True),  # 18 %, and 4.4
        (20, 5, 50, 0, False),  # a quarter, and 2.6
        (20, 20, 50, 0, True),
        (20, 20, 50, 50, False),
        (0, 0, 0, 0, False),
        (500, 50, 0, 0, False),  # so little that none were drawn
        (3, 3, 0, 0, True),  # none can be drawn
    ],
)
def test_the_mark_takes_a_tenth_and_four_standard_errors(scored, met, drawn, met_drawn, beyond):
    found = TrainingOverlap(count=1_000, scored=scored, met=met, drawn=drawn, met_drawn=met_drawn)
    assert found.beyond_chance == beyond


@pytest.fixture
def states(copied):
    """states(folder, fingerprints) -> a copy of a submission of one run, which says that it was trained on these."""

    def stating(folder, listed: np.ndarray):
        changed, content = copied(folder), io.BytesIO()
        np.save(content, listed)
        stated = {
            "count": len(listed),
            "sha256": hashlib.sha256(content.getvalue()).hexdigest(),
            "met": int(np.isin(suite("grid-world/graded"), listed).sum()),
        }
        (run,) = changed.metadata()["runs"]
        changed.fields(runs=[{**run, "training_tasks": stated}], training_steps=1_000)
        (changed.folder / "training-0.npy").write_bytes(content.getvalue())
        return changed.folder

    return stating


def test_a_row_that_was_trained_on_the_suite_has_no_rank_and_says_so(states, graded_folder, tmp_path, run, monkeypatch):
    graded, board = get_benchmark("grid-world/graded"), tmp_path / "board"
    monkeypatch.setattr(overlaps, "_fresh_draws", lambda _: np.arange(50, dtype=np.uint64))  # or it takes seconds
    folder = states(graded_folder, suite(graded.id))
    entry = submit(folder, board)
    assert sorted(path.name for path in entry.folder.iterdir()) == [
        "record.json",
        "submission.json",
        "traces.npz",
        "training-0.zz",
    ]
    assert entry.training == [TrainingOverlap(count=200, scored=200, met=200, drawn=50, met_drawn=0)]
    (row,) = read_table(graded, board)
    assert row.rank is None and entry.trained_on_suite
    assert stored_submission(entry.folder).metadata.runs[0].training_tasks.met == 200
    assert "trained on the suite" in run("leaderboard", graded.id, "--board", board)[1]


def test_the_page_shows_what_a_row_was_trained_on(states, graded_folder, tmp_path, monkeypatch):
    monkeypatch.setattr(overlaps, "_fresh_draws", lambda _: np.arange(50, dtype=np.uint64))
    submit(states(graded_folder, suite("grid-world/graded")), tmp_path / "board")
    write_site(tmp_path / "board", tmp_path / "site")
    page = (tmp_path / "site" / "grid-world" / "graded" / "random" / "index.html").read_text()
    assert "<dd>200 tasks, 200 of the suite's 200 and 0 of 50 fresh draws</dd>" in page
    assert "The row has no rank." in page and "trained on the suite</span>" in page
    feed = json.loads((tmp_path / "site" / "board.json").read_text())["benchmarks"]
    (row,) = [row for one in feed for row in one["rows"]]
    assert row["unranked"] == "trained on the suite" and row["runs"][0]["training_tasks"]["met"] == 200


def test_an_honest_list_costs_no_rank(states, graded_folder, tmp_path):
    entry = submit(states(graded_folder, np.arange(70, dtype=np.uint64)), tmp_path)
    assert entry.training == [TrainingOverlap(count=70, scored=200, met=0, drawn=0, met_drawn=0)]
    (row,) = read_table(get_benchmark("grid-world/graded"), tmp_path)
    assert row.unranked is Unranked.NO_POLICY and not entry.trained_on_suite


def test_an_audit_counts_what_a_kept_list_has_of_the_suite(states, graded_folder, tmp_path):
    entry = submit(states(graded_folder, np.arange(70, dtype=np.uint64) << 40), tmp_path)
    assert kept_list(entry, 0).tolist() == (np.arange(70) << 8).tolist()
    (entry.folder / "training-0.zz").write_bytes(packed_list(suite("grid-world/graded")[:70]))
    with pytest.raises(AuditError, match=r"training-0\.zz has 70 tasks of the suite, the row says 0"):
        audit(entry)


def test_kept_lists_are_short_and_bounded():
    listed = np.sort(np.random.default_rng(0).integers(0, 2**64, 20_000, np.uint64))
    packed = packed_list(listed)
    assert len(packed) < 3.2 * len(listed)
    assert np.isin(listed >> np.uint64(32), unpacked_list(packed, len(listed), "list")).all()
    for content in (b"no list", packed[:-9], packed_list(np.arange(10, dtype=np.uint64) << 40)):
        with pytest.raises(InvalidSubmissionError, match="list: "):
            unpacked_list(content, 9, "list")


def test_runs_that_state_nothing_are_left_so(graded_folder, tmp_path):
    entry = submit(graded_folder, tmp_path)
    assert entry.training == [None] and not entry.trained_on_suite
