"""The conformance suite over every registered environment."""

import inspect
from functools import partial

import gymnasium
import pytest
import stable_baselines3.common.env_checker
from gymnasium.envs.registration import load_env_creator
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

from procgen_bench import ENVIRONMENT_IDS
from procgen_bench.process_vector_env import ProcessVectorEnv
from tests.envs.conformance import single_checks as checks
from tests.envs.conformance import vector_checks
from tests.envs.conformance.trajectory import play_vector

#: Options under which an environment is checked besides its default ones, and by which checks.
FURTHER_OPTIONS = [
    ("CompositionalMiniGrid-v0", {"backend": "minigrid"}),
    ("XLand-v0", {"players": 1, "observation": "state"}),
    ("XLand-v0", {"players": 3, "observation": "both", "privileged": True}),
]
OPTION_CHECKS = [
    checks.check_repeats_in_fresh_processes,
    checks.check_reset_leaves_nothing_behind,
    checks.check_spaces_hold_every_observation,
    checks.check_copies,
    checks.check_spec_round_trip,
]
MAKERS = [
    pytest.param(partial(gymnasium.make, name, **options), id=" ".join([name, *map(str, options.values())]))
    for name, options in [*((name, {}) for name in ENVIRONMENT_IDS), *FURTHER_OPTIONS]
]
VECTOR_IDS = [name for name in ENVIRONMENT_IDS if gymnasium.spec(name).vector_entry_point is not None]

SINGLE_CHECKS = [
    checks.check_repeats_in_fresh_processes,
    checks.check_seed_decides,
    checks.check_reset_leaves_nothing_behind,
    checks.check_tasks_at_reset,
    checks.check_spaces_hold_every_observation,
    checks.check_copies,
    checks.check_instances_share_nothing,
    checks.check_spec_round_trip,
    checks.check_rendering,
    checks.check_time_limit,
    checks.check_close_twice,
]
SEEDED_CHECKS = [check for check in SINGLE_CHECKS if "seeds" in inspect.signature(check).parameters]

pytestmark = pytest.mark.usefixtures("no_window")


