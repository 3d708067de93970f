"""Pictures of a state for people: a map from above, and a player from behind.

They come from the raycaster that draws what players see, or from whatever else draws what cameras see, and know nothing
but the state.
"""

import math
from typing import Protocol

import numpy as np

from procgen_bench.core.compiled import njit
from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.envs.xland.raycaster import camera_at, draw_cameras
from procgen_bench.envs.xland.rays.scenery import Scenery
from procgen_bench.tasks.xland.entities import PLAYER_HEIGHT
from procgen_bench.tasks.xland.predicates.camera import VERTICAL_FIELD_OF_VIEW
from procgen_bench.tasks.xland.predicates.ground import GROUND, ground_obstructs, place_ground
from procgen_bench.tasks.xland.predicates.states import States

#: A map is seen from so high (in the world's longest sides) that heights hardly move things on it.
_MAP_DISTANCE = 1000.0
#: What a map shows around the world, in the world's longest sides.
_MAP_MARGIN = 0.02
#: Where the camera behind a player stands: metres behind and above its head, and the pitch of its look.
_BEHIND, _ABOVE, _FOLLOWING_PITCH = 3.2, 0.9, math.radians(-14.0)
#: Nothing nearer than this (metres) may stand between that camera and the player, so it comes closer by such steps.
_STEP = 0.1
#: Rays through a pixel of a view, along either side.
OVERSAMPLING = 2


class CameraDrawing(Protocol):
    """What draws: :func:`~procgen_bench.envs.xland.raycaster.draw_cameras`, or another that does what it does."""

    def __call__(
        self,
        states: States,
        scenery: Scenery,
        cameras: np.ndarray,
        out: np.ndarray,
        field_of_view: float,
        tints: np.ndarray | None,
    ) -> np.ndarray:
        """Write what each camera sees into ``out``."""


def draw_map(
    states: States,
    scenery: Scenery,
    s: int = 0,
    height: int = 480,
    tints: np.ndarray | None = None,
    draw: CameraDrawing = draw_cameras,
    oversampling: int = OVERSAMPLING,
) -> np.ndarray:
    """State ``s`` from straight above, north at the top.

    Args:
        states, scenery, tints: See :func:`~procgen_bench.envs.xland.raycaster.draw_players`.
        s: Which state.
        height: Rows of the picture; columns follow from the world's sides.
        draw: What draws: the raycaster, or what takes the same arguments.
        oversampling: Rays through a pixel, along either side.

    Returns:
        uint8 (height, columns, 3).
    """
    width, depth, _ = extent(states, scenery, s)
    across, along = _map_sides(width, depth)
    columns = max(1, round(height * across / along))
    distance = _MAP_DISTANCE * max(width, depth)
    camera = camera_at((width / 2, depth / 2, distance), math.pi / 2, -math.pi / 2)
    field_of_view = 2 * math.atan(along / 2 / distance)
    return view_of(states, scenery, s, camera, (height, columns), field_of_view, tints, draw, oversampling)


def fitting_map_height(states: States, scenery: Scenery, s: int, shape: tuple[int, int]) -> int:
    """The height of the largest map of state ``s`` that has at most the rows and columns of ``shape``."""
    width, depth, _ = extent(states, scenery, s)
    across, along = _map_sides(width, depth)
    height = min(shape[0], math.floor(shape[1] * along / across))
    return max(1, height)


def draw_third_person(
    states: States,
    scenery: Scenery,
    s: int = 0,
    player: int = 0,
    shape: tuple[int, int] = (480, 640),
    tints: np.ndarray | None = None,
    draw: CameraDrawing = draw_cameras,
    oversampling: int = OVERSAMPLING,
) -> np.ndarray:
    """State ``s`` from behind and above a player; of one that is gone, the place where it was.

    The camera keeps to the player's yaw, not to its pitch. It comes closer where ground stands between them.

    Args:
        states, scenery, s, tints, draw, oversampling: See :func:`draw_map`.
        player: Which one, from 0.
        shape: Rows and columns of the picture.

    Returns:
        uint8 (rows, columns, 3).

    Raises:
        InvalidTaskError: There is no such player.
    """
    if not 0 <= player < states.num_players:
        raise InvalidTaskError("player", player, f"0 to {states.num_players - 1}")
    yaw = float(states.player_yaws[s, player])
    head = states.player_positions[s, player] + (0.0, 0.0, PLAYER_HEIGHT / 2)
    back = np.array([-_BEHIND * math.cos(yaw), -_BEHIND * math.sin(yaw), _ABOVE])
    share = _free_share(states.scenes, int(states.scene[s]), head, head + back, _STEP / float(np.linalg.norm(back)))
    camera = camera_at(tuple(head + share * back), yaw, _FOLLOWING_PITCH)
    return view_of(states, scenery, s, camera, shape, VERTICAL_FIELD_OF_VIEW, tints, draw, oversampling)


def extent(states: States, scenery: Scenery, s: int) -> tuple[float, float, float]:
    """Width, depth and height of the world of state ``s``, metres."""
    return tuple(scenery.extents[states.scene[s]].tolist())


def _map_sides(width: float, depth: float) -> tuple[float, float]:
    """What a map shows of a world of this width and depth: metres to the east and to the north."""
    margin = 2 * _MAP_MARGIN * max(width, depth)
    return width + margin, depth + margin


def view_of(states, scenery, s, camera, shape, field_of_view, tints, draw, oversampling) -> np.ndarray:
    """What a camera sees of state ``s``, each pixel the mean of several rays."""
    one = States(states.scenes, **{name: array[s : s + 1] for name, array in states.arrays._asdict().items()})
    rows, columns = shape
    picture = np.empty((1, 1, rows * oversampling, columns * oversampling, 3), np.uint8)
    tints = None if tints is None else tints[s : s + 1]
    draw(one, scenery, camera.reshape(1, 1), picture, field_of_view, tints)
    blocks = picture.reshape(rows, oversampling, columns, oversampling, 3)
    return np.rint(blocks.mean(axis=(1, 3))).astype(np.uint8)


@njit
def _free_share(scenes, scene, begin, end, step):
    """The greatest share (in steps) of the way from one point to another that no ground obstructs."""
    ground = np.empty(1, GROUND)[0]
    place_ground(ground, scenes, scene)
    share = 1.0
    while share > step:
        x, y, z = begin + share * (end - begin)
        if not ground_obstructs(ground, begin[0], begin[1], begin[2], x, y, z):
            return share
        share -= step
    return 0.0
