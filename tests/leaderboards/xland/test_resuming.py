"""Evaluations over processes: the same for any number of them, and after a kill; nothing finished is lost."""

import json
import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from procgen_bench.baselines.policies.episode import Episode
from procgen_bench.baselines.policies.scripted.policies import ConstantPolicy
from procgen_bench.leaderboards.errors import UnfinishedEvaluationError
from procgen_bench.leaderboards.evaluation import playing
from procgen_bench.leaderboards.evaluation.chunks import Chunk
from procgen_bench.leaderboards.evaluation.draft import MethodDescription
from procgen_bench.leaderboards.evaluation.evaluation import evaluate
from procgen_bench.leaderboards.evaluation.unfinished import UnfinishedEvaluation
from tests.engine.process_tree import alive, children, comes_true
from tests.leaderboards.xland.small_track import SMALL

ROOT = Path(__file__).parents[3]
TESTS = MethodDescription(authors="Tests", command="pytest")


def command(out: Path, workers: int, policy: str = "random", ray: str | None = None) -> subprocess.Popen:
    """``procgen-bench evaluate`` of four episodes in four chunks, in a process group of its own."""
    words = ["evaluate", SMALL.id, "--policy", policy, "--workers", str(workers), "--out", str(out)]
    words += [] if ray is None else ["--ray", ray]
    return subprocess.Popen(
        [sys.executable, "-m", "tests.leaderboards.xland.small_track", *words],
        cwd=ROOT,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        # Who runs the tests in the background may ignore the signal, and a child inherits that.
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.default_int_handler),
    )


def chunks(out: Path) -> list[Path]:
    return sorted(out.with_name(f"{out.name}.unfinished").glob("run-*.npz"))


def stopped(process: subprocess.Popen, out: Path, number: signal.Signals, whole_group: bool) -> str:
    """Stop a command once it has kept a chunk; what it said."""
    while not chunks(out):
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.01)
    workers = children(process.pid)
    assert workers
    os.killpg(process.pid, number) if whole_group else os.kill(process.pid, number)
    _, said = process.communicate(timeout=20)
    assert process.returncode != 0 and not out.exists() and 1 <= len(chunks(out)) <= 4
    assert comes_true(lambda: not any(alive(worker) for worker in workers)), "a worker process was left behind"
    return said


@pytest.mark.slow
def test_kills_and_numbers_of_workers_change_nothing(tmp_path):
    whole, parted = tmp_path / "whole", tmp_path / "parted"
    uninterrupted = command(whole, workers=2)
    out, said = uninterrupted.communicate(timeout=120)
    assert uninterrupted.returncode == 0, said
    assert "xland/hand-authored v1: return" in out and "going on" not in said
    assert sorted(path.name for path in tmp_path.iterdir()) == ["whole"], "nothing is left when it is written"

    stopped(command(parted, workers=1), parted, signal.SIGKILL, whole_group=False)
    kept = {path: path.stat().st_mtime_ns for path in chunks(parted)}
    resumed = command(parted, workers=1)
    _, said = resumed.communicate(timeout=120)
    assert resumed.returncode == 0, said
    assert f"continuing where an earlier command stopped: {len(kept)} of 4 episodes" in said
    assert not chunks(parted) and read_metadata(parted)["wall_time_seconds"] > 0
    assert read_metadata(whole)["claimed_score"] == read_metadata(parted)["claimed_score"]


@pytest.mark.slow
def test_a_ray_cluster_plays_the_same(tmp_path):
    for out, ray in ((tmp_path / "here", None), (tmp_path / "on_ray", "local")):
        process = command(out, workers=2, ray=ray)
        _, said = process.communicate(timeout=180)
        assert process.returncode == 0, said
    assert read_metadata(tmp_path / "here")["claimed_score"] == read_metadata(tmp_path / "on_ray")["claimed_score"]


@pytest.mark.slow
def test_ctrl_c_keeps_what_is_played_and_leaves_nobody_behind(tmp_path):
    out = tmp_path / "out"
    process = command(out, workers=2)
    said = stopped(process, out, signal.SIGINT, whole_group=True)
    assert process.returncode == 130
    assert f"stopped: {len(chunks(out))} of 4 episodes are kept" in said and "the same command continues" in said
    assert "Traceback" not in said


