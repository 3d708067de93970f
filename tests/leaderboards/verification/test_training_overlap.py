"""What runs met of the suite in their training: counted, held against chance, marked, and shown."""

import io
import json
from functools import cache

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.leaderboards.board.board import stored_submission
from procgen_bench.leaderboards.board.eligibility import Unranked
from procgen_bench.leaderboards.board.submitting import submit
from procgen_bench.leaderboards.board.table import read_table
from procgen_bench.leaderboards.errors import InvalidSubmissionError
from procgen_bench.leaderboards.site.page import write_site
from procgen_bench.leaderboards.submission import metadata
from procgen_bench.leaderboards.submission.metadata import TrainingTasks
from procgen_bench.leaderboards.verification import training_overlap as overlaps
from procgen_bench.leaderboards.verification.training_overlap import beyond_chance, training_tasks


def short(tasks) -> np.ndarray:
    return np.array(sorted({task.short_fingerprint() for task in tasks}), np.uint64)


@cache
def suite(benchmark_id: str) -> np.ndarray:
    return short(get_benchmark(benchmark_id).task_suite())


def overlap(benchmark_id: str, listed: np.ndarray) -> TrainingTasks:
    """What is stated of a run that lists these."""
    content = io.BytesIO()
    np.save(content, listed)
    return training_tasks(get_benchmark(benchmark_id), content.getvalue(), len(listed), "training-0.npy")


def numbers(stated: TrainingTasks) -> tuple[int, ...]:
    return stated.count, stated.scored, stated.met, stated.drawn, stated.met_drawn


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
    found = overlap("voxel-build/test", drawn_by_voxel_build())
    assert found.scored == 500 and 250 < found.met < 325 and found.drawn == 200
    assert found.met / found.scored == pytest.approx(found.met_drawn / found.drawn, abs=0.08)
    assert not beyond_chance(found)


def test_a_run_on_the_suite_is_distinguished_from_chance():
    scored = suite("voxel-build/test")
    found = overlap("voxel-build/test", np.union1d(drawn_by_voxel_build(), scored))
    assert found.met == 500 and beyond_chance(found)
    assert beyond_chance(overlap("voxel-build/test", scored))
    assert beyond_chance(overlap("voxel-build/test", scored[::5]))


def test_few_tasks_of_the_suite_take_no_draws(monkeypatch):
    """They earn at most the tenth that is spared, and drawing may take long."""
    monkeypatch.setattr(overlaps, "_fresh_draws", None)
    found = overlap("bit-grid/test", suite("bit-grid/test")[:50])
    assert numbers(found) == (50, 500, 50, 0, 0)
    assert not beyond_chance(found)


def test_targets_may_be_trained_on():
    found = overlap("grid-world/target-a", suite("grid-world/target-a"))
    assert numbers(found) == (1, 0, 0, 0, 0)
    assert not beyond_chance(found)


def test_a_sample_tells_only_of_tasks_up_to_its_greatest(monkeypatch):
    every = suite("bit-grid/test")
    monkeypatch.setattr(overlaps, "MAX_RECORDED_TASKS", 100)
    monkeypatch.setattr(metadata, "MAX_RECORDED_TASKS", 100)
    found = overlap("bit-grid/test", every[:100])
    assert (found.scored, found.met, found.is_sample) == (100, 100, True)
    assert 0 < found.drawn < 200 and beyond_chance(found)
    shorter = overlap("bit-grid/test", every[:99])
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
    found = TrainingTasks(count=1_000, sha256="0" * 64, scored=scored, met=met, drawn=drawn, met_drawn=met_drawn)
    assert beyond_chance(found) == beyond


@pytest.fixture
def states(copied):
    """states(folder, fingerprints) -> a copy of a submission of one run, which says that it was trained on these."""

    def stating(folder, listed: np.ndarray):
        changed, content = copied(folder), io.BytesIO()
        np.save(content, listed)
        (run,) = changed.metadata()["runs"]
        stated = overlap("grid-world/graded", listed).model_dump()
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
    ]
    assert numbers(entry.metadata.runs[0].training_tasks) == (200, 200, 200, 50, 0)
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
    assert numbers(entry.metadata.runs[0].training_tasks) == (70, 200, 0, 0, 0)
    (row,) = read_table(get_benchmark("grid-world/graded"), tmp_path)
    assert row.unranked is Unranked.NO_POLICY and not entry.trained_on_suite


def test_a_statement_that_the_list_does_not_give_is_refused(states, graded_folder, tmp_path):
    folder = states(graded_folder, suite("grid-world/graded")[:10])
    stated = json.loads((folder / "submission.json").read_text())
    stated["runs"][0]["training_tasks"]["met"] = 0
    (folder / "submission.json").write_text(json.dumps(stated))
    with pytest.raises(
        InvalidSubmissionError, match=r"runs\[0\]\.training_tasks.*'met': 0.*'met': 10.*training-0\.npy"
    ):
        submit(folder, tmp_path / "board")
    assert not (tmp_path / "board").exists()


def test_runs_that_state_nothing_are_left_so(graded_folder, tmp_path):
    entry = submit(graded_folder, tmp_path)
    assert entry.metadata.training_files == {} and not entry.trained_on_suite
