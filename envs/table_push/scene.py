"""Scene: a task's table, cans and arm in a world of PyBullet.

Every push begins in a world that is made anew, with the cans upright where they are: what comes of it depends on the
task, the cans' places and the push alone, bit for bit, and on nothing that PyBullet keeps from earlier steps. Making
the world costs as much as the push itself. (Bodies that are only put back, with all contacts let go, were seen to go on
differently, by millimetres.)
"""

import weakref
from functools import lru_cache
from typing import Protocol

import numpy as np

from procgen_bench.envs.table_push.boxes import merged_rectangles
from procgen_bench.envs.table_push.engine import pybullet
from procgen_bench.envs.table_push.paths import TIME_STEP, PushPath
from procgen_bench.envs.table_push.tool import GRAVITY, ToolArm
from procgen_bench.tasks.table_push import TablePushTask
from procgen_bench.tasks.table_push.table import (
    BLOCK_SIDE,
    CAN_HEIGHT,
    CAN_RADIUS,
    FLAT,
    PIT_HEIGHT,
    ROADBLOCK,
    ROADBLOCK_HEIGHT,
)

_SOLVER_ITERATIONS = 10
#: Friction of the table and of a can's feet; their product counts.
_TABLE_FRICTION, _CAN_FRICTION = 1.0, 0.3
_CAN_MASS = 0.3
#: A can stands on four feet. Round ones glide over the seams between boxes, which the flat end of a cylinder would
#: catch on.
_FOOT_RADIUS, _FOOT_HEIGHT = 0.006, 0.002
_FEET = [
    [x * (CAN_RADIUS - _FOOT_RADIUS), y * (CAN_RADIUS - _FOOT_RADIUS), _FOOT_RADIUS - CAN_HEIGHT / 2]
    for x, y in np.array([(1, 1), (1, -1), (-1, 1), (-1, -1)]) / np.sqrt(2)
]
_FAR_AWAY = [0.0, 0.0, 100.0]


class Arm(Protocol):
    """What moves the tool: :class:`procgen_bench.envs.table_push.tool.ToolArm` alone, or a robot that holds it."""

    def load(self, client: int, extent: np.ndarray) -> None:
        """Put the arm into the world of this client of PyBullet, which has been made anew.

        Args:
            client: The client's number.
            extent: float64 (2,), lengths of the table along x and y, metres.
        """

    def pass_through(self, body: int) -> None:
        """Let nothing of the arm touch this body any more."""

    def begin(self, path: PushPath) -> None:
        """Stand at rest where ``path`` begins, whatever came before."""

    def drive(self, step: int) -> None:
        """Set out, in the step of the physics that follows, for the path's position number ``step`` (from 1)."""


