"""Makers of worlds and states for the tests of predicates."""

import numpy as np

from procgen_bench.tasks.xland.entities import COLOURS, FLOORS, PLAYER_HEIGHT, SHAPES
from procgen_bench.tasks.xland.predicates.states import States, scene_arrays
from procgen_bench.tasks.xland.worlds.generation import generate_world
from procgen_bench.tasks.xland.worlds.tiles import NUM_KINDS, floor_height
from procgen_bench.tasks.xland.worlds.world import LATENT_SIZE, World

#: (shape, colour) of one object of each.
WHOLE_CAST = [(shape, colour) for shape in range(len(SHAPES)) for colour in range(len(COLOURS))]


def world_of(kinds, levels, cast, sizes, tile_size=(1.0, 1.0, 1.0)) -> World:
    """A world with these tiles and objects; what predicates do not read is empty or zero."""
    kinds, levels = np.asarray(kinds, np.int8), np.asarray(levels, np.int8)
    count = len(cast)
    return World(
        kinds=kinds,
        levels=levels,
        floors=np.zeros(kinds.shape, np.int8),
        tile_size=np.array(tile_size, np.float64),
        light=np.zeros(4),
        object_shapes=np.array([shape for shape, _ in cast], np.int8),
        object_colours=np.array([colour for _, colour in cast], np.int8),
        object_sizes=np.broadcast_to(np.float64(sizes), count),
        object_positions=np.zeros((count, 2)),
        object_yaws=np.zeros(count),
        object_latents=np.zeros((count, LATENT_SIZE)),
        player_colours=np.zeros(0, np.int8),
        player_positions=np.zeros((0, 2)),
        player_yaws=np.zeros(0),
        player_gadgets=np.zeros(0, np.int8),
        player_latents=np.zeros((0, LATENT_SIZE)),
    )


def random_world(rng: np.random.Generator, cast=WHOLE_CAST) -> World:
    """Arbitrary tiles, mostly low; ramps and diagonals are at most at level 4."""
    shape = tuple(rng.integers(5, 10, 2))
    kinds = np.where(rng.random(shape) < 0.5, 0, rng.integers(NUM_KINDS, size=shape))
    levels = np.minimum(rng.geometric(0.6, shape) - 1, 4)
    return world_of(kinds, levels, cast, rng.uniform(0.4, 1.2, len(cast)), rng.uniform(0.8, 1.5, 3))


#: How things may lie: around some point of a world of arbitrary tiles, all over it, or as a generated world has them.
LAYOUTS = ("crowded", "spread", "generated")


def random_states(
    rng: np.random.Generator, count: int, num_players: int, layout: str = "crowded", num_worlds: int = 0
) -> States:
    """States of random worlds (one each, unless fewer are asked for), in which some things are gone."""
    states = arranged_states(rng, count, num_players, layout, num_worlds)
    states.objects_present[:] = rng.random(states.objects_present.shape) < 0.9
    states.players_present[:] = rng.random(states.players_present.shape) < 0.9
    return states


def arranged_states(rng: np.random.Generator, count: int, num_players: int, layout: str, num_worlds: int = 0) -> States:
    """States of random worlds (one each, unless fewer are asked for) in which all is present."""
    if layout == "generated":
        return generated_states(rng, count, num_players, num_worlds or count)
    return placed_states(rng, count, num_players, num_worlds or count, crowded=layout == "crowded")


def placed_states(rng: np.random.Generator, count: int, num_players: int, num_worlds: int, crowded: bool) -> States:
    """States of worlds of arbitrary tiles, in which things lie all over the world or crowd around a point."""
    worlds = [random_world(rng) for _ in range(num_worlds)]
    states = States.empty(scene_arrays(worlds), count, num_players)
    states.scene[:] = np.arange(count) % len(worlds)
    for s in range(count):
        world = worlds[states.scene[s]]
        number, spread = len(world.object_shapes) + num_players, rng.uniform(0.6, 2.5)
        extent = np.array(world.shape[::-1]) * world.tile_size[:2]
        crowd = rng.uniform(0, extent) + rng.normal(0, spread, (number, 2))
        inside = ((crowd > 0) & (crowd < extent)).all(axis=1, keepdims=True) & crowded
        places = np.where(inside, crowd, rng.uniform(0, extent, (number, 2)))
        tiles = places / world.tile_size[:2]
        floors = np.array([floor_height(world.kinds, world.levels, x, y) for x, y in tiles]) * world.tile_size[2]
        positions = np.column_stack([places, floors + rng.uniform(0.3, 1.5, number)])
        states.object_positions[s] = positions[: number - num_players]
        states.player_positions[s] = positions[number - num_players :]
    states.object_rotations[:] = random_rotations(rng, states.objects_present.shape)
    states.object_rotations[rng.random(states.objects_present.shape) < 0.3] = [1.0, 0.0, 0.0, 0.0]
    states.player_yaws[:] = rng.uniform(-np.pi, np.pi, states.player_yaws.shape)
    states.player_pitches[:] = rng.uniform(-1.0, 1.0, states.player_pitches.shape)
    states.held[:] = rng.random(states.held.shape) < 0.3
    states.contacts[:] = rng.random((*states.contacts.shape[:2], len(FLOORS))) < 0.3
    states.validate()
    return states


