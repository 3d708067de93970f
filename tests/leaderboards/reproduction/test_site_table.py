"""CoDE's table 1: who knows the task solves everything, and who acts at random next to nothing on the last level."""

import json

import numpy as np
import pytest

from procgen_bench.baselines.policies.loading import load_policy
from procgen_bench.baselines.training.teacher_table import get_teacher
from procgen_bench.leaderboards.reproduction import site_table
from procgen_bench.leaderboards.reproduction.code import FIGURES, PUBLISHED, TABLES
from procgen_bench.leaderboards.reproduction.sweep import sweep_runs


@pytest.fixture
def scores(tmp_path, monkeypatch):
    """Of two runs of each of two curves, whose policies are scripted ones."""
    played = {"CoDE": "solver", "DR": "site-random"}
    runs = sweep_runs(FIGURES[7], tmp_path, ["values"], list(played), 2, 100)
    names = {run.folder / "policy": played[run.curve.label] for run in runs}
    monkeypatch.setattr(site_table, "load_policy", lambda folder, environment: load_policy(names[folder], environment))
    return site_table.site_scores(runs)


def test_success_is_by_site_and_level(scores, tmp_path):
    expert, random = scores
    assert (expert.label, random.label) == ("CoDE", "DR")
    assert expert.success.shape == (2, 5, 4) and (expert.success == 1).all()
    assert random.success[:, :, 0].mean() > random.success[:, :, 3].mean()
    assert np.array_equal(*random.success)  # the same episodes: nothing but the policy is the run's
    site_table.write_site_table(scores, "CoDE wins.", tmp_path / "table-1.md", 1, PUBLISHED[1])
    lines = (tmp_path / "table-1.md").read_text().splitlines()
    assert lines[2] == "The paper: CoDE wins."
    ones = "1.00 1.00 1.00 1.00"
    assert lines[-4] == "| the paper, level 4 | CoDE | 5 | 0.92 | 0.98 | 0.93 | 0.95 | 0.95 | 0.95 |"
    numbers = json.loads((tmp_path / "table-1.json").read_text())
    assert numbers["paper_percent_level_4"]["PAIRED"]["flight"] == 20
    assert np.array_equal(numbers["runs"][1]["success"], random.success)
    assert lines[-6] == f"| gminiwob/test, values | CoDE | 2 | {' | '.join([ones] * 5)} | 1.00 |"


def test_the_ablation_has_a_run_for_every_row_of_the_paper(tmp_path):
    runs = sweep_runs(TABLES[3], tmp_path, [], [], 1, 100)
    assert [run.curve.label for run in runs] == list(PUBLISHED[3]) and len({run.folder for run in runs}) == 9
    options = {run.curve.label: run.options["teacher_options"] for run in runs}
    assert options["beta -0.2, alpha 0.9"] == "threshold=-0.2,alpha=0.9" and options["M 6, alpha 0.8"].startswith(
        "episodes=6"
    )


def test_teachers_that_keep_levels_do_so_of_designs(tmp_path):
    """Of as many choices as a generator's; the comparison is of one space."""
    for figure, panel, slots in ((7, "values", 12), (7, "published", 12), (5, "sparse", 5)):
        runs = sweep_runs(FIGURES[figure], tmp_path, [panel], ["CoDE", "PLR", "ACCEL", "SFL"][figure == 5 :], 1, 100)
        options = {run.curve.label: (run.options["teacher"], run.options["teacher_options"]) for run in runs}
        for label, name in (("PLR", "plr"), ("ACCEL", "accel"), ("SFL", "learnability")):
            teacher, text = options[label]
            configuration = get_teacher(teacher).configured(text)
            assert teacher == name and configuration.slots == slots
            assert configuration.from_empty == (label == "ACCEL")
        if figure == 7:
            code = get_teacher("code").configured(options["CoDE"][1])
            assert (code.slots, code.pages) == (slots, configuration.pages)
