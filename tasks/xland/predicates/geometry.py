"""Closest points on the surfaces of bodies.

Each function of a shape takes a point relative to the body's centre, along the body's own axes, and returns the point
of the surface that is closest to it. Of points inside, too: what is closest is on the surface, never within. Where
several are equally close (from the centre of a sphere, say), one of them is taken by a fixed rule.
"""

import math

from procgen_bench.core.compiled import njit
from procgen_bench.tasks.xland.entities import PLAYER_RADIUS, PYRAMID, SLAB, SPHERE
from procgen_bench.tasks.xland.predicates.bodies import AXIS_HALF, BASE_DEPTH, CAPSULE, SLAB_EDGES


@njit
def closest_point(body, x, y, z):
    """The point of a body's surface that is closest to (x, y, z), both in metres in the world."""
    shape, size = body.shape, body.size
    centre, frame = body.centre, body.frame
    x, y, z = local_direction(frame, x - centre[0], y - centre[1], z - centre[2])
    if shape == SPHERE:
        x, y, z = on_ball(size / 2, x, y, z)
    elif shape == CAPSULE:
        x, y, z = on_capsule(x, y, z)
    elif shape == PYRAMID:
        x, y, z = on_pyramid(size, x, y, z)
    elif shape == SLAB:
        x, y, z = on_box(size * SLAB_EDGES[0] / 2, size * SLAB_EDGES[1] / 2, size * SLAB_EDGES[2] / 2, x, y, z)
    else:
        x, y, z = on_box(size / 2, size / 2, size / 2, x, y, z)
    return (
        centre[0] + frame[0, 0] * x + frame[0, 1] * y + frame[0, 2] * z,
        centre[1] + frame[1, 0] * x + frame[1, 1] * y + frame[1, 2] * z,
        centre[2] + frame[2, 0] * x + frame[2, 1] * y + frame[2, 2] * z,
    )


@njit
def local_direction(frame, x, y, z):
    """A direction of the world along the axes that are the columns of ``frame``."""
    return (
        frame[0, 0] * x + frame[1, 0] * y + frame[2, 0] * z,
        frame[0, 1] * x + frame[1, 1] * y + frame[2, 1] * z,
        frame[0, 2] * x + frame[1, 2] * y + frame[2, 2] * z,
    )


@njit
def on_ball(radius, x, y, z):
    """Closest point on a sphere; from its centre, the one on the first axis."""
    distance = math.sqrt(x * x + y * y + z * z)
    if distance == 0.0:
        return radius, 0.0, 0.0
    scale = radius / distance
    return scale * x, scale * y, scale * z


@njit
def on_capsule(x, y, z):
    """Closest point on a player; from its axis, the one along the first axis."""
    foot = min(max(z, -AXIS_HALF), AXIS_HALF)
    x, y, z = on_ball(PLAYER_RADIUS, x, y, z - foot)
    return x, y, foot + z


@njit
def on_box(half_x, half_y, half_z, x, y, z):
    """Closest point on a box of half edges; from inside, on the closest face, of equal ones on the first axis's."""
    if abs(x) > half_x or abs(y) > half_y or abs(z) > half_z:
        return min(max(x, -half_x), half_x), min(max(y, -half_y), half_y), min(max(z, -half_z), half_z)
    depth_x, depth_y, depth_z = half_x - abs(x), half_y - abs(y), half_z - abs(z)
    if depth_x <= depth_y and depth_x <= depth_z:
        return math.copysign(half_x, x), y, z
    if depth_y <= depth_z:
        return x, math.copysign(half_y, y), z
    return x, y, math.copysign(half_z, z)


@njit
def on_pyramid(size, x, y, z):
    """Closest point on a pyramid whose base and height are ``size``.

    Mirrored and swapped into x >= |y|, the point's closest side face is that towards x. That face is an isosceles
    triangle: ``along`` runs on the base edge from its middle, ``rise`` from the edge up to the apex.
    """
    if z <= -size * BASE_DEPTH:  # the base is the widest and lowest part
        return min(max(x, -size / 2), size / 2), min(max(y, -size / 2), size / 2), -size * BASE_DEPTH
    swapped = abs(y) > abs(x)
    side, along = (abs(y), x) if swapped else (abs(x), y)
    half, height, slant = size / 2, z + size * BASE_DEPTH, size * _SLANT
    # Above the face, along its normal; below 0 inside. The face rises by `size` on `half`.
    above = ((side - half) * size + height * half) / slant
    if above < 0.0 and height <= -above:  # inside, and the base is closer
        return x, y, -size * BASE_DEPTH
    rise = (height * size - (side - half) * half) / slant
    along, rise = _on_face(half, slant, along, rise)
    side, height = half - rise * half / slant, rise * size / slant
    z = height - size * BASE_DEPTH
    return (along, math.copysign(side, y), z) if swapped else (math.copysign(side, x), along, z)


#: Height of a pyramid's side face, in its sizes.
_SLANT = math.hypot(1.0, 0.5)


@njit
def _on_face(half, slant, along, rise):
    """Closest point of a triangle with corners (-half, 0), (half, 0) and (0, slant) in its plane."""
    width = abs(along)
    if rise <= 0.0 and width <= half:
        return along, 0.0
    if rise > 0.0 and width <= half * (1.0 - rise / slant):
        return along, rise
    # On the slanted edge, from the corner at 0 to the apex at 1.
    part = ((half - width) * half + rise * slant) / (half * half + slant * slant)
    part = min(max(part, 0.0), 1.0)
    return math.copysign(half * (1.0 - part), along), slant * part
