"""What cameras see of XLand's states, without a graphics library.

The players' cameras are those of the predicates, so that what ``see`` says and what is drawn agree. A pixel shows what
the ray through its middle meets first: a tile's floor or side, a wall, an object, a player, else the sky. The ground
is darker below bodies, and a thin line leads from a player's hand to what it holds. The same
states give the same bytes.
"""

import math

import numpy as np

from procgen_bench.core.checks import check_contiguous
from procgen_bench.core.compiled import njit
from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.envs.xland.rays.pictures import draw_picture, new_sheet
from procgen_bench.envs.xland.rays.scenery import Scenery
from procgen_bench.tasks.xland.predicates.bodies import BODY, place_bodies
from procgen_bench.tasks.xland.predicates.camera import CAMERA, PICTURE_SHAPE, VERTICAL_FIELD_OF_VIEW, place_camera
from procgen_bench.tasks.xland.predicates.states import States

_NOBODY = -1
#: Red, green, blue and opacity.
_TINT_PARTS = 4


def draw_players(
    states: States, scenery: Scenery, out: np.ndarray | None = None, tints: np.ndarray | None = None
) -> np.ndarray:
    """What players see. They do not see their own bodies; the picture of a player that is gone is black.

    Args:
        states: S states with K objects and P players.
        scenery: That of the states' worlds, in their order.
        out: uint8 (S, Q, rows, columns, 3), written and returned: the pictures of the first Q players, 1 to P. A new
            array of 72 x 96 pixels for all of them without.
        tints: uint8 (S, K + P, 4): a colour (red, green, blue) that is laid over each object and player, and how
            much of it (0: none, 255: it alone), to mark what is frozen, say. None without.

    Returns:
        uint8 (S, Q, rows, columns, 3), the uppermost row first.

    Raises:
        InvalidTaskError: The arrays do not fit together, or a state's world does not exist.
    """
    out, tints = check_player_pictures(states, scenery, out, tints)
    draw_all_players(states.scenes, states.arrays, scenery, tints, out, np.empty(out.shape[2:4]))
    return out


def draw_cameras(
    states: States,
    scenery: Scenery,
    cameras: np.ndarray,
    out: np.ndarray,
    field_of_view: float = VERTICAL_FIELD_OF_VIEW,
    tints: np.ndarray | None = None,
) -> np.ndarray:
    """What free cameras see; see :func:`draw_players`.

    Args:
        states: S states.
        scenery: That of the states' worlds, in their order.
        cameras: CAMERA (S, C), see :func:`camera_at`.
        out: uint8 (S, C, rows, columns, 3), written and returned.
        field_of_view: Angle between the upper and the lower border of the pictures, radians, above 0 and below pi.
        tints: uint8 (S, K + P, 4).

    Raises:
        InvalidTaskError: The arrays do not fit together, a state's world does not exist, or the angle is none.
    """
    tints = check_camera_pictures(states, scenery, cameras, out, field_of_view, tints)
    slope = math.tan(field_of_view / 2)
    _draw_all_cameras(states.scenes, states.arrays, scenery, tints, cameras, slope, out, np.empty(out.shape[2:4]))
    return out


def camera_at(eye: tuple[float, float, float], yaw: float, pitch: float) -> np.ndarray:
    """A camera at a point (metres) that looks along a yaw and a pitch (radians): one record () of dtype ``CAMERA``."""
    camera = np.empty(1, CAMERA)
    place_camera(camera[0], np.array(eye, np.float64), yaw, pitch)
    camera["eye"] = eye
    return camera[0]


