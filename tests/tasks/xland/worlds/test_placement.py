import numpy as np
import pytest

from procgen_bench.tasks.xland.entities import COLOURS, SHAPES
from procgen_bench.tasks.xland.worlds.generation import generate_world
from procgen_bench.tasks.xland.worlds.placement import NO_GROUP, place_things, standing_tiles
from procgen_bench.tasks.xland.worlds.placement_network import _activate, tile_sums, weigh_tiles
from procgen_bench.tasks.xland.worlds.tiles import TileKind
from procgen_bench.tasks.xland.worlds.topology import playable_area
from tests.tasks.xland.worlds.makers import assert_apart

WORLD = generate_world(np.random.default_rng(3), 9, 9)
PLAYABLE = playable_area(WORLD)
LATENTS = np.random.default_rng(4).normal(size=(200, 8))


def placement_map(kinds, levels, playable, latent):
    """How likely a thing of this latent is put on each tile."""
    kinds, levels, weights = np.array(kinds), np.array(levels), np.empty(kinds.shape)
    weigh_tiles(tile_sums(kinds, levels), latent, standing_tiles(kinds, playable, True), weights)
    return weights / weights.sum()


def placed(stream: int, count: int, latent: np.ndarray, playable=PLAYABLE, groups=NO_GROUP, radius=0.3):
    """Positions of ``count`` things alike (NaN where there was none), and whether there was a place for all."""
    positions = np.full((count, 2), np.nan)
    done = place_things(
        np.uint64(stream),
        *map(np.array, (WORLD.kinds, WORLD.levels, WORLD.tile_size)),
        playable,
        np.full(count, radius),
        np.ones(count, bool),
        np.tile(latent, (count, 1)),
        np.full(count, groups, np.int64),
        positions,
        np.zeros(count, bool),
    )
    return positions, done


def test_maps_are_distributions_over_where_things_can_stand():
    stands = standing_tiles(np.array(WORLD.kinds), PLAYABLE, True)
    assert (stands == (PLAYABLE & (WORLD.kinds <= TileKind.RAMP_WEST))).all()
    assert (standing_tiles(np.array(WORLD.kinds), PLAYABLE, False) == (PLAYABLE & (WORLD.kinds == 0))).all()
    for latent in LATENTS[:6]:
        chances = placement_map(WORLD.kinds, WORLD.levels, PLAYABLE, latent)
        assert chances.sum() == pytest.approx(1) and ((chances > 0) == stands).all()


def test_latents_decide_where_things_are_likely():
    """Maps of different latents differ much, and are far from even."""
    maps = np.array([placement_map(WORLD.kinds, WORLD.levels, PLAYABLE, latent).ravel() for latent in LATENTS])
    distances = 0.5 * np.abs(maps[:100] - maps[100:]).sum(axis=1)
    assert distances.mean() > 0.3
    evenness = 1 / (maps**2).sum(axis=1) / standing_tiles(np.array(WORLD.kinds), PLAYABLE, True).sum()
    assert evenness.mean() < 0.8 and maps.argmax(axis=1).std() > 10


def test_maps_depend_on_place_height_and_kind():
    """Each input alone makes a difference; with none, the map is even."""
    flat, ground, all_tiles = np.zeros((9, 9), np.int8), np.zeros((9, 9), np.int8), np.ones((9, 9), bool)
    latent = LATENTS[0]
    ramps, raised = flat.copy(), ground.copy()
    ramps[4, 4], raised[4, 4] = TileKind.RAMP_EAST, 3
    base = placement_map(flat, ground, all_tiles, latent)
    assert len(np.unique(base.round(12))) == 81
    for kinds, levels in ((ramps, ground), (flat, raised)):
        ratios = placement_map(kinds, levels, all_tiles, latent) / base
        others = np.delete(ratios.ravel(), 40)
        assert np.allclose(others, others[0]) and not np.isclose(ratios[4, 4], others[0])


def test_things_are_placed_with_the_chances_of_the_map():
    draws = 3_000
    chances = placement_map(WORLD.kinds, WORLD.levels, PLAYABLE, LATENTS[0])
    counts = np.zeros((9, 9))
    for stream in range(draws):
        positions, done = placed(stream * 7919, 1, LATENTS[0])
        assert done
        counts[int(positions[0, 1]), int(positions[0, 0])] += 1
    assert (np.abs(counts - draws * chances) <= 5 * np.sqrt(draws * chances * (1 - chances)) + 1).all()


def test_things_keep_off_each_other_and_inside_their_tiles():
    margins = (0.3 + 0.05) / WORLD.tile_size[:2]
    for stream in range(20):
        positions, done = placed(stream, 30, LATENTS[stream])
        assert done
        inside = positions - np.floor(positions)
        assert (inside >= margins - 1e-9).all() and (inside <= 1 - margins + 1e-9).all()
        gaps = np.linalg.norm((positions[:, None] - positions[None]) * WORLD.tile_size[:2], axis=-1)
        assert (gaps + 10 * np.eye(30)).min() >= 0.65


def test_no_room_is_said():
    nowhere = np.zeros((9, 9), bool)
    assert not placed(0, 1, LATENTS[0], playable=nowhere)[1]
    assert not placed(0, 1, LATENTS[0], radius=float(WORLD.tile_size[:2].min()) / 2)[1]
    single = nowhere.copy()
    single[tuple(np.argwhere(standing_tiles(np.array(WORLD.kinds), PLAYABLE, True))[0])] = True
    assert placed(0, 1, LATENTS[0], playable=single)[1] and not placed(0, 40, LATENTS[0], playable=single)[1]


def test_groups_lie_together():
    """Mean distance to the others of the group, in tiles, against that to the rest."""
    spreads = {grouping: [] for grouping in ("none", "shape", "colour")}
    for grouping, found in spreads.items():
        rng = np.random.default_rng(5)
        for _ in range(40):
            world = generate_world(rng, 9, 9, grouping=grouping)
            members = world.object_colours if grouping == "colour" else world.object_shapes
            gaps = np.linalg.norm(world.object_positions[:, None] - world.object_positions[None], axis=-1)
            alike = (members[:, None] == members[None]) & ~np.eye(12, dtype=bool)
            found.append(gaps[alike].mean() / gaps[members[:, None] != members[None]].mean())
            assert_apart(world)
    assert np.mean(spreads["none"]) > 0.9
    assert np.mean(spreads["shape"]) < 0.75 and np.mean(spreads["colour"]) < 0.75
    assert len(SHAPES) * len(COLOURS) == 12


def test_waves_of_the_network():
    assert [_activate(2, x) for x in (-2.0, -1.0, 0.0, 0.5, 1.0, 2.0, 3.0, 4.5)] == [0, -1, 0, 0.5, 1, 0, -1, 0.5]
    assert [_activate(0, x) for x in (-1.0, 0.0, 3.0)] == [-0.5, 0, 0.75]
    assert [_activate(1, x) for x in (-1.0, 0.0, 1.0)] == [0.5, 1, 0.5]
