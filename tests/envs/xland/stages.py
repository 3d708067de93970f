"""Stages for the tests of pictures: states of worlds as they begin, and what of a picture shows a thing."""

import numpy as np

from procgen_bench.envs.xland.raycaster import draw_players
from procgen_bench.envs.xland.rays.scenery import Scenery, scenery
from procgen_bench.tasks.xland.entities import PLAYER_HEIGHT
from procgen_bench.tasks.xland.predicates.camera import PICTURE_SHAPE, VERTICAL_FIELD_OF_VIEW
from procgen_bench.tasks.xland.predicates.states import StateArrays, States, scene_arrays
from procgen_bench.tasks.xland.worlds.world import World
from tests.tasks.xland.predicates.makers import CENTRE_HEIGHTS

#: 7 x 7 flat tiles.
ROOM = "0. 0. 0. 0. 0. 0. 0.\n" * 7
#: The eye of a player that stands on level 0 in the middle of the westernmost tile of the middle row, 2 x 2 m each.
EYE = np.array([1.0, 7.0, 1.5])


def stage(text: str) -> tuple[States, Scenery]:
    """One state in which a world's things stand where it says; tiles are 2 x 2 m and levels 1 m by default."""
    world = World.from_text(text if "tiles" in text else text + "\ntiles 2.0 2.0 m, levels 1.0 m\n")
    return begin([world]), scenery([world])


def begin(worlds: list[World]) -> States:
    """The states in which worlds of as many players and objects begin."""
    states = States.empty(scene_arrays(worlds), len(worlds), len(worlds[0].player_colours))
    for s, world in enumerate(worlds):
        states.scene[s] = s
        above = np.zeros(len(world.object_shapes)), np.full(len(world.player_colours), PLAYER_HEIGHT / 2)
        above = CENTRE_HEIGHTS[world.object_shapes] * world.object_sizes, above[1]
        for out, places, lift in zip((states.object_positions, states.player_positions), _places(world), above):
            floors = np.array([world.floor_height(x, y) for x, y in places])
            out[s] = np.column_stack([places * world.tile_size[:2], floors + lift])
        halves = world.object_yaws / 2
        states.object_rotations[s] = np.stack([np.cos(halves), 0 * halves, 0 * halves, np.sin(halves)], axis=-1)
        states.player_yaws[s] = world.player_yaws
    states.validate()
    return states


def _places(world: World) -> tuple[np.ndarray, np.ndarray]:
    return world.object_positions, world.player_positions


def repeated(states: States, count: int) -> States:
    """Copies of one state."""
    arrays = StateArrays(*(np.repeat(array, count, axis=0) for array in states.arrays))
    return States(states.scenes, **arrays._asdict())


def body_masks(states: States, scenery: Scenery, draw=draw_players) -> np.ndarray:
    """Which pixels of every player's picture of one state show each body: bool (K + P, P, rows, columns).

    They are those that change when the body's tint does; ``draw`` draws them.
    """
    bodies = states.contacts.shape[1]
    copies = repeated(states, bodies + 1)
    tints = np.zeros((bodies + 1, bodies, 4), np.uint8)
    tints[..., 3] = 255
    tints[np.arange(bodies), np.arange(bodies), :3] = 255
    pictures = draw(copies, scenery, tints=tints)
    return (pictures[:-1] != pictures[-1:]).any(axis=-1)


def slopes(shape: tuple[int, int] = PICTURE_SHAPE) -> tuple[np.ndarray, np.ndarray]:
    """Slopes to the right of a picture's columns and upwards of its rows, by the pinhole camera's definition."""
    rows, columns = shape
    pixel = 2 * np.tan(VERTICAL_FIELD_OF_VIEW / 2) / rows
    return (np.arange(columns) + 0.5 - columns / 2) * pixel, (rows / 2 - 0.5 - np.arange(rows)) * pixel


def directions(yaw: float, pitch: float, shape: tuple[int, int] = PICTURE_SHAPE) -> np.ndarray:
    """Directions through a picture's pixels: float64 (rows, columns, 3), of depth 1."""
    right, up = slopes(shape)
    forward = np.array([np.cos(pitch) * np.cos(yaw), np.cos(pitch) * np.sin(yaw), np.sin(pitch)])
    to_right = np.array([np.sin(yaw), -np.cos(yaw), 0.0])
    upwards = np.cross(to_right, forward)
    return forward + right[:, np.newaxis] * to_right + up[:, np.newaxis, np.newaxis] * upwards