@pytest.fixture
def no_window(monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")


def is_simulated(environment_id: str) -> bool:
    """Whether a simulator that is no kernel of this package steps the environment: slowly, in processes of its own."""
    return issubclass(load_env_creator(gymnasium.spec(environment_id).vector_entry_point), ProcessVectorEnv)


#: Its rows are led as FetchBlocks-v0's, by the same simulator.
LED_AS_ANOTHER = "FetchProgram-v0"
VECTORS = [pytest.param(name, marks=[pytest.mark.slow] if name == LED_AS_ANOTHER else []) for name in VECTOR_IDS]
#: Rows that are simulated in processes all begin anew alike: one mode of each environment is enough for every day.
IDS_AND_MODES = [
    pytest.param(
        *(name, mode),
        id=f"{name}-{mode.name}",
        marks=[pytest.mark.slow]
        if name == LED_AS_ANOTHER or (is_simulated(name) and mode != AutoresetMode.NEXT_STEP)
        else [],
    )
    for name in VECTOR_IDS
    for mode in AutoresetMode
]

#: Vector environments are checked with these options where episodes of the default ones would take too long.
VECTOR_OPTIONS = {
    "XLand-v0": {"observation": "state", "max_episode_steps": 60},
    "FetchProgram-v0": {"max_episode_steps": 60},
}


def vector_maker(environment_id: str) -> vector_checks.VectorFactory:
    options = VECTOR_OPTIONS.get(environment_id, {})
    return partial(gymnasium.make_vec, environment_id, vectorization_mode="vector_entry_point", **options)


def often_made(environment_id: str) -> vector_checks.VectorFactory:
    """As :func:`vector_maker`, for checks that make several: simulators take a second or two to start in a process."""
    options = {"num_workers": 1} if is_simulated(environment_id) else {}
    return partial(vector_maker(environment_id), **options)


def row_maker(environment_id: str) -> checks.Factory:
    """The single environment that a row equals."""
    return partial(gymnasium.make, environment_id, **VECTOR_OPTIONS.get(environment_id, {}))


def run_check(check, maker: checks.Factory, at_length: bool = False) -> None:
    """Run a check, with fewer seeds where steps are slow, as those of real components, or episodes long."""
    (environment_id,) = maker.args
    amounts = {}
    if gymnasium.spec(environment_id).max_episode_steps > checks.STEPS or "backend" in maker.keywords:
        amounts["seeds"] = checks.FEW_SEEDS
    if is_simulated(environment_id) and not at_length:
        amounts["seeds"] = checks.SEEDS[:2]
        if check is checks.check_rendering:
            amounts["steps"] = 20
    known = inspect.signature(check).parameters
    check(maker, **{name: amount for name, amount in amounts.items() if name in known})


@pytest.mark.parametrize("maker", MAKERS[: len(ENVIRONMENT_IDS)])
@pytest.mark.parametrize("check", SINGLE_CHECKS, ids=lambda check: check.__name__)
def test_single(check, maker):
    run_check(check, maker)


@pytest.mark.slow
@pytest.mark.parametrize("maker", [maker for maker in MAKERS if is_simulated(maker.values[0].args[0])])
@pytest.mark.parametrize("check", [*SEEDED_CHECKS, checks.check_rendering], ids=lambda check: check.__name__)
def test_simulated_at_length(check, maker):
    run_check(check, maker, at_length=True)


@pytest.mark.parametrize("maker", MAKERS[len(ENVIRONMENT_IDS) :])
@pytest.mark.parametrize("check", OPTION_CHECKS, ids=lambda check: check.__name__)
def test_further_options(check, maker):
    run_check(check, maker)


# It would have every action in [-1, 1], and bounds for what has none: places and velocities.
@pytest.mark.filterwarnings("ignore:.*For Box action spaces, we recommend using a symmetric and normalized space")
@pytest.mark.filterwarnings("ignore:.*Box observation space (minimum|maximum) value is -?infinity")
@pytest.mark.parametrize("maker", MAKERS)
def test_gymnasium_check_env(maker):
    check_env(maker().unwrapped)


# It warns of every observation that its own networks would have to flatten,
# and takes every one with three dimensions for a picture.
@pytest.mark.filterwarnings("ignore:We recommend you to use a symmetric and normalized Box action space")
@pytest.mark.filterwarnings("ignore:Your observation .* has an unconventional shape")
@pytest.mark.filterwarnings("ignore:It seems that your observation .* is an image")
@pytest.mark.filterwarnings("ignore:It seems that your observation space .* is an image")
@pytest.mark.filterwarnings("ignore:The minimal resolution for an image is 36x36")
@pytest.mark.parametrize("maker", MAKERS)
def test_stable_baselines3_check_env(maker):
    stable_baselines3.common.env_checker.check_env(maker(render_mode="rgb_array").unwrapped, skip_render_check=False)


@pytest.mark.parametrize(("environment_id", "mode"), IDS_AND_MODES)
def test_rows_equal_single(environment_id, mode):
    vector_checks.check_rows_equal_single(vector_maker(environment_id), row_maker(environment_id), mode)


@pytest.mark.parametrize(("environment_id", "mode"), IDS_AND_MODES)
def test_vector_equals_sync(environment_id, mode):
    vector_checks.check_equals_sync(vector_maker(environment_id), row_maker(environment_id), mode)


@pytest.mark.parametrize(("environment_id", "mode"), IDS_AND_MODES)
def test_batched_spaces_hold(environment_id, mode):
    vector_checks.check_batched_spaces_hold(vector_maker(environment_id), mode)


@pytest.mark.parametrize(
    "environment_id",
    # A row in a process is a single environment, which is checked above: one simulator is enough for every day.
    [
        pytest.param(name, marks=[pytest.mark.slow] if is_simulated(name) and name != "SparseAntMaze-v0" else [])
        for name in VECTOR_IDS
    ],
)
def test_vector_repeats_in_fresh_processes(environment_id):
    steps, seeds = checks.STEPS, checks.SEEDS
    if gymnasium.spec(environment_id).max_episode_steps > checks.STEPS or is_simulated(environment_id):
        steps, seeds = checks.FEW_STEPS // 2, checks.FEW_SEEDS[:2]
    checks.check_repeats_in_fresh_processes(
        partial(vector_maker(environment_id), num_envs=7), play_vector, steps, seeds
    )


@pytest.mark.parametrize("environment_id", VECTORS)
def test_vector_reset_leaves_nothing_behind(environment_id):
    num_tasks = 2 if is_simulated(environment_id) else None
    vector_checks.check_vector_reset_leaves_nothing_behind(often_made(environment_id), num_tasks)


@pytest.mark.parametrize("environment_id", VECTORS)
def test_vector_copies(environment_id):
    checks.check_copies(partial(often_made(environment_id), num_envs=5), play_vector)


@pytest.mark.parametrize("environment_id", VECTORS)
def test_vector_rendering(environment_id):
    vector_checks.check_vector_rendering(vector_maker(environment_id), row_maker(environment_id))


@pytest.mark.parametrize("environment_id", VECTORS)
def test_vector_closes_twice(environment_id):
    checks.check_close_twice(partial(vector_maker(environment_id), num_envs=3))
