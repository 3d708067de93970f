"""CoDE's table 1: who knows the task solves everything, and who acts at random next to nothing on the last level."""

import numpy as np
import pytest

from procgen_bench.baselines.policies.loading import load_policy
from procgen_bench.leaderboards.reproduction import site_table
from procgen_bench.leaderboards.reproduction.code import FIGURES
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
    site_table.write_site_table(scores, "CoDE wins.", tmp_path / "table-1.md")
    lines = (tmp_path / "table-1.md").read_text().splitlines()
    assert lines[2] == "The paper: CoDE wins."
    ones = "1.00 1.00 1.00 1.00"
    assert lines[-2] == f"| gminiwob/test, values | CoDE | 2 | {' | '.join([ones] * 5)} | 1.00 |"
