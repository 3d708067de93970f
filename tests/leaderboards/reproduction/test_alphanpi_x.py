"""AlphaNPI-X's table 2: what is played, how it is counted and written, and what is refused."""

import json
from dataclasses import replace

import numpy as np
import pytest
from matplotlib.image import imread
from typer.testing import CliRunner

from procgen_bench.baselines.method_table import get_method
from procgen_bench.baselines.papers.alphanpi_x.block_policy import BlockPolicy
from procgen_bench.baselines.papers.alphanpi_x.npi_goals_settings import NPIGoalsConfiguration
from procgen_bench.baselines.papers.alphanpi_x.programs.atomic_policies import ScriptedAtomicPolicy
from procgen_bench.baselines.papers.alphanpi_x.programs.call_rules import call_rules
from procgen_bench.baselines.papers.alphanpi_x.programs.core_network import CoreNetwork
from procgen_bench.baselines.papers.alphanpi_x.programs.execution import Executed
from procgen_bench.baselines.papers.alphanpi_x.programs.planner_parts import PlannerParts
from procgen_bench.baselines.policies.folders import PolicyFolder
from procgen_bench.baselines.training.run_folder import RunFolder
from procgen_bench.cli import app
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.errors import InvalidPolicyError, InvalidTaskError
from procgen_bench.core.provenance import commit
from procgen_bench.leaderboards.reproduction.alphanpi_x import (
    HEADINGS,
    PAPER,
    TableSettings,
    cells,
    play_table,
    table_rows,
    write_table,
)
from procgen_bench.leaderboards.reproduction.alphanpi_x_players import load_parts, load_rival
from procgen_bench.leaderboards.sweeps.figure_file import read_figure
from procgen_bench.leaderboards.sweeps.figure_runs import sweep_runs
from procgen_bench.tasks.programs import PROGRAMS
from tests.baselines.papers.alphanpi_x.programs.imagining import LIBRARY, fresh_network

PARTS = PlannerParts(call_rules(LIBRARY), fresh_network(), None, ScriptedAtomicPolicy())
SETTINGS = TableSettings(episodes=1, simulations=(60,), modes=("replan",))


@pytest.mark.slow
def test_programs_are_played_counted_and_written(tmp_path):
    rows = play_table(PARTS, SETTINGS)
    found = {row.program: row for row in rows}
    assert set(found) == {"Stack_All_To_Zone", "Move_All_To_Zone", "Stack_All_Blocks", "Clean_Table", "Clean_And_Stack"}
    for row in rows:
        assert 0 <= max(row.stands, row.settled) <= row.success <= row.stopped <= 1
        assert row.low <= row.success <= row.high and row.calls >= 1
    assert np.mean([row.stands for row in rows]) >= 0.6, "search alone, on the perfect model"
    assert found["Clean_Table"].paper is None, "the paper has four blocks"
    path = write_table(rows, PARTS, SETTINGS, tmp_path / "table").files["numbers"]
    assert path.read_text().count("\n| ") == 2 * (2 + len(rows))
    kept = json.loads(path.with_suffix(".json").read_text())
    assert kept["num_blocks"] == 2 and kept["parts"]["atomic"] == {"kind": "scripted"}
    assert kept["settings"]["failing"] == 0 and kept["commit"] == commit()
    assert len(kept["rows"]) == len(rows) and all(len(cells(row)) == len(HEADINGS) for row in rows)


def test_a_planner_for_two_blocks_plays_the_programs_that_are_asked_for(tmp_path):
    PARTS.folder().write(tmp_path / "two")
    parts = load_parts(tmp_path / "two")
    assert parts.rules.library == LIBRARY
    settings = TableSettings(episodes=1, simulations=(5,), modes=("no-plan",), programs=("Stack_All_Blocks",))
    (row,) = play_table(parts, settings)
    assert (row.program, row.episodes, row.paper) == ("Stack_All_Blocks", 1, None), "the paper has four blocks"
    with pytest.raises(InvalidTaskError, match="program is 'Stack_0_1', expected one that calls others"):
        play_table(parts, replace(settings, programs=("Stack_0_1",)))


def executed(success, stands, settled, stopped):
    return Executed("Stack_All_Blocks", success, settled, stands, stopped, (True,), (True,), [])


def test_the_papers_success_is_told_from_what_stands_and_from_the_fewest_calls():
    """Of four: at Stop late, and stands; at Stop, and falls; right at the fewest calls, but no Stop; never."""
    played = [
        executed((False, True), (False, True), (False, False), True),
        executed((True, True), (False, False), (True, True), True),
        executed((True, True), (True, True), (True, True), False),
        executed((False, False), (False, False), (False, False), True),
    ]
    (row,) = table_rows(played, "replan", 5, PAPER)
    assert (row.success, row.stands, row.settled, row.fewest, row.stopped) == (0.5, 0.25, 0.25, 0.25, 0.75)
    (rival,) = table_rows(played, "multitask DDPG", 0, PAPER)
    assert (rival.success, rival.stands, rival.settled) == (0.75, 0.5, 0.5), "it cannot stop"