class Scene:
    """A world of PyBullet without a window, for one table at a time.

    Copies and pickles have a world of their own. The world is opened when it is first needed.

    Attributes:
        client: Number of PyBullet's client.
        floor: Number of the body that the flat blocks are, ``None`` without any.
        walls: Number of the body that roadblocks and static obstacles are, ``None`` without any.
        cans: Numbers of the bodies of the cans that are there, by their place among the objects.

    Args:
        arm: What moves the tool.
    """

    floor: int | None
    walls: int | None
    cans: dict[int, int]

    def __init__(self, arm: Arm | None = None):
        self.arm = ToolArm() if arm is None else arm
        self.client: int | None = None

    def build(self, task: TablePushTask, positions: np.ndarray, walls: bool = True) -> None:
        """Empty the world, and put up the table, the cans and the arm.

        Args:
            task: Its blocks and obstacles.
            positions: float64 (3, 2), where the cans stand; NaN for those that are not to be in the world.
            walls: Whether roadblocks and obstacles are to be in the world.
        """
        self._empty()
        solids = _solids(task)
        self.floor = self._static_body(solids.floor)
        self.walls = self._static_body(solids.walls) if walls else None
        self._load_cans(positions)
        self.arm.load(self.client, task.extent)
        for static in (self.floor, self.walls):
            if static is not None:
                self.arm.pass_through(static)

    def step(self) -> None:
        """Advance the physics by ``TIME_STEP``."""
        pybullet.stepSimulation(physicsClientId=self.client)

    def pose(self, can: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Position (x, y, z of its middle) and orientation (x, y, z, w) of a can."""
        return pybullet.getBasePositionAndOrientation(self.cans[can], physicsClientId=self.client)

    def speeds(self, can: int) -> tuple[float, float]:
        """Greatest parts of a can's velocity (m/s) and angular velocity (rad/s)."""
        linear, angular = pybullet.getBaseVelocity(self.cans[can], physicsClientId=self.client)
        return max(map(abs, linear)), max(map(abs, angular))

    def touch(self, one: int, other: int) -> bool:
        """Whether two bodies press against each other."""
        contacts = pybullet.getContactPoints(one, other, physicsClientId=self.client)
        return any(contact[8] <= 0.0 for contact in contacts)

    def take_tool_away(self) -> None:
        """Let the tool touch nothing any more."""
        for can in self.cans.values():
            self.arm.pass_through(can)

    def close(self) -> None:
        """Close the world; it is opened again when needed."""
        if self.client is not None:
            self._disconnect()
            self.client = None

    def _empty(self) -> None:
        if self.client is None:
            self.client = pybullet.connect(pybullet.DIRECT)
            self._disconnect = weakref.finalize(self, pybullet.disconnect, self.client)
        pybullet.resetSimulation(physicsClientId=self.client)
        pybullet.setPhysicsEngineParameter(
            fixedTimeStep=TIME_STEP,
            numSubSteps=0,
            numSolverIterations=_SOLVER_ITERATIONS,
            deterministicOverlappingPairs=1,
            physicsClientId=self.client,
        )
        pybullet.setGravity(0, 0, -GRAVITY, physicsClientId=self.client)

    def _static_body(self, boxes: list[tuple]) -> int | None:
        if not boxes:
            return None
        # PyBullet dies of tuples here.
        middles, half_sides, angles = map(list, zip(*boxes))
        shape = pybullet.createCollisionShapeArray(
            shapeTypes=[pybullet.GEOM_BOX] * len(boxes),
            halfExtents=half_sides,
            collisionFramePositions=middles,
            collisionFrameOrientations=[pybullet.getQuaternionFromEuler([0, 0, angle]) for angle in angles],
            physicsClientId=self.client,
        )
        body = pybullet.createMultiBody(0, shape, useMaximalCoordinates=True, physicsClientId=self.client)
        pybullet.changeDynamics(body, -1, lateralFriction=_TABLE_FRICTION, physicsClientId=self.client)
        return body

    def _load_cans(self, positions: np.ndarray) -> None:
        places = {can: place for can, place in enumerate(positions) if not np.isnan(place[0])}
        shape = pybullet.createCollisionShapeArray(
            shapeTypes=[pybullet.GEOM_CYLINDER] + [pybullet.GEOM_SPHERE] * len(_FEET),
            radii=[CAN_RADIUS] + [_FOOT_RADIUS] * len(_FEET),
            lengths=[CAN_HEIGHT - _FOOT_HEIGHT] + [0.0] * len(_FEET),
            collisionFramePositions=[[0.0, 0.0, _FOOT_HEIGHT / 2], *_FEET],
            physicsClientId=self.client,
        )
        self.cans = {}
        for can, (x, y) in places.items():
            body = pybullet.createMultiBody(
                _CAN_MASS,
                shape,
                basePosition=[x, y, CAN_HEIGHT / 2],
                useMaximalCoordinates=True,
                physicsClientId=self.client,
            )
            pybullet.changeDynamics(
                body, -1, lateralFriction=_CAN_FRICTION, linearDamping=0, angularDamping=0, physicsClientId=self.client
            )
            self.cans[can] = body

    def __getstate__(self) -> dict:
        return {"arm": type(self.arm)()}

    def __setstate__(self, state: dict) -> None:
        self.__init__(state["arm"])


class _Solids:
    """Boxes (middle, half sides, angle) of a task's floor and walls."""

    def __init__(self, task: TablePushTask):
        self.floor = [_block_box(found, PIT_HEIGHT, 0.0) for found in merged_rectangles(task.blocks == FLAT)]
        roadblocks = merged_rectangles(task.blocks == ROADBLOCK)
        self.walls = [_block_box(found, PIT_HEIGHT, ROADBLOCK_HEIGHT) for found in roadblocks]
        half_height = ROADBLOCK_HEIGHT / 2
        for x, y, half_length, half_width, angle in task.obstacles.tolist():
            self.walls.append(((x, y, half_height), (half_length, half_width, half_height), angle))


@lru_cache(maxsize=16)
def _solids(task: TablePushTask) -> _Solids:
    return _Solids(task)


def _block_box(rectangle: tuple[int, int, int, int], bottom: float, top: float) -> tuple:
    row, column, rows, columns = rectangle
    half_x, half_y = rows * BLOCK_SIDE / 2, columns * BLOCK_SIDE / 2
    middle = (row * BLOCK_SIDE + half_x, column * BLOCK_SIDE + half_y, (bottom + top) / 2)
    return middle, (half_x, half_y, (top - bottom) / 2), 0.0
