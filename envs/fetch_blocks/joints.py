"""The Fetch arm driven joint by joint: its model with motors, and the simulation of it."""

from collections.abc import Mapping
from functools import cache
from typing import Any

import mujoco
import numpy as np

from procgen_bench.core.compiled import njit
from procgen_bench.envs.fetch_blocks.arm import grip
from procgen_bench.envs.fetch_blocks.model import fetch_spec
from procgen_bench.envs.fetch_blocks.simulation import FetchBlocksSimulation
from procgen_bench.tasks.fetch_blocks.start import FetchBlocksStart
from procgen_bench.tasks.fetch_blocks.task import BLOCK_FRICTION, BLOCK_MASS

#: The arm's joints, from the shoulder to the hand.
JOINTS = ("shoulder_pan", "shoulder_lift", "upperarm_roll", "elbow_flex", "forearm_roll", "wrist_flex", "wrist_roll")
#: Inertia that each motor's gains assume (kg m^2): roughly that of its joint where episodes begin.
_INERTIAS = (7.5, 7.5, 5.0, 5.0, 4.0, 2.5, 1.2)
#: How fast motors correct a joint, without overshooting (radians per second), and how strong they are (newton metres).
_QUICKNESS, _STRENGTH = 60.0, 300.0
#: Radians that an action of 1 moves a joint's target by: 1.25 rad/s, as fast as the real arm's slowest.
REACH_OF_JOINTS = 0.05
#: Radians that a target is ahead of its joint at most: what an arm that is held up has to catch up on.
_FURTHEST_AHEAD = 0.1
#: Motors of the fingers, which come first.
_FINGER_MOTORS = 2
#: Of MuJoCo's data, what the model that is led and the one with motors share.
_DYNAMICS = ("qpos", "qvel", "qacc_warmstart")


