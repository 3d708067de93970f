"""The conformance suite over every registered environment."""

import inspect

import gymnasium
import pytest
from gymnasium.vector import AutoresetMode

from tests.envs.conformance import single_checks as checks
from tests.envs.conformance import state_checks, suite
from tests.envs.conformance.makers import DEFAULT_MAKERS, FURTHER_MAKERS, MAKERS
from tests.installed import INSTALLED_IDS
from tests.tasks.conformance.cases import LIKE_ANOTHER
from tests.tasks.conformance.solver_checks import UNSOLVED

OPTION_CHECKS = [
    checks.check_repeats_in_another_process,
    checks.check_reset_leaves_nothing_behind,
    checks.check_spaces_hold_every_observation,
    checks.check_copies,
    checks.check_spec_round_trip,
]
VECTOR_IDS = [name for name in INSTALLED_IDS if gymnasium.spec(name).vector_entry_point is not None]
SHORTENED_CHECKS = [
    check for check in suite.SINGLE_CHECKS if check in suite.SHORTER or "seeds" in inspect.signature(check).parameters
]

pytestmark = pytest.mark.usefixtures("no_window")


@pytest.fixture
def no_window(monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")


def slow_if(condition: bool) -> list[pytest.MarkDecorator]:
    return [pytest.mark.slow] if condition else []


#: Their rows are led as CompositionalMiniGrid-v0's, FetchBlocks-v0's, GMiniWoB-v0's and XLand-v0's, by the same
#: simulators.
LED_AS_ANOTHER = ("CompositionalMiniGridSparse-v0", "FetchProgram-v0", "GMiniWoBLiteral-v0", "XLandSmall-v0")
#: Rows in processes are led by code that knows no family; tests/engine checks that code on rows that cost little. What
#: a family can get wrong is that its rows are the single environment, and, of those that are not heavy, the following.
EVERY_FAMILYS_CHECKS = (suite.check_vector_copies, suite.check_rows_go_on, suite.check_vector_unknown_arguments)


#: What is heavy: worlds that take a second to draw, physics, sites, walls. The others are checked in everything.
HEAVY = ("XLand-v0", "SparseAntMaze-v0", "SparsePointMaze-v0", "FetchProgram-v0", "TablePush-v0", "GMiniWoB-v0")
#: What a heavy family can get wrong by itself; the other checks are of code that all families share.
HEAVY_FAMILYS_CHECKS = (
    checks.check_repeats_in_another_process,
    checks.check_actions,
    checks.check_tasks_at_reset,
    checks.check_unknown_arguments,
    checks.check_spaces_hold_every_observation,
    checks.check_copies,
    state_checks.check_goes_on,
)
#: Environments that cost little, without goals and with them: they are checked in every autoreset mode.
IN_EVERY_MODE = ("GridWorld-v0", "BitGrid-v0")


def single_marks(check, environment_id: str) -> list[pytest.MarkDecorator]:
    shared = environment_id in HEAVY and check not in HEAVY_FAMILYS_CHECKS
    return slow_if(shared or environment_id in LIKE_ANOTHER)


def mode_marks(check, environment_id: str, mode: AutoresetMode) -> list[pytest.MarkDecorator]:
    # Rows of one kind all restart alike: one mode of each environment is enough for every day.
    other_mode = mode != AutoresetMode.NEXT_STEP and environment_id not in IN_EVERY_MODE
    return vector_marks(check, environment_id) or slow_if(other_mode)


def vector_marks(check, environment_id: str) -> list[pytest.MarkDecorator]:
    if check is suite.check_vector_repeats_in_another_process:
        # A row is a single environment, which is checked by itself: a grid and a simulator are enough for every day.
        return slow_if(environment_id not in ("GridWorld-v0", "SparseAntMaze-v0"))
    if check is suite.check_rows_equal_single:
        return slow_if(environment_id in LED_AS_ANOTHER)
    if check not in EVERY_FAMILYS_CHECKS:
        return slow_if(suite.is_simulated(environment_id) or environment_id in HEAVY)
    return slow_if(environment_id in LED_AS_ANOTHER or environment_id in HEAVY)


@pytest.mark.parametrize(
    ("check", "maker"),
    [
        pytest.param(check, made.values[0], id=f"{check.__name__}-{made.id}", marks=single_marks(check, made.id))
        for check in suite.SINGLE_CHECKS
        for made in DEFAULT_MAKERS
    ],
)
def test_single(check, maker):
    suite.run_check(check, maker)


@pytest.mark.slow
@pytest.mark.parametrize("maker", [maker for maker in MAKERS if suite.is_shortened(maker.values[0].args[0])])
@pytest.mark.parametrize("check", SHORTENED_CHECKS, ids=lambda check: check.__name__)
def test_at_length(check, maker):
    suite.run_check(check, maker, at_length=True)


@pytest.mark.parametrize("maker", FURTHER_MAKERS)
@pytest.mark.parametrize("check", OPTION_CHECKS, ids=lambda check: check.__name__)
def test_further_options(check, maker):
    suite.run_check(check, maker)


# It would have every action in [-1, 1], and bounds for what has none: places and velocities.
@pytest.mark.filterwarnings("ignore:.*For Box action spaces, we recommend using a symmetric and normalized space")
@pytest.mark.filterwarnings("ignore:.*Box observation space (minimum|maximum) value is -?infinity")
@pytest.mark.parametrize("maker", MAKERS)
def test_gymnasium_check_env(maker):
    suite.check_gymnasium_accepts(maker)


@pytest.mark.parametrize(
    ("check", "environment_id", "mode"),
    [
        pytest.param(check, name, mode, id=f"{check.__name__}-{name}-{mode.name}", marks=mode_marks(check, name, mode))
        for check in suite.MODE_CHECKS
        for name in VECTOR_IDS
        for mode in AutoresetMode
    ],
)
def test_vector_in_every_mode(check, environment_id, mode):
    check(environment_id, mode)


@pytest.mark.parametrize(
    ("check", "environment_id"),
    [
        pytest.param(check, name, id=f"{check.__name__}-{name}", marks=vector_marks(check, name))
        for check in suite.VECTOR_CHECKS
        for name in VECTOR_IDS
    ],
)
def test_vector(check, environment_id):
    check(environment_id)


#: Those that a success ends, and that have a solver.
ENDED_BY_SUCCESS = [name for name in VECTOR_IDS if name not in (*UNSOLVED, "XLand-v0", "XLandSmall-v0")]


@pytest.mark.parametrize(
    "environment_id",
    [
        pytest.param(name, marks=slow_if(name in LED_AS_ANOTHER or suite.is_simulated(name)))
        for name in ENDED_BY_SUCCESS
    ],
)
def test_success_in_the_last_step(environment_id):
    suite.check_success_in_the_last_step(environment_id)


@pytest.mark.slow
@pytest.mark.parametrize("environment_id", [name for name in VECTOR_IDS if not suite.is_shortened(name)])
def test_vectors_repeat_at_length(environment_id):
    suite.check_vector_repeats_in_another_process(environment_id, at_length=True)
