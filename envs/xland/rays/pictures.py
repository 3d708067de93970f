"""Pictures: the ground first, whose depth is kept, then every body within the pixels that the ball around it covers.

The ray through a pixel is the camera's direction forward, some steps of a pixel to the right and some upwards, so its
length is counted in depths.
"""

import math

from procgen_bench.core.compiled import njit
from procgen_bench.envs.xland.rays.ground import cast_ray
from procgen_bench.envs.xland.rays.painting import (
    VISOR_COLOUR,
    body_colour,
    is_visor,
    paint_body,
    paint_ground,
    paint_sky,
    tinted,
)
from procgen_bench.envs.xland.rays.scenery import SKY
from procgen_bench.envs.xland.rays.shapes import meet_body
from procgen_bench.tasks.xland.predicates.bodies import CAPSULE
from procgen_bench.tasks.xland.predicates.geometry import local_direction


@njit(error_model="numpy")
def draw_picture(scenes, scene, scenery, bodies, hidden, tints, camera, slope, picture, depths):
    """Draw what a camera sees.

    Args:
        scenes, scene, scenery: The worlds, and which one it is.
        bodies: BODY (K + P,).
        hidden: The number of one that is not drawn, -1 for none.
        tints: uint8 (K + P, 4), see :func:`~procgen_bench.envs.xland.raycaster.draw_players`.
        camera: CAMERA.
        slope: Tangent of half the angle between the picture's upper and lower border.
        picture: uint8 (rows, columns, 3), written.
        depths: float64 (rows, columns), overwritten: how many times the ray through a pixel, of depth 1, goes until it
            meets something.
    """
    _draw_ground(scenery, scene, camera, slope, picture, depths)
    for k in range(bodies.shape[0]):
        if bodies[k].shape >= 0 and k != hidden:
            colour = tinted(body_colour(k, scenes, scene, scenery.player_colours[scene]), tints[k])
            visor = tinted(VISOR_COLOUR, tints[k])
            _draw_body(bodies[k], colour, visor, scenery.suns[scene], camera, slope, picture, depths)


@njit(error_model="numpy")
def _draw_ground(scenery, scene, camera, slope, picture, depths):
    kinds, tops, colours = scenery.kinds[scene], scenery.tops[scene], scenery.colours[scene]
    normals, shades = scenery.normals[scene], scenery.shades[scene]
    size = (scenery.sizes[scene, 0], scenery.sizes[scene, 1], scenery.sizes[scene, 2])
    per_size = (1.0 / size[0], 1.0 / size[1], 1.0 / size[2])
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
                paint_ground(picture[row, column], colours, shades, per_size, facing, tile, point, spread)


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


@njit(error_model="numpy")
def _draw_body(body, colour, visor, sun, camera, slope, picture, depths):
    """Draw a body where it is nearer than what has been drawn."""
    rows, columns = picture.shape[0], picture.shape[1]
    pixel = 2.0 * slope / rows
    frame, shape = body.frame, body.shape
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
                    red, green, blue = visor
                cosine = nx * sun_x + ny * sun_y + nz * sun_z
                upwards = nx * frame[2, 0] + ny * frame[2, 1] + nz * frame[2, 2]
                paint_body(picture[row, column], red, green, blue, sun[1], cosine, upwards)


@njit(error_model="numpy")
def _pixels(depth, across, radius, count, pixel):
    """The first and the last of ``count`` pixels, from left to right, whose rays may meet a ball.

    Args:
        depth, across: The ball's centre, metres ahead and to the right.
        radius: Metres.
        count, pixel: How many pixels there are, and the width of each one at a depth of 1.
    """
    if not depth > -radius:  # so written, a place that is not a number is nowhere
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


@njit(forceinline=True, error_model="numpy")
def _along(point, length, direction):
    return point[0] + length * direction[0], point[1] + length * direction[1], point[2] + length * direction[2]


@njit(forceinline=True, error_model="numpy")
def _dot(one, other):
    return one[0] * other[0] + one[1] * other[1] + one[2] * other[2]