@cache
def joint_model(num_blocks: int, sleep: bool = True) -> mujoco.MjModel:
    """:func:`fetch_model` with a motor at each joint of the arm, which bears its own weight; nothing leads the hand."""
    spec = fetch_spec(num_blocks, sleep)
    (weld,) = spec.equalities
    spec.delete(weld)
    for body in spec.body("robot0:base_link").find_all("body"):
        body.gravcomp = 1.0
    # It begins below its lower limit, which would lift it by 3 mm/s.
    spec.joint("robot0:torso_lift_joint").limited = mujoco.mjtLimited.mjLIMITED_FALSE
    for name, inertia in zip(JOINTS, _INERTIAS, strict=True):
        joint = spec.joint(f"robot0:{name}_joint")
        joint.stiffness[:] = 0.0  # the forearm's spring would pull it away from its target
        motor = spec.add_actuator(name=joint.name, target=joint.name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
        damping = 2.0 * inertia * _QUICKNESS
        motor.forcelimited, motor.forcerange = mujoco.mjtLimited.mjLIMITED_TRUE, (-_STRENGTH, _STRENGTH)
        motor.set_to_position(kp=inertia * _QUICKNESS**2, kv=damping - float(joint.damping[0]))
    return spec.compile()


class JointSimulation(FetchBlocksSimulation):
    """N blocks on the table of the Fetch arm, whose joints are moved by actions.

    It begins in the very states in which :class:`FetchBlocksSimulation` does. Each joint has a target, which actions
    move and which waits for a joint that is held up: it is never more than 0.1 rad ahead.

    Attributes:
        joints: float64 (14,), angles of the seven joints (radians), then what they turn in one action (0.04 s) at their
            speeds; every step overwrites the same array.
    """

    action_size = len(JOINTS) + 1

    def __init__(self, num_blocks: int = 4, sleep: bool = True):
        self._led = FetchBlocksSimulation(num_blocks, sleep)
        self.joints = np.zeros(2 * len(JOINTS))
        model = joint_model(num_blocks, sleep)
        joints = [model.joint(f"robot0:{name}_joint") for name in JOINTS]
        self._angles = slice(int(joints[0].qposadr[0]), int(joints[-1].qposadr[0]) + 1)
        self._turns = slice(int(joints[0].dofadr[0]), int(joints[-1].dofadr[0]) + 1)
        limits = [joint.range if model.jnt_limited[joint.id] else (-np.inf, np.inf) for joint in joints]
        self._lowest, self._highest = np.array(limits).T.copy()
        super().__init__(num_blocks, sleep)
        self.physics_scales = np.concatenate([self.physics_scales, np.ones(len(JOINTS))])

    def begin(self, start: FetchBlocksStart, mass: float = BLOCK_MASS, friction: float = BLOCK_FRICTION) -> None:
        """As :meth:`FetchBlocksSimulation.begin`, to the last bit of ``state``; ``mass`` in kilograms, ``friction`` a
        coefficient."""
        self._led.begin(start, mass, friction)
        self._make_of(mass, friction)
        self._take_over_led()
        self.forward()

    def go_home(self) -> None:
        """Put arm and blocks where a new simulation has them; :meth:`forward` when all is placed."""
        self._led.go_home()
        self._take_over_led()

    def bring_gripper(self, place: np.ndarray, steps: int) -> None:
        """Nothing leads the gripper to a ``place``, float64 (3,), here; :class:`FetchBlocksSimulation` does."""
        raise NotImplementedError

    def led(self) -> FetchBlocksSimulation:
        """Another simulation, the same at every call, brought to this one's state; its actions lead the gripper."""
        led = self._led
        led._make_of(self._mass, self._friction)
        mujoco.mj_resetData(led.model, led.data)
        for name in _DYNAMICS:
            getattr(led.data, name)[:] = getattr(self.data, name)
        led.data.ctrl[:] = self.data.ctrl[:_FINGER_MOTORS]
        led.forward()
        return led

    def physics_vector(self) -> np.ndarray:
        """As :meth:`FetchBlocksSimulation.physics_vector`, then the joints' targets."""
        return np.concatenate([super().physics_vector(), self._targets])

    def restore_physics(self, vector: np.ndarray) -> None:
        """Continue from a vector that :meth:`physics_vector` gave; see :class:`PhysicsEnv`."""
        of_others, self._targets[:] = np.split(vector, [-len(JOINTS)])
        super().restore_physics(of_others)

    def load(self, saved: Mapping[str, Any]) -> None:
        """Continue from what was saved of this simulation, or of another with as many blocks, bit for bit."""
        super().load(saved)
        self._observe_joints()

    @property
    def _targets(self) -> np.ndarray:
        return self.data.ctrl[_FINGER_MOTORS:]

    def _usual_model(self) -> mujoco.MjModel:
        return joint_model(self.num_blocks, self._sleep)

    def _take_over_led(self) -> None:
        led = self._led.data
        mujoco.mj_resetData(self.model, self.data)
        for name in _DYNAMICS:
            getattr(self.data, name)[:] = getattr(led, name)
        self._targets[:] = self.data.qpos[self._angles]

    def _act(self, action: np.ndarray) -> None:
        grip(action[-1], self._fingers, self.data.ctrl)
        move_targets(
            action[:-1] * REACH_OF_JOINTS, self.data.qpos[self._angles], self._lowest, self._highest, self._targets
        )

    def _observe(self) -> bool:
        self._observe_joints()
        return super()._observe()

    def _observe_joints(self) -> None:
        self.joints[: len(JOINTS)] = self.data.qpos[self._angles]
        self.joints[len(JOINTS) :] = self.data.qvel[self._turns] * self._seconds


@njit
def move_targets(ways, angles, lowest, highest, targets):
    """Move the joints' targets, to within their limits and not far ahead of where they are.

    Args:
        ways, angles: float64 (7,), radians to move the targets by, and the joints' angles.
        lowest, highest: float64 (7,), the joints' limits.
        targets: float64 (7,), radians; written.
    """
    for joint in range(len(targets)):
        target = targets[joint] + ways[joint]
        target = min(max(target, angles[joint] - _FURTHEST_AHEAD), angles[joint] + _FURTHEST_AHEAD)
        targets[joint] = min(max(target, lowest[joint]), highest[joint])
