"""How the arm stands when it holds the gripper somewhere: polynomials of the place.

Bringing the arm to a place takes many actions' worth of physics. The polynomials tell where that ends, so that an
episode begins at its start and the physics has but one action's worth to do. (:mod:`.posture_fit` makes them.)
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from procgen_bench.core.compiled import njit
from procgen_bench.tasks.fetch_blocks.table import GRIPPER_HIGH, GRIPPER_LOW
from procgen_bench.tasks.programs.zones import REACH_HIGH, REACH_LOW

#: Joints of the robot, the two fingers among them: the first of the model.
NUM_JOINTS = 15
FOLDER, NAME = Path(__file__).parent / "data", "postures"


@dataclass(frozen=True)
class Region:
    """A box of places whose postures one set of polynomials tells.

    Attributes:
        low, high: Its corners, (x, y, z).
        shape: How many Chebyshev polynomials there are of x, y and z.
        rest_steps: Actions' worth of physics after which the hand is at rest.
    """

    low: tuple[float, float, float]
    high: tuple[float, float, float]
    shape: tuple[int, int, int]
    rest_steps: int

    def __contains__(self, place: np.ndarray) -> bool:
        return all(low <= number <= high for low, number, high in zip(self.low, place.tolist(), self.high, strict=True))


#: Above the second's low edge, places nearer to the robot are in neither: there the arm pushes the head aside.
REGIONS = (
    Region((*REACH_LOW.tolist(), GRIPPER_LOW), (*REACH_HIGH.tolist(), 0.56), (6, 11, 4), 1),
    Region((1.25, float(REACH_LOW[1]), 0.56), (*REACH_HIGH.tolist(), GRIPPER_HIGH), (6, 11, 6), 3),
)


@dataclass(frozen=True)
class Posture:
    """How the arm stands.

    Attributes:
        joints, speeds: float64 (15,), positions and velocities of the robot's joints.
        led_to: float64 (3,), where the gripper is led to, which the arm's weight keeps it some millimetres from.
        rest_steps: Actions' worth of physics after which the hand is at rest.
    """

    joints: np.ndarray
    speeds: np.ndarray
    led_to: np.ndarray
    rest_steps: int


def posture(place: np.ndarray) -> Posture | None:
    """The posture with the gripper at ``place`` (float64 (3,)); ``None`` where none is known."""
    for number, region in enumerate(REGIONS):
        if place in region:
            numbers = np.zeros(2 * NUM_JOINTS + 3)
            _evaluate(_coefficients(number), np.array(region.low), np.array(region.high), place, numbers)
            joints, speeds = numbers[:NUM_JOINTS], numbers[NUM_JOINTS : 2 * NUM_JOINTS]
            return Posture(joints, speeds, place + numbers[2 * NUM_JOINTS :], region.rest_steps)
    return None


@cache
def _coefficients(region: int) -> np.ndarray:
    """float64 (X, Y, Z, 33): of the products of polynomials, for joints, speeds, and what is added to the place."""
    with np.load(FOLDER / f"{NAME}.npz") as file:
        return file[f"region_{region}"].astype(np.float64)


@njit
def _evaluate(coefficients, low, high, place, numbers):
    """Add the sum of the Chebyshev polynomials at ``place`` to ``numbers``."""
    values = np.empty((3, max(coefficients.shape[:3])))
    for axis in range(3):
        along = 2.0 * (place[axis] - low[axis]) / (high[axis] - low[axis]) - 1.0
        values[axis, 0], values[axis, 1] = 1.0, along
        for degree in range(2, coefficients.shape[axis]):
            values[axis, degree] = 2.0 * along * values[axis, degree - 1] - values[axis, degree - 2]
    for i in range(coefficients.shape[0]):
        for j in range(coefficients.shape[1]):
            for k in range(coefficients.shape[2]):
                product = values[0, i] * values[1, j] * values[2, k]
                for number in range(numbers.shape[0]):
                    numbers[number] += product * coefficients[i, j, k, number]
