"""The settings that are printed before a run is trained."""

import io

from rich.console import Console

from procgen_bench.baselines.methods.ppo_settings import PPOConfiguration
from procgen_bench.baselines.papers.sibling_rivalry.goal_replay_settings import DDPGHERConfiguration
from procgen_bench.baselines.training.run_folder import RunFolder
from procgen_bench.baselines.training.settings_table import settings_shown, settings_table, show_settings
from procgen_bench.core.benchmarks import get_benchmark


def printed(configuration):
    console = Console(file=io.StringIO(), width=100, highlight=False)
    console.print(settings_table("ppo on [grid]", configuration))
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


def test_a_run_for_the_whole_budget_says_how_many_steps_that_is(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "1000")
    benchmark = get_benchmark("grid-world/graded")
    for steps in (benchmark.interaction_budget, 1_000):
        with settings_shown():
            show_settings(RunFolder(tmp_path, "ppo", benchmark, PPOConfiguration(), 0, steps))
    whole, some = (line for line in capsys.readouterr().out.splitlines() if "seed 0" in line)
    assert f"{benchmark.interaction_budget:,} steps (the benchmark's budget, the default), in" in whole
    assert "1,000 steps, in" in some
