"""What options take: every number within a range, refused before anything is written.

The settings that are printed before a run is trained.
"""

import dataclasses
import io
import math
from typing import get_type_hints

import pytest
from rich.console import Console

from procgen_bench.baselines.method_table import get_method
from procgen_bench.baselines.methods.ppo_settings import PPOConfiguration
from procgen_bench.baselines.papers.sibling_rivalry.goal_replay_settings import DDPGHERConfiguration
from procgen_bench.baselines.training.run_folder import RunFolder
from procgen_bench.baselines.training.settings import (
    AMOUNT,
    COUNT,
    DISTANCE,
    NUMBER,
    POSITIVE,
    SHARE,
    check_ranges,
    option,
)
from procgen_bench.baselines.training.settings_table import settings_shown, settings_table, show_settings
from procgen_bench.baselines.training.teacher_table import TEACHERS, TeacherOptionError, get_teacher
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.errors import InvalidOptionError, LearningDivergedError
from tests.baselines.test_matrix import BY_ENVIRONMENT, TRAINED


@dataclasses.dataclass(frozen=True)
class Options:
    number: float = option(0.0, "", NUMBER)
    amount: float = option(0.0, "", AMOUNT)
    positive: float = option(1.0, "", POSITIVE)
    share: float = option(0.0, "", SHARE)
    distance: float | None = option(None, "", DISTANCE)
    count: int = option(1, "", COUNT)
    pause: int | None = option(None, "", AMOUNT)
    name: str = option("", "")


@pytest.mark.parametrize(
    "taken",
    [
        {"number": -1e300},
        {"amount": 0},
        {"positive": 5e-324},
        {"share": 1},
        {"distance": math.inf},
        {"distance": 0.0},
        {"count": 10**12},
        {"pause": 0},
    ],
)
def test_the_ends_of_ranges_are_taken(taken):
    check_ranges(Options(**taken))


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("number", math.nan, "a number that is finite"),
        ("number", -math.inf, "a number that is finite"),
        ("amount", -5e-324, "a number of at least 0"),
        ("amount", math.inf, "a number of at least 0"),
        ("positive", 0.0, "a number above 0"),
        ("share", 1.0000000000000002, "a number from 0 to 1"),
        ("share", math.nan, "a number from 0 to 1"),
        ("share", True, "a number from 0 to 1"),
        ("share", "0.5", "a number from 0 to 1"),
        ("distance", -0.1, "a number of at least 0, or inf"),
        ("distance", math.nan, "a number of at least 0, or inf"),
        ("count", 0, "an integer of at least 1"),
        ("count", 1.5, "an integer of at least 1"),
        ("pause", -1, "an integer of at least 0"),
    ],
)
def test_what_is_out_of_range_is_refused_by_name_and_value(name, value, expected):
    with pytest.raises(InvalidOptionError) as raised:
        check_ranges(Options(**{name: value}))
    assert str(raised.value) == f"{name} is {value!r}, expected {expected}"


def _configurations():
    for name in TRAINED:
        yield pytest.param(get_method(name).load("configuration")(), id=name)
    for name in TEACHERS:
        yield pytest.param(get_teacher(name).configured(""), id=f"teacher {name}")


@pytest.mark.parametrize("configuration", list(_configurations()))
def test_every_number_has_a_range_that_its_default_is_in(configuration):
    kinds = get_type_hints(type(configuration))
    for field in dataclasses.fields(configuration):
        if kinds[field.name] in (int, float, int | None, float | None):
            assert field.metadata["range"] is not None, field.name
    check_ranges(configuration)


@pytest.mark.parametrize("name", TRAINED)
def test_nothing_is_written_of_a_run_that_is_refused(name, tmp_path):
    method = get_method(name)
    benchmark = get_benchmark(BY_ENVIRONMENT[next(iter(method.environments or BY_ENVIRONMENT))])
    configuration_type = method.load("configuration")
    known = {field.name for field in dataclasses.fields(configuration_type)}
    for option_name, value in (("evaluate_every", 0), ("evaluation_tasks", -5), ("threads", 0), ("device", "abacus")):
        if option_name not in known:
            continue
        with pytest.raises(InvalidOptionError, match=f"^{option_name} is {value!r}, expected "):
            configuration = configuration_type(**{option_name: value})
            method.train(benchmark, configuration, 0, 1_000_000, tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("apt-gen", "batch=1", "batch is 1, expected an integer of at least 2"),
        ("apt-gen", "beta=9.0", "beta is 9.0, expected a number from 0.125 to 8"),
        ("alp-gmm", "window=6", "window is 6, expected at least most_gaussians, which is 10"),
        (
            "alp-gmm",
            "fewest_gaussians=3,most_gaussians=2",
            "most_gaussians is 2, expected at least fewest_gaussians, which",
        ),
        ("goal-gan", "least_success=0.95", "most_success is 0.9, expected at least least_success, which is 0.95"),
    ],
)
def test_a_teachers_numbers_are_refused_likewise(name, options, message):
    with pytest.raises(TeacherOptionError) as raised:
        get_teacher(name).configured(options)
    assert str(raised.value).startswith(f"teacher {name!r}: {message}")


