"""Fit the polynomials of :mod:`.postures` to where the physics brings the arm.

``python -m procgen_bench.envs.fetch_blocks.posture_fit [FOLDER]``; without a folder, into the package's own. It takes
ten seconds.
"""

from pathlib import Path

import mujoco
import numpy as np

from procgen_bench.core.progress import Progress
from procgen_bench.core.suite_file import write_suite_file
from procgen_bench.core.suite_generation import run_generator
from procgen_bench.envs.fetch_blocks.postures import FOLDER, NAME, NUM_JOINTS, REGIONS, Region
from procgen_bench.envs.fetch_blocks.simulation import GRIPPER, UPRIGHT, FetchBlocksSimulation

#: The joints of shoulder, elbow and wrist, which reach.
_ARM = slice(6, 13)
#: What a metre, and a radian of the hand, weigh beside a radian of each joint from home.
_WEIGHTS = np.array([1e3, 1e3, 1e3, 30.0, 30.0, 30.0])
#: Searching a posture: what a radian of a joint's step weighs, the longest step, when it is found, and the most steps.
_DAMPING, _LONGEST, _FOUND, _MOST_STEPS = 3.0, 0.3, 1e-8, 2000
#: Actions' worth of physics in which the arm comes to rest, and from which of them on where it is led is corrected, by
#: which part of what the gripper lacks.
_STEPS, _UNCORRECTED, _CORRECTION = 12, 3, 0.3


class PostureFit:
    """The arm without blocks near it, to be brought to places."""

    def __init__(self):
        self._simulation = simulation = FetchBlocksSimulation(2)
        self._site = simulation.model.site(GRIPPER).id
        self._hand = int(simulation.model.site_bodyid[self._site])
        simulation.go_home()
        self._home = simulation.data.qpos[:NUM_JOINTS].copy()

    def coefficients(self, region: Region) -> np.ndarray:
        """float32 (X, Y, Z, 33), with which the polynomials pass through the postures at their extrema."""
        extrema = [np.cos(np.pi * np.arange(count) / (count - 1)) for count in region.shape]
        within = np.stack(np.meshgrid(*extrema, indexing="ij"), axis=-1).reshape(-1, 3)
        low, high = np.array(region.low), np.array(region.high)
        numbers = [self.at_rest(low + (place + 1) / 2 * (high - low)) for place in Progress(within, desc=NAME)]
        fitted = np.array(numbers).reshape(*region.shape, -1)
        for axis, places in enumerate(extrema):
            through = np.linalg.inv(np.polynomial.chebyshev.chebvander(places, len(places) - 1))
            fitted = np.moveaxis(np.tensordot(through, np.moveaxis(fitted, axis, 0), 1), 0, axis)
        return fitted.astype(np.float32)

    def at_rest(self, place: np.ndarray) -> np.ndarray:
        """The arm when the gripper rests at ``place``, float64 (3,), metres: float64 (33,), its joints (15), their
        speeds (15), and the numbers that are added to the place (3)."""
        simulation, led_to = self._simulation, place.copy()
        joints = self._reaching(place)
        simulation.go_home()
        simulation.data.qpos[:NUM_JOINTS], simulation.data.qvel[:] = joints, 0.0
        for step in range(_STEPS):
            simulation.bring_gripper(led_to, 1)
            simulation.forward()
            if step >= _UNCORRECTED:
                led_to += _CORRECTION * (place - simulation.gripper)
        data = simulation.data
        return np.concatenate([data.qpos[:NUM_JOINTS], data.qvel[:NUM_JOINTS], led_to - place])

    def _reaching(self, place: np.ndarray) -> np.ndarray:
        """The joints nearest to home with which the hand is upright at ``place``, by damped least squares."""
        joints = self._home.copy()
        for _ in range(_MOST_STEPS):
            missing, jacobian = self._missing(joints, place)
            rows = np.vstack([_WEIGHTS[:, None] * jacobian, np.eye(7), _DAMPING * np.eye(7)])
            wanted = np.concatenate([_WEIGHTS * missing, (self._home - joints)[_ARM], np.zeros(7)])
            step = np.linalg.lstsq(rows, wanted, rcond=None)[0]
            length = np.abs(step).max()
            joints[_ARM] += step * min(1.0, _LONGEST / length)
            if length < _FOUND:
                break
        return joints

    def _missing(self, joints: np.ndarray, place: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What the hand lacks in place and rotation, (6,), and how that follows the arm's joints, (6, 7)."""
        model, data = self._simulation.model, self._simulation.data
        data.qpos[:NUM_JOINTS] = joints
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        jacobian, turn, back, upright = np.zeros((6, model.nv)), np.zeros(4), np.zeros(4), UPRIGHT.copy()
        mujoco.mj_jacSite(model, data, jacobian[:3], jacobian[3:], self._site)
        mujoco.mju_normalize4(upright)
        mujoco.mju_negQuat(back, data.xquat[self._hand])
        mujoco.mju_mulQuat(turn, upright, back)
        missing = np.zeros(6)
        missing[:3] = place - data.site_xpos[self._site]
        mujoco.mju_quat2Vel(missing[3:], turn, 1.0)
        return missing, jacobian[:, _ARM]


def generate(folder: Path) -> dict[str, str]:
    """Write the polynomials into ``folder``; returns the file's checksum, by name."""
    fit = PostureFit()
    arrays = {f"region_{number}": fit.coefficients(region) for number, region in enumerate(REGIONS)}
    return {NAME: write_suite_file(folder, NAME, arrays)}


if __name__ == "__main__":
    run_generator(generate, FOLDER)