def test_a_chunk_that_is_there_is_not_played_again(small, tmp_path, monkeypatch):
    monkeypatch.setattr(playing, "EPISODES_PER_CHUNK", 1)
    play_chunk, played = playing.play_chunk, []

    def failing(source, environment_id, tasks, *seeds):
        if len(played) == 2:
            raise KeyboardInterrupt
        played.append(tasks[0])
        return play_chunk(source, environment_id, tasks, *seeds)

    monkeypatch.setattr(playing, "play_chunk", failing)
    with pytest.raises(KeyboardInterrupt):
        evaluate(small, [("constant", 0)], tmp_path / "new", TESTS)
    assert len(chunks(tmp_path / "new")) == 2
    played.clear()
    evaluate(small, [("constant", 0)], tmp_path / "new", TESTS)
    assert played == [small.task_suite()["choose_wisely_3p"]]


class Crashing(ConstantPolicy):
    """Does nothing, and breaks down at the 51st step."""

    steps = 0

    def act(self, observations, episode_starts):
        self.steps += 1
        if self.steps > 50:
            raise ZeroDivisionError("no luck")
        return super().act(observations, episode_starts)


def test_a_crash_ends_its_chunk_only_and_is_kept(small, tmp_path, monkeypatch):
    monkeypatch.setattr(playing, "EPISODES_PER_CHUNK", 1)
    policies = iter([Crashing, ConstantPolicy, Crashing])
    monkeypatch.setattr(playing, "load_policy", lambda source, environment_id: next(policies)(environment_id))
    result = evaluate(small, [("constant", 0)], tmp_path / "new", TESTS)
    assert result.verification.unfinished_episodes == 2 and result.verification.score == 0
    (warning,) = result.warnings
    assert "ZeroDivisionError: no luck; 2 of 3 episodes are unfinished" in warning
    crashed = Chunk([Episode(1.5, True, 0, False, 7, np.empty((0, 6), np.int8))], "Überlauf: \n")
    with UnfinishedEvaluation(tmp_path / "other", {}) as unfinished:
        unfinished.write(0, 3, crashed)
        back = unfinished.read(0, 3)
    assert back.crash == crashed.crash and unfinished.read(0, 4) is None
    assert vars(back.episodes[0]) | {"actions": 0} == vars(crashed.episodes[0]) | {"actions": 0}
    assert back.episodes[0].actions.shape == (0, 6) and back.episodes[0].actions.dtype == np.int8


def test_two_commands_do_not_play_into_one_folder(tmp_path):
    with (
        UnfinishedEvaluation(tmp_path / "new", {}),
        pytest.raises(UnfinishedEvaluationError, match="another command is playing for"),
    ):
        UnfinishedEvaluation(tmp_path / "new", {})


@pytest.fixture
def interrupted(small, tmp_path, monkeypatch):
    """Where an evaluation of the constant policy was stopped after its chunk was played."""
    with monkeypatch.context() as patch:
        patch.setattr("procgen_bench.leaderboards.evaluation.evaluation.verification_of", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            evaluate(small, [("constant", 0)], tmp_path / "new", TESTS)
    (chunk,) = chunks(tmp_path / "new")
    return chunk


def test_another_evaluations_chunks_are_not_taken(small, interrupted):
    new = interrupted.parent.with_suffix("")
    for policy, seed, field in (("random", 0, "policy_hashes"), ("constant", 1, "training_seeds")):
        with pytest.raises(UnfinishedEvaluationError, match=f"holds episodes of another evaluation \\({field} is"):
            evaluate(small, [(policy, seed)], new, TESTS)
    binding = json.loads((interrupted.parent / "evaluation.json").read_text())
    binding["package_versions"]["mujoco"] = "3.9.0"
    (interrupted.parent / "evaluation.json").write_text(json.dumps(binding))
    with pytest.raises(UnfinishedEvaluationError, match="package_versions is"):
        evaluate(small, [("constant", 0)], new, TESTS)
    assert interrupted.exists() and not new.exists()


def test_a_chunk_that_cannot_be_read_is_named(small, interrupted):
    interrupted.write_bytes(interrupted.read_bytes()[:-40])
    with pytest.raises(UnfinishedEvaluationError, match=r"run-0-chunk-00000.npz cannot be read"):
        evaluate(small, [("constant", 0)], interrupted.parent.with_suffix(""), TESTS)


def test_a_folder_of_something_else_is_left_alone(small, tmp_path):
    other = tmp_path / "new.unfinished"
    other.mkdir()
    (other / "novel.txt").write_text("chapter one")
    with pytest.raises(UnfinishedEvaluationError, match="holds something else"):
        evaluate(small, [("constant", 0)], tmp_path / "new", TESTS)
    assert (other / "novel.txt").read_text() == "chapter one"


def read_metadata(folder: Path) -> dict:
    return json.loads((folder / "submission.json").read_text())
