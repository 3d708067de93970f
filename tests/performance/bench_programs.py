"""Programs of AlphaNPI-X: all 27 pre-conditions, goals and post-conditions of states, compiled and in plain Python.

The table's steps are states, each asked for all programs at once, or one program after the other. No time is asserted.
"""

import numpy as np
import pytest

from procgen_bench.tasks.programs import PROGRAMS
from tests.performance.stepping import in_processor_seconds, time_steps
from tests.tasks.programs import reference_programs as reference
from tests.tasks.programs.makers import random_states

STATES, PEER_STATES = 10_000, 100
EVERY = np.arange(len(PROGRAMS))[np.newaxis]


def states_of(count: int) -> np.ndarray:
    """The same in every run."""
    return random_states(np.random.default_rng(0), count)


@in_processor_seconds
def test_kernel_in_a_loop(benchmark):
    """As tree search asks: a call from Python for each state, whose overhead counts."""
    states, results = [state[np.newaxis] for state in states_of(STATES)], np.empty((1, len(PROGRAMS)), np.bool_)
    preconditions, table = PROGRAMS.kernels.preconditions, PROGRAMS.table

    def advance() -> None:
        for state in states:
            preconditions(state, EVERY, table, results)

    time_steps(benchmark, "27 pre-conditions, a call of the kernel for each state", "ours", STATES, advance)


@in_processor_seconds
def test_checked_calls_in_a_loop(benchmark):
    states = list(states_of(STATES))

    def advance() -> None:
        for state in states:
            PROGRAMS.preconditions(state)

    time_steps(benchmark, "27 pre-conditions, a checked call for each state", "ours", STATES, advance)


@in_processor_seconds
def test_one_program_after_the_other(benchmark):
    states = list(states_of(PEER_STATES))

    def advance() -> None:
        for state in states:
            for program in PROGRAMS.values():
                program.precondition(state)

    time_steps(benchmark, "27 pre-conditions, program by program", "ours", PEER_STATES, advance)


@in_processor_seconds
@pytest.mark.parametrize("kind", ["preconditions", "goals", "postconditions"])
def test_batch(benchmark, kind):
    """One call for all states: nothing but compiled code."""
    states, kernels, table = states_of(STATES), PROGRAMS.kernels, PROGRAMS.table
    goals, results = PROGRAMS.goals(states), np.empty((STATES, len(PROGRAMS)), np.bool_)
    advance = {
        "preconditions": lambda: kernels.preconditions(states, EVERY, table, results),
        "goals": lambda: kernels.goals(states, EVERY, table, goals),
        "postconditions": lambda: kernels.postconditions(states, EVERY, goals, table, results),
    }[kind]
    time_steps(benchmark, f"27 {kind}, all states in one call", "ours", STATES, advance)


@in_processor_seconds
def test_plain_python(benchmark):
    states = [reference.places_of(state) for state in states_of(PEER_STATES)]

    def advance() -> None:
        for places in states:
            for name in PROGRAMS:
                reference.precondition(name, places)

    time_steps(benchmark, "27 pre-conditions, plain Python", "peer", PEER_STATES, advance)