def test_an_entropy_weight_that_is_learned_does_not_begin_at_0():
    configuration = get_method("sac").load("configuration")
    with pytest.raises(InvalidOptionError, match=r"entropy_weight is 0, expected a number above 0"):
        check_ranges(configuration(entropy_weight=0))


def test_what_has_no_ants_has_no_options_of_ants(tmp_path):
    method, benchmark = get_method("sibling-rivalry"), get_benchmark("point-maze/corridor-2")
    for options in ({"low_level": "shipped"}, {"ant_threads": 2}):
        with pytest.raises(InvalidOptionError, match="SparsePointMaze-v0 has no ants"):
            method.train(benchmark, method.load("configuration")(**options), 0, 1_000_000, tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("name", "benchmark_id"),
    [
        *((name, "point-maze/test") for name in ("sibling-rivalry", "ppo-rnd", "ddpg-her", "ppo", "sac")),
        ("sibling-rivalry", "bit-grid/test"),
        ("dqn", "grid-world/target-a"),
    ],
)
def test_learning_that_diverges_ends_by_an_error(name, benchmark_id, tmp_path):
    """Actions that are no numbers were once an index outside of the maze."""
    method = get_method(name)
    figures = {"learning_rate": 1e30, "evaluation_tasks": 1, "rollouts": 2, "num_envs": 2, "learning_starts": 64}
    known = {field.name for field in dataclasses.fields(method.load("configuration"))}
    configuration = method.load("configuration")(**{key: figures[key] for key in known & figures.keys()})
    with pytest.raises(LearningDivergedError, match="learning diverged: "):
        method.train(get_benchmark(benchmark_id), configuration, 0, 5_000, tmp_path / "run")


def printed(configuration, environment_id="GridWorld-v0"):
    console = Console(file=io.StringIO(), width=100, highlight=False)
    console.print(settings_table("ppo on [grid]", configuration, type(configuration).within(environment_id)))
    return console.file.getvalue()


def test_every_setting_is_shown_and_what_differs_from_the_defaults_is_marked():
    text = printed(PPOConfiguration(num_envs=16, learning_rate=5e-4, teacher="plr", solvable=False))
    assert text.startswith("ppo on [grid]\n") and text.endswith("* differs from the default\n")
    marked = ("num_envs 16*", "learning_rate 0.0005*", "teacher plr*", "solvable False*")
    assert all(words in text for words in marked) and text.count("*") == len(marked) + 1
    assert 'teacher_options ""' in text and "epochs 4 " in text
    assert len(text.splitlines()) < 20, "several stand in a row"


def test_defaults_are_unmarked_and_what_the_environment_decides_says_so():
    text = printed(DDPGHERConfiguration())
    assert "*" not in text and "action_l2 (by environment)" in text
    assert text.endswith("all are the defaults\n")


def test_what_a_family_suggests_is_no_difference_there():
    ppo = get_method("ppo")
    text = printed(ppo.configured("XLandSmall-v0", {}), "XLandSmall-v0")
    assert "*" not in text and "num_envs 64 " in text
    assert "num_envs 256*" in printed(ppo.configured("XLandSmall-v0", {"num_envs": 256}), "XLandSmall-v0")


def test_a_run_for_the_whole_budget_says_how_many_steps_that_is(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "1000")
    benchmark = get_benchmark("grid-world/graded")
    for steps in (benchmark.interaction_budget, 1_000):
        with settings_shown():
            show_settings(RunFolder(tmp_path, "ppo", benchmark, PPOConfiguration(), 0, steps))
    whole, some = (line for line in capsys.readouterr().out.splitlines() if "seed 0" in line)
    assert f"{benchmark.interaction_budget:,} steps (the benchmark's budget, the default), in" in whole
    assert "1,000 steps, in" in some
