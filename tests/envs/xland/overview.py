"""A picture of a whole world from outside, which shows every surface that the raycaster draws."""

import math

import numpy as np

from procgen_bench.envs.xland.raycaster import camera_at, draw_cameras
from procgen_bench.envs.xland.rays.faces import PLINTH, WALL_HEIGHT
from procgen_bench.envs.xland.rays.scenery import Scenery
from procgen_bench.envs.xland.views import OVERSAMPLING, CameraDrawing, extent, view_of
from procgen_bench.tasks.xland.predicates.states import States

#: Where the camera stands: yaw and pitch of its look, and its narrow field of view.
YAW, PITCH, FIELD_OF_VIEW = math.radians(60.0), math.radians(-40.0), math.radians(30.0)


def draw_overview(
    states: States,
    scenery: Scenery,
    s: int = 0,
    shape: tuple[int, int] = (480, 640),
    tints: np.ndarray | None = None,
    draw: CameraDrawing = draw_cameras,
    oversampling: int = OVERSAMPLING,
) -> np.ndarray:
    """State ``s`` with the whole world in the picture, from the south-west and above; near walls are left out.

    Args:
        states, scenery, s, tints, draw, oversampling: See :func:`~procgen_bench.envs.xland.views.draw_map`.
        shape: Rows and columns of the picture.

    Returns:
        uint8 (rows, columns, 3).
    """
    width, depth, highest = extent(states, scenery, s)
    corners = np.array([(x, y, z) for x in (0, width) for y in (0, depth) for z in (-PLINTH, highest + WALL_HEIGHT)])
    middle = corners.mean(axis=0)
    camera = camera_at(tuple(middle), YAW, PITCH)
    ahead, right, up = ((corners - middle) @ camera[name] for name in ("forward", "right", "up"))
    slope = math.tan(FIELD_OF_VIEW / 2)
    distance = max((abs(up) / slope - ahead).max(), (abs(right) / (slope * shape[1] / shape[0]) - ahead).max())
    camera["eye"] -= 1.02 * distance * camera["forward"]
    return view_of(states, scenery, s, camera, shape, FIELD_OF_VIEW, tints, draw, oversampling)
