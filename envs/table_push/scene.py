"""Scene: a task's table, cans and arm in a world of PyBullet.

The result of a push depends on the task, the cans' places and the push alone, bit for bit. So before every push all
that PyBullet keeps of earlier ones must go. Everything that moves stands still elsewhere for a step, which renews what
follows from orientations. It is then put in its place, and all contacts, and the order in which they are found, are
recomputed. Nothing ever sleeps, as PyBullet counts for how long a body has been still. For an arm that needs more, the
whole world is reset, which costs more than the push itself.
"""

import math
import weakref
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

#: How deep bodies may lie in each other (metres): without, a can on round feet never quite rests.
_SOLVER_ITERATIONS, _CONTACT_SLOP = 10, 1e-4
#: A can that is slower than this (m/s) rests.
RESTING_SPEED = 1e-3
#: Friction of the table and of a can's feet; their product counts.
_TABLE_FRICTION, _CAN_FRICTION = 1.0, 0.3
_CAN_MASS = 0.3
#: A can stands on four feet. Round ones glide over the seams between boxes, which the flat end of a cylinder would
#: catch on, and smaller ones hop at.
_FOOT_RADIUS, _FOOT_HEIGHT = 0.014, 0.002
_FEET = [
    [x * (CAN_RADIUS - _FOOT_RADIUS), y * (CAN_RADIUS - _FOOT_RADIUS), _FOOT_RADIUS - CAN_HEIGHT / 2]
    for x, y in np.array([(1, 1), (1, -1), (-1, 1), (-1, -1)]) / np.sqrt(2)
]
#: Where bodies are that are not in the world: by can, and of the tool.
CANS_OUTSIDE = np.array([(100.0, 0.0, 50.0), (110.0, 0.0, 50.0), (120.0, 0.0, 50.0)])
#: PyBullet's own groups of bodies that stay and that move, and masks of what they collide with.
_STATIC_GROUP, _MOVING_GROUP = (2, ~2), (1, -1)
_UPRIGHT, _STILL = [0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0]


class Arm(Protocol):
    """What moves the tool: :class:`procgen_bench.envs.table_push.tool.ToolArm` alone, or a robot that holds it.

    Attributes:
        needs_new_world: Whether it goes on differently after :meth:`withdraw`, depending on what it did before.
        free_bodies: Numbers of its bodies, if it does not need a new world.
    """

    needs_new_world: bool
    free_bodies: tuple[int, ...]

    def load(self, client: int, extent: np.ndarray) -> None:
        """Put the arm into the world of this client of PyBullet, which has just been reset.

        Args:
            client: The client's number.
            extent: float64 (2,), lengths of the table along x and y, metres.
        """

    def pass_through(self, body: int) -> None:
        """Let nothing of the arm ever touch this body."""

    def withdraw(self) -> None:
        """Be at rest where it touches nothing, until :meth:`begin`."""

    def begin(self, path: PushPath) -> None:
        """Stand at rest where ``path`` begins, whatever came before."""

    def drive(self, step: int) -> None:
        """Set out, in the step of the physics that follows, for the path's position number ``step`` (from 1)."""


