"""Libraries that cannot be played are refused, with the names of the programs at fault."""

from dataclasses import replace

import numpy as np
import pytest
from numba import njit

from procgen_bench.tasks.programs import PROGRAMS, InvalidLibraryError, ProgramDefinition, ProgramLibrary, paper_library
from procgen_bench.tasks.programs.conditions import all_stacked, set_stack_goal

ATOMIC = PROGRAMS["Stack_0_1"].definition
FIRST = ProgramDefinition("First", "does", 1, psi=all_stacked, calls=("Stack_0_1",))


@njit
def half(state, arguments, goal):
    return 0.5


def joined_text(state, arguments, goal):
    return state + "text"


@pytest.mark.parametrize(
    ("definitions", "message"),
    [
        (
            [replace(FIRST, calls=("Second",)), replace(FIRST, name="Second", calls=("Stack_0_1", "First"))],
            "programs call each other in a circle: First -> Second -> First",
        ),
        ([replace(FIRST, calls=("First",))], "programs call each other in a circle: First -> First"),
        (
            [FIRST, replace(FIRST, name="Second", calls=("First",))],
            "Second of level 1 calls First of level 1, expected programs of lower levels",
        ),
        ([replace(FIRST, psi=None)], r"First has no post-condition \(psi\), and no goal \(theta\)"),
        (
            [replace(FIRST, calls=("Stack_0_1", "Stack_9_1", "Tidy"))],
            "First calls Stack_9_1, Tidy, of which the library knows nothing; it has Stack_0_1, First",
        ),
        ([FIRST, FIRST], "First is defined more than once"),
        ([replace(FIRST, calls=())], r"First has no goal setter .*, not level 1, 0 calls and 1"),
        ([replace(FIRST, level=0)], r"First has no goal setter .*, not level 0, 1 calls"),
        (
            [replace(FIRST, theta=set_stack_goal)],
            r"First has a goal setter \(theta\), so it is atomic: expected level 0",
        ),
        ([replace(ATOMIC, name="Other", blocks=())], "Other is atomic: expected the block that it moves"),
        ([replace(ATOMIC, name="Other", blocks=(4, 1))], "Other is about block 4, expected blocks 0 to 3"),
    ],
)
def test_what_cannot_be_played_is_refused(definitions, message):
    with pytest.raises(InvalidLibraryError, match=message):
        ProgramLibrary([ATOMIC, *definitions])


@pytest.mark.parametrize("num_blocks", [1, 7, 2.0, None])
def test_other_numbers_of_blocks_are_refused(num_blocks):
    with pytest.raises(InvalidLibraryError, match="expected an integer from 2 to 6"):
        ProgramLibrary([ATOMIC, FIRST], num_blocks)
    with pytest.raises(InvalidLibraryError, match="expected an integer from 2 to 6"):
        paper_library(num_blocks)


@pytest.mark.parametrize(
    ("psi", "message"),
    [
        (half, "psi of First returns float64, expected a truth value"),
        (joined_text, "psi of First cannot be compiled by Numba"),
        ("text", "psi of First is 'text', expected a function"),
    ],
)
def test_functions_that_are_no_conditions_are_refused(psi, message):
    library = ProgramLibrary([ATOMIC, replace(FIRST, psi=psi)])
    with pytest.raises(InvalidLibraryError, match=message):
        library.preconditions(np.zeros(70))
