"""The plans of papers' figures: what they name exists, and runs that people have begun are found again."""

import dataclasses
import pkgutil

import pytest

from procgen_bench.baselines.papers.alphanpi_x.alphanpi_x import MODEL_FOLDER
from procgen_bench.baselines.papers.alphanpi_x.block_phases import CALLS
from procgen_bench.baselines.training.teacher_table import get_teacher
from procgen_bench.core.benchmarks import BENCHMARKS, EXERCISES, get_benchmark
from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.leaderboards.sweeps.figure_file import figure_numbers, figure_of, read_figure
from procgen_bench.leaderboards.sweeps.figure_runs import sweep_runs
from procgen_bench.leaderboards.sweeps.sweep_file import option_value
from procgen_bench.tasks.programs import GROUPS
from procgen_bench.tasks.sites.published_sites import GRADED_SITES
from procgen_bench.tasks.xland import load_suite

PAPERS = ("sibling-rivalry", "apt-gen", "code", "alphanpi-x", "xland")
PLANS = [
    (paper, number, kind) for paper in PAPERS for kind in ("figure", "table") for number in figure_numbers(paper, kind)
]


def test_every_paper_has_its_figures_and_tables():
    assert {paper: figure_numbers(paper) for paper in PAPERS} == {
        "sibling-rivalry": [3, 4, 5, 6, 7, 8, 9],
        "apt-gen": [3, 4, 5, 6, 13],
        "code": [1, 5, 6, 7, 9, 10, 13],
        "alphanpi-x": [1, 4, 5, 9],
        "xland": [3, 4, 5, 6, 7, 8, 13, 14, 16, 18, 19, 22, 23, 24, 25, 26, 27, 32, 35],
    }
    assert (figure_numbers("code", "table"), figure_numbers("alphanpi-x", "table")) == ([1, 3], [2])


@pytest.mark.parametrize(("paper", "number", "kind"), PLANS)
def test_what_a_plan_names_exists(paper, number, kind, tmp_path):
    figure = read_figure(paper, number, kind)
    assert figure.number == number or figure.table == number
    assert bool(figure.panels) + bool(figure.measure) + bool(figure.code) == 1
    assert figure.shows in ("curves", "levels", "primitives")
    if not figure.panels:
        assert callable(pkgutil.resolve_name(figure.measure or figure.code))
    assert len({panel.name for panel in figure.panels}) == len(figure.panels)
    for panel in figure.panels:
        assert panel.steps <= get_benchmark(panel.benchmark).interaction_budget and panel.seeds >= 1 and panel.claim
        assert len({curve.label for curve in panel.curves}) == len(panel.curves) > 0
        for curve in panel.curves:
            read = {name: option_value(curve.method, name, value) for name, value in curve.options.items()}
            assert read == curve.options
            if "teacher" in curve.options:
                get_teacher(curve.options["teacher"]).configured(curve.options.get("teacher_options", ""))
    assert all(len(shares) == len(GRADED_SITES) for shares in figure.percent_by_site.values())
    assert figure.percent_by_site.keys() <= {*figure.labels}
    runs = sweep_runs(figure, tmp_path, [panel.name for panel in figure.panels], figure.labels, None, None)
    assert {run.panel.name for run in runs} == {panel.name for panel in figure.panels}


