"""What cameras see of XLand's states, drawn by following a ray through every pixel: no graphics library is needed.

The players' cameras are those of the predicates, so that what ``see`` says and what is drawn agree. A pixel shows what
the ray through its middle meets first: a tile's floor or side, a wall, an object, a player, else the sky. Nothing casts
a shadow. The same states give the same bytes.

The ground is drawn first and its depth is kept; then every body is, within the rectangle of pixels that the ball
around it covers.
"""

import math

import numpy as np
from numba import njit

from procgen_bench.envs.xland.rays.ground import cast_ray
from procgen_bench.envs.xland.rays.painting import (
    VISOR_COLOUR,
    body_colour,
    is_visor,
    paint_body,
    paint_ground,
    paint_sky,
)
from procgen_bench.envs.xland.rays.scenery import SKY, Scenery
from procgen_bench.envs.xland.rays.shapes import meet_body
from procgen_bench.errors import InvalidTaskError
from procgen_bench.tasks.xland.predicates.bodies import BODY, CAPSULE, place_bodies
from procgen_bench.tasks.xland.predicates.camera import CAMERA, PICTURE_SHAPE, VERTICAL_FIELD_OF_VIEW, place_camera
from procgen_bench.tasks.xland.predicates.geometry import local_direction
from procgen_bench.tasks.xland.predicates.states import States, check_array

_NOBODY = -1
#: Red, green, blue and opacity.
_TINT_PARTS = 4


def draw_players(
    states: States, scenery: Scenery, out: np.ndarray | None = None, tints: np.ndarray | None = None
) -> np.ndarray:
    """What every player sees. It does not see its own body; the picture of a player that is gone is black.

    Args:
        states: S states with K objects and P players.
        scenery: That of the states' worlds, in their order.
        out: uint8 (S, P, rows, columns, 3), written and returned; a new array of 72 x 96 pixels without.
        tints: uint8 (S, K + P, 4): a colour (red, green, blue) that is laid over each object and player, and how
            much of it (0: none, 255: it alone), to mark what is frozen, say. None without.

    Returns:
        uint8 (S, P, rows, columns, 3), the uppermost row first.

    Raises:
        InvalidTaskError: The arrays do not fit together, or a state's world does not exist.
    """
    if out is None:
        out = np.empty((len(states), states.num_players, *PICTURE_SHAPE, 3), np.uint8)
    _check_pictures(out, len(states), states.num_players)
    tints = _checked(states, scenery, tints)
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
    check_array("cameras", cameras, (len(states), *cameras.shape[1:2]), CAMERA)
    if not 0.0 < field_of_view < math.pi:
        raise InvalidTaskError("field_of_view", field_of_view, "an angle above 0 and below pi")
    _check_pictures(out, len(states), cameras.shape[1])
    tints = _checked(states, scenery, tints)
    slope = math.tan(field_of_view / 2)
    _draw_all_cameras(states.scenes, states.arrays, scenery, tints, cameras, slope, out, np.empty(out.shape[2:4]))
    return out


def camera_at(eye: tuple[float, float, float], yaw: float, pitch: float) -> np.ndarray:
    """A camera at a point (metres) that looks along a yaw and a pitch (radians): CAMERA ()."""
    camera = np.empty(1, CAMERA)
    place_camera(camera[0], np.array(eye, np.float64), yaw, pitch)
    camera["eye"] = eye
    return camera[0]


def _check_pictures(pictures: np.ndarray, *counts: int) -> None:
    shape = getattr(pictures, "shape", ())
    size = shape[2:4] if len(shape) == 5 and min(shape) > 0 else PICTURE_SHAPE
    check_array("pictures", pictures, (*counts, *size, 3), np.uint8)


def _checked(states: States, scenery: Scenery, tints: np.ndarray | None) -> np.ndarray:
    """The tints, or none of them, where they, the scenery and the states fit together."""
    if len(scenery.kinds) != len(states.scenes.kinds):
        raise InvalidTaskError("number of worlds of the scenery", len(scenery.kinds), str(len(states.scenes.kinds)))
    for (s,) in np.argwhere((states.scene < 0) | (states.scene >= len(scenery.kinds))):
        raise InvalidTaskError(f"scene[{s}]", int(states.scene[s]), f"0 to {len(scenery.kinds) - 1}")
    shape = (len(states), states.contacts.shape[1], _TINT_PARTS)
    if tints is None:
        return np.zeros(shape, np.uint8)
    check_array("tints", tints, shape, np.uint8)
    return tints


