"""SawyerArm: a robot arm of seven joints that holds the pushing tool and takes it along the path."""

import math
from functools import cache
from pathlib import Path

import numpy as np

from procgen_bench.envs.table_push.engine import pybullet
from procgen_bench.envs.table_push.kinematics import Chain, follow, place_tip, read_chain
from procgen_bench.envs.table_push.paths import PushPath
from procgen_bench.envs.table_push.tool import TOOL_FRICTION

#: The arm's description, and the link of it that is the tool.
DESCRIPTION, TOOL_LINK = Path(__file__).parent / "data" / "sawyer.urdf", "tool"
#: Where the arm stands: beside the middle of the table's long side y = 0, looking along y, higher than the table. From
#: there it reaches all of the usual table and can push off it everywhere.
BASE_PLACE, BASE_YAW = np.array([0.45, -0.13, 0.20]), math.pi / 2
#: The posture that the arm keeps near to: elbow up and to the side. Joint 0 is turned towards the push, and joint 6
#: such that the tool opens along it.
_REST = np.array([0.0, -0.9, -1.2, 1.9, 0.0, 0.6, 0.0])
#: The way from that posture to where a push begins is searched in this many steps: from far off, the search ends in
#: postures from which the arm cannot go on.
_APPROACH = 20
#: A tool that misses a place of its path by more than this (metres, radians) does not reach it.
_GREATEST_MISS = 1e-4
#: Torques of the motors, as multiples of the real ones: the path's ramps are faster than the real arm's.
_STRENGTH = 10.0
#: The joints pull at one another; with as few iterations as the tool alone needs, it would stray by half a millimetre.
_SOLVER_ITERATIONS = 50


class SawyerArm:
    """The arm, whose motors turn its joints from step to step to where inverse kinematics has the tool on its path.

    It is an :class:`procgen_bench.envs.table_push.scene.Arm`.
    """

    def load(self, client: int) -> None:
        """Put the arm into the world of this client of PyBullet, which has been made anew."""
        self._client = client
        self._targets: list[list[float]] = []
        pybullet.setPhysicsEngineParameter(numSolverIterations=_SOLVER_ITERATIONS, physicsClientId=client)
        self._body = load_robot(client, pybullet.URDF_IGNORE_VISUAL_SHAPES)
        self._joints, self._tool = joint_numbers(self._body, client)
        for link in (*range(-1, self._tool), self._tool):
            pybullet.changeDynamics(
                self._body,
                link,
                lateralFriction=TOOL_FRICTION,
                linearDamping=0,
                angularDamping=0,
                jointDamping=0,
                physicsClientId=client,
            )

    def pass_through(self, body: int) -> None:
        """Let the tool touch this body no more; nothing else of the arm touches anything."""
        pybullet.setCollisionFilterPair(self._body, body, self._tool, -1, 0, physicsClientId=self._client)

    def begin(self, path: PushPath) -> None:
        """Stand at rest where ``path`` begins."""
        first, *self._targets = joint_path(path).tolist()
        for joint, position in zip(self._joints, first):
            pybullet.resetJointState(self._body, joint, position, physicsClientId=self._client)

    def drive(self, step: int) -> None:
        """Set out, in the step of the physics that follows, for the path's position number ``step`` (from 1)."""
        pybullet.setJointMotorControlArray(
            self._body,
            self._joints,
            pybullet.POSITION_CONTROL,
            targetPositions=self._targets[step - 1],
            positionGains=_ONES,
            velocityGains=_ONES,
            forces=_torques(),
            physicsClientId=self._client,
        )


#: Gains with which a motor is where it ought to be at the end of the step.
_ONES = [1.0] * len(_REST)


def load_robot(client: int, flags: int = 0) -> int:
    """Put the arm where it stands into a world of PyBullet; the number of its body."""
    return pybullet.loadURDF(
        str(DESCRIPTION),
        BASE_PLACE,
        pybullet.getQuaternionFromEuler([0.0, 0.0, BASE_YAW]),
        useFixedBase=True,
        flags=flags | pybullet.URDF_USE_INERTIA_FROM_FILE,
        physicsClientId=client,
    )


def joint_numbers(body: int, client: int) -> tuple[list[int], int]:
    """PyBullet's numbers of the seven joints, and of the link that is the tool."""
    infos = [
        pybullet.getJointInfo(body, joint, physicsClientId=client)
        for joint in range(pybullet.getNumJoints(body, physicsClientId=client))
    ]
    by_name = {info[1].decode(): info[0] for info in infos}
    by_link = {info[12].decode(): info[0] for info in infos}
    return [by_name[name] for name in chain().names], by_link[TOOL_LINK]


def joint_path(path: PushPath) -> np.ndarray:
    """Joint positions that take the tool along a path: float64 (N + 1, 7), radians. They depend on the path alone.

    Raises:
        ValueError: The arm does not reach all of it.
    """
    arm = chain()
    places, yaw = _seen_from_base(path.positions), path.yaw - BASE_YAW
    rest, jacobian = _REST.copy(), np.empty((6, len(_REST)))
    rest[0] = math.atan2(places[0, 1], places[0, 0])
    place, frame = place_tip(arm.offsets, arm.rotations, rest, jacobian)
    # The last joint's axis points down: it turns the tool the other way.
    rest[6] = _wrapped(math.atan2(frame[1, 0], frame[0, 0]) - yaw)
    approach = np.linspace(place, places[0], _APPROACH, endpoint=False)
    joints = np.empty((_APPROACH + len(places), len(rest)))
    cos, sin = math.cos(yaw), math.sin(yaw)
    frame = np.array([[cos, -sin, 0.0], [sin, cos, 0.0], [0.0, 0.0, 1.0]])
    miss = follow(
        arm.offsets, arm.rotations, arm.limits, rest, rest, np.concatenate([approach, places]), frame, joints
    )
    if miss > _GREATEST_MISS:
        raise ValueError(
            f"the Sawyer arm cannot push from {path.positions[0, :2].round(3).tolist()} (metres) along "
            f"{path.direction.tolist()}: it is out of its reach; use arm='tool'"
        )
    return joints[_APPROACH:]


@cache
def chain() -> Chain:
    """The arm's seven joints, and the tool as their tip."""
    return read_chain(DESCRIPTION, TOOL_LINK)


@cache
def _torques() -> list[float]:
    return (_STRENGTH * chain().efforts).tolist()


def _seen_from_base(places: np.ndarray) -> np.ndarray:
    x, y, z = (places - BASE_PLACE).T
    cos, sin = math.cos(BASE_YAW), math.sin(BASE_YAW)
    return np.column_stack([cos * x + sin * y, cos * y - sin * x, z])


def _wrapped(angle: float) -> float:
    return (angle + math.pi) % (2 * math.pi) - math.pi