@pytest.mark.parametrize(
    ("paper", "number", "panel", "label", "folder"),
    [
        ("sibling-rivalry", 3, "point-maze", "PPO + SR", "point-maze-test/sibling-rivalry/10000000"),
        ("sibling-rivalry", 7, "point-maze", "epsilon 5", "point-maze-test/sibling-rivalry/10000000"),
        ("sibling-rivalry", 6, "u-4", "epsilon 1", "point-maze-u-4/sibling-rivalry-epsilon-1.0/1500000"),
        (
            "sibling-rivalry",
            8,
            "bit-grid",
            "own starts",
            "bit-grid-test/sibling-rivalry-own-starts-true-precision-bfloat16/2000000",
        ),
        (
            "sibling-rivalry",
            5,
            "voxel-build",
            "PPO + SR, oftener",
            "voxel-build-test/sibling-rivalry-rollouts-16-adam-epsilon-1e-05/5000000",
        ),
        (
            "apt-gen",
            13,
            "table-c",
            "delta 0.5",
            "table-push-target-c/dqn-teacher-apt-gen-evaluation-episodes-1-discount-0.9/100000",
        ),
        (
            "apt-gen",
            3,
            "table-a",
            "Random",
            "table-push-target-a/dqn-teacher-uniform-target-share-0.5-evaluation-episodes-1-discount-0.9/60000",
        ),
        ("code", 7, "published", "ACCEL", "gminiwob-test/pair-ppo-accel-0465193a/750000"),
        ("code", 5, "sparse", "SFL", "cminigrid-sparse/ppo-learnability-752259e2/1500000"),
        ("alphanpi-x", 4, "goals", "p = 0.5", "fetch-blocks-test/npi-goals-continued-0.5-phase-1-steps-280000/1000000"),
        ("xland", 16, "skills", "V-MPO", "xland-skills/vmpo-stages-9c15c645/2000000"),
        ("xland", 26, "keep-tagging", "finetuned", "xland-keep-tagging/ppo-31b9ced4/100000"),
    ],
)
def test_runs_that_were_begun_are_found_again(paper, number, panel, label, folder, tmp_path):
    run, *_ = sweep_runs(read_figure(paper, number), tmp_path, [panel], [label], 1, None)
    assert str(run.folder.relative_to(tmp_path)) == f"{folder}/seed-0"


def folders_of(paper, number, out, *labels, kind="figure"):
    return {run.folder for run in sweep_runs(read_figure(paper, number, kind), out, [], labels, None, None)}


@pytest.mark.parametrize(
    ("paper", "one", "label", "other", "count"),
    [
        ("sibling-rivalry", 3, "PPO + SR", 7, 5),
        ("sibling-rivalry", 3, "PPO + SR", 8, 5),
        ("sibling-rivalry", 3, "PPO + SR", 9, 10),
        ("sibling-rivalry", 4, "PPO + SR", 8, 5),
        ("apt-gen", 3, "APT-Gen", 5, 5),
        ("apt-gen", 3, "APT-Gen", 6, 6),
        ("apt-gen", 3, "APT-Gen", 13, 10),
        ("apt-gen", 4, "APT-Gen", 6, 1),
        ("code", 7, "CoDE", 13, 3),
        ("code", 7, "CoDE", 9, 3),
    ],
)
def test_figures_share_their_runs(paper, one, label, other, count, tmp_path):
    assert len(folders_of(paper, one, tmp_path, label) & folders_of(paper, other, tmp_path)) == count


def test_the_ablations_of_apt_gen_change_one_setting_each(tmp_path):
    changed = {}
    for number in (5, 13):
        for run in sweep_runs(read_figure("apt-gen", number), tmp_path, [], [], None, None):
            made = get_teacher("apt-gen").configured(run.options.get("teacher_options", ""))
            changed[run.curve.label] = (made.delta, made.progress, made.returns)
    assert changed == {
        "APT-Gen": (0.5, 1.0, 1.0),
        "return only": (0.5, 0.0, 1.0),
        "progress only": (0.5, 1.0, 0.0),
        **{f"delta {delta:g}": (delta, 1.0, 1.0) for delta in (-0.1, 0.1, 0.3, 0.5, 0.7, 0.9, 1.1)},
    }


def test_outside_of_the_space_four_are_run_unless_others_are_named(tmp_path):
    figure = read_figure("apt-gen", 4)
    labels = [[run.curve.label for run in sweep_runs(figure, tmp_path, [], names, 1, None)] for names in ([], ["RIDE"])]
    assert labels == [["APT-Gen", "Random", "ALP-GMM", "DQN"], ["RIDE"]]


