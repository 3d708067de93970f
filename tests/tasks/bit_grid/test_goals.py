"""The compiled drawing of tasks against the specification's wandering agent in plain Python, by their statistics."""

import random
from collections import Counter

import numpy as np
import pytest

from procgen_bench.tasks.bit_grid import BitGridTaskSpace
from tests.tasks.bit_grid.reference_grid import goal_cells, wandered_goal

DRAWS = 6_000


def drawn_tasks(side: int, seed: int) -> list:
    space, rng = BitGridTaskSpace(side), np.random.default_rng(seed)
    return [space.sample_task(rng) for _ in range(DRAWS)]


def spread(goal: set) -> int:
    columns, lines = zip(*goal)
    return max(max(columns) - min(columns), max(lines) - min(lines))


def largest_gap(found: list[int], expected: list[int]) -> float:
    """Greatest difference between two cumulative distributions (Kolmogorov and Smirnov's statistic)."""
    values = sorted({*found, *expected})
    return max(abs(np.mean(np.array(found) <= value) - np.mean(np.array(expected) <= value)) for value in values)


@pytest.mark.parametrize("side", [3, 5, 13])
def test_goals_are_distributed_as_the_specification_s(side):
    found = [goal_cells(task) for task in drawn_tasks(side, seed=1)]
    rng = random.Random(2)
    expected = [wandered_goal(side, rng) for _ in range(DRAWS)]
    limit = 1.95 * (2 / DRAWS) ** 0.5  # one run in a thousand with equal distributions lies above
    assert largest_gap([len(goal) for goal in found], [len(goal) for goal in expected]) < limit
    assert largest_gap([spread(goal) for goal in found], [spread(goal) for goal in expected]) < limit
    edge = [sum(0 in cell or side - 1 in cell for cell in goal) for goal in found]
    expected_edge = [sum(0 in cell or side - 1 in cell for cell in goal) for goal in expected]
    assert largest_gap(edge, expected_edge) < limit


def test_goals_have_an_even_number_of_bits_up_to_the_eight_toggles():
    sizes = Counter(len(goal_cells(task)) for task in drawn_tasks(13, seed=3))
    assert set(sizes) == {2, 4, 6, 8} and sizes[8] > DRAWS / 4


def test_starts_are_uniform():
    starts = Counter(tuple(task.start.tolist()) for task in drawn_tasks(3, seed=4))
    assert len(starts) == 9
    assert all(abs(count - DRAWS / 9) < 5 * (DRAWS / 9) ** 0.5 for count in starts.values())


def test_one_seed_draws_one_task():
    space = BitGridTaskSpace()
    assert space.sample_task(np.random.default_rng(5)) == space.sample_task(np.random.default_rng(5))
    assert space.sample_task(np.random.default_rng(5)) != space.sample_task(np.random.default_rng(6))
