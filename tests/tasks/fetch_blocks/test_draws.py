"""The starts of section D.1, and goals, against their intended distributions."""

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from procgen_bench.tasks.fetch_blocks.draws import draw_goal, draw_start, draw_task
from procgen_bench.tasks.fetch_blocks.start import HELD
from procgen_bench.tasks.fetch_blocks.table import REACH_HIGH, REACH_LOW

DRAWS, LEAST_P = 1_500, 1e-3


def starts(num_blocks=4, count=DRAWS, **options):
    rng = np.random.default_rng(1)
    return [draw_start(rng, num_blocks, first=0, **options) for _ in range(count)]


def share_is(found: list[bool], expected: float) -> bool:
    return stats.binomtest(sum(found), len(found), expected).pvalue > LEAST_P


@pytest.mark.parametrize("randomness", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("num_blocks", [2, 4, 6])
def test_blocks_start_where_the_paper_has_them(num_blocks, randomness):
    drawn, shaped = starts(num_blocks, randomness=randomness), 1.0 - randomness
    for start in drawn:
        start.validate()
    under = [s.held is None and np.array_equal(s.places[0], s.gripper[:2]) for s in drawn]
    assert share_is([s.held == 0 for s in drawn], 0.2 * shaped)
    assert share_is(under, 0.4 * shaped)
    # The first to be placed of the others has none to stand on but the block to act on.
    on_top = [(s.levels > 0).sum() for s in drawn]
    assert sum(on_top) / len(drawn) / max(num_blocks - 2, 1) == pytest.approx(
        0.4 * shaped if num_blocks > 2 else 0, abs=0.02
    )
    assert all(s.held in (None, 0) for s in drawn)


def test_nothing_is_put_on_the_block_to_act_on():
    for start in starts():
        assert start.held == 0 or not (start.places[1:] == start.places[0]).all(axis=1).any()


def test_blocks_beside_each_other_leave_room_for_fingers():
    for start in starts(6, 300):
        for one, other in combinations(np.unique(start.places, axis=0), 2):
            assert abs(one[0] - other[0]) >= 0.058 or abs(one[1] - other[1]) >= 0.085


def test_free_places_and_grippers_are_uniform():
    drawn = starts(2, randomness=1.0)
    for points in ([s.places[0] for s in drawn], [s.gripper[:2] for s in drawn]):
        units = (np.array(points) - REACH_LOW) / (REACH_HIGH - REACH_LOW)
        assert min(stats.kstest(units[:, axis], "uniform").pvalue for axis in range(2)) > LEAST_P
    assert np.array([s.gripper[2] for s in drawn]).min() >= 0.45


def test_any_block_is_to_be_acted_on():
    rng = np.random.default_rng(1)
    counts = np.bincount([draw_task(rng, 4).first for _ in range(DRAWS)], minlength=4)
    assert stats.chisquare(counts).pvalue > LEAST_P
    held = np.bincount([s.held for s in (draw_start(rng, 4) for _ in range(DRAWS)) if s.held is not None])
    assert stats.chisquare(held).pvalue > LEAST_P


def test_goals_move_the_first_block_alone():
    rng, in_air, stacked = np.random.default_rng(2), [], 0
    for start in starts(count=500):
        for first in (0, 2):
            goal = draw_goal(rng, start, first)
            others = np.arange(4) != first
            assert np.array_equal(goal[others], start.positions[others])
            place, lying = goal[first], others & (start.levels != HELD)
            assert (place[:2] >= REACH_LOW).all() and (place[:2] <= REACH_HIGH).all()
            levels = (place[2] - 0.425) / 0.05
            on_ground = abs(levels - round(levels)) < 1e-9
            in_air.append(not on_ground)
            assert 0.425 <= place[2] <= 0.7
            if on_ground and round(levels):
                stacked += 1
                assert (start.places[lying] == place[:2]).all(axis=1).any()
    assert share_is(in_air, 0.5)
    assert stacked > 25
