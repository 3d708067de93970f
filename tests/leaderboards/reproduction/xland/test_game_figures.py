"""Figures 7, 8 and 35: what must hold of their numbers."""

from math import log10

import numpy as np
import pytest

from procgen_bench.leaderboards.reproduction.xland.game_counts import COUNTED, VARIED, count_games
from procgen_bench.leaderboards.reproduction.xland.game_coverage import (
    POSSIBLE,
    POSSIBLE_TARGETS,
    cell_counts,
    measure_coverage,
)
from procgen_bench.leaderboards.reproduction.xland.game_smoothness import (
    MODIFICATIONS,
    draw_proper_game,
    measure_game_smoothness,
    modify_game,
)
from procgen_bench.tasks.xland.games.generation import sample_game
from procgen_bench.tasks.xland.games.properties import (
    competitiveness_and_balance,
    game_distance,
    game_properties,
)

ROUNDING = 1e-12


def test_bounds_on_games_are_in_order_and_grow():
    counts = count_games()
    for name, values in VARIED.items():
        lower, upper = counts.log10_lower[name], counts.log10_upper[name]
        assert lower.shape == upper.shape == (len(values), len(COUNTED))
        assert (lower <= upper).all() and (np.diff(lower, axis=0) > 0).all() and (np.diff(upper, axis=0) > 0).all()
        assert np.allclose(lower[:, 2], 3 * lower[:, 0])  # three players: three goals
    # One option of three atoms out of 200: both are counted by hand.
    assert counts.log10_lower["options"][0, 0] == pytest.approx(log10(1_313_400 * 8))
    assert counts.log10_upper["options"][0, 0] == pytest.approx(log10(400 * 399 * 398 / 6))
    assert counts.example["games of two"][0] == pytest.approx(40.46, abs=0.01)


def test_properties_of_games_change_no_faster_than_proven():
    """Difficulty by 2 a distance; competitiveness by that over the chance of a reward in the harder game.

    A state whose reward changes for one player is one among those that reward all, or among those that reward any.
    """
    rng = np.random.default_rng(0)
    differing = 0
    for _ in range(60):
        game = other = draw_proper_game(rng)
        for _ in range(3):
            other = modify_game(other, rng)
            distance, one, two = game_distance(game, other), game_properties(game), game_properties(other)
            rewarded = 1 - max(one.exploration_difficulty, two.exploration_difficulty)
            assert abs(one.exploration_difficulty - two.exploration_difficulty) <= 2 * distance + ROUNDING
            assert abs(one.competitiveness - two.competitiveness) <= 2 * distance / rewarded + ROUNDING
            assert not two.trivial
            differing += distance > 0
    assert differing > 120


def test_a_modification_changes_one_goal_alone():
    rng = np.random.default_rng(1)
    for _ in range(40):
        game = draw_proper_game(rng)
        changed = modify_game(game, rng)
        assert [goal == other for goal, other in zip(game.goals, changed.goals)].count(True) == 1


def test_smoothness_of_games():
    found = measure_game_smoothness(20, np.random.default_rng(0))
    assert found.distances.shape == (20, MODIFICATIONS) and found.points.shape == (20, 2)
    assert 0 < found.explained[1] <= found.explained[0] < 1
    difficulty = found.changes["exploration_difficulty"]
    assert (difficulty <= 2 * found.distances + ROUNDING).all() and difficulty.any()
    for name, changes in found.changes.items():
        assert not changes[found.distances == 0].any()
        assert ((found.values[name] >= 0) & (found.values[name] <= 1)).all()


def test_cells_that_are_marked_impossible_are():
    assert POSSIBLE.sum() == len(POSSIBLE_TARGETS) == 15
    assert all(competitiveness + balance >= 1 for competitiveness, balance in POSSIBLE_TARGETS)
    rng = np.random.default_rng(0)
    games = [sample_game(rng, 1 + number % 3, 1 + number % 2) for number in range(300)]
    assert not cell_counts(competitiveness_and_balance(games))[~POSSIBLE].any()


def test_games_belong_to_the_cell_of_the_nearest_target():
    measured = np.array([(0.0, 1.0), (0.12, 0.88), (0.125, 0.875), (0.5, 0.62), (1.0, 0.0), (0.9, 0.1)])
    counts = cell_counts(measured)
    assert counts.sum() == 6
    assert counts[0, 4] == 2 and counts[1, 4] == 1 and counts[2, 2] == 1 and counts[4, 0] == 2


@pytest.mark.parametrize("samples", [15, pytest.param(90, marks=pytest.mark.slow)])
def test_search_covers_what_sampling_does_and_more(samples):
    found = measure_coverage(samples, np.random.default_rng(0))
    assert found.sampled.sum() == found.searched.sum() == samples
    assert not found.searched[~POSSIBLE].any() and not found.sampled[~POSSIBLE].any()
    assert (found.searched > 0).sum() > (found.sampled > 0).sum()
    assert found.searched.max() < found.sampled.max()
    assert found.fully_competitive["searched"][1:].mean() > found.fully_competitive["sampled"][1:].mean()
    assert 0 < found.missed < 0.3
