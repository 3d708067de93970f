"""Recipes of other people's learners train for some hundred steps, in the environments where docs/learners.md says so.

stable-baselines3 is always there. The others are in environments of their own (``make test-learners``), and CleanRL's
file, which no package has, where ``PROCGEN_BENCH_CLEANRL`` says.
"""

import importlib.util
import json
import os
import runpy
import subprocess
import sys
from pathlib import Path

import gymnasium
import pytest

from procgen_bench.testing import check_teacher
from tests.installed import INSTALLED_IDS

EXAMPLES = Path(__file__).parents[2] / "examples" / "learners"
TABLE = runpy.run_path(str(EXAMPLES / "table.py"))
LIBRARIES, PAGE = TABLE["LIBRARIES"], TABLE["PAGE"]
CLEANRL = os.environ.get("PROCGEN_BENCH_CLEANRL")
#: Of each kind of actions, and of observations with a picture.
ONE_OF_EACH_KIND = ("GridWorld-v0", "SparsePointMaze-v0", "XLandSmall-v0", "VoxelBuild-v0")
#: Rows that take seconds to start, to step, or to learn from.
SLOW_IDS = ("TablePush-v0", "VoxelBuild-v0", "XLand-v0", "XLandSmall-v0")


def cells() -> dict[tuple[str, str], str]:
    """The page's table: by a library's heading and an environment, what ran."""
    table = PAGE.read_text(encoding="utf-8").partition("<!-- table -->\n")[2].partition("<!-- end")[0]
    first, _, *rows = ([part.strip() for part in line.strip("|").split("|")] for line in table.splitlines())
    headings = [heading.partition(" ")[0] for heading in first[1:]]
    return {(heading, row[0]): cell for row in rows for heading, cell in zip(headings, row[1:], strict=True)}


def is_installed(library) -> bool:
    if library.heading == "CleanRL" and CLEANRL is None:
        return False
    return importlib.util.find_spec(library.module) is not None


def run(monkeypatch, recipe: str, *arguments: str) -> None:
    monkeypatch.setattr(sys, "argv", [recipe, *arguments])
    monkeypatch.syspath_prepend(str(EXAMPLES))
    runpy.run_path(str(EXAMPLES / recipe), run_name="__main__")


def test_the_page_says_what_ran_in_every_environment():
    table = cells()
    assert set(table) == {(library.heading, name) for library in LIBRARIES for name in TABLE["IDS"]}
    for cell in table.values():
        assert cell in ("ran", "`flat`") or cell.removeprefix("no: ") in TABLE["REFUSALS"].values()


@pytest.mark.parametrize(
    "environment_id", [pytest.param(n, marks=[pytest.mark.slow] if n in SLOW_IDS else []) for n in INSTALLED_IDS]
)
def test_stable_baselines3(environment_id, monkeypatch, capsys):
    pytest.importorskip("stable_baselines3")
    row = TABLE["OF_ANOTHER_ROW"].get(environment_id, environment_id)
    options = json.dumps({"flat": cells()["stable-baselines3", row] == "`flat`"})
    run(monkeypatch, "stable_baselines3_ppo.py", environment_id, "--steps", "1", "--options", options)
    assert "trained for 256 steps" in capsys.readouterr().out


def test_stable_baselines3_with_options(monkeypatch, capsys):
    pytest.importorskip("stable_baselines3")
    options = json.dumps({"flat": True, "tasks": "graded"})
    run(monkeypatch, "stable_baselines3_ppo.py", "GridWorld-v0", "--steps", "1", "--options", options)
    assert "trained for 256 steps" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize(
    ("environment_id", "policy", "tasks"),
    [
        ("GridWorld-v0", "solver", "graded"),
        ("SparsePointMaze-v0", "solver", "test"),
        ("XLandSmall-v0", "trained", "training"),
    ],
)
def test_minari_keeps_what_a_policy_does(environment_id, policy, tasks, tmp_path, monkeypatch):
    minari = pytest.importorskip("minari")
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    options = json.dumps({"tasks": tasks})
    command = [sys.executable, EXAMPLES / "minari_demonstrations.py", environment_id, "--steps", "200"]
    subprocess.run([*command, "--policy", policy, "--options", options], check=True)
    dataset = minari.load_dataset(f"procgen_bench/{environment_id}/{policy}-v0")
    assert dataset.total_steps >= 200
    env = gymnasium.make(environment_id, **json.loads(options))
    for episode in dataset.iterate_episodes():
        (kept,) = dataset.storage.get_episode_metadata([episode.id])
        observation, _ = env.reset(seed=kept["seed"])
        assert all((episode.observations[key][0] == observation[key]).all() for key in observation)
        assert episode.terminations[-1] or episode.truncations[-1]


@pytest.mark.slow
@pytest.mark.parametrize("environment_id", ONE_OF_EACH_KIND)
@pytest.mark.parametrize(
    "library", [one for one in LIBRARIES if is_installed(one)], ids=lambda library: library.heading
)
def test_cells(library, environment_id):
    table = TABLE["Table"](python=sys.executable, rllib=sys.executable, cleanrl=CLEANRL)
    assert table.cell(library, environment_id) == cells()[library.heading, environment_id]


@pytest.mark.slow
@pytest.mark.parametrize("benchmark_id", ["grid-world/graded", "ued-maze/random"])
def test_a_curriculum_of_syllabus_is_a_teacher(benchmark_id, monkeypatch):
    pytest.importorskip("syllabus")
    monkeypatch.syspath_prepend(str(EXAMPLES))
    check_teacher("syllabus_teacher:SyllabusTeacher", benchmark_id, "tasks=20")


def test_costs_are_measured_beside_the_native_rows():
    pytest.importorskip("stable_baselines3")
    costs = runpy.run_path(str(EXAMPLES / "costs.py"))
    page = PAGE.read_text(encoding="utf-8").partition(costs["FIRST"])[2].partition(costs["LAST"])[0].splitlines()
    measured = costs["table"](0.02).splitlines()
    assert page[:2] == measured[:2] and "| 1x |" in measured[2]
    assert [line.split(" | ")[0] for line in page[2:]] == [f"| {title}" for title, *_ in costs["WAYS"]]
    sync = next(line for line in measured if "sync" in line)
    assert float(sync.split(" | ")[2].partition("x")[0]) > 5, "the native rows are not stepped in one call"


def test_a_copied_file_is_run_with_the_environment_that_was_asked_for(tmp_path, monkeypatch, capsys):
    file = tmp_path / "copied.py"
    file.write_text(
        "import sys\nimport gymnasium\n"
        "env = gymnasium.make(sys.argv[sys.argv.index('--env-id') + 1])\n"
        "print(type(env.unwrapped).__name__, env.reset(seed=0)[0].shape, env.unwrapped.task_space.suite_names)\n"
    )
    options = json.dumps({"flat": True})
    try:
        run(monkeypatch, "cleanrl_ppo.py", "GridWorld-v0", "--steps", "1", "--options", options, "--file", str(file))
    finally:
        gymnasium.registry.pop("Recipe-v0", None)
    assert "GridWorldEnv (61,)" in capsys.readouterr().out


@pytest.mark.parametrize("options", ["[1]", "tasks=graded"])
def test_options_that_are_none_are_named(options, monkeypatch, capsys):
    with pytest.raises(SystemExit) as stop:
        run(monkeypatch, "cleanrl_ppo.py", "GridWorld-v0", "--options", options, "--file", "any.py")
    assert stop.value.code == 2
    assert options in capsys.readouterr().err
