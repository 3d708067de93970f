"""APT-Gen's figures: which runs there are, what they share, and a tiny one from a kill to its picture."""

import json
import os
import signal
import subprocess
import sys

import pytest

from procgen_bench.baselines.methods.dqn_settings import DQNConfiguration
from procgen_bench.baselines.training.teacher_table import get_teacher
from procgen_bench.leaderboards.reproduction.apt_gen import FIGURES
from procgen_bench.leaderboards.reproduction.sweep import sweep_runs
from tests.engine.process_tree import comes_true

CURRICULA = {"APT-Gen": "apt-gen", "Random": "uniform", "GoalGAN": "goal-gan", "ALP-GMM": "alp-gmm"}
ALONE = {"DQN": "dqn", "ICM": "dqn-icm", "RND": "dqn-rnd", "RIDE": "dqn-ride"}


def runs_of_figure(number, out, *labels):
    return sweep_runs(FIGURES[number], out, [], labels, None, None)


@pytest.mark.parametrize(("number", "cells"), [(3, 240), (4, 20), (5, 15), (6, 7), (13, 70)])
def test_so_many_runs_are_behind_a_figure(number, cells, tmp_path):
    runs = runs_of_figure(number, tmp_path)
    assert len(runs) == len({run.folder for run in runs}) == cells
    assert all(run.steps == (60_000 if run.benchmark.endswith("-a") else 100_000) for run in runs)
    assert {run.curve.options["evaluation_episodes"] for run in runs} == {1}


def test_curricula_play_solvable_tasks_and_the_target_in_turns_and_the_others_the_target_alone(tmp_path):
    settings = {run.curve.label: (run.method, dict(run.options)) for run in runs_of_figure(3, tmp_path)}
    assert settings.keys() == CURRICULA.keys() | ALONE.keys()
    for label, teacher in CURRICULA.items():
        method, options = settings[label]
        assert (method, options["teacher"]) == ("dqn", teacher) and DQNConfiguration().solvable
        assert "solvable" not in options
        assert options.get("target_share") == (None if teacher == "apt-gen" else 0.5), "apt-gen does so by itself"
    for label, method in ALONE.items():
        assert settings[label][0] == method and settings[label][1]["teacher"] == "targets"


def test_students_look_less_far_ahead_on_tables(tmp_path):
    for number in FIGURES:
        for run in runs_of_figure(number, tmp_path):
            discount = run.options.get("discount", DQNConfiguration().discount)
            assert discount == (0.9 if run.benchmark.startswith("table-push/") else 0.99)


def test_exploring_three_of_ten_tasks_beside_the_target_are_uniform(tmp_path):
    exploring = runs_of_figure(3, tmp_path, "APT-Gen, exploring")
    assert {run.options["teacher_options"] for run in exploring} == {"explored=0.3"}
    assert get_teacher("apt-gen").configured("explored=0.3").explored == 0.3


def test_by_mixtures_one_setting_differs(tmp_path):
    assert {run.panel.name for run in runs_of_figure(6, tmp_path, "APT-Gen, mixtures")} >= {"grid-c", "table-c"}
    (options,) = {run.options["teacher_options"] for run in runs_of_figure(3, tmp_path, "APT-Gen, mixtures")}
    assert options == "mixtures=true" and get_teacher("apt-gen").configured(options).mixtures


def test_as_published_there_is_nothing_of_ours_that_can_be_left_out(tmp_path):
    runs = runs_of_figure(3, tmp_path, "APT-Gen, as published")
    assert len({run.panel.name for run in runs}) == 6 and not any(run.options["solvable"] for run in runs)
    (options,) = {run.options["teacher_options"] for run in runs}
    made = get_teacher("apt-gen").configured(options)
    assert made.published and (made.warm_up, made.iterations, made.value_rate) == (10_000, 1, 3e-4)
    assert (made.admission, made.discriminator_decay, made.decay, made.restraint, made.sharpness) == (0, 0, 0, 0, 1)


