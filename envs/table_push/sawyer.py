"""SawyerArm: a robot arm of seven joints that holds the pushing tool and takes it along the path."""

import math
from functools import cache
from pathlib import Path

import numpy as np

from procgen_bench.envs.table_push.engine import pybullet
from procgen_bench.envs.table_push.kinematics import Chain, follow, place_tip, read_chain
from procgen_bench.envs.table_push.moments import Posture
from procgen_bench.envs.table_push.paths import PushPath
from procgen_bench.envs.table_push.tool import TOOL_FRICTION

#: The arm's description, and the link of it that is the tool.
DESCRIPTION, TOOL_LINK = Path(__file__).parent / "data" / "sawyer.urdf", "tool"
#: The arm stands beside the middle of the table's side y = 0, this far from it and this much higher, and looks along y.
#: From there it reaches all of the usual table and can push off it everywhere.
_DISTANCE, _HEIGHT, BASE_YAW = 0.13, 0.26, math.pi / 2
#: The posture that the arm keeps near to: elbow up and to the side. Joint 0 is turned towards the push, and joint 6
#: such that the tool opens along it.
_POSTURE = np.array([0.0, -0.9, -1.2, 1.9, 0.0, 0.6, 0.0])
#: The posture in which it waits, its tool above everything.
REST = np.array([0.44, -1.36, -1.08, 2.32, 0.27, 0.74, -2.24])
#: The way from the first posture to where a push begins is searched in this many steps: from far off, the search ends
#: in postures from which the arm cannot go on.
_APPROACH = 20
#: Torques of the motors, as multiples of the real ones: the path's ramps are faster than the real arm's.
_STRENGTH = 10.0
#: The joints pull at one another; with as few iterations as the tool alone needs, it would stray by half a millimetre.
_SOLVER_ITERATIONS = 50
#: Gains with which a motor is where it ought to be at the end of the step.
_GAINS = [1.0] * len(REST)


class SawyerArm:
    """The arm, whose motors turn its joints from step to step to where inverse kinematics has the tool on its path.

    It is an :class:`procgen_bench.envs.table_push.scene.Arm`. Where a path leaves its reach, it stops there; it does
    not make a push that begins out of its reach.
    """

    #: What a motor did last is where its solver sets out from.
    needs_new_world = True
    free_bodies: tuple[int, ...] = ()

    def load(self, client: int, extent: np.ndarray) -> None:
        """Put the arm into the world of this client of PyBullet, which has just been reset.

        Args:
            client: The client's number.
            extent: float64 (2,), lengths of the table along x and y, metres.
        """
        self._client, self._base = client, base_place(extent)
        self._targets: list[list[float]] = []
        pybullet.setPhysicsEngineParameter(numSolverIterations=_SOLVER_ITERATIONS, physicsClientId=client)
        self._body = load_robot(client, self._base, pybullet.URDF_IGNORE_VISUAL_SHAPES)
        self._joints, self._tool = joint_numbers(self._body, client)
        for link in range(-1, pybullet.getNumJoints(self._body, physicsClientId=client)):
            pybullet.changeDynamics(
                self._body,
                link,
                lateralFriction=TOOL_FRICTION,
                linearDamping=0,
                angularDamping=0,
                jointDamping=0,
                physicsClientId=client,
            )
        self.withdraw()

    def pass_through(self, body: int) -> None:
        """Let the tool never touch this body; nothing else of the arm touches anything."""
        pybullet.setCollisionFilterPair(self._body, body, self._tool, -1, 0, physicsClientId=self._client)

    def withdraw(self) -> None:
        """Be at rest in the posture in which it waits."""
        self._stand(REST.tolist())

    def begin(self, path: PushPath) -> None:
        """Stand at rest where ``path`` begins."""
        self._targets = joint_path(path, self._base).tolist()
        self._stand(self._targets[0])

    def drive(self, step: int) -> None:
        """Set out, in the step of the physics that follows, for the path's position number ``step`` (from 1)."""
        self._set_motors(self._targets[step])

    def _stand(self, posture: list[float]) -> None:
        for joint, position in zip(self._joints, posture):
            pybullet.resetJointState(self._body, joint, position, physicsClientId=self._client)
        self._set_motors(posture)

    def _set_motors(self, targets: list[float]) -> None:
        pybullet.setJointMotorControlArray(
            self._body,
            self._joints,
            pybullet.POSITION_CONTROL,
            targetPositions=targets,
            positionGains=_GAINS,
            velocityGains=_GAINS,
            forces=_torques(),
            physicsClientId=self._client,
        )


