"""Gadgets (2.1): freeze holds an object fast for a while, tag takes an object or a player out of the world.

What is back after a tag cannot be tagged for a second, which the paper does not say.
"""

import math
from typing import NamedTuple

import numpy as np

from procgen_bench.core.compiled import njit
from procgen_bench.envs.xland.bodies import Bodies
from procgen_bench.envs.xland.body_arrays import bodies_at, put_back, set_fast, set_present, stir
from procgen_bench.envs.xland.model import STEP_SECONDS
from procgen_bench.tasks.xland.entities import FREEZE, TAG

#: Seconds for which an object is frozen, and for which what is tagged is gone: rounded up to whole steps.
FREEZE_SECONDS, TAG_SECONDS = 5.0, 3.0
FREEZE_STEPS, TAG_STEPS = math.ceil(FREEZE_SECONDS / STEP_SECONDS), math.ceil(TAG_SECONDS / STEP_SECONDS)
#: Seconds for which what is back cannot be tagged again, rounded up to whole steps: without them, whoever waits at
#: another player's start keeps it away for all of the episode but the steps of its return.
IMMUNITY_SECONDS = 1.0
IMMUNITY_STEPS = math.ceil(IMMUNITY_SECONDS / STEP_SECONDS)
#: Seconds after a use, whether it met something or not, in which a gadget cannot be used again.
COOLDOWN_SECONDS = 1.0
COOLDOWN_STEPS = math.ceil(COOLDOWN_SECONDS / STEP_SECONDS)


class EffectArrays(NamedTuple):
    """What gadgets have done to the bodies of a world.

    Attributes:
        frozen: int64 (K + P,), steps for which a body stays frozen; 0: it is not.
        gone: int64 (K + P,), steps for which a body stays away; 0: it is there.
        immune: int64 (K + P,), steps for which a body cannot be tagged; 0: it can be, if it is there.
    """

    frozen: np.ndarray
    gone: np.ndarray
    immune: np.ndarray


class Effects:
    """What gadgets have done to the bodies of a world, and gadgets to set a scene with.

    Attributes:
        frozen, gone, immune: See :class:`EffectArrays`.
        arrays: The three, as compiled functions take them.

    Args:
        bodies: The bodies.
    """

    def __init__(self, bodies: Bodies):
        self._places = bodies.places
        count = bodies.num_objects + bodies.num_players
        self.arrays = EffectArrays(*(np.zeros(count, np.int64) for _ in EffectArrays._fields))
        self.frozen, self.gone, self.immune = self.arrays

    @property
    def present(self) -> np.ndarray:
        """bool (K + P,), which bodies are there."""
        return self.gone == 0

    def clear(self) -> None:
        """Forget everything: the bodies are as they began."""
        self.frozen[:] = self.gone[:] = self.immune[:] = 0

    def use(self, gadget: int, body: int) -> bool:
        """See :func:`use`."""
        return _use(self._places, self.arrays, gadget, body)

    def apply(self, frozen: np.ndarray, gone: np.ndarray, immune: np.ndarray) -> None:
        """Take over counts of steps, int64 (K + P,) each and at least 0, and make the bodies' model agree with them."""
        _apply(self._places, self.arrays, EffectArrays(frozen.copy(), gone.copy(), immune.copy()))


@njit
def use(bodies, effects, gadget, body):
    """Use ``FREEZE`` or ``TAG`` on a body that is there, and whether it took: players do not freeze, and what is
    immune is not tagged.

    Args:
        bodies: ``BodyArrays``, changed.
        effects: ``EffectArrays``, changed.
        gadget, body: Which.
    """
    if gadget == TAG and effects.immune[body] == 0:
        effects.frozen[body], effects.gone[body] = 0, TAG_STEPS
        put_back(bodies, body, effects.gone)
        set_present(bodies, body, False)
    elif gadget == FREEZE and body < bodies.objects.shape[0]:
        effects.frozen[body] = FREEZE_STEPS
    else:
        return False
    set_fast(bodies, body, True)
    stir(bodies)
    return True


@njit
def pass_step(bodies, effects, players, newcomers):
    """Count a step down; what has been frozen or away for long enough is released, and players are as they began.

    Args:
        bodies: ``BodyArrays``, changed.
        effects: ``EffectArrays``, changed.
        players, newcomers: PLAYER (P,), changed, and as they begin.
    """
    frozen, gone, immune = effects.frozen, effects.gone, effects.immune
    num_objects, some_released = bodies.objects.shape[0], False
    # What is to return is -1 until it has.
    for body in range(gone.shape[0]):
        frozen[body] = -1 if frozen[body] == 1 else max(frozen[body] - 1, 0)
        gone[body] = -1 if gone[body] == 1 else max(gone[body] - 1, 0)
        immune[body] = IMMUNITY_STEPS if gone[body] < 0 else max(immune[body] - 1, 0)
    for body in range(gone.shape[0]):
        if gone[body] < 0:
            put_back(bodies, body, gone)
            set_present(bodies, body, True)
            if body >= num_objects:
                players[body - num_objects] = newcomers[body - num_objects]
    for body in range(gone.shape[0]):
        if frozen[body] < 0 or gone[body] < 0:
            set_fast(bodies, body, False)
            some_released = True
            frozen[body], gone[body] = max(frozen[body], 0), max(gone[body], 0)
    if some_released:
        stir(bodies)


@njit
def _use(places, effects, gadget, body):
    return use(bodies_at(places[0]), effects, gadget, body)


@njit
def _apply(places, effects, wanted):
    bodies = bodies_at(places[0])
    for body in range(effects.gone.shape[0]):
        was_fast = effects.frozen[body] > 0 or effects.gone[body] > 0
        fast = wanted.frozen[body] > 0 or wanted.gone[body] > 0
        if was_fast or fast:
            set_present(bodies, body, wanted.gone[body] == 0)
            set_fast(bodies, body, fast)
        effects.frozen[body], effects.gone[body] = wanted.frozen[body], wanted.gone[body]
        effects.immune[body] = wanted.immune[body]
