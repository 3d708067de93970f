"""Gadgets (2.1): freeze holds an object fast for a while, tag takes an object or a player out of the world."""

import math

import numpy as np

from procgen_bench.envs.xland.bodies import Bodies
from procgen_bench.envs.xland.model import STEP_SECONDS
from procgen_bench.tasks.xland.entities import FREEZE, TAG

#: Seconds for which an object is frozen, and for which what is tagged is gone: rounded up to whole steps.
FREEZE_SECONDS, TAG_SECONDS = 5.0, 3.0
FREEZE_STEPS, TAG_STEPS = math.ceil(FREEZE_SECONDS / STEP_SECONDS), math.ceil(TAG_SECONDS / STEP_SECONDS)
#: Seconds after a use, whether it met something or not, in which a gadget cannot be used again.
COOLDOWN_SECONDS = 1.0
COOLDOWN_STEPS = math.ceil(COOLDOWN_SECONDS / STEP_SECONDS)

_NONE = np.zeros(0, np.int64)


class Effects:
    """What gadgets have done to the bodies of a world.

    Attributes:
        frozen: int64 (K + P,), steps for which a body stays frozen; 0: it is not.
        gone: int64 (K + P,), steps for which a body stays away; 0: it is there.

    Args:
        bodies: The bodies.
    """

    def __init__(self, bodies: Bodies):
        self._bodies = bodies
        count = bodies.num_objects + bodies.num_players
        self.frozen, self.gone = np.zeros(count, np.int64), np.zeros(count, np.int64)
        self._some = False  # whether anything is frozen or gone

    @property
    def present(self) -> np.ndarray:
        """bool (K + P,), which bodies are there."""
        return self.gone == 0

    @property
    def fast(self) -> np.ndarray:
        """bool (K + P,), which bodies nothing moves."""
        return (self.frozen > 0) | (self.gone > 0)

    def clear(self) -> None:
        """Forget everything: the bodies have begun anew."""
        self.frozen[:] = self.gone[:] = 0
        self._some = False

    def use(self, gadget: int, body: int) -> bool:
        """Use ``FREEZE`` or ``TAG`` on a body that is there, and whether it took: players do not freeze."""
        if gadget == TAG:
            self.frozen[body], self.gone[body] = 0, TAG_STEPS
            self._bodies.put_back(body, self.present)
            self._bodies.set_present(body, False)
        elif gadget == FREEZE and body < self._bodies.num_objects:
            self.frozen[body] = FREEZE_STEPS
        else:
            return False
        self._some = True
        self._bodies.set_fast(body, True)
        self._bodies.stir()
        return True

    def pass_step(self) -> np.ndarray:
        """Count a step down; what has been frozen or away for long enough is released.

        Returns:
            int64, bodies that are back.
        """
        if not self._some:
            return _NONE
        released = np.flatnonzero((self.frozen == 1) | (self.gone == 1))
        returned = np.flatnonzero(self.gone == 1)
        np.maximum(self.frozen - 1, 0, out=self.frozen)
        np.maximum(self.gone - 1, 0, out=self.gone)
        self._some = bool(self.frozen.any() or self.gone.any())
        for body in returned.tolist():
            self._bodies.put_back(body, self.present)
            self._bodies.set_present(body, True)
        for body in released.tolist():
            self._bodies.set_fast(body, False)
        if len(released):
            self._bodies.stir()
        return returned

    def apply(self, frozen: np.ndarray, gone: np.ndarray) -> None:
        """Take over counts of steps (int64 (K + P,)) and make the bodies' model agree with them."""
        for body in np.flatnonzero((frozen > 0) | (gone > 0) | (self.frozen > 0) | (self.gone > 0)).tolist():
            self._bodies.set_present(body, gone[body] == 0)
            self._bodies.set_fast(body, frozen[body] > 0 or gone[body] > 0)
        self.frozen[:], self.gone[:] = frozen, gone
        self._some = bool(frozen.any() or gone.any())