def waiting_posture(extent: np.ndarray) -> Posture:
    """The arm's where it waits beside a table of ``extent``, float64 (2,), metres."""
    arm, jacobian = chain(), np.empty((6, len(REST)))
    place, frame = place_tip(arm.offsets, arm.rotations, REST, jacobian)
    (turned,) = _turned(place[None], BASE_YAW)
    return Posture(base_place(extent) + turned, BASE_YAW + math.atan2(frame[1, 0], frame[0, 0]), REST)


def base_place(extent: np.ndarray) -> np.ndarray:
    """Where the arm stands beside a table of ``extent`` (float64 (2,), metres): float64 (3,), metres."""
    return np.array([extent[0] / 2, -_DISTANCE, _HEIGHT])


def load_robot(client: int, base: np.ndarray, flags: int = 0) -> int:
    """Put the arm into a world of PyBullet, at ``base``, float64 (3,), metres; the number of its body."""
    return pybullet.loadURDF(
        str(DESCRIPTION),
        base.tolist(),
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


def joint_path(path: PushPath, base: np.ndarray) -> np.ndarray:
    """Joint positions that take the tool along a path: float64 (N + 1, 7), radians.

    They depend on the path and the arm's place, ``base`` (float64 (3,), metres), alone. Where the path leaves the arm's
    reach, they stay the same; they are ``REST`` where it begins out of reach.
    """
    arm = chain()
    places, yaw = _turned(path.positions - base, -BASE_YAW), path.yaw - BASE_YAW
    posture, start = _posture_towards(places[0], yaw)
    approach = np.linspace(start, places[0], _APPROACH, endpoint=False)
    joints = np.empty((_APPROACH + len(places), len(posture)))
    frame = _turned(np.eye(3), yaw).T
    reached = follow(
        arm.offsets, arm.rotations, arm.limits, posture, posture, np.concatenate([approach, places]), frame, joints
    )
    joints[reached:] = joints[reached - 1] if reached > _APPROACH else REST
    return joints[_APPROACH:]


def _posture_towards(place: np.ndarray, yaw: float) -> tuple[np.ndarray, np.ndarray]:
    """The posture that the arm keeps near to, turned towards a push, and where the tool is in it."""
    arm, posture, jacobian = chain(), _POSTURE.copy(), np.empty((6, len(_POSTURE)))
    posture[0] = math.atan2(place[1], place[0])
    start, frame = place_tip(arm.offsets, arm.rotations, posture, jacobian)
    # The last joint's axis points down: it turns the tool the other way.
    turn = math.atan2(frame[1, 0], frame[0, 0]) - yaw
    posture[6] = (turn + math.pi) % (2 * math.pi) - math.pi
    return posture, start


@cache
def chain() -> Chain:
    """The arm's seven joints, and the tool as their tip."""
    return read_chain(DESCRIPTION, TOOL_LINK)


@cache
def _torques() -> list[float]:
    return (_STRENGTH * chain().efforts).tolist()


def _turned(vectors: np.ndarray, angle: float) -> np.ndarray:
    """Vectors (N, 3) turned by an angle about the upward axis."""
    x, y, z = vectors.T
    cos, sin = math.cos(angle), math.sin(angle)
    return np.column_stack([cos * x - sin * y, sin * x + cos * y, z])