def check_player_pictures(
    states: States, scenery: Scenery, out: np.ndarray | None, tints: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """The pictures to write, uint8 (S, P, rows, columns, 3), and the tints, uint8 (S, K + P, 4), from the arguments of
    :func:`draw_players`, which raises its errors here."""
    if out is None:
        out = np.empty((len(states), states.num_players, *PICTURE_SHAPE, 3), np.uint8)
    _check_pictures(out, len(states), 1, states.num_players)
    return out, _checked(states, scenery, tints)


def check_camera_pictures(
    states: States,
    scenery: Scenery,
    cameras: np.ndarray,
    out: np.ndarray,
    field_of_view: float,
    tints: np.ndarray | None,
) -> np.ndarray:
    """The tints, uint8 (S, K + P, 4), from the arguments of :func:`draw_cameras`, which says what they are and raises
    its errors here."""
    num_cameras = cameras.shape[1] if cameras.ndim == 2 else 1
    check_contiguous("cameras", cameras, CAMERA, (len(states), num_cameras))
    if not 0.0 < field_of_view < math.pi:
        raise InvalidTaskError("field_of_view", field_of_view, "an angle above 0 and below pi")
    _check_pictures(out, len(states), num_cameras, num_cameras)
    return _checked(states, scenery, tints)


def _check_pictures(pictures: np.ndarray, count: int, least: int, most: int) -> None:
    """Raise an error unless they are uint8 (count, least to most, rows, columns, 3)."""
    shape = np.shape(pictures)
    fits = len(shape) == 5 and min(shape) > 0 and least <= shape[1] <= most
    check_contiguous("pictures", pictures, np.uint8, (count, *(shape[1:4] if fits else (most, *PICTURE_SHAPE)), 3))


def _checked(states: States, scenery: Scenery, tints: np.ndarray | None) -> np.ndarray:
    """The tints, or none of them, where they, the scenery and the states fit together."""
    if len(scenery.num_faces) != len(states.scenes.kinds):
        raise InvalidTaskError("number of worlds of the scenery", len(scenery.num_faces), str(len(states.scenes.kinds)))
    for (s,) in np.argwhere((states.scene < 0) | (states.scene >= len(scenery.num_faces))):
        raise InvalidTaskError(f"scene[{s}]", int(states.scene[s]), f"0 to {len(scenery.num_faces) - 1}")
    shape = (len(states), states.contacts.shape[1], _TINT_PARTS)
    if tints is None:
        return np.zeros(shape, np.uint8)
    check_contiguous("tints", tints, np.uint8, shape)
    return tints


#: Half of what a player's camera sees upwards, at a depth of 1.
_PLAYER_SLOPE = math.tan(VERTICAL_FIELD_OF_VIEW / 2)


@njit(error_model="numpy", nogil=True)
def draw_all_players(scenes, states, scenery, tints, pictures, depths):
    """See :func:`draw_players`, for compiled callers: nothing is checked.

    Args:
        scenes, states: ``states.scenes`` and ``states.arrays``.
        scenery, tints, pictures: See there.
        depths: float64 (rows, columns), overwritten.
    """
    num_objects, num_players = scenes.object_shapes.shape[1], states.player_yaws.shape[1]
    bodies, cameras = np.empty(num_objects + num_players, BODY), np.empty(num_players, CAMERA)
    sheet = new_sheet(depths.shape, scenery, bodies.shape[0])
    for s in range(pictures.shape[0]):
        scene = states.scene[s]
        place_bodies(bodies, cameras, scenes, states, s)
        for p in range(pictures.shape[1]):
            if not states.players_present[s, p]:
                pictures[s, p] = 0
                continue
            camera, picture, own = cameras[p], pictures[s, p], num_objects + p
            held = states.held[s]
            draw_picture(
                scenes,
                scene,
                scenery,
                bodies,
                own,
                cameras,
                held,
                tints[s],
                camera,
                _PLAYER_SLOPE,
                picture,
                depths,
                sheet,
            )


@njit(error_model="numpy", nogil=True)
def _draw_all_cameras(scenes, states, scenery, tints, cameras, slope, pictures, depths):
    """See :func:`draw_cameras`."""
    num_objects, num_players = scenes.object_shapes.shape[1], states.player_yaws.shape[1]
    bodies, of_players = np.empty(num_objects + num_players, BODY), np.empty(num_players, CAMERA)
    sheet = new_sheet(depths.shape, scenery, bodies.shape[0])
    for s in range(pictures.shape[0]):
        scene = states.scene[s]
        place_bodies(bodies, of_players, scenes, states, s)
        for c in range(pictures.shape[1]):
            camera, picture = cameras[s, c], pictures[s, c]
            held = states.held[s]
            draw_picture(
                scenes,
                scene,
                scenery,
                bodies,
                _NOBODY,
                of_players,
                held,
                tints[s],
                camera,
                slope,
                picture,
                depths,
                sheet,
            )
