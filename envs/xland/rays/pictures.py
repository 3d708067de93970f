"""Pictures: the ground first, whose depth is kept, then every body within the pixels that the ball around it covers.

The ground is found face by face and painted row by row (:mod:`~procgen_bench.envs.xland.rays.ground`,
:mod:`~procgen_bench.envs.xland.rays.surfaces`); where it ends, and where bodies are, is computed in double precision,
as what players see is.

The ray through a pixel is the camera's direction forward, some steps of a pixel to the right and some upwards, so its
length is counted in depths.
"""

from typing import NamedTuple

import numpy as np

from procgen_bench.core.compiled import njit
from procgen_bench.envs.xland.rays.faces import CORNERS
from procgen_bench.envs.xland.rays.ground import find_ground
from procgen_bench.envs.xland.rays.marks import SHADOW_PARTS, draw_beam, place_shadow
from procgen_bench.envs.xland.rays.painting import VISOR_COLOUR, body_colour, is_visor, paint_body, tinted
from procgen_bench.envs.xland.rays.surfaces import LANES, paint_row
from procgen_bench.tasks.xland.predicates.bodies import CAPSULE
from procgen_bench.tasks.xland.predicates.camera import covered_pixels
from procgen_bench.tasks.xland.predicates.geometry import local_direction
from procgen_bench.tasks.xland.predicates.rays import meet_body


class Sheet(NamedTuple):
    """Room for a picture that is being drawn, as rays find it.

    Attributes:
        shown: int32 (rows, columns), the face of the ground behind each pixel.
        tilts: float32 (F, 2), see :func:`~procgen_bench.envs.xland.rays.ground.find_ground`.
        edges: float64 (4, 3), see :func:`~procgen_bench.envs.xland.rays.ground.find_ground`.
        shadows: float32 (K + P, 9), see :func:`~procgen_bench.envs.xland.rays.marks.place_shadow`.
        lanes: float32 (10, columns), see :func:`~procgen_bench.envs.xland.rays.surfaces.paint_row`.
    """

    shown: np.ndarray
    tilts: np.ndarray
    edges: np.ndarray
    shadows: np.ndarray
    lanes: np.ndarray


@njit
def new_sheet(shape, scenery, num_bodies):
    """Room for pictures of some rows and columns of worlds with so many bodies."""
    return Sheet(
        np.empty(shape, np.int32),
        np.empty((scenery.facings.shape[1], 2), np.float32),
        np.empty((CORNERS, 3)),
        np.empty((num_bodies, SHADOW_PARTS), np.float32),
        np.empty((LANES, shape[1]), np.float32),
    )


@njit(error_model="numpy")
def draw_picture(scenes, scene, scenery, bodies, hidden, hands, held, tints, camera, slope, picture, depths, sheet):
    """Draw what a camera sees.

    Args:
        scenes, scene, scenery: The worlds, and which one it is.
        bodies: BODY (K + P,).
        hidden: The number of one that is not drawn, -1 for none.
        hands: CAMERA (P,), of the players, whose hands hold things.
        held: bool (P, K), what they hold.
        tints: uint8 (K + P, 4), see :func:`~procgen_bench.envs.xland.raycaster.draw_players`.
        camera: CAMERA.
        slope: Tangent of half the angle between the picture's upper and lower border.
        picture: uint8 (rows, columns, 3), written.
        depths: float64 (rows, columns), overwritten: how many times the ray through a pixel, of depth 1, goes until it
            meets something.
        sheet: Sheet, overwritten.
    """
    _draw_ground(scenes, scene, scenery, bodies, camera, slope, picture, depths, sheet)
    for k in range(bodies.shape[0]):
        if bodies[k].shape >= 0 and k != hidden:
            colour = tinted(body_colour(k, scenes, scene, scenery.player_colours[scene]), tints[k])
            visor = tinted(VISOR_COLOUR, tints[k])
            _draw_body(bodies[k], colour, visor, scenery.suns[scene], camera, slope, picture, depths)
    for p in range(held.shape[0]):
        for k in range(held.shape[1]):
            if held[p, k] and bodies[k].shape >= 0 and bodies[held.shape[1] + p].shape >= 0:
                draw_beam(hands[p], bodies[k].centre, camera, slope, picture, depths)


@njit(error_model="numpy")
def _draw_ground(scenes, scene, scenery, bodies, camera, slope, picture, depths, sheet):
    """Draw ground, sky and shadows."""
    count, shown, tilts, shadows = scenery.num_faces[scene], sheet.shown, sheet.tilts, sheet.shadows
    find_ground(
        scenery.corners[scene, :count],
        scenery.facings[scene, :count],
        scenery.normals[scene],
        camera,
        slope,
        depths,
        shown,
        tilts,
        sheet.edges,
    )
    num_shadows = bodies.shape[0] if scenery.shadow_darkness > 0.0 else 0
    for k in range(num_shadows):
        place_shadow(scenes, scene, bodies[k], scenery.shadow_darkness, camera, slope, picture.shape, shadows[k])
    paints, per_size = scenery.paints[scene], scenery.per_sizes[scene]
    for row in range(picture.shape[0]):
        line = depths[row]
        for column in range(line.shape[0]):
            line[column] = 1.0 / line[column]
        paint_row(
            row,
            camera,
            slope,
            paints,
            per_size,
            tilts,
            shadows[:num_shadows],
            shown,
            depths,
            sheet.lanes,
            picture,
        )


@njit(error_model="numpy")
def _draw_body(body, colour, visor, sun, camera, slope, picture, depths):
    """Draw a body where it is nearer than what has been drawn."""
    rows, columns = picture.shape[0], picture.shape[1]
    pixel = 2.0 * slope / rows
    frame, shape = body.frame, body.shape
    # The ray through a pixel, from its origin, in the body's own axes and sizes.
    scale = 1.0 if shape == CAPSULE else 1.0 / body.size
    forward, right, up = _axes(camera)
    away = (camera.eye[0] - body.centre[0], camera.eye[1] - body.centre[1], camera.eye[2] - body.centre[2])
    depth, across, above = -_dot(away, forward), -_dot(away, right), -_dot(away, up)
    first_column, last_column = covered_pixels(depth, across, body.reach, columns, pixel)
    first_row, last_row = covered_pixels(depth, -above, body.reach, rows, pixel)
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
                    red, green, blue = visor
                cosine = nx * sun_x + ny * sun_y + nz * sun_z
                upwards = nx * frame[2, 0] + ny * frame[2, 1] + nz * frame[2, 2]
                paint_body(picture[row, column], red, green, blue, sun[1], cosine, upwards)


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


@njit(forceinline=True, error_model="numpy")
def _along(point, length, direction):
    return point[0] + length * direction[0], point[1] + length * direction[1], point[2] + length * direction[2]


@njit(forceinline=True, error_model="numpy")
def _dot(one, other):
    return one[0] * other[0] + one[1] * other[1] + one[2] * other[2]
