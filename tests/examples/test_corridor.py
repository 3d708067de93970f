"""The tutorial's family, imported as its copy would be, passes what every registered one passes."""

import inspect
import os
from functools import partial
from pathlib import Path

import gymnasium
import pytest
from gymnasium.vector import AutoresetMode

from procgen_bench.cli import main
from tests.envs.conformance import single_checks, space_checks, state_checks, suite
from tests.examples.corridor_benchmarks import corridor_benchmark
from tests.leaderboards.few_benchmarks import only_benchmarks
from tests.tasks.conformance import neighbour_checks, parameter_checks, solver_checks, suite_checks, task_checks
from tests.tasks.conformance.cases import Case

EXAMPLES = Path(__file__).parents[2] / "examples"
ID = "corridor:Corridor-v0"
SPACE_CHECKS = [
    parameter_checks.check_samples_repeat,
    parameter_checks.check_samples_decode,
    parameter_checks.check_encode_is_undone,
    parameter_checks.check_json,
    parameter_checks.check_every_parameter_tells,
    parameter_checks.check_flat_vectors,
    parameter_checks.check_corners_of_the_box,
    parameter_checks.check_bad_parameters_are_refused,
    neighbour_checks.check_neighbours_are_valid,
    neighbour_checks.check_mutation_repeats,
    neighbour_checks.check_every_field_mutates,
    task_checks.check_tasks_cannot_change,
    task_checks.check_every_field_tells_tasks_apart,
    task_checks.check_broken_fields_are_refused,
    task_checks.check_resolving,
    task_checks.check_spaces_are_copied,
    task_checks.check_text_round_trip,
    solver_checks.check_sampled_tasks,
    solver_checks.check_solvable_samples,
    suite_checks.check_unknown_suites_are_refused,
]
#: Of the suite's name.
SUITE_CHECKS = [suite_checks.check_suite_is_whole, suite_checks.check_names_lead_to_tasks]


@pytest.fixture(autouse=True)
def importable(monkeypatch):
    """Also in the processes that checks start."""
    monkeypatch.syspath_prepend(EXAMPLES)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, [str(EXAMPLES), os.environ.get("PYTHONPATH")])))
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")


@pytest.fixture
def case():
    space = gymnasium.make(ID).unwrapped.task_space
    return Case("Corridor-v0", make=lambda _: type(space)())


#: The tutorial's family is the smallest there is: for every day, what its own code can get wrong is enough.
SINGLE_QUICK = (
    single_checks.check_repeats_in_another_process,
    single_checks.check_actions,
    single_checks.check_tasks_at_reset,
    single_checks.check_spaces_hold_every_observation,
    single_checks.check_rendering,
    state_checks.check_goes_on,
    suite.check_gymnasium_accepts,
)
VECTOR_QUICK = (suite.check_vector_rendering, suite.check_rows_go_on)


def each(checks, quick):
    """The checks as parameters, those that are not quick marked as slow."""
    return [
        pytest.param(check, id=check.__name__, marks=() if check in quick else pytest.mark.slow) for check in checks
    ]


@pytest.mark.parametrize(
    "check", each([*suite.SINGLE_CHECKS, *space_checks.SPACE_CHECKS, suite.check_gymnasium_accepts], SINGLE_QUICK)
)
def test_single(check):
    suite.run_check(check, partial(gymnasium.make, ID))


@pytest.mark.parametrize("mode", AutoresetMode)
@pytest.mark.parametrize("check", each(suite.MODE_CHECKS, [suite.check_rows_equal_single]))
def test_vector_in_every_mode(check, mode):
    check(ID, mode)


@pytest.mark.parametrize("check", each(suite.VECTOR_CHECKS, VECTOR_QUICK))
def test_vector(check):
    check(ID)


@pytest.mark.parametrize("check", SPACE_CHECKS, ids=lambda check: check.__name__)
def test_space(check, case):
    check(case, **({"count": 30} if "count" in inspect.signature(check).parameters else {}))


@pytest.mark.parametrize("check", SUITE_CHECKS, ids=lambda check: check.__name__)
def test_suites(check, case):
    check(case, "named")


def test_solutions_solve():
    env = gymnasium.make(ID, tasks="named")
    for seed in range(10):
        env.reset(seed=seed)
        steps = [env.step(action) for action in env.unwrapped.task_space.solve(env.unwrapped.task)]
        assert [step[1] for step in steps] == [0.0] * 7 + [1.0]
        assert steps[-1][2] and steps[-1][4]["success"]


def test_the_command_line_takes_the_id_that_names_its_module(tmp_path, capsys):
    benchmark = corridor_benchmark(ID)
    assert benchmark.max_episode_steps == 40
    submission = str(tmp_path / "solved")
    with only_benchmarks(benchmark):
        for words in (
            ["describe", ID],
            ["evaluate", "corridor/named", "--policy", "solver", "--workers", "1", "-o", submission],
            ["render", submission, "--out", str(tmp_path / "clip.gif")],
        ):
            with pytest.raises(SystemExit) as stop:
                main(words)
            assert not stop.value.code, capsys.readouterr().err
    output = capsys.readouterr().out
    assert "40 steps" in output and "corridor/named v1: success 1 (1 runs x 3 tasks x 1 episodes)" in output
    assert (tmp_path / "clip.gif").stat().st_size > 0
