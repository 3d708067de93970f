"""The conformance suite over any id: its checks, and how much of each where steps are slow or episodes long.

An id may name the module that registers it (``"corridor:Corridor-v0"``), as Gymnasium's ids may.
"""

import importlib
import inspect
from functools import partial

import gymnasium
from gymnasium.envs.registration import EnvSpec, load_env_creator
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

from procgen_bench.engine.hosted_vector_env import HostedVectorEnv
from procgen_bench.engine.process_vector_env import ProcessVectorEnv
from tests.envs.conformance import single_checks as checks
from tests.envs.conformance import state_checks, vector_checks
from tests.envs.conformance.trajectory import play_vector

#: Vector environments are checked with these options where episodes of the default ones would take too long.
VECTOR_OPTIONS = {
    "XLand-v0": {"observation": "state", "max_episode_steps": 60},
    "XLandSmall-v0": {"max_episode_steps": 60},
    "FetchProgram-v0": {"max_episode_steps": 60},
}


def registered(environment_id: str) -> EnvSpec:
    """What the id is registered with, after importing the module that it names."""
    module, _, name = environment_id.rpartition(":")
    if module:
        importlib.import_module(module)
    return gymnasium.spec(name)


def is_simulated(environment_id: str) -> bool:
    """Whether a simulator that is no kernel of this package steps the environment: slowly."""
    return issubclass(vector_class(environment_id), HostedVectorEnv)


def vector_class(environment_id: str) -> type:
    """The id's vector environment."""
    return load_env_creator(registered(environment_id).vector_entry_point)


def vector_maker(environment_id: str) -> vector_checks.VectorFactory:
    options = VECTOR_OPTIONS.get(environment_id, {})
    return partial(gymnasium.make_vec, environment_id, vectorization_mode="vector_entry_point", **options)


def often_made(environment_id: str) -> vector_checks.VectorFactory:
    """As :func:`vector_maker`, for checks that make several: simulators take a second or two to start in a process."""
    options = {"num_workers": 1} if issubclass(vector_class(environment_id), ProcessVectorEnv) else {}
    return partial(vector_maker(environment_id), **options)


def row_maker(environment_id: str) -> checks.Factory:
    """The single environment that a row equals."""
    return partial(gymnasium.make, environment_id, **VECTOR_OPTIONS.get(environment_id, {}))


def is_long(environment_id: str) -> bool:
    """Whether an episode may last for longer than what is played elsewhere."""
    return registered(environment_id).max_episode_steps > checks.STEPS


def is_shortened(environment_id: str) -> bool:
    """Whether every day's checks take less of it: its steps are slow, or its episodes long."""
    return is_simulated(environment_id) or is_long(environment_id)


#: How much of such an environment is enough for every day.
SHORTER = {
    checks.check_rendering: {"steps": 6},
    checks.check_reset_leaves_nothing_behind: {"steps": 40, "num_tasks": 3},
    checks.check_copies: {"steps": 60},
}


def run_check(check, maker: checks.Factory, at_length: bool = False) -> None:
    """Run a single environment's check, with less of it where steps are slow or episodes long."""
    (environment_id,) = maker.args
    amounts = {}
    if is_long(environment_id) or "backend" in maker.keywords:
        amounts["seeds"] = checks.FEW_SEEDS
    if is_simulated(environment_id) and not at_length:
        amounts["seeds"] = checks.SEEDS[:2]
    if is_shortened(environment_id) and not at_length:
        amounts |= SHORTER.get(check, {})
    known = inspect.signature(check).parameters
    check(maker, **{name: amount for name, amount in amounts.items() if name in known})


def check_gymnasium_accepts(factory: checks.Factory) -> None:
    """Gymnasium's own checker finds nothing."""
    check_env(factory().unwrapped)


def check_rows_equal_single(environment_id: str, mode: AutoresetMode) -> None:
    amounts = {"num_rows": 3, "num_limits": 2} if is_shortened(environment_id) else {}
    vector_checks.check_rows_equal_single(vector_maker(environment_id), row_maker(environment_id), mode, **amounts)


def check_vector_equals_sync(environment_id: str, mode: AutoresetMode) -> None:
    vector_checks.check_equals_sync(vector_maker(environment_id), row_maker(environment_id), mode)


