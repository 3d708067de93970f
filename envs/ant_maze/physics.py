"""AntBodies: many ants over one MuJoCo model, each a row of numbers that decides all that follows."""

from collections.abc import Callable

import mujoco
import numpy as np

from procgen_bench.core.errors import DivergedError
from procgen_bench.engine.row_thread_pool import RowThreadPool, first_failure
from procgen_bench.envs.ant_maze.model import FRAME_SKIP, NUM_JOINTS, START_ANKLE, START_HEIGHT, START_HIP

NUM_POSITIONS, NUM_VELOCITIES = 7 + NUM_JOINTS, 6 + NUM_JOINTS
#: A row: positions (place, quaternion, joints), velocities, and the accelerations from which the solver sets out.
STATE_SIZE = NUM_POSITIONS + 2 * NUM_VELOCITIES
_STATE = mujoco.mjtState.mjSTATE_QPOS | mujoco.mjtState.mjSTATE_QVEL | mujoco.mjtState.mjSTATE_WARMSTART


class AntBodies:
    """N ants that do not meet.

    All rows that a thread steps pass through one ``MjData``, which keeps nothing between them: a row's numbers go in
    before its step and come out after it. The solver's starting point is among them, so a row continues from a copy bit
    for bit, in whichever thread.

    Attributes:
        states: float64 (N, 43): positions (15), velocities (14), accelerations of the last step (14).
        num_threads: Number of threads.
        positions: float64 (N, 15), a view: x, y, z of the torso, its quaternion (w, x, y, z), then hip and ankle angle
            of each leg, in radians.
        velocities: float64 (N, 14), a view: of the torso in the world's frame, its turning in its own, then the
            joints', per second.

    Args:
        num_rows: Number of ants, N.
        make_model: Gives the model (:mod:`.model`); called again where a copy is unpickled.
        num_threads: Number of threads that share out the rows.
    """

    def __init__(self, num_rows: int, make_model: Callable[[], mujoco.MjModel], num_threads: int = 1):
        self.states = np.zeros((num_rows, STATE_SIZE), np.float64)
        self.num_threads = num_threads
        self._make_model = make_model
        self._begin()

    def __getstate__(self) -> dict:
        return {"states": self.states, "num_threads": self.num_threads, "_make_model": self._make_model}

    def __setstate__(self, state: dict):
        self.__dict__.update(state)
        self._begin()

    def _begin(self) -> None:
        self.positions = self.states[:, :NUM_POSITIONS]
        self.velocities = self.states[:, NUM_POSITIONS : NUM_POSITIONS + NUM_VELOCITIES]
        self.model = self._make_model()
        self._pool = RowThreadPool(self.num_threads)
        #: Those that no thread is using.
        self._free_data = [mujoco.MjData(self.model) for _ in range(self.num_threads)]

    def place(self, row: int, start: np.ndarray) -> None:
        """Put the ant of ``row`` at ``start``, float64 (2,), x and y in metres: at rest, upright, its head towards x,
        its knees bent."""
        self.states[row] = 0.0
        position = self.positions[row]
        position[:2], position[2], position[3] = start, START_HEIGHT, 1.0
        position[7::2], position[8::2] = START_HIP, START_ANKLE

    def push(self, rows: np.ndarray, torques: np.ndarray) -> None:
        """Advance the ants of ``rows`` (bool (N,)) by 0.1 s under ``torques`` (N, 8), newton metres.

        Raises:
            DivergedError: A row is no longer a state of finite numbers.
        """
        chosen = np.flatnonzero(rows).tolist()
        if self.num_threads == 1:
            for row in chosen:
                self._push(row, torques)
        else:
            _, failed = self._pool.each(chosen, lambda row: self._push(row, torques))
            if failed:
                raise first_failure(failed)
        if not np.isfinite(self.states).all():
            row = int(np.flatnonzero(~np.isfinite(self.states).all(axis=1))[0])
            raise DivergedError(f"the physics of row {row} diverged under the torques {torques[row].tolist()}")

    def close(self) -> None:
        """End the threads; again without effect. A later push starts new ones."""
        self._pool.close()

    def _push(self, row: int, torques: np.ndarray) -> None:
        model, data, state = self.model, self._free_data.pop(), self.states[row]
        mujoco.mj_setState(model, data, state, _STATE)
        data.ctrl[:] = torques[row]
        mujoco.mj_step(model, data, nstep=FRAME_SKIP)
        mujoco.mj_getState(model, data, state, _STATE)
        self._free_data.append(data)
