"""The table as a camera sees it, drawn by PyBullet's software renderer (TinyRenderer).

The picture is taken in a world of its own, which has shapes to look at and no physics, and which is arranged after a
task and a moment of it: no simulation can notice that it is drawn.
"""

import weakref
from functools import cache

import numpy as np

from procgen_bench.envs.table_push.engine import pybullet
from procgen_bench.envs.table_push.moments import TOOL_WAITS, Moment, Posture
from procgen_bench.envs.table_push.paths import HALF_HEIGHT
from procgen_bench.envs.table_push.rendering import (
    CAN_COLOURS,
    FLAT_COLOUR,
    FLAT_SEAM_COLOUR,
    GOAL_COLOUR,
    HEIGHT,
    PIT_COLOUR,
    WALL_COLOUR,
    WIDTH,
    Colour,
)
from procgen_bench.envs.table_push.sawyer import REST, base_place, joint_numbers, load_robot
from procgen_bench.envs.table_push.tool import plate_boxes
from procgen_bench.tasks.table_push import TablePushTask
from procgen_bench.tasks.table_push.table import (
    BLOCK_SIDE,
    CAN_HEIGHT,
    CAN_RADIUS,
    FLAT,
    GOAL_RADIUS,
    PIT,
    PIT_HEIGHT,
    ROADBLOCK_HEIGHT,
)

#: Pictures are drawn this many times larger, and averaged: edges are smooth.
_SUPERSAMPLING = 2
#: The background, from the picture's upper edge to its lower one.
_UPPER_BACKGROUND, _LOWER_BACKGROUND = np.array([214, 219, 226]), np.array([150, 157, 168])
#: Opposite the arm and above: from the middle of the table, in its greatest lengths; what the camera looks at is there,
#: too. Its field of view in degrees.
_EYE, _LOOKED_AT, _FIELD_OF_VIEW = np.array([0.0, 1.02, 1.08]), np.array([0.0, -0.20, 0.15]), 50.0
_LIGHT = [0.6, 1.2, 2.4]
#: Gap between blocks, thickness of flat ones' covers, and of the board on which blocks stand (metres).
_SEAM, _COVER, _BOARD = 0.0015, 0.02, 0.02
#: Flat blocks by turns, and what is under their covers.
_FLAT_SHADES, _UNDER_COLOUR = (FLAT_COLOUR, FLAT_SEAM_COLOUR), (84, 74, 68)
#: Width of the line round the goal's range, how high paint is above the table, and corners of what is round.
_RING_WIDTH, _PAINT, _RING_CORNERS = 0.006, 0.001, 64
_LID_COLOUR, _TOOL_COLOUR = (228, 230, 234), (188, 192, 200)
#: How long the handle of the tool is that no arm holds (metres).
_HANDLE = 0.18
_FAR_AWAY, _UPRIGHT = [0.0, 0.0, -100.0], [0.0, 0.0, 0.0, 1.0]


def draw_camera(
    task: TablePushTask, moment: Moment, arm: str = "tool", width: int = WIDTH, height: int = HEIGHT
) -> np.ndarray:
    """The table, its cans and the arm as a camera sees them: uint8 (height, width, 3).

    Args:
        task: Its blocks, obstacles and goal.
        moment: Where the cans are, and the arm.
        arm: "tool" or "sawyer".
        width, height: Pixels of the picture.
    """
    studio = _studio(arm)
    studio.arrange(task, moment)
    return studio.picture(width, height)


@cache
def _studio(arm: str) -> "_Studio":
    return _Studio(arm)