class Scene:
    """A world of PyBullet without a window, for one table at a time.

    Copies and pickles have a world of their own. The world is opened when it is first needed.

    Attributes:
        arm: What moves the tool.
        client: Number of PyBullet's client.
        floor: Number of the body that the flat blocks are, ``None`` without any.
        walls: Number of the body that roadblocks and static obstacles are, ``None`` without any.
        cans: Numbers of the bodies of the cans that are in the world, by their place among the objects.

    Args:
        arm: What moves the tool; ``None``: the tool alone.
    """

    floor: int | None
    walls: int | None
    cans: dict[int, int]

    def __init__(self, arm: Arm | None = None):
        self.arm = ToolArm() if arm is None else arm
        self.client: int | None = None
        self._task: TablePushTask | None = None

    def build(self, task: TablePushTask, positions: np.ndarray) -> None:
        """Put up the table, the cans upright and at rest, and the arm away from them, whatever came before.

        Args:
            task: Its blocks and obstacles.
            positions: float64 (3, 2), where the cans stand; NaN for those that are not to be in the world.
        """
        if self._task != task or self.arm.needs_new_world:
            self._make_world(task)
        self._clear()
        self.cans = {can: self._bodies[can] for can in np.flatnonzero(~np.isnan(positions[:, 0])).tolist()}
        for can, body in self.cans.items():
            self._put(body, [*positions[can], CAN_HEIGHT / 2])
        self._forget_contacts()

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

    def is_about_to_touch(self, can: int, bodies: list[int]) -> bool:
        """Whether a can touches one of the bodies, or comes to within the next step, if it goes on as it does.

        A tool that pushed on would crush the can against the body, and what came of that would be chance.
        """
        if not bodies:
            return False
        x, y, z = pybullet.getBaseVelocity(self.cans[can], physicsClientId=self.client)[0]
        speed = math.sqrt(x * x + y * y + z * z)
        if speed < RESTING_SPEED:
            return False
        for body in bodies:
            closest = pybullet.getClosestPoints(self.cans[can], body, speed * TIME_STEP, physicsClientId=self.client)
            for *_, away, distance in (point[:9] for point in closest):
                closing_speed = -(x * away[0] + y * away[1] + z * away[2])
                if distance <= max(0.0, closing_speed) * TIME_STEP:
                    return True
        return False

    def close(self) -> None:
        """Close the world; it is opened again when needed."""
        if self.client is not None:
            self._disconnect()
            self.client = self._task = None

    def _make_world(self, task: TablePushTask) -> None:
        self._empty()
        solids = _Solids(task)
        self.floor, self.walls = self._static_body(solids.floor), self._static_body(solids.walls)
        self._bodies = self._can_bodies()
        assert self.client is not None  # opened above
        self.arm.load(self.client, task.extent)
        for static in (self.floor, self.walls):
            if static is not None:
                self.arm.pass_through(static)
        self._task = task

    def _clear(self) -> None:
        """Take everything that moves out of the world, upright and at rest."""
        for body, place in zip(self._bodies, CANS_OUTSIDE):
            self._put(body, place)
        self.arm.withdraw()
        self.step()
        for body, place in zip(self._bodies, CANS_OUTSIDE):
            self._put(body, place)

    def _forget_contacts(self) -> None:
        # PyBullet forgets a body's contacts and neighbours when the body's group is set, even to the one that it has.
        for body in (self.floor, self.walls):
            if body is not None:
                pybullet.setCollisionFilterGroupMask(body, -1, *_STATIC_GROUP, physicsClientId=self.client)
        for body in (*self._bodies, *self.arm.free_bodies):
            pybullet.setCollisionFilterGroupMask(body, -1, *_MOVING_GROUP, physicsClientId=self.client)

    def _put(self, body: int, place) -> None:
        pybullet.resetBasePositionAndOrientation(body, place, _UPRIGHT, physicsClientId=self.client)
        pybullet.resetBaseVelocity(body, _STILL, _STILL, physicsClientId=self.client)

    def _empty(self) -> None:
        if self.client is None:
            self.client = pybullet.connect(pybullet.DIRECT)
            self._disconnect = weakref.finalize(self, pybullet.disconnect, self.client)
        pybullet.resetSimulation(physicsClientId=self.client)
        pybullet.setPhysicsEngineParameter(
            fixedTimeStep=TIME_STEP,
            numSubSteps=0,
            numSolverIterations=_SOLVER_ITERATIONS,
            contactSlop=_CONTACT_SLOP,
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

    def _can_bodies(self) -> list[int]:
        shape = pybullet.createCollisionShapeArray(
            shapeTypes=[pybullet.GEOM_CYLINDER] + [pybullet.GEOM_SPHERE] * len(_FEET),
            radii=[CAN_RADIUS] + [_FOOT_RADIUS] * len(_FEET),
            lengths=[CAN_HEIGHT - _FOOT_HEIGHT] + [0.0] * len(_FEET),
            collisionFramePositions=[[0.0, 0.0, _FOOT_HEIGHT / 2], *_FEET],
            physicsClientId=self.client,
        )
        bodies = []
        for place in CANS_OUTSIDE:
            body = pybullet.createMultiBody(
                _CAN_MASS, shape, basePosition=place, useMaximalCoordinates=True, physicsClientId=self.client
            )
            pybullet.changeDynamics(
                body, -1, lateralFriction=_CAN_FRICTION, linearDamping=0, angularDamping=0, physicsClientId=self.client
            )
            bodies.append(body)
        return bodies

    def __getstate__(self) -> dict:
        return {"arm": type(self.arm)()}

    def __setstate__(self, state: dict) -> None:
        Scene.__init__(self, state["arm"])


class _Solids:
    """Boxes (middle, half sides, angle) of a task's floor and walls."""

    def __init__(self, task: TablePushTask):
        self.floor = [_block_box(found, PIT_HEIGHT, 0.0) for found in merged_rectangles(task.blocks == FLAT)]
        roadblocks = merged_rectangles(task.blocks == ROADBLOCK)
        self.walls = [_block_box(found, PIT_HEIGHT, ROADBLOCK_HEIGHT) for found in roadblocks]
        half_height = ROADBLOCK_HEIGHT / 2
        for x, y, half_length, half_width, angle in task.obstacles.tolist():
            self.walls.append(((x, y, half_height), (half_length, half_width, half_height), angle))


def _block_box(rectangle: tuple[int, int, int, int], bottom: float, top: float) -> tuple:
    row, column, rows, columns = rectangle
    half_x, half_y = rows * BLOCK_SIDE / 2, columns * BLOCK_SIDE / 2
    middle = (row * BLOCK_SIDE + half_x, column * BLOCK_SIDE + half_y, (bottom + top) / 2)
    return middle, (half_x, half_y, (top - bottom) / 2), 0.0
