"""The row of blocks that is the tutorial's: what its programs ask for, and that a row stands in the simulation."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numba import njit

from procgen_bench.tasks.programs import ProgramLibrary
from procgen_bench.tasks.programs.slack import SLACK, lasting_share, narrow_ends

PLACES = np.array([[1.3, 0.63, 0.425], [1.3, 0.75, 0.425], [1.3, 0.87, 0.425]])


@pytest.fixture(scope="module")
def example():
    with pytest.MonkeyPatch.context() as patched:
        patched.syspath_prepend(Path(__file__).parents[2] / "examples")
        import line_up

        yield line_up


@njit
def are_exactly_in_a_row(state, arguments, goal):
    """Within a centimetre along x: less than an arm misses by."""
    return max(state[0], state[15], state[30]) - min(state[0], state[15], state[30]) <= 0.01


def state_of(places):
    state = np.zeros(55)
    for block, place in enumerate(places):
        state[15 * block : 15 * block + 3] = place
    return state


def test_a_place_is_beside_within_reach_and_free(example):
    put = example.LIBRARY["Put_0_Beside_1_RIGHT"]
    apart = PLACES + np.array([[0.1, 0.0, 0.0], [0.0, 0.0, 0.0], [-0.1, 0.0, 0.0]])
    state = state_of(apart)
    assert put.precondition(state) and np.allclose(put.goal(state).reshape(3, 3)[0], [1.3, 0.87, 0.425])
    assert not put.precondition(state_of(PLACES)), "block 2 is there"
    at_the_edge = apart + np.array([0.0, 0.2, 0.0])
    assert not put.precondition(state_of(at_the_edge)), "the arm does not reach y = 1.07"


def test_a_row_holds_where_blocks_are_a_little_off_and_one_that_asks_for_more_is_named(example):
    rng, row = np.random.default_rng(0), state_of(PLACES)
    assert example.LIBRARY["Line_Up"].postcondition(row)
    assert lasting_share(example.LIBRARY["Line_Up"], row[np.newaxis], rng) == 1, f"two blocks, {SLACK} each"
    exact = replace(example.LINE_UP, psi=are_exactly_in_a_row)
    library = ProgramLibrary([*example.LIBRARY.definitions[:-1], exact], 3)
    for programs, is_named in ((example.LIBRARY, False), (library, True)):
        lines = narrow_ends({programs["Line_Up"]: row[np.newaxis]}, rng)
        assert len(lines) == is_named and all(line.startswith("Line_Up is done in 0.") for line in lines)


@pytest.mark.slow
def test_rows_stand(example):
    assert example.main(episodes=8) >= 0.5
