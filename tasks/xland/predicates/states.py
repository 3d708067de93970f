"""States of the simulation as the predicates read them: structs of arrays, filled in place by a simulator."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import NamedTuple

import numpy as np

from procgen_bench.core.checks import check_contiguous
from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.xland.entities import COLOURS, FLOORS, MAX_PLAYERS, SHAPES
from procgen_bench.tasks.xland.worlds.tiles import NUM_KINDS, NUM_LEVELS, TileKind
from procgen_bench.tasks.xland.worlds.validity import GREATEST_SIDE
from procgen_bench.tasks.xland.worlds.world import World

#: How far the length of a quaternion may be from 1.
_UNIT_TOLERANCE = 1e-6


class SceneArrays(NamedTuple):
    """What stays as it is during an episode, of M worlds: their ground, and the objects' shapes.

    H, W and K are the most rows, columns and objects of a world; smaller ones are padded.

    Attributes:
        kinds: int8 (M, H, W), ``TileKind`` of every tile, 0 where padded.
        levels: int8 (M, H, W), 0 to 5.
        extents: int64 (M, 2), numbers of rows and columns, 1 to 15.
        tops: int64 (M,), height of the ground's highest point, levels.
        tile_size: float64 (M, 3), metres: width of a tile (east), depth (north), height of a level; above 0.
        object_shapes: int8 (M, K), places in ``SHAPES``; -1 where padded.
        object_colours: int8 (M, K), places in ``COLOURS``; 0 where padded.
        object_sizes: float64 (M, K), metres, as in :class:`World`; above 0 (1 where padded).
    """

    kinds: np.ndarray
    levels: np.ndarray
    extents: np.ndarray
    tops: np.ndarray
    tile_size: np.ndarray
    object_shapes: np.ndarray
    object_colours: np.ndarray
    object_sizes: np.ndarray


def scene_arrays(worlds: Sequence[World]) -> SceneArrays:
    """The ground and the objects of worlds, side by side.

    Raises:
        InvalidTaskError: There is no world, or one has a shape, tiles, a tile size or objects out of range.
    """
    if not worlds:
        raise InvalidTaskError("number of worlds", 0, "at least 1")
    for m, world in enumerate(worlds):
        _check_world(m, world)
    shapes = [world.shape for world in worlds]
    count, most = len(worlds), max(len(world.object_shapes) for world in worlds)
    rows, columns = (max(lengths) for lengths in zip(*shapes))
    scenes = SceneArrays(
        kinds=np.zeros((count, rows, columns), np.int8),
        levels=np.zeros((count, rows, columns), np.int8),
        extents=np.array(shapes, np.int64),
        tops=np.zeros(count, np.int64),
        tile_size=np.array([world.tile_size for world in worlds], np.float64),
        object_shapes=np.full((count, most), -1, np.int8),
        object_colours=np.zeros((count, most), np.int8),
        object_sizes=np.ones((count, most)),
    )
    for m, world in enumerate(worlds):
        (height, width), objects = world.shape, len(world.object_shapes)
        scenes.kinds[m, :height, :width] = world.kinds
        scenes.levels[m, :height, :width] = world.levels
        scenes.tops[m] = (world.levels.astype(np.int64) + (world.kinds != TileKind.FLAT)).max()
        scenes.object_shapes[m, :objects] = world.object_shapes
        scenes.object_colours[m, :objects] = world.object_colours
        scenes.object_sizes[m, :objects] = world.object_sizes
    return scenes


class StateArrays(NamedTuple):
    """The changing part of S states with K objects and P players, in the shapes and dtypes of :class:`States`."""

    scene: np.ndarray
    object_positions: np.ndarray
    object_rotations: np.ndarray
    objects_present: np.ndarray
    player_positions: np.ndarray
    player_yaws: np.ndarray
    player_pitches: np.ndarray
    players_present: np.ndarray
    held: np.ndarray
    contacts: np.ndarray


@dataclass(frozen=True, eq=False)
class States:
    """S states of the simulation, each in one of M worlds, with up to K objects and P players.

    Positions are in metres from the world's south-western corner at level 0: x to the east, y to the north, z upwards.
    A simulator makes one with :meth:`empty` and writes its arrays in place. Their shapes and types are checked here;
    what they hold is checked by :meth:`validate` alone, apart from ``scene``.

    Attributes:
        scenes: The worlds.
        scene: int64 (S,), the world of every state, 0 to M - 1.
        object_positions: float64 (S, K, 3), centres of mass. A pyramid's is a quarter of its height above its base;
            those of the others are their middles.
        object_rotations: float64 (S, K, 4), unit quaternions (w, x, y, z) that turn the objects' own axes into the
            world's. A pyramid's apex lies towards its own z; a slab's longest edge is along its x, its shortest
            along its z.
        objects_present: bool (S, K), False for what was tagged and is gone. Places of padded objects are ignored.
        player_positions: float64 (S, P, 3), centres of upright capsules, 1.65 m high, of radius 0.3 m.
        player_yaws: float64 (S, P), radians anticlockwise from the east.
        player_pitches: float64 (S, P), radians that the camera looks up from the horizon.
        players_present: bool (S, P).
        held: bool (S, P, K), whether the player's beam holds the object.
        contacts: bool (S, K + P, 6), whether the body (objects, then players) touches the upper surface of a floor of
            that colour (places in ``FLOORS``).

    Raises:
        InvalidTaskError: An array has another shape or type, or is not contiguous.
    """

    scenes: SceneArrays
    scene: np.ndarray
    object_positions: np.ndarray
    object_rotations: np.ndarray
    objects_present: np.ndarray
    player_positions: np.ndarray
    player_yaws: np.ndarray
    player_pitches: np.ndarray
    players_present: np.ndarray
    held: np.ndarray
    contacts: np.ndarray

    def __post_init__(self):
        if not 1 <= self.num_players <= MAX_PLAYERS:
            raise InvalidTaskError("number of players", self.num_players, f"1 to {MAX_PLAYERS}")
        expected = _shapes(len(self.scene), self.scenes.object_shapes.shape[1], self.num_players)
        for name, (shape, dtype) in expected.items():
            check_contiguous(name, getattr(self, name), dtype, shape)

    @classmethod
    def empty(cls, scenes: SceneArrays, num_states: int, num_players: int) -> "States":
        """States in the first world with everything present, at the origin, unturned, unheld and in the air."""
        shapes = _shapes(num_states, scenes.object_shapes.shape[1], num_players)
        states = cls(scenes, **{name: np.zeros(shape, dtype) for name, (shape, dtype) in shapes.items()})
        states.object_rotations[..., 0] = 1.0
        states.objects_present[:], states.players_present[:] = True, True
        return states

    @property
    def num_players(self) -> int:
        """P."""
        return self.player_yaws.shape[-1]

    @property
    def arrays(self) -> StateArrays:
        """The changing part, as compiled functions take it."""
        return StateArrays(*(getattr(self, name) for name in StateArrays._fields))

    def __len__(self) -> int:
        return len(self.scene)

    def validate(self) -> None:
        """Raise :class:`InvalidTaskError` unless all values are as documented."""
        num_scenes = len(self.scenes.kinds)
        for (s,) in np.argwhere((self.scene < 0) | (self.scene >= num_scenes)):
            raise InvalidTaskError(f"scene[{s}]", int(self.scene[s]), f"0 to {num_scenes - 1}")
        for field in fields(self)[1:]:
            array = getattr(self, field.name)
            for place in np.argwhere(~np.isfinite(array)):
                raise InvalidTaskError(_place(field.name, place), array[tuple(place)].item(), "a finite number")
        lengths = np.linalg.norm(self.object_rotations, axis=-1)
        for place in np.argwhere(abs(lengths - 1.0) > _UNIT_TOLERANCE):
            quaternion = self.object_rotations[tuple(place)].tolist()
            raise InvalidTaskError(_place("object_rotations", place), quaternion, "a quaternion of length 1")


def _shapes(states: int, objects: int, players: int) -> dict[str, tuple[tuple[int, ...], type]]:
    """Shape and type of every array of states."""
    return {
        "scene": ((states,), np.int64),
        "object_positions": ((states, objects, 3), np.float64),
        "object_rotations": ((states, objects, 4), np.float64),
        "objects_present": ((states, objects), np.bool_),
        "player_positions": ((states, players, 3), np.float64),
        "player_yaws": ((states, players), np.float64),
        "player_pitches": ((states, players), np.float64),
        "players_present": ((states, players), np.bool_),
        "held": ((states, players, objects), np.bool_),
        "contacts": ((states, objects + players, len(FLOORS)), np.bool_),
    }


def _check_world(m: int, world: World) -> None:
    """Raise :class:`InvalidTaskError` unless the predicates can read the world."""
    if not all(1 <= side <= GREATEST_SIDE for side in world.shape):
        raise InvalidTaskError(f"worlds[{m}]'s shape", world.shape, f"1 to {GREATEST_SIDE} rows and columns")
    whole = {
        "kinds": (world.kinds, NUM_KINDS),
        "levels": (world.levels, NUM_LEVELS),
        "object_shapes": (world.object_shapes, len(SHAPES)),
        "object_colours": (world.object_colours, len(COLOURS)),
    }
    for name, (array, count) in whole.items():
        outside = (array < 0) | (array >= count)
        for place in np.argwhere(outside) if outside.any() else ():
            raise InvalidTaskError(
                _place(f"worlds[{m}].{name}", place), array[tuple(place)].item(), f"0 to {count - 1}"
            )
    for name in ("tile_size", "object_sizes"):
        array = getattr(world, name)
        inside = (array > 0) & np.isfinite(array)
        for place in () if inside.all() else np.argwhere(~inside):
            raise InvalidTaskError(_place(f"worlds[{m}].{name}", place), array[tuple(place)].item(), "above 0")


def _place(name: str, place: np.ndarray) -> str:
    return f"{name}[{', '.join(str(index) for index in place)}]"
