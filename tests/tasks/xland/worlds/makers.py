"""Worlds for tests: drawn by Hypothesis, written by hand, and the properties that all generated ones have."""

from itertools import combinations

import networkx
import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from procgen_bench.tasks.xland.worlds.bodies import object_radii, player_radii
from procgen_bench.tasks.xland.worlds.tiles import STEPS, TileKind
from procgen_bench.tasks.xland.worlds.topology import playable_area, topology_graph
from procgen_bench.tasks.xland.worlds.world import World

FLAT = """\
0. 0. 0. 0. 0.
0. 0. 0. 0. 0.
0. 0. 0. 0. 0.
0. 0. 0. 0. 0.
0. 0. 0. 0. 0.
"""

#: A plateau with a ramp in the east, a pit from which nothing leads out, and a diagonal.
PLATEAU = """\
1. 1. 0. 0. 0.
1. 1. 1. 0. 0.
1. 1. 1. 0< 0.
0◣ 1. 1. 1. 1.
0. 0. 0. 0. 0.
"""

_numbers = st.floats(-1e6, 1e6)


@st.composite
def worlds(draw) -> World:
    """Valid worlds, made by hand and not by the generator: ramps are cut in afterwards, with what they lead to."""
    rows, columns = draw(st.integers(5, 8)), draw(st.integers(5, 8))
    levels = draw(arrays(np.int8, (rows, columns), elements=st.integers(0, 4)))
    kinds = draw(arrays(np.int8, (rows, columns), elements=st.sampled_from([0, 0, 5, 6, 7, 8])))
    taken = np.zeros((rows, columns), bool)
    for row, column, side in draw(
        st.lists(st.tuples(st.integers(1, rows - 2), st.integers(1, columns - 2), st.integers(0, 3)), max_size=6)
    ):
        strip = [(row + int(step * STEPS[side, 0]), column + int(step * STEPS[side, 1])) for step in (-1, 0, 1)]
        if not any(taken[tile] for tile in strip):
            low = int(levels[row, column])
            for tile, kind, level in zip(strip, (0, TileKind.RAMP_NORTH + side, 0), (low, low, low + 1)):
                kinds[tile], levels[tile], taken[tile] = kind, level, True
    grounds = [tuple(tile) for tile in np.argwhere(kinds <= 4).tolist()]
    standing = draw(st.lists(st.sampled_from(grounds), max_size=6)) if grounds else []
    count = len(standing)
    num_players = draw(st.integers(0, min(3, count)))
    spots = [(x + draw(st.floats(0.4, 0.6)), y + draw(st.floats(0.4, 0.6))) for y, x in standing]
    things, players = count - num_players, num_players
    floors = draw(arrays(np.int8, 6, elements=st.integers(0, 5)))[levels]
    if draw(st.booleans()):
        floors = draw(arrays(np.int8, (rows, columns), elements=st.integers(0, 5)))
    return World(
        kinds,
        levels,
        floors,
        np.array(draw(st.tuples(*[st.floats(1.0, 5.0)] * 3))),
        np.array(draw(st.tuples(_numbers, st.floats(0, 1.5), st.floats(0, 1), st.floats(0, 1)))),
        object_shapes=draw(arrays(np.int8, things, elements=st.integers(0, 3))),
        object_colours=draw(arrays(np.int8, things, elements=st.integers(0, 2))),
        object_sizes=draw(arrays(np.float64, things, elements=st.floats(0.01, 0.5))),
        object_positions=np.array(spots[num_players:]).reshape(-1, 2),
        object_yaws=draw(arrays(np.float64, things, elements=_numbers)),
        object_latents=draw(arrays(np.float64, (things, 8), elements=_numbers)),
        player_colours=np.array(draw(st.permutations(range(3)))[:players], np.int8),
        player_positions=np.array(spots[:num_players]).reshape(-1, 2),
        player_yaws=draw(arrays(np.float64, players, elements=_numbers)),
        player_gadgets=draw(arrays(np.int8, players, elements=st.integers(0, 1))),
        player_latents=draw(arrays(np.float64, (players, 8), elements=_numbers)),
    )


def assert_well_generated(world: World, least_playable: float = 0.5) -> None:
    """Legal, with a large playable area in which a player comes from everywhere to everywhere, and all things in it."""
    world.validate()
    playable = playable_area(world)
    assert playable.mean() >= least_playable
    tiles = [tuple(tile) for tile in np.argwhere(playable).tolist()]
    assert networkx.is_strongly_connected(topology_graph(world).subgraph(tiles))
    places = np.concatenate([world.object_positions, world.player_positions])
    columns, rows = places.astype(int).T
    assert playable[rows, columns].all()
    assert (world.kinds[rows, columns] <= TileKind.RAMP_WEST).all()
    assert (world.kinds[rows, columns][len(world.object_positions) :] == TileKind.FLAT).all()
    assert_apart(world)


def assert_apart(world: World) -> None:
    """No two footprints overlap, in metres."""
    places = np.concatenate([world.object_positions, world.player_positions]) * world.tile_size[:2]
    objects = object_radii(world.object_shapes, world.object_sizes)
    radii = np.concatenate([objects, player_radii(len(world.player_yaws))])
    for one, other in combinations(range(len(radii)), 2):
        assert np.hypot(*(places[one] - places[other])) >= radii[one] + radii[other]