def test_the_table_has_at_most_80_columns():
    (row,) = table_rows([executed((True,) * 2, (True,) * 2, (True,) * 2, True)] * 100, "no-plan", 100, PAPER)
    widest = cells(replace(row, program="Stack_All_To_Zone"))
    columns = [max(map(len, words)) for words in zip(HEADINGS, widest, strict=True)]
    assert sum(columns) + 2 * (len(columns) - 1) <= 80


def test_calls_that_fail_cost_success():
    failing = TableSettings(episodes=1, simulations=(60,), modes=("replan",), failing=1.0)
    assert max(row.success for row in play_table(PARTS, failing)) == 0


def four_blocks(folder):
    network = CoreNetwork(4, len(PROGRAMS))
    PlannerParts(call_rules(PROGRAMS), network, None, ScriptedAtomicPolicy()).folder().write(folder)
    return network


def test_a_planner_is_loaded_from_its_run_or_its_policy(tmp_path):
    network = four_blocks(tmp_path / "run" / "policy")
    for folder in (tmp_path / "run", tmp_path / "run" / "policy"):
        loaded = load_parts(folder)
        assert loaded.learned_model is None and isinstance(loaded.atomic, ScriptedAtomicPolicy)
        assert np.array_equal(loaded.network.value[2].bias.detach(), network.value[2].bias.detach())
    with pytest.raises(InvalidPolicyError, match="is not a policy folder"):
        load_parts(tmp_path / "run", atomic="nowhere")


@pytest.mark.parametrize("words", [[], ["--policy", "trained"]])
def test_the_packages_planner_plays_where_none_is_given(run, tmp_path, words):
    settings = ["simulations=5", "program=Stack_All_To_Zone_BLUE"]
    asked = [part for setting in settings for part in ("--set", setting)]
    code, out, err = run("reproduce", "alphanpi-x", "--table", "2", "--samples", "1", *asked, *words, "--out", tmp_path)
    assert code == 0 and "Stack_All_To_Zone" in out and max(map(len, out.splitlines()[:-1])) <= 80, err
    assert not (tmp_path / "planner").exists(), "nothing is trained"
    kept = json.loads((tmp_path / "table-2.json").read_text())
    assert kept["parts"]["atomic"]["kind"] == "learned" and len(kept["rows"]) == 3


def test_the_packages_planner_is_refused_beside_another_library(run, tmp_path):
    words = ["--policy", "trained", "--set", "library=3", "--out", tmp_path]
    code, _, err = run("reproduce", "alphanpi-x", "--table", "2", *words)
    assert code == 2 and "for other programs (of 4 blocks), expected the library's, of 3" in err


def test_policies_of_other_methods_and_for_other_programs_are_refused(tmp_path):
    PARTS.folder().write(tmp_path / "two")
    with pytest.raises(InvalidPolicyError, match=r"for other programs \(of 2 blocks\), expected the library's, of 4"):
        load_parts(tmp_path / "two", library="4")
    folder = PARTS.folder()
    del folder.configuration["programs"]["programs"]["Clean_Table"]
    folder.write(tmp_path / "own")
    with pytest.raises(
        InvalidPolicyError, match="for other programs than the paper's, expected --set library=MODULE:NAME"
    ):
        load_parts(tmp_path / "own")
    PolicyFolder("sac", "FetchBlocks-v0", {}, {"a": np.zeros(1)}).write(tmp_path / "sac")
    with pytest.raises(InvalidPolicyError, match="holds a policy of 'sac', expected one of 'alphanpi-x'"):
        load_parts(tmp_path / "sac")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["alphanpi-x", "--figure", "2"], "alphanpi-x has no figure 2 here, expected one of [1, 4, 5, 9]"),
        (["alphanpi-x", "--figure", "1", "--samples", "2"], "--samples does not go with figure 1 of alphanpi-x, which"),
        (["alphanpi-x", "--figure", "1", "--set", "rival=."], "setting 'rival=.', expected NAME=VALUE, NAME one of ['"),
        (["alphanpi-x", "--figure", "1", "--policy", "a", "--policy", "b"], "figure 1 takes one policy, not 2"),
        (
            ["alphanpi-x", "--table", "2", "--set", "library=3", "--set", "rival=."],
            "a rival goes with the paper's programs for four blocks, not with a library",
        ),
        (["alphanpi-x", "--table", "2", "--set", "model=nowhere"], "model is 'nowhere', expected a folder"),
        (
            ["alphanpi-x", "--table", "2", "--set", "atomic=nowhere"],
            "atomic is 'nowhere', expected scripted, learned, a fo",
        ),
        (["alphanpi-x", "--figure", "1", "--set", "failing=2"], "failing is 2.0, expected"),
        (["alphanpi-x", "--table", "2", "--set", "simulations=1"], "simulations is 1, expected"),
        (["alphanpi-x", "--table", "1"], "alphanpi-x has no table 1 here, expected one of [2]"),
        (
            ["alphanpi-x", "--table", "2", "--figure", "5"],
            "give --figure, the figure's number, or --table, the table's",
        ),
        (
            ["alphanpi-x", "--figure", "5", "--set", "failing=0.5"],
            "--set does not go with figure 5 of alphanpi-x, which",
        ),
        (["alphanpi-x", "--table", "2", "--panel", "a"], "--panel does not go with table 2 of alphanpi-x, which takes"),
        (["alphanpi-x", "--figure", "9", "--policy", "."], "--policy does not go with figure 9 of alphanpi-x, which"),
        (["xland", "--table", "2"], "xland has no table 2 here, expected one of []"),
        (["xland"], "give --figure, the figure's number"),
    ],
)
def test_options_that_do_not_go_together_are_refused(run, tmp_path, arguments, message):
    code, out, err = run("reproduce", *arguments, "--out", tmp_path / "new")
    assert (code, out, err.count("\n")) == (2, "", 1) and message in err and not (tmp_path / "new").exists()


