"""CoDE's table 1: who knows the task solves everything, and who acts at random next to nothing on the last level."""

import json
from dataclasses import replace

import numpy as np
import pytest

from procgen_bench.baselines.policies.loading import load_policy
from procgen_bench.baselines.policies.scripted.policies import SolverPolicy
from procgen_bench.leaderboards.reproduction import site_table
from procgen_bench.leaderboards.sweeps.figure_file import read_figure
from procgen_bench.leaderboards.sweeps.figure_runs import sweep_runs

FIGURE = read_figure("code", 1, "table")
BOXES, VALUES = ("rememberme", "stayloggedin"), ("false", "true")


@pytest.fixture
def scores(tmp_path, monkeypatch):
    """Of two runs of each of two curves, whose policies are scripted ones."""
    played = {"CoDE": "solver", "DR": "site-random"}
    runs = sweep_runs(FIGURE, tmp_path, ["keys"], list(played), 2, 100)
    names = {run.folder / "policy": played[run.curve.label] for run in runs}

    def scripted(folder, environment):
        return [load_policy(names[folder], environment) for _ in site_table.WAYS]

    monkeypatch.setattr(site_table, "_in_both_ways", scripted)
    return site_table.site_scores(runs)


def test_success_is_by_site_and_level(scores, tmp_path):
    expert, random = scores
    assert (expert.label, random.label) == ("CoDE", "DR")
    assert expert.success.shape == (2, 2, 5, 4) and (expert.success == 1).all()
    assert expert.miniwob.shape == (2, 2, 3) and (expert.miniwob == 1).all() and random.miniwob.mean() < 0.5
    assert random.success[..., 0].mean() > random.success[..., 3].mean()
    assert np.array_equal(*random.success)  # the same episodes: nothing but the policy is the run's
    site_table.write_site_table(FIGURE, scores, tmp_path, by_value=True)
    lines = (tmp_path / "table-1.md").read_text().splitlines()
    assert lines[2].startswith("The paper: On the hardest level CoDE succeeds in 92 to 98 %")
    ones = "1.00 1.00 1.00 1.00"
    at = lines.index("| the paper, level 4 | CoDE | 5 |  |  | 0.92 | 0.98 | 0.93 | 0.95 | 0.95 | 0.95 |  |")
    numbers = json.loads((tmp_path / "table-1.json").read_text())
    assert numbers["paper_percent_level_4"]["PAIRED"]["flight"] == 20
    assert np.array_equal(numbers["runs"][1]["success"], random.success)
    assert (
        lines[at - 4]
        == f"| gminiwob/test, keys | CoDE | 2 |  | greedy | {' | '.join([ones] * 5)} | 1.00 | 1.00 1.00 1.00 |"
    )
    assert "| value | CoDE, keys | DR, keys |" in lines and "| cc Debit Card | 1.00 1.00 | 0.00 0.00 |" in lines
    assert numbers["runs"][0]["by_value"]["state CA"] == [[1.0, 1.0]] * 2
    site_table.write_site_table(FIGURE, scores, tmp_path)
    assert "Debit Card" not in (tmp_path / "table-1.md").read_text(), "it is not asked for"


class FirstOption(SolverPolicy):
    """Knows the task, but for the values of boxes: it leaves them all alone."""

    def begin(self, row, task, seed):
        values = dict(task.profile)
        super().begin(
            row, replace(task, profile=tuple((f, "false" if f in BOXES else v) for f, v in values.items())), seed
        )


def test_success_by_value_shows_what_means_over_sites_hide(tmp_path, monkeypatch):
    """Of the four combinations of boxes one alone is solved."""
    monkeypatch.setattr(site_table, "_in_both_ways", lambda *_: [FirstOption("GMiniWoB-v0")] * 2)
    (scores,) = site_table.site_scores(sweep_runs(FIGURE, tmp_path, ["keys"], ["CoDE"], 1, 100))
    boxes = {value: shares.tolist() for value, shares in scores.by_value.items() if "stayloggedin" in value}
    expected = {f"rememberme {a}, stayloggedin {b}": [[float(a == b == "false")] * 2] for a in VALUES for b in VALUES}
    assert boxes == expected
    assert {value for value in scores.by_value if "," not in value} == {
        f"{field} {value}"
        for field, values in {
            "cabin": ("Economy", "First"),
            "cc": ("Credit Card", "Debit Card"),
            "flighttype": ("Oneway", "Roundtrip"),
            "rememberme": VALUES,
            "state": ("CA", "NY"),
        }.items()
        for value in values
    }
