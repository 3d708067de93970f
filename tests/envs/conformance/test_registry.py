"""The conformance suite over every registered environment."""

import inspect

import gymnasium
import pytest
from gymnasium.vector import AutoresetMode

from tests.envs.conformance import single_checks as checks
from tests.envs.conformance import suite
from tests.envs.conformance.makers import DEFAULT_MAKERS, FURTHER_MAKERS, MAKERS
from tests.installed import INSTALLED_IDS
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


#: Their rows are led as FetchBlocks-v0's, GMiniWoB-v0's and XLand-v0's, by the same simulators.
LED_AS_ANOTHER = ("FetchProgram-v0", "GMiniWoBLiteral-v0", "XLandSmall-v0")
#: Rows in processes are led by code that knows no family; tests/engine checks that code on rows that cost little. What
#: a family can get wrong is that its rows are the single environment, and that they can be pickled.
EVERY_FAMILYS_CHECKS = (
    suite.check_rows_equal_single,
    suite.check_vector_copies,
    suite.check_rows_go_on,
    suite.check_vector_unknown_arguments,
)


def mode_marks(check, environment_id: str, mode: AutoresetMode) -> list[pytest.MarkDecorator]:
    # Rows in processes all restart alike: one mode of each environment is enough for every day.
    simulated = suite.is_simulated(environment_id)
    return vector_marks(check, environment_id) or slow_if(simulated and mode != AutoresetMode.NEXT_STEP)


def vector_marks(check, environment_id: str) -> list[pytest.MarkDecorator]:
    if check is suite.check_vector_repeats_in_another_process:
        # A row in a process is a single environment, which is checked by itself: one simulator is enough for every day.
        return slow_if(suite.is_simulated(environment_id) and environment_id != "SparseAntMaze-v0")
    if check not in EVERY_FAMILYS_CHECKS:
        return slow_if(suite.is_simulated(environment_id))
    return slow_if(environment_id in LED_AS_ANOTHER)


@pytest.mark.parametrize("maker", DEFAULT_MAKERS)
@pytest.mark.parametrize("check", suite.SINGLE_CHECKS, ids=lambda check: check.__name__)
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
    "environment_id", [pytest.param(name, marks=slow_if(name in LED_AS_ANOTHER)) for name in ENDED_BY_SUCCESS]
)
def test_success_in_the_last_step(environment_id):
    suite.check_success_in_the_last_step(environment_id)


@pytest.mark.slow
@pytest.mark.parametrize("environment_id", [name for name in VECTOR_IDS if not suite.is_shortened(name)])
def test_vectors_repeat_at_length(environment_id):
    suite.check_vector_repeats_in_another_process(environment_id, at_length=True)