class _Studio:
    """A world of PyBullet in which nothing moves or collides."""

    def __init__(self, arm: str):
        self._client = pybullet.connect(pybullet.DIRECT)
        weakref.finalize(self, pybullet.disconnect, self._client)
        self._arm = arm
        self._task: TablePushTask | None = None

    def arrange(self, task: TablePushTask, moment: Moment) -> None:
        """Show a table, and the cans and the arm where they are."""
        if task != self._task:
            self._build(task)
        for can, pose in zip(self._cans, moment.cans.tolist()):
            place, turned = (_FAR_AWAY, _UPRIGHT) if np.isnan(pose[0]) else (pose[:3], pose[3:])
            pybullet.resetBasePositionAndOrientation(can, place, turned, physicsClientId=self._client)
        if self._arm == "sawyer":
            self._pose_robot(moment.posture)
        else:
            self._put_tool(moment.posture or TOOL_WAITS)

    def picture(self, width: int, height: int) -> np.ndarray:
        """What the camera sees: uint8 (height, width, 3)."""
        columns, rows = width * _SUPERSAMPLING, height * _SUPERSAMPLING
        _, _, colours, _, bodies = pybullet.getCameraImage(
            columns,
            rows,
            *self._camera(width / height),
            lightDirection=_LIGHT,
            shadow=True,
            lightAmbientCoeff=0.62,
            lightDiffuseCoeff=0.38,
            lightSpecularCoeff=0.0,
            renderer=pybullet.ER_TINY_RENDERER,
            physicsClientId=self._client,
        )
        colours = np.reshape(colours, (rows, columns, 4))[..., :3].astype(np.float32)
        heights = np.linspace(0.0, 1.0, rows)[:, None]
        background = _UPPER_BACKGROUND + heights * (_LOWER_BACKGROUND - _UPPER_BACKGROUND)
        colours = np.where(np.reshape(bodies, (rows, columns, 1)) < 0, background[:, None], colours)
        samples = colours.reshape(height, _SUPERSAMPLING, width, _SUPERSAMPLING, 3)
        return samples.mean(axis=(1, 3)).round().astype(np.uint8)

    def _camera(self, aspect: float) -> tuple[list[float], list[float]]:
        """View and projection, such that the whole table is in the picture."""
        assert self._task is not None  # a picture is of one
        middle, size = np.array([*self._task.extent / 2, 0.0]), self._task.extent.max() / 0.9
        eye, looked_at = middle + size * _EYE, middle + size * _LOOKED_AT
        view = pybullet.computeViewMatrix(eye.tolist(), looked_at.tolist(), [0, 0, 1])
        return view, pybullet.computeProjectionMatrixFOV(_FIELD_OF_VIEW, aspect, 0.1, 10.0)

    def _build(self, task: TablePushTask) -> None:
        pybullet.resetSimulation(physicsClientId=self._client)
        self._task = None
        for place in np.ndindex(task.blocks.shape):
            self._add_block(np.array(place), int(task.blocks[place]))
        half = [*task.extent / 2, _BOARD / 2]
        self._add_box([*task.extent / 2, PIT_HEIGHT - _BOARD / 2], half, PIT_COLOUR)
        for x, y, half_length, half_width, angle in task.obstacles.tolist():
            self._add_box(
                [x, y, ROADBLOCK_HEIGHT / 2], [half_length, half_width, ROADBLOCK_HEIGHT / 2], WALL_COLOUR, angle
            )
        self._add_ring(task.goal, 0.0, GOAL_RADIUS, GOAL_COLOUR)
        self._add_ring(task.goal, task.goal_range - _RING_WIDTH, task.goal_range, GOAL_COLOUR)
        self._cans = [self._add_can(colour) for colour in CAN_COLOURS]
        if self._arm == "sawyer":
            self._add_robot(task.extent)
        else:
            self._add_tool()
        self._task = task

    def _add_block(self, place: np.ndarray, kind: int) -> None:
        if kind == PIT:
            return
        top, colour = (0.0, _FLAT_SHADES[place.sum() % 2]) if kind == FLAT else (ROADBLOCK_HEIGHT, WALL_COLOUR)
        centre, half_side = (place + 0.5) * BLOCK_SIDE, (BLOCK_SIDE - _SEAM) / 2
        bottom = top - _COVER if kind == FLAT else PIT_HEIGHT
        for low, high, shade in ((bottom, top, colour), (PIT_HEIGHT, bottom, _UNDER_COLOUR)):
            if low < high:
                self._add_box([*centre, (low + high) / 2], [half_side, half_side, (high - low) / 2], shade)

    def _add_can(self, colour: Colour) -> int:
        """A can with a bright lid."""
        lid = 0.004
        shapes = pybullet.createVisualShapeArray(
            shapeTypes=[pybullet.GEOM_CYLINDER] * 2,
            radii=[CAN_RADIUS, CAN_RADIUS * 0.86],
            lengths=[CAN_HEIGHT, lid],
            rgbaColors=[_rgba(colour), _rgba(_LID_COLOUR)],
            visualFramePositions=[[0, 0, 0], [0, 0, CAN_HEIGHT / 2]],
            physicsClientId=self._client,
        )
        return self._add(shapes, _FAR_AWAY)

    def _add_robot(self, extent: np.ndarray) -> None:
        self._robot = load_robot(self._client, base_place(extent))
        self._joints, _ = joint_numbers(self._robot, self._client)

    def _pose_robot(self, posture: Posture | None) -> None:
        positions = REST if posture is None or posture.joints is None else posture.joints
        for joint, position in zip(self._joints, positions.tolist()):
            pybullet.resetJointState(self._robot, joint, position, physicsClientId=self._client)

    def _add_tool(self) -> None:
        middles, turns, half_sides = plate_boxes()
        shapes = pybullet.createVisualShapeArray(
            shapeTypes=[pybullet.GEOM_BOX] * 3,
            halfExtents=[*half_sides, [0.008, 0.008, _HANDLE / 2]],
            rgbaColors=[_rgba(_TOOL_COLOUR)] * 3,
            visualFramePositions=[*middles, [-0.012, 0.0, _HANDLE / 2 - HALF_HEIGHT]],
            visualFrameOrientations=[*turns, [0.0, 0.0, 0.0, 1.0]],
            physicsClientId=self._client,
        )
        self._tool = self._add(shapes, _FAR_AWAY)

    def _put_tool(self, posture: Posture) -> None:
        turned = pybullet.getQuaternionFromEuler([0.0, 0.0, posture.yaw])
        pybullet.resetBasePositionAndOrientation(
            self._tool, posture.place.tolist(), turned, physicsClientId=self._client
        )

    def _add_box(self, middle: list[float], half_sides: list[float], colour: Colour, angle: float = 0.0) -> None:
        shape = pybullet.createVisualShape(
            pybullet.GEOM_BOX, halfExtents=half_sides, rgbaColor=_rgba(colour), physicsClientId=self._client
        )
        self._add(shape, middle, angle)

    def _add_ring(self, middle: np.ndarray, inner: float, outer: float, colour: Colour) -> None:
        """A ring, or a disc, painted on the table."""
        angles = np.linspace(0.0, 2 * np.pi, _RING_CORNERS, endpoint=False)
        circle = np.column_stack([np.cos(angles), np.sin(angles), np.zeros(_RING_CORNERS)])
        here = np.arange(_RING_CORNERS)
        after, inside = np.roll(here, -1), here + _RING_CORNERS
        triangles = np.concatenate(
            [np.column_stack([here, after, inside]), np.column_stack([after, inside[after], inside])]
        )
        shape = pybullet.createVisualShape(
            pybullet.GEOM_MESH,
            vertices=np.concatenate([outer * circle, inner * circle]).tolist(),
            indices=triangles.ravel().tolist(),
            normals=[[0.0, 0.0, 1.0]] * (2 * _RING_CORNERS),
            rgbaColor=_rgba(colour),
            physicsClientId=self._client,
        )
        self._add(shape, [*middle, _PAINT])

    def _add(self, shape: int, place: list[float], angle: float = 0.0) -> int:
        return pybullet.createMultiBody(
            baseVisualShapeIndex=shape,
            basePosition=place,
            baseOrientation=pybullet.getQuaternionFromEuler([0, 0, angle]),
            physicsClientId=self._client,
        )


def _rgba(colour: Colour) -> list[float]:
    return [*(np.array(colour) / 255.0).tolist(), 1.0]