def check_batched_spaces_hold(environment_id: str, mode: AutoresetMode) -> None:
    vector_checks.check_batched_spaces_hold(vector_maker(environment_id), mode)


def check_vector_repeats_in_another_process(environment_id: str, at_length: bool = False) -> None:
    steps, seeds = checks.STEPS, checks.SEEDS if at_length else checks.FEW_SEEDS
    if is_shortened(environment_id):
        steps, seeds = checks.FEW_STEPS // 2, checks.FEW_SEEDS[:2]
    checks.check_repeats_in_another_process(
        partial(vector_maker(environment_id), num_envs=7), play_vector, steps, seeds
    )


def check_vector_reset_leaves_nothing_behind(environment_id: str) -> None:
    num_tasks = 2 if is_simulated(environment_id) else None
    vector_checks.check_vector_reset_leaves_nothing_behind(often_made(environment_id), num_tasks)


def check_vector_seed_types(environment_id: str) -> None:
    vector_checks.check_vector_seed_types(often_made(environment_id))


def check_vector_actions(environment_id: str) -> None:
    vector_checks.check_vector_actions(often_made(environment_id))


def check_own_generator_is_seeded(environment_id: str) -> None:
    vector_checks.check_own_generator_is_seeded(often_made(environment_id))


def check_vector_copies(environment_id: str) -> None:
    num_envs, steps = (3, 40) if is_simulated(environment_id) else (5, checks.FEW_STEPS)
    checks.check_copies(partial(often_made(environment_id), num_envs=num_envs), play_vector, steps)


def check_vector_rendering(environment_id: str) -> None:
    vector_checks.check_vector_rendering(vector_maker(environment_id), row_maker(environment_id))


def check_vector_close(environment_id: str) -> None:
    checks.check_close(partial(vector_maker(environment_id), num_envs=3))


def check_solvable_rows(environment_id: str) -> None:
    vector_checks.check_solvable_rows(often_made(environment_id), row_maker(environment_id))


def check_success_in_the_last_step(environment_id: str) -> None:
    vector_checks.check_success_in_the_last_step(often_made(environment_id), row_maker(environment_id))


def check_vector_unknown_arguments(environment_id: str) -> None:
    checks.check_unknown_arguments(vector_maker(environment_id), "num_envs")


def check_rows_go_on(environment_id: str) -> None:
    state_checks.check_rows_go_on(often_made(environment_id), row_maker(environment_id))


def check_ended_rows(environment_id: str) -> None:
    state_checks.check_ended_rows(often_made(environment_id), row_maker(environment_id))


def check_ended_rows_wait(environment_id: str) -> None:
    state_checks.check_ended_rows_wait(often_made(environment_id))


#: Of a single environment's factory.
SINGLE_CHECKS = [
    checks.check_repeats_in_another_process,
    checks.check_seed_decides,
    checks.check_seed_is_reported,
    checks.check_seed_types,
    checks.check_actions,
    checks.check_reset_leaves_nothing_behind,
    checks.check_tasks_at_reset,
    checks.check_solvable_tasks,
    checks.check_unknown_arguments,
    checks.check_spaces_hold_every_observation,
    checks.check_copies,
    checks.check_instances_share_nothing,
    checks.check_spec_round_trip,
    checks.check_spec_of_tasks,
    checks.check_rendering,
    checks.check_time_limit,
    checks.check_close,
    state_checks.check_goes_on,
    state_checks.check_seed_beside_state,
    state_checks.check_refusals,
]
#: Of an id and an autoreset mode.
MODE_CHECKS = [check_rows_equal_single, check_vector_equals_sync, check_batched_spaces_hold]
#: Of an id.
VECTOR_CHECKS = [
    check_vector_repeats_in_another_process,
    check_vector_reset_leaves_nothing_behind,
    check_vector_seed_types,
    check_vector_actions,
    check_own_generator_is_seeded,
    check_vector_copies,
    check_vector_rendering,
    check_vector_close,
    check_solvable_rows,
    check_vector_unknown_arguments,
    check_rows_go_on,
    check_ended_rows,
    check_ended_rows_wait,
]
