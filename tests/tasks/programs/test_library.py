"""All programs as one compiled function each, against plain Python, for every number of blocks.

Libraries that cannot be played are refused, with the names of the programs at fault.
"""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from numba import njit

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.programs import PROGRAMS, InvalidLibraryError, ProgramDefinition, ProgramLibrary, paper_library
from procgen_bench.tasks.programs.conditions import all_stacked, set_stack_goal
from procgen_bench.tasks.programs.states import block_positions
from tests.tasks.programs import reference_programs as reference
from tests.tasks.programs.makers import done_states, random_states


def tried_states(library: ProgramLibrary, count: int) -> np.ndarray:
    """Random states, those of done programs, and these with one block displaced: (about count, 15 N + 10)."""
    rng = np.random.default_rng(4)
    names = [program.name for program in library.values() if not program.is_atomic]
    per_name = count // (3 * len(names))
    done = [done_states(name, rng, per_name, library.num_blocks) for name in names]
    states = np.concatenate([random_states(rng, count - 2 * len(names) * per_name, library.num_blocks), *done, *done])
    displaced = block_positions(states)[-len(names) * per_name :]
    blocks = rng.integers(library.num_blocks, size=len(displaced))
    displaced[np.arange(len(displaced)), blocks] += rng.normal(0.0, 0.04, (len(displaced), 3))
    return states


def check_agreement(library: ProgramLibrary, count: int) -> None:
    states = tried_states(library, count)
    places = [reference.places_of(state) for state in states]
    can_start, goals = library.preconditions(states), library.goals(states)
    assert can_start.tolist() == [[reference.precondition(name, of_state) for name in library] for of_state in places]
    assert goals.tolist() == [[reference.goal(name, of_state) for name in library] for of_state in places]
    # What atomic programs have come to is tried in the next state, too, and where the goals are nearly met.
    wanted = goals + np.random.default_rng(5).normal(0.0, 0.02, goals.shape)
    for later, set_goals in ((states, goals), (states, wanted), (np.roll(states, 1, axis=0), goals)):
        found, given = library.postconditions(later, set_goals), set_goals.tolist()
        expected = [
            [reference.postcondition(name, reference.places_of(state), goal) for name, goal in zip(library, of_state)]
            for state, of_state in zip(later, given)
        ]
        assert found.tolist() == expected
    done = library.postconditions(states, goals)
    atomic = np.array([program.is_atomic for program in library.values()])
    assert (can_start[:, atomic].mean(axis=0) > 0.1).all() and (can_start[:, atomic].mean(axis=0) < 0.9).all()
    assert (done[:, ~atomic].mean(axis=0) > 0.02).all() and (done[:, ~atomic].mean(axis=0) < 0.9).all()


@pytest.mark.parametrize(("num_blocks", "count"), [(2, 200), (3, 200), (4, 200), (5, 100), (6, 84)])
def test_agrees_with_plain_python(num_blocks, count):
    check_agreement(paper_library(num_blocks), count)


@pytest.mark.slow
@pytest.mark.parametrize(("num_blocks", "count"), [(2, 10_000), (4, 10_000), (6, 700)])
def test_agrees_with_plain_python_on_many_states(num_blocks, count):
    check_agreement(paper_library(num_blocks), count)


def test_programs_can_differ_from_state_to_state():
    states = random_states(np.random.default_rng(0), 12)
    programs = np.random.default_rng(1).integers(len(PROGRAMS), size=(3, 4, 2))
    can_start = PROGRAMS.preconditions(states.reshape(3, 4, 70), programs)
    goals = PROGRAMS.goals(states.reshape(3, 4, 70), programs)
    done = PROGRAMS.postconditions(states.reshape(3, 4, 70), goals, programs)
    assert (can_start.shape, goals.shape, done.shape) == ((3, 4, 2), (3, 4, 2, 12), (3, 4, 2))
    every = PROGRAMS.preconditions(states)
    for place in np.ndindex(3, 4, 2):
        assert can_start[place] == every[4 * place[0] + place[1], programs[place]]
    assert np.array_equal(PROGRAMS.preconditions(states[0], np.array([3, 20])), every[0, [3, 20]])
    assert np.array_equal(PROGRAMS.preconditions(states[0]), every[0])


@pytest.mark.parametrize(
    ("states", "programs", "part"),
    [
        (np.zeros((2, 55)), None, r"states' shape is \(2, 55\), expected numbers \(..., 70\)"),
        (np.zeros((2, 70)), [27], r"programs is \[27\], expected numbers of programs, 0 to 26"),
        (np.zeros((2, 70)), [-1], r"programs is \[-1\], expected numbers of programs, 0 to 26"),
        (np.zeros((2, 70)), ["Stack_0_1"], r"programs is .*, expected whole numbers \(K,\) or \(2, K\)"),
        (np.zeros((2, 70)), 3, r"programs is 3, expected whole numbers \(K,\) or \(2, K\)"),
        (np.zeros((2, 70)), np.zeros((3, 1), int), r"programs is .*, expected whole numbers"),
    ],
)
def test_what_is_no_state_or_program_is_refused(states, programs, part):
    with pytest.raises(InvalidTaskError, match=part):
        PROGRAMS.preconditions(states, programs)


def test_goals_of_another_shape_are_refused():
    with pytest.raises(InvalidTaskError, match=r"goals' shape is \(2, 26, 12\), expected \(2, 27, 12\) or \(27, 12\)"):
        PROGRAMS.postconditions(np.zeros((2, 70)), np.zeros((2, 26, 12)))


def test_libraries_and_programs_are_pickled_by_name():
    assert pickle.loads(pickle.dumps(PROGRAMS)) is PROGRAMS
    assert pickle.loads(pickle.dumps(PROGRAMS["Clean_Table"])) is PROGRAMS["Clean_Table"]
    assert len(pickle.dumps(PROGRAMS)) < 200
    extended = PROGRAMS.extended([])
    assert pickle.loads(pickle.dumps(extended)) == extended == PROGRAMS and extended.holds(PROGRAMS)


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
