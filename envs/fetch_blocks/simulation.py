"""FetchBlocksSimulation: the arm and the blocks in motion, and their state as numbers."""

from collections.abc import Mapping
from copy import copy
from typing import Any

import mujoco
import numpy as np

from procgen_bench.core.errors import DivergedError, InvalidTaskError
from procgen_bench.engine.compact_state import load_compact, save_compact
from procgen_bench.engine.physics_state import physics_vector, take_over, vector_scales
from procgen_bench.envs.fetch_blocks.arm import SUBSTEPS, home, lead
from procgen_bench.envs.fetch_blocks.model import block_name, change_blocks, fetch_model
from procgen_bench.envs.fetch_blocks.observing import write_state
from procgen_bench.envs.fetch_blocks.postures import NUM_JOINTS, posture
from procgen_bench.tasks.fetch_blocks.start import FetchBlocksStart
from procgen_bench.tasks.fetch_blocks.task import BLOCK_FRICTION, BLOCK_MASS
from procgen_bench.tasks.programs.states import BLOCK_SIZE, GRIPPER_SIZE, block_positions
from procgen_bench.tasks.programs.zones import BLOCK_RADIUS

#: The site between the fingers.
GRIPPER = "robot0:grip"
_FINGERS = ("robot0:r_gripper_finger_joint", "robot0:l_gripper_finger_joint")
_LED = "robot0:gripper_link"
#: From the gripper's place up to the body that the arm is led by (metres).
_LED_ABOVE = np.array([0.0, 0.0, 0.02])
#: How the hand is held, as FetchEnv's actions have it: fingers down, side by side along y. MuJoCo normalises it.
UPRIGHT = np.array([1.0, 0.0, 1.0, 0.0])
#: Metres that an action of 1 leads the gripper by, as FetchEnv has it.
_REACH_OF_ACTIONS = 0.05
#: Actions' worth of physics in which the arm is brought to its start from its home, as FetchEnv brings it to its home,
#: where it is not known how it should stand.
_HOME_STEPS = 10
#: Actions' worth of physics in which the fingers close on a block that starts between them.
_GRASP_STEPS = 2
#: Displacement of each finger at which it touches a block between them.
_TOUCHING = BLOCK_RADIUS - 0.0009


