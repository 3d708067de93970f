"""What a person's keys do in XLand, and what the person sees of it: the agent's actions, the agent's goal."""

from typing import ClassVar, Protocol

import numpy as np

from procgen_bench.engine.real_time import RealTimeControls
from procgen_bench.engine.wrapped import Wrapped
from procgen_bench.envs.xland.actions import NOOP
from procgen_bench.envs.xland.frames import FIRST_PERSON, VIEWS, caption, draw_view
from procgen_bench.envs.xland.model import STEP_SECONDS
from procgen_bench.envs.xland.simulation import XLandSimulation

#: Rows and columns of what is shown.
_SHAPE = (480, 640)
#: Half the length of the cross in the middle of the view (pixels), where the beam and the gadget point.
_CROSS = 6
_FAST, _SLOW = ("left shift", "right shift"), ("left ctrl", "right ctrl", "c")
_GRAB, _GADGET = ("space", "left mouse"), ("e", "right mouse")


class _World(Protocol):
    """What is asked of the environment."""

    simulation: XLandSimulation


class XLandControls(RealTimeControls[_World]):
    """Keys for the six parts of an action; with the fast and the slow ones, every action has its keys."""

    fps = 1 / STEP_SECONDS
    views = VIEWS
    toggles: ClassVar[frozenset[str]] = frozenset({"space"})
    help = (
        "w a s d: walk   arrows: turn and look (shift: faster, c: slower; in a window also ctrl)",
        "space: grab, let go (left mouse: grab while held)   e or right mouse: gadget",
    )
    touch_keys = ("w", "a", "s", "d", "up", "left", "down", "right", "space", "e")

    def action(self, held: frozenset[str]) -> np.ndarray:
        """The action of a step in which these keys are held: int64 (6,)."""

        def holds(*keys: str) -> bool:
            return not held.isdisjoint(keys)

        def way(forth: str, back: str) -> int:
            return holds(forth) - holds(back)

        fast, slow = holds(*_FAST), holds(*_SLOW)
        steps = (
            way("w", "s"),
            way("d", "a") * (1 if slow else 2),
            way("left", "right") * (3 if fast else 1 if slow else 2),
            way("up", "down") * (2 if fast else 1),
            holds(*_GRAB),
            holds(*_GADGET),
        )
        return np.array(NOOP) + steps

    def draw(self, env: Wrapped[_World], view: str) -> np.ndarray:
        """Player 1's view with a cross where it aims, from behind, or the map: uint8 (480, 640, 3)."""
        picture = draw_view(env.unwrapped.simulation, view, _SHAPE)
        if view == FIRST_PERSON:
            row, column = _SHAPE[0] // 2, _SHAPE[1] // 2
            for cross in (
                picture[row - 1 : row + 1, column - _CROSS : column + _CROSS],
                picture[row - _CROSS : row + _CROSS, column - 1 : column + 1],
            ):
                cross[:] = np.where(cross.mean(axis=-1, keepdims=True) < 128, 255, 0)
        return picture

    def caption(self, env: Wrapped[_World]) -> tuple[str, ...]:
        """The goals of all players, and what player 1 has and does."""
        own_goal, *others = caption(env.unwrapped.simulation)
        return f"you are {own_goal}", *others
