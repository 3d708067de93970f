"""The filter's agreement with the exact one, by returns that are known, and that a seed decides what is played."""

import re
import runpy
from pathlib import Path

import numpy as np
import pytest

from procgen_bench.baselines.training.level_source import LevelSource
from procgen_bench.baselines.training.teacher_table import get_teacher

EXAMPLE = runpy.run_path(str(Path(__file__).parents[2] / "examples" / "dynamic_filter.py"))
BENCHMARK, Agreement, kept, main = (EXAMPLE[name] for name in ("BENCHMARK", "Agreement", "kept", "main"))


def test_precision_and_recall_are_shares_of_what_is_kept():
    exact, cheap = np.array([[1, 1, 1, 1, 0, 0, 0, 0], [1, 0, 0, 0, 1, 0, 0, 0]], bool)
    assert (Agreement(exact, cheap).precision, Agreement(exact, cheap).recall) == (1 / 2, 1 / 4)
    assert str(Agreement(exact, cheap)) == (
        "precision 0.50, recall 0.25; kept 2 of 8 (0.250), by the exact filter 4 (0.500)"
    )
    nothing = Agreement(~exact & exact, cheap & ~cheap)
    assert np.isnan(nothing.precision) and np.isnan(nothing.recall)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("", [True, False, False, False]),
        ("most_control=0.1", [True, False, False, True]),
        ("too_easy=0.95,most_control=0.1", [True, True, False, True]),
    ],
)
def test_what_is_kept_follows_the_teachers_thresholds(options, expected):
    """Returns are shares of 300: some, too many, none, and some of a task that the control policy is good at."""
    teacher = get_teacher("dynamic-tasks").make(options, LevelSource(BENCHMARK, True), np.random.default_rng(0))
    student = 300 * np.array([[0.0, 0.2, 0.9], [0.5, 0.6, 0.9], [0.0, 0.0, 0.0], [0.0, 0.2, 0.9]])
    control = 300 * np.array([[0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.1]])
    assert kept(teacher, student, control).tolist() == expected


@pytest.mark.slow
def test_a_seed_decides_what_is_played_and_options_share_it(capsys):
    tiny = "trials=1,control_episodes=1"
    arguments = ["--tasks", "3", "--episodes", "1", "--options", tiny, "--options", f"{tiny},too_easy=1"]
    outputs = []
    for _ in range(2):
        main(arguments)
        outputs.append(capsys.readouterr().out)
    assert outputs[0] == outputs[1]
    lines = outputs[0].splitlines()
    assert [line.split(":")[0] for line in lines] == [tiny, f"{tiny},too_easy=1"]
    assert all(re.search(r"precision (\d\.\d\d|nan), recall .*; kept [0-3] of 3 \(", line) for line in lines)


def test_less_than_one_task_is_refused(capsys):
    with pytest.raises(SystemExit):
        main(["--tasks", "0"])
    assert "--tasks is 0 and --episodes 10, expected at least 1 of each" in capsys.readouterr().err
