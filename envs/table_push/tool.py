"""ToolArm: the pushing tool without a robot, driven directly along its path."""

import numpy as np

from procgen_bench.envs.table_push.engine import pybullet
from procgen_bench.envs.table_push.paths import (
    HALF_HEIGHT,
    HALF_THICKNESS,
    HALF_WIDTH,
    PLATE_ANGLE,
    TIME_STEP,
    PushPath,
)

GRAVITY = 9.81
#: Heavy against a can, so that pushing one does not slow it, and hard to turn (kg m2): nothing else keeps it straight.
_MASS, _INERTIA = 5.0, 1.0
#: The plates are smooth: they push cans, but do not drag them along.
TOOL_FRICTION = 0.05
_OUTSIDE = [130.0, 0.0, 50.0]


class ToolArm:
    """The tool as one free body, whose velocity is set in every step of the physics.

    It is an :class:`procgen_bench.envs.table_push.scene.Arm`.
    """

    needs_new_world = False
    free_bodies: tuple[int, ...] = ()

    def load(self, client: int, extent: np.ndarray) -> None:
        """Put the tool into the world of this client of PyBullet, which has just been reset; any table will do
        (``extent``, float64 (2,), metres)."""
        self._client = client
        shape = plates(client)
        self._tool = pybullet.createMultiBody(_MASS, shape, useMaximalCoordinates=True, physicsClientId=client)
        self.free_bodies = (self._tool,)
        pybullet.changeDynamics(
            self._tool,
            -1,
            mass=_MASS,
            localInertiaDiagonal=[_INERTIA] * 3,
            lateralFriction=TOOL_FRICTION,
            linearDamping=0,
            angularDamping=0,
            physicsClientId=client,
        )

    def pass_through(self, body: int) -> None:
        """Let the tool touch this body no more."""
        pybullet.setCollisionFilterPair(self._tool, body, -1, -1, 0, physicsClientId=self._client)

    def withdraw(self) -> None:
        """Go far away."""
        self._put(_OUTSIDE, 0.0)

    def begin(self, path: PushPath) -> None:
        """Stand at rest where ``path`` begins."""
        self._places = path.positions.tolist()
        self._put(path.positions[0], path.yaw)

    def drive(self, step: int) -> None:
        """Set out, in the step of the physics that follows, for the path's position number ``step`` (from 1)."""
        (x, y, z), _ = pybullet.getBasePositionAndOrientation(self._tool, physicsClientId=self._client)
        to_x, to_y, to_z = self._places[step]
        # The step begins with what gravity adds to the velocity.
        up = (to_z - z) / TIME_STEP + GRAVITY * TIME_STEP
        velocity = [(to_x - x) / TIME_STEP, (to_y - y) / TIME_STEP, up]
        pybullet.resetBaseVelocity(self._tool, velocity, [0, 0, 0], physicsClientId=self._client)

    def _put(self, place, yaw: float) -> None:
        turned = pybullet.getQuaternionFromEuler([0.0, 0.0, yaw])
        pybullet.resetBasePositionAndOrientation(self._tool, place, turned, physicsClientId=self._client)
        pybullet.resetBaseVelocity(self._tool, [0.0, 0.0, 0.0], [0.0, 0.0, 0.0], physicsClientId=self._client)


def plates(client: int) -> int:
    """The tool's collision shape."""
    middles, turns, half_sides = plate_boxes()
    return pybullet.createCollisionShapeArray(
        shapeTypes=[pybullet.GEOM_BOX] * len(middles),
        halfExtents=half_sides,
        collisionFramePositions=middles,
        collisionFrameOrientations=turns,
        physicsClientId=client,
    )


def plate_boxes() -> tuple[list[list[float]], list[tuple[float, ...]], list[list[float]]]:
    """Middles, orientations (x, y, z, w) and half sides of two plates, whose faces meet in the origin, open to +x."""
    half_length = HALF_WIDTH / np.cos(PLATE_ANGLE) / 2
    middles, turns = [], []
    for side in (1, -1):
        along = np.array([np.sin(PLATE_ANGLE), side * np.cos(PLATE_ANGLE)])
        outwards = np.array([-np.cos(PLATE_ANGLE), side * np.sin(PLATE_ANGLE)])
        middles.append([*(half_length * along + HALF_THICKNESS * outwards), 0.0])
        turns.append(pybullet.getQuaternionFromEuler([0, 0, -side * PLATE_ANGLE]))
    return middles, turns, [[HALF_THICKNESS, half_length, HALF_HEIGHT]] * 2
