"""Values of games: of those that are known, and against a solver that tries all supports in exact fractions."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from procgen_bench.leaderboards.xland.matrix_games import game_value
from tests.leaderboards.xland.makers import RETURNS

MATRICES = st.tuples(st.integers(1, 5), st.integers(1, 5)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=RETURNS)
)
ROCK_PAPER_SCISSORS = np.array([[0, -1, 1], [1, 0, -1], [-1, 1, 0]], np.float64)


def solved(rows):
    """The solution of a square linear system of fractions, each row with its right side; None if there is not one."""
    rows, size = [list(row) for row in rows], len(rows)
    for column in range(size):
        pivot = next((row for row in range(column, size) if rows[row][column]), None)
        if pivot is None:
            return None
        rows[column], rows[pivot] = rows[pivot], rows[column]
        rows[column] = [entry / rows[column][column] for entry in rows[column]]
        for row in range(size):
            if row != column:
                factor = rows[row][column]
                rows[row] = [a - factor * b for a, b in zip(rows[row], rows[column])]
    return [row[-1] for row in rows]


def brute_force_value(matrix):
    """The value by supports (Shapley and Snow, 1950): the greatest guarantee of a mixture that equalises columns."""
    entries = [[Fraction(entry) for entry in row] for row in matrix.tolist()]
    num_rows, num_columns = matrix.shape
    best = None
    for size in range(1, min(num_rows, num_columns) + 1):
        for rows in combinations(range(num_rows), size):
            for columns in combinations(range(num_columns), size):
                system = [[entries[i][j] for i in rows] + [Fraction(-1), Fraction(0)] for j in columns]
                system.append([Fraction(1)] * size + [Fraction(0), Fraction(1)])
                mixture = solved(system)
                if mixture is None or min(mixture[:-1]) < 0:
                    continue
                guarantee = min(sum(w * entries[i][j] for w, i in zip(mixture, rows)) for j in range(num_columns))
                best = guarantee if best is None else max(best, guarantee)
    return best


def test_rock_paper_scissors_is_even():
    assert game_value(ROCK_PAPER_SCISSORS) == pytest.approx(0, abs=1e-12)
    assert game_value(100 * (ROCK_PAPER_SCISSORS + 1)) == pytest.approx(100)


def test_games_whose_values_are_known():
    """Who wins with rock gets double; two coins; and a game of which two rows and a column are dominated."""
    assert game_value(np.array([[0, -1, 2], [1, 0, -1], [-2, 1, 0]], np.float64)) == pytest.approx(0, abs=1e-12)
    assert game_value(np.array([[3, 0], [0, 1]], np.float64)) == pytest.approx(0.75)
    assert game_value(np.array([[3, 1, 2], [2, 0.5, 1], [0, 4, 3], [0, 3.5, 3]])) == pytest.approx(2)


def test_saddle_points_are_found_exactly():
    assert game_value(np.array([[1, 0.1], [0.3, 0.2]])) == 0.2
    assert game_value(np.full((3, 2), 7.0)) == 7 and game_value(np.zeros((2, 2))) == 0


@settings(max_examples=60)
@given(MATRICES)
def test_values_are_those_of_all_supports(matrix):
    exact = brute_force_value(matrix)
    assert abs(Fraction(game_value(matrix)) - exact) <= Fraction(1e-9) * Fraction(matrix.max())


@settings(max_examples=50)
@given(MATRICES)
def test_values_lie_between_the_pure_guarantees(matrix):
    value = game_value(matrix)
    assert matrix.min(axis=1).max() <= value <= matrix.max(axis=0).min()
    assert (value == 0) == (not matrix.any(axis=0).all())


@settings(max_examples=40)
@given(MATRICES, st.randoms(use_true_random=False))
def test_values_do_not_depend_on_the_order(matrix, random):
    rows, columns = list(range(len(matrix))), list(range(matrix.shape[1]))
    random.shuffle(rows)
    random.shuffle(columns)
    assert game_value(matrix[np.ix_(rows, columns)]) == pytest.approx(game_value(matrix), abs=1e-9 * matrix.max())


def test_the_same_matrix_gives_the_same_bits():
    matrix = np.random.default_rng(5).random((7, 7))
    assert game_value(matrix) == game_value(matrix.copy())