def test_on_grids_curricula_play_all_levels_where_they_are_asked_to(tmp_path):
    folders = {run.folder for run in runs_of_figure(3, tmp_path)}
    for label in CURRICULA:
        runs, options = (
            runs_of_figure(3, tmp_path, f"{label}, all levels"),
            runs_of_figure(3, tmp_path, label)[0].options,
        )
        assert {run.panel.name for run in runs} == {"grid-a", "grid-b", "grid-c"}
        assert not folders & {run.folder for run in runs}
        assert all(run.options == {**options, "solvable": False} for run in runs)


def test_figures_share_their_runs(tmp_path):
    folders = {number: {run.folder for run in runs_of_figure(number, tmp_path)} for number in FIGURES}
    full = {run.folder for run in runs_of_figure(3, tmp_path, "APT-Gen")}
    assert len(folders[5] & full) == 5 and len(folders[13] & full) == 10
    assert len(folders[6] & full) == 6 and len(folders[6] & folders[4]) == 1


def test_the_ablations_change_one_setting_each(tmp_path):
    changed = {}
    for number in (5, 13):
        for run in runs_of_figure(number, tmp_path):
            made = get_teacher("apt-gen").configured(run.options.get("teacher_options", ""))
            changed[run.curve.label] = (made.delta, made.progress, made.returns)
    assert changed == {
        "APT-Gen": (0.5, 1.0, 1.0),
        "return only": (0.5, 0.0, 1.0),
        "progress only": (0.5, 1.0, 0.0),
        **{f"delta {delta:g}": (delta, 1.0, 1.0) for delta in (-0.1, 0.1, 0.3, 0.5, 0.7, 0.9, 1.1)},
    }


def test_outside_of_the_space_four_are_run_unless_others_are_named(tmp_path):
    assert [run.curve.label for run in runs_of_figure(4, tmp_path)][:4] == ["APT-Gen", "Random", "ALP-GMM", "DQN"]
    assert {run.curve.label for run in runs_of_figure(4, tmp_path, "RIDE")} == {"RIDE"}


@pytest.mark.slow
def test_a_tiny_reproduction_goes_on_after_a_kill_and_is_drawn(tmp_path):
    words = [sys.executable, "-m", "procgen_bench.cli", "reproduce", "apt-gen", "--figure", "3", "--panel", "grid-a"]
    words += ["--method", "Random", "--method", "DQN", "--seeds", "2", "--steps", "400", "--workers", "1"]
    words += ["--out", str(tmp_path)]
    runs = sweep_runs(FIGURES[3], tmp_path, ["grid-a"], ["Random", "DQN"], 2, 400)
    with subprocess.Popen(words, start_new_session=True, stderr=subprocess.DEVNULL) as command:
        assert comes_true(lambda: runs[1].log.exists(), seconds=120)
        os.killpg(command.pid, signal.SIGKILL)
    assert runs[0].finished and not runs[-1].finished and not (tmp_path / "figure-3.png").exists()
    written = (runs[0].folder / "curve.csv").stat().st_mtime_ns

    again = subprocess.run(words, capture_output=True, text=True, timeout=300)
    assert again.returncode == 0, again.stderr
    assert all(run.finished for run in runs) and written == (runs[0].folder / "curve.csv").stat().st_mtime_ns
    assert again.stdout.splitlines()[-1] == f"picture: {tmp_path / 'figure-3.png'}"
    table = (tmp_path / "figure-3.md").read_text()
    assert "## grid-world/target-a" in table and "| Random | " in table and "| 400 |" in table
    tasks = [json.loads(line)["task"] for line in (runs[0].folder / "levels.jsonl").read_text().splitlines()]
    assert 1 < len({json.dumps(task) for task in tasks}) < len(tasks), "targets, and others"

    shown = [*words[:4], "apt-gen", "--figure", "6", "--panel", "grid-a", "--steps", "400", "--out", str(tmp_path)]
    strips = subprocess.run(shown, capture_output=True, text=True, timeout=300)
    assert strips.returncode == 0, strips.stderr
    assert (tmp_path / "figure-6.png").stat().st_size > 1_000
