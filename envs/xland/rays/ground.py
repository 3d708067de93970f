"""Which ground a picture shows: every face is drawn row by row where it is nearer than what has been drawn.

How many times a ray goes until it meets a plane is one over a number that changes evenly from pixel to pixel. So a face
costs the pixels that it covers, and a world of few faces little.
"""

import math

import numpy as np

from procgen_bench.core.compiled import njit
from procgen_bench.envs.xland.rays.faces import CORNERS, SKY, face_code

#: Pixels by which faces reach beyond their edges, so that there is no gap between those that share one.
_OVERLAP = 1e-9
#: What stands for a change by nothing from column to column.
_LEVEL = 1e-30


@njit(error_model="numpy")
def find_ground(corners, facings, normals, camera, slope, nearest, shown, tilts, edges):
    """Find the face that each pixel shows.

    Args:
        corners, facings, normals: One world's, see :class:`~procgen_bench.envs.xland.rays.scenery.Scenery`.
        camera: CAMERA.
        slope: Tangent of half the angle between the picture's upper and lower border.
        nearest: float64 (rows, columns), written: one over how many times the ray through a pixel, of depth 1, goes
            until it meets a face; 0 for the sky.
        shown: int32 (rows, columns), written: see :func:`~procgen_bench.envs.xland.rays.faces.face_code`, or ``SKY``.
        tilts: float32 (F, 2), written for what is shown: how much later a ray meets the face that is turned to the
            right or upwards, in squares of the time.
        edges: float64 (4, 3), overwritten.
    """
    nearest[:] = 0.0
    shown[:] = SKY
    eye, forward, right, up = camera.eye, camera.forward, camera.right, camera.up
    rows, columns = nearest.shape
    pixel = 2.0 * slope / rows
    middle_row, middle_column = 0.5 * (rows - 1), 0.5 * (columns - 1)
    for face in range(facings.shape[0]):
        normal, first = normals[facings[face]], corners[face, 0]
        plane = normal[0] * (first[0] - eye[0]) + normal[1] * (first[1] - eye[1]) + normal[2] * (first[2] - eye[2])
        if not plane < 0.0:  # so written, an eye that is nowhere sees none
            continue
        for corner in range(CORNERS):
            place = corners[face, corner]
            x, y, z = place[0] - eye[0], place[1] - eye[1], place[2] - eye[2]
            edges[corner, 0] = x * forward[0] + y * forward[1] + z * forward[2]
            edges[corner, 1] = x * right[0] + y * right[1] + z * right[2]
            edges[corner, 2] = x * up[0] + y * up[1] + z * up[2]
        first_row, last_row = _covered_rows(edges, slope, slope * columns / rows, pixel, rows)
        if first_row > last_row:
            continue
        ahead = (normal[0] * forward[0] + normal[1] * forward[1] + normal[2] * forward[2]) / plane
        across = (normal[0] * right[0] + normal[1] * right[1] + normal[2] * right[2]) / plane
        above = (normal[0] * up[0] + normal[1] * up[1] + normal[2] * up[2]) / plane
        tilts[face, 0], tilts[face, 1] = across, above
        code = np.int32(face_code(face, facings[face]))
        _draw_edges(edges, pixel, middle_row, middle_column)
        for row in range(first_row, last_row + 1):
            begin, end = 0.0, columns - 1.0
            for edge in range(CORNERS):
                column = edges[edge, 0] + row * edges[edge, 1]
                if edges[edge, 2] > 0.0:
                    begin = max(begin, column)
                else:
                    end = min(end, column)
            begin, end = min(begin, columns * 1.0), max(end, -1.0)
            first_column, last_column = math.ceil(begin - _OVERLAP), math.floor(end + _OVERLAP)
            line = ahead + (middle_row - row) * pixel * above - middle_column * pixel * across
            step = pixel * across
            near, faces = nearest[row], shown[row]
            for column in range(max(first_column, 0), min(last_column + 1, columns)):
                nearness, before = line + column * step, near[column]
                closer = nearness > before
                near[column] = nearness if closer else before
                faces[column] = code if closer else faces[column]


@njit(error_model="numpy", inline="always")
def _covered_rows(places, slope, slope_across, pixel, rows):
    """The first and the last row that a face may cover, from its corners' places ahead, to the right and above."""
    behind = left = right = below = above = 0
    lowest, highest = math.inf, -math.inf
    for corner in range(CORNERS):
        depth, across, up = places[corner, 0], places[corner, 1], places[corner, 2]
        behind += depth <= 0.0
        left += across < -slope_across * depth
        right += across > slope_across * depth
        below += up < -slope * depth
        above += up > slope * depth
        lowest, highest = min(lowest, up / depth), max(highest, up / depth)
    if max(behind, left, right, below, above) == CORNERS:
        return 0, -1
    if behind > 0:
        return 0, rows - 1
    first = 0.5 * (rows - 1) - min(highest, slope) / pixel
    last = 0.5 * (rows - 1) - max(lowest, -slope) / pixel
    return max(math.floor(first), 0), min(math.ceil(last), rows - 1)


@njit(error_model="numpy", inline="always")
def _draw_edges(edges, pixel, middle_row, middle_column):
    """Make corners' places into edges: the column that an edge crosses in row 0, by how much that changes from row to
    row, and above 0 where the face lies to the right."""
    first_ahead, first_across, first_up = edges[0, 0], edges[0, 1], edges[0, 2]
    for edge in range(CORNERS):
        ahead, across, up = edges[edge, 0], edges[edge, 1], edges[edge, 2]
        if edge + 1 < CORNERS:
            next_ahead, next_across, next_up = edges[edge + 1, 0], edges[edge + 1, 1], edges[edge + 1, 2]
        else:
            next_ahead, next_across, next_up = first_ahead, first_across, first_up
        # The plane through the eye and the edge; directions within the face lie above it.
        by_ahead = across * next_up - up * next_across
        by_right = (up * next_ahead - ahead * next_up) * pixel
        by_up = (ahead * next_across - across * next_ahead) * pixel
        if by_ahead == 0.0 and by_right == 0.0 and by_up == 0.0:  # of no length
            edges[edge, 0], edges[edge, 1], edges[edge, 2] = -1.0, 0.0, 1.0
            continue
        if abs(by_right) < _LEVEL:
            by_right = _LEVEL
        edges[edge, 0] = middle_column - (by_ahead + middle_row * by_up) / by_right
        edges[edge, 1] = by_up / by_right
        edges[edge, 2] = by_right