#: Half of what a player's camera sees upwards, at a depth of 1.
_PLAYER_SLOPE = math.tan(VERTICAL_FIELD_OF_VIEW / 2)


@njit(cache=True, error_model="numpy")
def draw_all_players(scenes, states, scenery, tints, pictures, depths):
    """See :func:`draw_players`, for compiled callers: nothing is checked.

    Args:
        scenes, states, scenery, tints, pictures: See there.
        depths: float64 (rows, columns), overwritten.
    """
    num_objects, num_players = scenes.object_shapes.shape[1], states.player_yaws.shape[1]
    bodies, cameras = np.empty(num_objects + num_players, BODY), np.empty(num_players, CAMERA)
    for s in range(pictures.shape[0]):
        place_bodies(bodies, cameras, scenes, states, s)
        for p in range(num_players):
            if not states.players_present[s, p]:
                pictures[s, p] = 0
                continue
            _draw(
                scenes,
                states.scene[s],
                scenery,
                bodies,
                num_objects + p,
                tints[s],
                cameras[p],
                _PLAYER_SLOPE,
                pictures[s, p],
                depths,
            )


@njit(cache=True, error_model="numpy")
def _draw_all_cameras(scenes, states, scenery, tints, cameras, slope, pictures, depths):
    """See :func:`draw_cameras`."""
    num_objects, num_players = scenes.object_shapes.shape[1], states.player_yaws.shape[1]
    bodies, of_players = np.empty(num_objects + num_players, BODY), np.empty(num_players, CAMERA)
    for s in range(pictures.shape[0]):
        place_bodies(bodies, of_players, scenes, states, s)
        for c in range(pictures.shape[1]):
            _draw(
                scenes,
                states.scene[s],
                scenery,
                bodies,
                _NOBODY,
                tints[s],
                cameras[s, c],
                slope,
                pictures[s, c],
                depths,
            )


@njit(cache=True, error_model="numpy")
def _draw(scenes, scene, scenery, bodies, hidden, tints, camera, slope, picture, depths):
    """Draw the ground, then every body but the one that is hidden."""
    _draw_ground(scenery, scene, camera, slope, picture, depths)
    for k in range(bodies.shape[0]):
        if bodies[k].shape >= 0 and k != hidden:
            colour = body_colour(k, scenes, scene, scenery.player_colours[scene], tints[k])
            _draw_body(bodies[k], colour, scenery.suns[scene], camera, slope, picture, depths)


@njit(cache=True, error_model="numpy")
def _draw_ground(scenery, scene, camera, slope, picture, depths):
    kinds, tops, colours = scenery.kinds[scene], scenery.tops[scene], scenery.colours[scene]
    normals, shades = scenery.normals[scene], scenery.shades[scene]
    size = (scenery.sizes[scene, 0], scenery.sizes[scene, 1], scenery.sizes[scene, 2])
    extent = (scenery.extents[scene, 0], scenery.extents[scene, 1], scenery.extents[scene, 2])
    forward, right, up = _axes(camera)
    x, y, z = camera.eye[0], camera.eye[1], camera.eye[2]
    rows, columns = picture.shape[0], picture.shape[1]
    pixel = 2.0 * slope / rows
    for row in range(rows):
        upwards = (0.5 * (rows - 1) - row) * pixel
        line_x, line_y, line_z = _along(forward, upwards, up)
        for column in range(columns):
            dx, dy, dz = _along((line_x, line_y, line_z), (column - 0.5 * (columns - 1)) * pixel, right)
            time, facing, tile = cast_ray(kinds, tops, scenery.stride, size, extent, x, y, z, dx, dy, dz)
            depths[row, column] = time
            if facing == SKY:
                paint_sky(picture[row, column], dx, dy, dz)
            else:
                point = _along((x, y, z), time, (dx, dy, dz))
                spread = _spread(time * pixel, (dx, dy, dz), right, up, normals[facing])
                paint_ground(picture[row, column], colours, shades, size, facing, tile, point, spread)


