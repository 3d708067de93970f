"""Figures 3 to 6: what must hold of their numbers."""

import numpy as np
import pytest

from procgen_bench.leaderboards.reproduction.xland.lipschitz import lipschitz_constant
from procgen_bench.leaderboards.reproduction.xland.world_counts import SIDES, count_by_size
from procgen_bench.leaderboards.reproduction.xland.world_gallery import RECIPES, generate_gallery
from procgen_bench.leaderboards.reproduction.xland.world_search import MUTATIONS, search_worlds
from procgen_bench.leaderboards.reproduction.xland.world_smoothness import (
    PAIRS,
    STRENGTHS,
    measure_world_smoothness,
    neighbour_means,
)
from procgen_bench.tasks.xland.worlds.measures import world_distance


def test_lower_bounds_are_below_upper_ones():
    counts = count_by_size(2_000, np.random.default_rng(0))
    assert len(counts.sides) == len(SIDES) == 15
    assert (counts.log10_lower_unique <= counts.log10_lower).all()
    assert (counts.log10_lower <= counts.log10_upper).all()
    assert counts.connected[0] == 2_000 and counts.connected[0] >= counts.connected[4] > counts.connected[8]
    assert counts.log10_lower[0] == pytest.approx(np.log10(6)) and counts.log10_upper[1] == pytest.approx(
        4.58, abs=0.01
    )


def test_sizes_of_which_no_grid_is_connected_are_reported():
    counts = count_by_size(100, np.random.default_rng(0))
    assert counts.connected[-1] == 0 and counts.log10_lower[-1] == -np.inf
    low, share, high = counts._chances()
    assert ((low <= share) & (share <= high)).all()
    assert low[-1] == 0 and high[-1] == pytest.approx(1 - 0.025 ** (1 / 100))  # none of 100: the rule in closed form
    assert high[0] == 1 and low[0] == pytest.approx(0.025 ** (1 / 100))


def test_equal_worlds_are_walked_alike():
    found = measure_world_smoothness(3, np.random.default_rng(0), iterations=50)
    assert found.distances.shape == (3, len(PAIRS)) and ((found.distances >= 0) & (found.distances <= 1)).all()
    same = found.distances == 0
    assert same.any() and not same.all(), "the weakest mutations change nothing in some family"
    for walks in found.walks.values():
        assert walks.divergences.shape == found.distances.shape
        assert np.allclose(walks.divergences[same], 0) and (walks.divergences >= 0).all() and walks.divergences.any()
        assert walks.points.shape == (3 * (len(STRENGTHS) + 1), 2) and (walks.entropies > 0).all()


def test_projections_and_searches_are_repeatable(monkeypatch):
    monkeypatch.setattr("procgen_bench.leaderboards.reproduction.xland.world_search.MUTATIONS", 4)
    projected = [measure_world_smoothness(2, np.random.default_rng(seed), iterations=20) for seed in (1, 1, 2)]
    points = [[walks.points for walks in found.walks.values()] for found in projected]
    assert np.array_equal(points[0], points[1]) and not np.array_equal(points[0], points[2])
    ends = [search_worlds(1, np.random.default_rng(seed)).last["divergence"] for seed in (1, 1, 2)]
    assert ends[0] == ends[1] != ends[2]


def test_stronger_mutations_lead_further():
    distances = measure_world_smoothness(12, np.random.default_rng(0), iterations=1).distances
    from_first = {second: distances[:, place].mean() for place, (first, second) in enumerate(PAIRS) if first == 0}
    assert from_first[1] < from_first[4] < from_first[6]


def test_no_pair_lies_above_the_lipschitz_constant():
    rng = np.random.default_rng(0)
    distances, changes = rng.integers(0, 5, 200) / 4, rng.random(200)
    changes[distances == 0] = 0
    bound = lipschitz_constant(distances, changes)
    assert (changes <= bound * distances + 1e-12).all() and np.isclose(changes, bound * distances)[distances > 0].any()
    most = lipschitz_constant(distances, changes, 0.9)
    above = (changes > most * distances + 1e-12).sum()
    assert most < bound and 0 < above <= 0.1 * (distances > 0).sum()
    assert lipschitz_constant(np.zeros(3), np.zeros(3)) == 0


def test_neighbours_are_the_nearest_others():
    points = np.stack([np.arange(20.0), np.zeros(20)], axis=1)
    means = neighbour_means(points, points[:, 0])
    assert means[0] == np.arange(1, 9).mean() and means[10] == 10


def test_the_gallery_shows_the_recipes_in_turn():
    gallery = generate_gallery(len(RECIPES) + 1, np.random.default_rng(0))
    assert gallery.titles == [recipe.title for recipe in RECIPES] + [RECIPES[0].title]
    shapes = [world.shape for world in gallery.worlds]
    assert shapes == [(recipe.height, recipe.width) for recipe in (*RECIPES, RECIPES[0])]
    for world in gallery.worlds:
        world.validate()
    assert (gallery.worlds[0].kinds != gallery.worlds[-1].kinds).any()
    by_title = dict(zip(gallery.titles, zip(gallery.worlds, gallery.playable)))
    flat, playable = by_title["open room: max_level 0"]
    assert playable == 1 and not flat.levels.any() and not flat.kinds.any()
    assert by_title["max_level 2, floors by region"][0].levels.max() <= 2
    assert set(by_title["levels 0 and 2, no ramps: a maze"][0].levels.ravel()) == {0, 2}


@pytest.mark.slow
def test_searches_never_fall_back_and_end_further_than_chance():
    found = search_worlds(2, np.random.default_rng(0))
    for search in ("divergence", "distance"):
        curves = found.measured[search][search]
        assert curves.shape == (2, MUTATIONS + 1) and (curves[:, 0] == 0).all()
        assert (np.diff(curves) >= 0).all()
        assert curves[:, -1].mean() > found.measured["chance"][search][:, -1].mean()
    assert found.measured["distance"]["distance"][0, -1] == world_distance(found.first, found.last["distance"])
    assert 0.2 < found.changed < 5, "mutations are local"
