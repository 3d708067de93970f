"""``train``: its subcommands are the trainable methods, whose help needs nothing of what training does."""

import dataclasses
import os
import re
import subprocess
import sys

import pytest
import typer
from typer.testing import CliRunner

from procgen_bench.baselines.method_table import METHODS
from procgen_bench.baselines.training import command_line
from procgen_bench.cli import app
from procgen_bench.core.benchmarks import get_benchmark

TRAINABLE = [method for method in METHODS.values() if method.trainable]


def test_every_trainable_method_is_listed():
    shown = CliRunner().invoke(app, ["train", "--help"])
    listed = [line.split()[1] for line in shown.output.splitlines() if line.startswith("│ ") and line[2] not in " -"]
    assert listed == [method.name for method in TRAINABLE]


def test_a_method_whose_extra_is_missing_names_it():
    script = (
        "import sys\n"
        "for package in ('torch', 'stable_baselines3'):\n    sys.modules[package] = None\n"
        "from procgen_bench.cli import main\n"
        "main()\n"
    )
    command = [sys.executable, "-c", script, "train", "ppo", "grid-world/graded"]
    shown = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert shown.returncode == 2 and "procgen-bench[baselines]" in shown.stderr
    assert len(shown.stderr.splitlines()) == 1


def test_every_method_shows_its_options_in_80_columns():
    script = (
        "import sys\n"
        "from typer.testing import CliRunner\n"
        "from procgen_bench.cli import app\n"
        "for method in sys.argv[1:]:\n"
        "    shown = CliRunner().invoke(app, ['train', method, '--help'])\n"
        "    print(shown.output, shown.exception or '')\n"
    )
    names = [method.name for method in TRAINABLE]
    shown = subprocess.run(
        [sys.executable, "-c", script, *names],
        env=os.environ | {"COLUMNS": "80"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert shown.returncode == 0, shown.stderr
    assert max(map(len, shown.stdout.splitlines())) <= 80
    helps = shown.stdout.split("Usage:")[1:]
    assert len(helps) == len(TRAINABLE)
    for method, help_text in zip(TRAINABLE, helps, strict=True):
        for field in (one for kind in method.configurations() for one in dataclasses.fields(kind)):
            assert f"--{field.name.replace('_', '-')} " in help_text
        ((name, benchmark),) = re.findall(r"\n +procgen-bench train (\S+) (\S+) ", help_text)
        assert name == method.name
        method.check_environment(get_benchmark(benchmark).environment_id)


@pytest.mark.parametrize(
    ("option", "value"),
    [("--steps", "-5"), ("--num-envs", "0"), ("--discount", "1.5"), ("--learning-rate", "nan"), ("--seed", "one")],
)
def test_a_refused_value_is_named(run, tmp_path, option, value):
    code, out, err = run("train", "ppo", "grid-world/graded", option, value, "--out", tmp_path / "run")
    assert (code, out) == (2, "") and err.count("\n") == 1
    assert re.fullmatch(rf"error: Invalid value for '{option}': Input should be .*, not '{value}' \(see .*\)\n", err)
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_method_is_answered_with_one_that_is_like_it():
    shown = CliRunner().invoke(app, ["train", "pppo"])
    assert shown.exit_code == 2
    assert "No such command 'pppo'. Did you mean 'ppo'" in shown.output


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--steps", "5"), "steps is 5, expected at least 256"),
        (("--teacher", "plrr"), "unknown teacher 'plrr'; did you mean 'plr'"),
        (("--teacher-options", "speed=3"), "has no option 'speed'"),
        (("--network", "nothing"), "'nothing' names no code"),
        (("--device", "cuda:9"), "device is 'cuda:9', expected cpu"),
        (("--goal-attention",), "no option goal_attention in GridWorld-v0; it is an option in XLand-v0, XLandSmall-v0"),
    ],
)
def test_refusals_come_before_the_settings(run, tmp_path, words, message):
    code, out, err = run("train", "ppo", "grid-world/graded", *words, "--out", tmp_path / "run")
    assert (code, out) == (2, "") and message in err
    assert not (tmp_path / "run").exists()


def test_settings_are_shown_before_a_run_begins(run, tmp_path):
    words = {"num-envs": 4, "rollout-steps": 8, "minibatches": 1, "evaluation-tasks": 2, "steps": 32}
    code, out, _ = run(
        "train", "ppo", "grid-world/graded", *(f"--{name}={value}" for name, value in words.items()),
        "--out", tmp_path / "run",
    )  # fmt: skip
    assert code == 0 and out.startswith("ppo on grid-world/graded, seed 0, 32 steps, in ")
    assert out.index("num_envs 4*") < out.index("run: ")


def test_xland_has_defaults_of_its_own_which_what_is_given_goes_before(monkeypatch):
    taken = []

    def noted(method, benchmark, configuration, *further):
        taken.append(configuration)
        raise typer.Exit

    monkeypatch.setattr(command_line, "train_and_report", noted)
    own = command_line.training_app(METHODS["ppo"])
    for arguments in (["xland/skills"], ["xland/skills", "--epochs", "3"], ["grid-world/target-a"]):
        CliRunner().invoke(own, arguments)
    assert [(one.num_envs, one.epochs) for one in taken] == [(64, 2), (64, 3), (256, 4)]
    assert [getattr(one, "popart_share", None) for one in taken] == [0.01, 0.01, None]
    shown = " ".join(CliRunner().invoke(own, ["--help"]).output.split())
    assert "popart_share 0.01" in shown and "In XLand-v0 and XLandSmall-v0 alone: --popart-share, --goal-" in shown


@pytest.mark.slow
def test_a_log_holds_a_line_of_progress_at_each_end_whatever_is_evaluated(tmp_path):
    small = "--steps 1200 --num-envs 8 --rollout-steps 50 --evaluate-every 400 --evaluation-episodes 1 --out run"
    words = ["train", "ppo", "grid-world/target-a", *small.split()]
    command = [sys.executable, "-m", "procgen_bench.cli", *words]
    trained = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert trained.returncode == 0, trained.stderr
    lines = [line for line in trained.stderr.splitlines() if line.startswith("ppo grid-world/target-a: ")]
    assert [line.split()[2] for line in lines] == ["0/1200", "1200/1200"] and "return=" in lines[1]
    assert "\r" not in trained.stderr and len((tmp_path / "run/curve.csv").read_text().splitlines()) > 3