@njit(inline="always")
def _spread(step, direction, right, up, normal):
    """How far a pixel spreads along x, y and z on a surface.

    Args:
        step: The pixel's width where it meets the surface, metres.
        direction: The ray's.
        right, up: The camera's.
        normal: The surface's.
    """
    sinking = 1.0 / (direction[0] * normal[0] + direction[1] * normal[1] + direction[2] * normal[2])
    # A ray that is turned to the right or upwards meets the plane this much later.
    by_right = (right[0] * normal[0] + right[1] * normal[1] + right[2] * normal[2]) * sinking
    by_up = (up[0] * normal[0] + up[1] * normal[1] + up[2] * normal[2]) * sinking
    return (
        step * (abs(right[0] - by_right * direction[0]) + abs(up[0] - by_up * direction[0])),
        step * (abs(right[1] - by_right * direction[1]) + abs(up[1] - by_up * direction[1])),
        step * (abs(right[2] - by_right * direction[2]) + abs(up[2] - by_up * direction[2])),
    )


@njit(cache=True, error_model="numpy")
def _draw_body(body, colour, sun, camera, slope, picture, depths):
    """Draw a body where it is nearer than what has been drawn."""
    rows, columns = picture.shape[0], picture.shape[1]
    pixel = 2.0 * slope / rows
    frame, shape, visor = body.frame, body.shape, VISOR_COLOUR
    # In the body's own axes and sizes, the ray through a pixel begins and goes likewise.
    scale = 1.0 if shape == CAPSULE else 1.0 / body.size
    forward, right, up = _axes(camera)
    away = (camera.eye[0] - body.centre[0], camera.eye[1] - body.centre[1], camera.eye[2] - body.centre[2])
    depth, across, above = -_dot(away, forward), -_dot(away, right), -_dot(away, up)
    first_column, last_column = _pixels(depth, across, body.reach, columns, pixel)
    first_row, last_row = _pixels(depth, -above, body.reach, rows, pixel)
    eye_x, eye_y, eye_z = _own(frame, away, scale)
    forward, right, up = _own(frame, forward, scale), _own(frame, right, scale), _own(frame, up, scale)
    sun_x, sun_y, sun_z = local_direction(frame, sun[0, 0], sun[0, 1], sun[0, 2])
    for row in range(first_row, last_row + 1):
        line = _along(forward, (0.5 * (rows - 1) - row) * pixel, up)
        for column in range(first_column, last_column + 1):
            dx, dy, dz = _along(line, (column - 0.5 * (columns - 1)) * pixel, right)
            time, nx, ny, nz = meet_body(shape, eye_x, eye_y, eye_z, dx, dy, dz)
            if time < depths[row, column]:
                depths[row, column] = time
                red, green, blue = colour
                if is_visor(shape, eye_z + time * dz, nx, ny):
                    red, green, blue = visor[0] * 1.0, visor[1] * 1.0, visor[2] * 1.0
                cosine = nx * sun_x + ny * sun_y + nz * sun_z
                upwards = nx * frame[2, 0] + ny * frame[2, 1] + nz * frame[2, 2]
                paint_body(picture[row, column], red, green, blue, sun[1], cosine, upwards)


@njit(cache=True, error_model="numpy")
def _pixels(depth, across, radius, count, pixel):
    """The first and the last of ``count`` pixels, from left to right, whose rays may meet a ball.

    Args:
        depth, across: The ball's centre, metres ahead and to the right.
        radius: Metres.
        count, pixel: How many pixels there are, and the width of each one at a depth of 1.
    """
    if depth <= -radius:
        return 0, -1
    if depth <= radius:  # it reaches behind the eye, so rays to either side may meet it
        return 0, count - 1
    # Slopes of the tangents from the eye.
    squared = depth * depth - radius * radius
    middle, reach = across * depth / squared, radius * math.sqrt(across * across + squared) / squared
    first = math.ceil(max((middle - reach) / pixel + 0.5 * (count - 1), 0.0))
    last = math.floor(min((middle + reach) / pixel + 0.5 * (count - 1), count - 1.0))
    return int(first), int(last)


@njit(inline="always")
def _axes(camera):
    """A camera's directions: forward, right and up."""
    return (
        (camera.forward[0], camera.forward[1], camera.forward[2]),
        (camera.right[0], camera.right[1], camera.right[2]),
        (camera.up[0], camera.up[1], camera.up[2]),
    )


@njit(inline="always")
def _own(frame, direction, scale):
    """A direction of the world along the columns of ``frame``, scaled."""
    x, y, z = local_direction(frame, direction[0], direction[1], direction[2])
    return scale * x, scale * y, scale * z


@njit(inline="always")
def _along(point, length, direction):
    return point[0] + length * direction[0], point[1] + length * direction[1], point[2] + length * direction[2]


@njit(inline="always")
def _dot(one, other):
    return one[0] * other[0] + one[1] * other[1] + one[2] * other[2]