@pytest.mark.parametrize(("number", "panel", "slots"), [(7, "keys", 12), (7, "published", 12), (5, "sparse", 5)])
def test_teachers_that_keep_levels_do_so_of_designs(number, panel, slots, tmp_path):
    """Of as many choices as a generator's; the comparison is of one space."""
    runs = sweep_runs(read_figure("code", number), tmp_path, [panel], ["PLR", "ACCEL", "SFL"], 1, 100)
    made = [get_teacher(run.options["teacher"]).configured(run.options["teacher_options"]) for run in runs]
    assert [one.slots for one in made] == [slots] * 3 and [one.from_empty for one in made] == [False, True, False]


def test_finetuning_is_of_tasks_with_their_own_co_players():
    figure, suite = read_figure("xland", 26), load_suite("hand_authored")
    assert EXERCISES.keys() == {panel.benchmark for panel in figure.panels} and EXERCISES.keys().isdisjoint(BENCHMARKS)
    for panel in figure.panels:
        finetuned, scratch = panel.curves
        assert finetuned.options == {**scratch.options, "begin_from": "trained"}
        (task,) = get_benchmark(panel.benchmark).task_suite().tasks
        assert task == suite[panel.name.replace("-", "_")]
        assert task.co_players == tuple(filter(None, [scratch.options.get("co_players")]))
    begun = [curve.options.get("begin_from") for curve in figure.begun_from("runs/mine").panels[5].curves]
    assert begun == ["runs/mine", None]


def test_figures_of_alphanpi_x_ask_for_columns_that_the_runs_write():
    goals, planner = read_figure("alphanpi-x", 4), read_figure("alphanpi-x", 5)
    assert set(planner.measures) == {f"success_{name}" for group in GROUPS.values() for name in group}
    models = {panel.name: panel for panel in goals.panels}["self-model"]
    assert (models.within, models.measures) == (MODEL_FOLDER, ["agreement_move", "agreement_stack"])
    kinds = {name.removeprefix("teacher_success_") for name in goals.measures[1:]}
    assert kinds == {f"{call}{suffix}" for call in CALLS for suffix in ("", "-continued")}


def test_settings_are_read_by_their_defaults():
    figure = read_figure("alphanpi-x", 2, "table")
    given = figure.with_settings(["failing=0.2", "simulations=5", "program=A", "program=B"])
    assert (given["failing"], given["simulations"], given["program"]) == (0.2, [5], ["A", "B"])
    assert figure.with_settings([])["simulations"] == [5, 100] and not figure.settings["program"]
    for text, message in (
        ("color=1", r"setting 'color=1', expected NAME=VALUE, NAME one of \['program', 'atomic',"),
        ("failing=often", "failing is 'often', expected a value of type float"),
    ):
        with pytest.raises(InvalidOptionError, match=message):
            figure.with_settings([text])


def test_options_stand_in_the_order_that_folders_are_named_by():
    table = {"name": "a", "benchmark": "grid-world/graded", "curves": ["A"], "options": {"b": 3}, "more_curves": ["C"]}
    runs = {"A": {"method": "ppo", "first": {"a": 1}, "options": {"d": 4, "b": 5}}, "C": {"method": "dqn"}}
    content = {"title": "T", "runs": runs, "panels": [table], "steps": 9, "seeds": 1, "claim": "So."}
    (panel,) = figure_of(content, {"options": {"s": 2}}, 1).panels
    assert [[*curve.options.items()] for curve in panel.curves] == [
        [("a", 1), ("s", 2), ("b", 5), ("d", 4)],
        [("s", 2), ("b", 3)],
    ]
    assert (panel.steps, panel.claim, dataclasses.replace(panel).optional) == (9, "So.", False)