#: Heights of upright objects' centres of mass above the floor, in their sizes.
CENTRE_HEIGHTS = np.array([1 / 2, 1 / 2, 1 / 4, 1 / 16])


def generated_states(rng: np.random.Generator, count: int, num_players: int, num_worlds: int) -> States:
    """States of generated worlds: half of the things stand where their world places them, half have moved about."""
    worlds = [generate_world(rng, players=num_players) for _ in range(num_worlds)]
    states = States.empty(scene_arrays(worlds), count, num_players)
    states.scene[:] = np.arange(count) % num_worlds
    for s, scene in enumerate(states.scene):
        world = worlds[scene]
        places = np.concatenate([world.object_positions, world.player_positions])
        heights = np.append(CENTRE_HEIGHTS[world.object_shapes] * world.object_sizes, [PLAYER_HEIGHT / 2] * num_players)
        moved = rng.random(len(places)) < 0.5
        places += moved[:, np.newaxis] * rng.normal(0, 0.5, places.shape)
        places = np.clip(places, 0.1, np.array(world.shape[::-1]) - 0.1)  # walls keep centres off the border
        floors = np.array([world.floor_height(x, y) for x, y in places])
        lifted = floors + heights + moved * rng.uniform(0, 1, len(places))
        positions = np.column_stack([places * world.tile_size[:2], lifted])
        states.object_positions[s], states.player_positions[s] = np.split(positions, [-num_players])
        halves = world.object_yaws / 2
        rotations = np.stack([np.cos(halves), 0 * halves, 0 * halves, np.sin(halves)], axis=-1)
        tumbled = moved[:-num_players]
        rotations[tumbled] = random_rotations(rng, (tumbled.sum(),))
        states.object_rotations[s] = rotations
        states.player_yaws[s] = world.player_yaws
        columns, rows = places.astype(int).T
        states.contacts[s, np.arange(len(places)), world.floors[rows, columns]] = ~moved
    states.player_pitches[:] = rng.uniform(-0.5, 0.5, states.player_pitches.shape)
    states.held[:] = rng.random(states.held.shape) < 0.1
    states.validate()
    return states


def random_rotations(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Quaternions, even over all rotations."""
    rotations = rng.normal(size=(*shape, 4))
    return rotations / np.linalg.norm(rotations, axis=-1, keepdims=True)


def scene_of(objects, players, kinds=None, levels=None, tile_size=(1.0, 1.0, 1.0)) -> States:
    """One state of a world, flat and 10 x 10 m unless tiles are given.

    Args:
        objects: By name (``"black cube"``), the size and the centre (metres), and the rotation where there is one.
        players: Centres, yaws and pitches.
        kinds, levels: Tiles.
        tile_size: Metres.
    """
    kinds = np.zeros((10, 10), np.int8) if kinds is None else kinds
    levels = np.zeros_like(kinds) if levels is None else levels
    cast = []
    for name in objects:
        colour, shape = name.split()[:2]
        cast.append((SHAPES.index(shape), COLOURS.index(colour)))
    world = world_of(kinds, levels, cast, [size for size, *_ in objects.values()], tile_size)
    states = States.empty(scene_arrays([world]), 1, len(players))
    for k, (_, centre, *rotation) in enumerate(objects.values()):
        states.object_positions[0, k] = centre
        if rotation:
            states.object_rotations[0, k] = rotation[0]
    for p, (centre, yaw, pitch) in enumerate(players):
        states.player_positions[0, p] = centre
        states.player_yaws[0, p], states.player_pitches[0, p] = yaw, pitch
    states.validate()
    return states
