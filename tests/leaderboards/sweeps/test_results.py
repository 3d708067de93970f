"""Results of a sweep, from runs that are written by hand."""

import csv
import json

import pytest

from procgen_bench.leaderboards.sweeps.cell import Cell
from procgen_bench.leaderboards.sweeps.results import result_rows, write_results
from procgen_bench.leaderboards.sweeps.training import Failure

SUCCESSES = [0.0, 0.5, 0.7, 0.8, 0.9, 1.0]


@pytest.fixture
def cells(tmp_path):
    """Seeds 0 to 4 under one teacher, of which the first has only begun; 5 under it, and one under another."""
    cells = [Cell("ppo", "grid-world/graded", {"teacher": "plr"}, seed, 100, tmp_path) for seed in range(6)]
    for cell, success in zip(cells, SUCCESSES):
        cell.folder.mkdir(parents=True)
        (cell.folder / "config.json").write_text(json.dumps({"settings": {}, "finished": cell.seed > 0, "command": ""}))
        (cell.folder / "curve.csv").write_text(f"step,seconds,success\n0,1.0,0.25\n100,{60.0 + cell.seed},{success}\n")
    return [*cells, Cell("ppo", "grid-world/graded", {"teacher": "accel"}, 0, 100, tmp_path)]


def test_runs_that_are_not_over_count_as_asked_for_alone(cells):
    row, other = result_rows(cells)
    assert (row.teacher, row.asked, row.seeds, len(row.curves)) == ("plr", 6, (1, 2, 3, 4, 5), 5)
    assert row.outcome.runs == tuple(SUCCESSES[1:])
    assert row.outcome.mean.value == pytest.approx(0.78)
    assert (other.teacher, other.asked, other.seeds, other.outcome) == ("accel", 1, (), None)
    assert (row.group.label, row.group.benchmark) == ("ppo, plr", "grid-world/graded")


def test_the_worst_tenth_of_tasks_is_told_where_all_runs_measured_it(cells, tmp_path):
    assert result_rows(cells)[0].worst_tenth is None, "runs of before have no such column"
    for cell, worst in zip(cells[1:], (0.0, 0.1, 0.2, 0.3, 0.4)):
        header = "step,seconds,success,worst_tenth_success"
        (cell.folder / "curve.csv").write_text(f"{header}\n0,1.0,0.25,\n100,2.0,0.5,{worst}\n")
    rows = result_rows(cells)
    assert rows[0].worst_tenth.value == pytest.approx(0.2) and rows[1].worst_tenth is None
    write_results(rows, [], "a command", tmp_path)
    found, other = json.loads((tmp_path / "results.json").read_text())["results"]
    assert found["worst_tenth"] == pytest.approx(0.2)
    assert 0 <= found["worst_tenth_low"] < 0.2 < found["worst_tenth_high"]
    assert other["worst_tenth"] is None


def test_results_are_written_with_both_ends_of_their_intervals(cells, tmp_path):
    write_results(result_rows(cells), [Failure(cells[-1], "it fell")], "a command", tmp_path)
    content = json.loads((tmp_path / "results.json").read_text())
    found, other = content["results"]
    assert found["scores"] == SUCCESSES[1:] and (found["runs"], found["seeds"]) == (6, [1, 2, 3, 4, 5])
    assert found["mean"] == pytest.approx(0.78) and found["iqm"] == pytest.approx(0.8)
    assert found["mean_low"] < 0.78 < found["mean_high"] <= 1 and found["iqm_low"] < 0.8 < found["iqm_high"] <= 1
    assert (found["steps"], found["seconds"]) == (100, 63.0)
    assert other["scores"] == [] and other["mean"] is other["mean_low"] is other["steps"] is None
    assert content["command"] == "a command"
    assert content["failures"] == [
        {"run": "ppo accel grid-world/graded seed 0", "reason": "it fell", "log": str(cells[-1].log)}
    ]
    with (tmp_path / "results.csv").open(newline="") as file:
        first, second = csv.DictReader(file)
    assert (first["seeds"], first["scores"]) == ("1 2 3 4 5", "0.5 0.7 0.8 0.9 1.0")
    assert float(first["mean_low"]) == found["mean_low"] and second["mean"] == second["scores"] == ""