class FetchBlocksSimulation:
    """N blocks on the table of the Fetch arm, whose gripper is led by actions.

    Everything follows from the start and the actions; there is no chance. A new simulation is at the arm's home, where
    FetchPickAndPlace's episodes begin, its blocks at the table's edges.

    Attributes:
        action_size: Numbers of an action, the fingers' command the last.
        num_blocks: Number of blocks, N.
        state: float64 (15 N + 10,); every step overwrites the same array: for each block, in the order of their
            indices, position (3), rotation (3, radians about x, y and z), position from the gripper (3), velocity from
            the gripper's (3) and turning (3); then the gripper's place (3), the right and the left finger's
            displacement (2), the gripper's velocity (3), the fingers' velocities (2). Metres along the world's axes.
            Velocities are as FetchEnv gives them: what is covered in one action (0.04 s). As there, places and
            directions are those at the beginning of the physics' last step of 0.002 s.
        positions: float64 (N, 3), the blocks' centres in ``state``; a view.

        physics_scales: float64 (numbers of :meth:`physics_vector`,), see :class:`PhysicsEnv`.

    Args:
        num_blocks: 2 to 6; 1 for comparisons with FetchPickAndPlace.
        sleep: Whether blocks that lie still sleep; without, the same physics is simulated throughout, slower.
    """

    action_size = 4

    def __init__(self, num_blocks: int = 4, sleep: bool = True):
        self.num_blocks, self._sleep = num_blocks, sleep
        self._mass, self._friction = BLOCK_MASS, BLOCK_FRICTION
        self.model = model = self._usual_model()
        self.data = data = mujoco.MjData(model)
        names = [block_name(block) for block in range(num_blocks)]
        joints = [model.joint(f"{name}:joint") for name in names]
        first_position, first_speed = int(joints[0].qposadr[0]), int(joints[0].dofadr[0])
        first_body, self._grip = model.body(names[0]).id, model.site(GRIPPER).id
        finger, finger_speed = (int(getattr(model.joint(_FINGERS[0]), name)[0]) for name in ("qposadr", "dofadr"))
        self._block_coordinates = data.qpos[first_position:].reshape(num_blocks, 7)
        self._block_speeds = data.qvel[first_speed:].reshape(num_blocks, 6)
        self._fingers, self._finger_speeds = data.qpos[finger : finger + 2], data.qvel[finger_speed : finger_speed + 2]
        self._body_places = data.xpos[first_body : first_body + num_blocks]
        self._body_turns = data.xmat[first_body : first_body + num_blocks]
        self._grip_place, self._speeds = data.site_xpos[self._grip], data.qvel
        self._jacobian = np.zeros((3, model.nv))
        self._seconds = model.opt.timestep * SUBSTEPS
        led = model.body(_LED).id
        self._led_place, self._led_turn = data.xpos[led], data.xquat[led]
        self._leader = data.mocap_pos[0], data.mocap_quat[0]
        led_scales = np.ones(len(self._led_place) + len(self._led_turn))
        self.physics_scales = np.concatenate([vector_scales(model.nq, model.nv), led_scales])
        self.state = np.zeros(BLOCK_SIZE * num_blocks + GRIPPER_SIZE)
        self.positions = block_positions(self.state)
        self.go_home()
        self.forward()

    @property
    def gripper(self) -> np.ndarray:
        """float64 (3,), the gripper's place in ``state``; a view."""
        return self.state[-GRIPPER_SIZE:][:3]

    def begin(self, start: FetchBlocksStart, mass: float = BLOCK_MASS, friction: float = BLOCK_FRICTION) -> None:
        """Put gripper and blocks where a valid ``start`` has them, at rest: the gripper to 2 mm, to 6 mm where the arm
        pushes the head aside; blocks lie as deep in what bears them as they press on it, 2 mm under five others.

        Args:
            start: As many blocks.
            mass, friction: Kilograms of each block, and the coefficient of their sliding friction.

        Raises:
            InvalidTaskError: It has another number of blocks.
        """
        if start.num_blocks != self.num_blocks:
            raise InvalidTaskError("number of blocks", start.num_blocks, f"{self.num_blocks}, as the environment has")
        self._make_of(mass, friction)
        self.go_home()
        stands = posture(start.gripper)
        if stands is None:
            self.bring_gripper(start.gripper, _HOME_STEPS)
        else:
            self.data.qpos[:NUM_JOINTS], self.data.qvel[:NUM_JOINTS] = stands.joints, stands.speeds
            self.bring_gripper(stands.led_to, stands.rest_steps)
        self.place(start.positions)
        if start.held is not None:
            self.grasp(start.held)
        self.data.time = 0.0
        self.forward()

    def _usual_model(self) -> mujoco.MjModel:
        """The model with the usual blocks, which simulations share."""
        return fetch_model(self.num_blocks, self._sleep)

    def _make_of(self, mass: float, friction: float) -> None:
        """Give the blocks this mass and friction; other than the usual ones need a model of their own."""
        if (mass, friction) == (self._mass, self._friction):
            return
        usual = self._usual_model()
        self._mass, self._friction = mass, friction
        self.model = usual
        if (mass, friction) != (BLOCK_MASS, BLOCK_FRICTION):
            self.model = copy(usual)
            change_blocks(self.model, mass, friction)

    def step(self, action: np.ndarray) -> np.ndarray:
        """Advance by 0.04 s.

        Args:
            action: Numbers of any dtype, (4,) in [-1, 1]: the way that the gripper is led along x, y and z, 1 for 0.05
                m, and the fingers' command, 1 to open and -1 to close them.

        Returns:
            ``state``, float64 (15 N + 10,), which the next step overwrites.

        Raises:
            DivergedError: The state is no longer one of finite numbers.
        """
        self._act(action)
        mujoco.mj_step(self.model, self.data, nstep=SUBSTEPS)
        if not self._observe():
            raise DivergedError(f"the physics diverged under the action {np.asarray(action).tolist()}")
        return self.state

    def _act(self, action: np.ndarray) -> None:
        """Have the arm's motors do an action."""
        ways, command = action[:3] * _REACH_OF_ACTIONS, action[3]
        lead(ways, command, self._led_place, self._led_turn, self._fingers, *self._leader, self.data.ctrl)

    def place(self, positions: np.ndarray) -> None:
        """Put the blocks' centres at ``positions``, float64 (N, 3), upright and at rest; :meth:`forward` when all is
        placed."""
        self._block_coordinates[:, :3] = positions
        self._block_coordinates[:, 3:] = 1.0, 0.0, 0.0, 0.0
        self._block_speeds[:] = 0.0

    def grasp(self, block: int) -> None:
        """Put ``block`` into the gripper, and let the fingers close on it."""
        mujoco.mj_kinematics(self.model, self.data)
        self._block_coordinates[block, :3] = self._grip_place
        self._fingers[:] = _TOUCHING
        self._finger_speeds[:] = 0.0
        self.data.ctrl[:] = 0.0
        mujoco.mj_step(self.model, self.data, nstep=_GRASP_STEPS * SUBSTEPS)

    def forward(self) -> np.ndarray:
        """Take in what has been placed; returns ``state``, float64 (15 N + 10,)."""
        mujoco.mj_forward(self.model, self.data)
        return self.observe()

    def go_home(self) -> None:
        """Put arm and blocks where a new simulation has them; :meth:`forward` when all is placed."""
        mujoco.mj_copyData(self.data, self.model, home(self.num_blocks, self._sleep))

    def bring_gripper(self, place: np.ndarray, steps: int) -> None:
        """Lead the gripper to ``place`` (float64 (3,), metres) for so many actions' worth of physics."""
        self.data.mocap_pos[0], self.data.mocap_quat[0] = place + _LED_ABOVE, UPRIGHT
        mujoco.mj_step(self.model, self.data, nstep=steps * SUBSTEPS)

    def save(self) -> dict[str, Any]:
        """Everything that decides how the simulation goes on, and what it was observed to be, to :meth:`load`."""
        materials = {"mass": self._mass, "friction": self._friction}
        led = materials | {"led_place": self._led_place.copy(), "led_turn": self._led_turn.copy()}
        return {"state": self.state.copy(), **led, **save_compact(self.data)}

    def load(self, saved: Mapping[str, Any]) -> None:
        """Continue from what was saved of this simulation, or of another with as many blocks, bit for bit."""
        self._make_of(saved["mass"], saved["friction"])
        load_compact(self.model, self.data, saved)
        self._led_place[:], self._led_turn[:] = saved["led_place"], saved["led_turn"]
        self.state[:] = saved["state"]

    def led(self) -> "FetchBlocksSimulation":
        """A simulation in this one's state whose actions lead the gripper: itself; see :meth:`step`."""
        return self

    def physics_vector(self) -> np.ndarray:
        """MuJoCo's vector, then place (3) and rotation (4) of the body that is led as the last action left them, where
        the next one leads from: float64 (numbers,), as ``physics_scales``."""
        return np.concatenate([physics_vector(self.data), self._led_place, self._led_turn])

    def restore_physics(self, vector: np.ndarray) -> None:
        """Continue from a ``vector``, float64 (numbers,), that :meth:`physics_vector` gave; see :class:`PhysicsEnv`."""
        of_data, self._led_place[:], self._led_turn[:] = np.split(vector, [-7, -4])
        take_over(self.model, self.data, of_data)

    def __reduce__(self):
        # MuJoCo's own pickles lose what sleeps.
        return _resumed, (type(self), self.num_blocks, self._sleep, self.save())

    def observe(self) -> np.ndarray:
        """Overwrite ``state`` from MuJoCo's data as they are; returns it, float64 (15 N + 10,)."""
        self._observe()
        return self.state

    def _observe(self) -> bool:
        mujoco.mj_jacSite(self.model, self.data, self._jacobian, None, self._grip)
        return write_state(
            self.state,
            self._body_places,
            self._body_turns,
            self._block_speeds,
            self._grip_place,
            self._jacobian,
            self._speeds,
            self._fingers,
            self._finger_speeds,
            self._seconds,
        )


def _resumed(
    kind: type[FetchBlocksSimulation], num_blocks: int, sleep: bool, saved: Mapping[str, Any]
) -> FetchBlocksSimulation:
    simulation = kind(num_blocks, sleep)
    simulation.load(saved)
    return simulation