def rival(folder, teacher="program-goals", relabelled=4):
    configuration = NPIGoalsConfiguration(teacher=teacher, view="raw", relabelled=relabelled)
    run = RunFolder(folder, "npi-goals", get_benchmark("fetch-blocks/test"), configuration, 0, 1_000)
    run.open()
    (folder / "curve.csv").write_text("step,success\n0,0.0\n800,0.0\n", encoding="utf-8")  # stopped before its end
    BlockPolicy("FetchBlocks-v0", stochastic=False, width=8, view="raw").folder.write(run.policy_path)
    return folder


def test_rivals_play_the_same_starts_towards_the_programs_goals(tmp_path):
    found = load_rival(rival(tmp_path / "her"))
    assert found.name == "multitask DDPG + HER, 800 steps"
    assert load_rival(rival(tmp_path / "plain", relabelled=0)).name == "multitask DDPG, 800 steps"
    parts = PlannerParts(call_rules(PROGRAMS), CoreNetwork(4, len(PROGRAMS)), None, ScriptedAtomicPolicy())
    rows = play_table(parts, TableSettings(episodes=1, simulations=(5,), modes=()), [found])
    assert {row.program for row in rows} == set(PAPER) and {row.mode for row in rows} == {found.name}
    for row in rows:
        assert (row.success, row.fewest, row.kept, row.paper, row.stopped) == (0, 0, None, 0, 0)
        assert cells(row)[-1] == "0.00"


def test_rivals_of_other_methods_and_teachers_are_refused(tmp_path):
    for folder in (tmp_path, rival(tmp_path / "own", teacher="phases")):
        with pytest.raises(InvalidPolicyError, match="is not the run of a rival, expected one of"):
            load_rival(folder)


def test_figures_are_drawn_of_runs_that_have_the_measures(tmp_path):
    """A folder of one finished run for each figure, as ``train`` writes it."""
    for number in (4, 5):
        figure = read_figure("alphanpi-x", number)
        runs = sweep_runs(figure, tmp_path, [], [figure.labels[0]], None, None)
        assert len(runs) == 1
        run = runs[0]
        settings = get_method(run.method).load("configuration")(**run.options)
        folder = RunFolder(run.folder, run.method, get_benchmark(run.benchmark), settings, run.seed, run.steps)
        folder.open()
        half = {"step": run.steps / 2, "seconds": 1.0} | dict.fromkeys(("success", *figure.measures), 0.25)
        folder.write_curve([half, half | {"step": run.steps} | dict.fromkeys(figure.measures, 0.75)])
        folder.finish()
        shown = ["reproduce", "alphanpi-x", "--figure", str(number), "--no-train", "--out", str(tmp_path)]
        result = CliRunner().invoke(app, shown)
        assert result.exit_code == 0, result.output
        assert "0.75" in (tmp_path / f"figure-{number}.md").read_text()
        (panel,) = json.loads((tmp_path / f"figure-{number}.json").read_text())["panels"].values()
        assert panel["runs"][0][figure.measures[-1]] == [0.25, 0.75]
        height, width = imread(tmp_path / f"figure-{number}.png").shape[:2]
        assert 1 < width / height < 2, "measures lie beside each other"
