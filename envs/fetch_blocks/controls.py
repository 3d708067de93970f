"""What a person's keys do in FetchBlocks, and the texts that are shown."""

from typing import ClassVar, Protocol, TypeVar

import numpy as np

from procgen_bench.engine.real_time import RealTimeControls
from procgen_bench.engine.wrapped import Wrapped
from procgen_bench.envs.fetch_blocks.rendering import draw_frame
from procgen_bench.envs.fetch_blocks.simulation import FetchBlocksSimulation
from procgen_bench.tasks.fetch_blocks import FetchBlocksTask
from procgen_bench.tasks.programs import Program
from procgen_bench.tasks.programs.zones import BLOCK_COLOURS, COLOURS, DISTANCE_THRESHOLD

_FAST = ("left shift", "right shift")
#: Parts of the greatest step that the gripper is led by.
_SPEED, _FAST_SPEED = 0.25, 0.8
#: Commands of the fingers.
_OPEN, _CLOSE = 1.0, -1.0


class _Table(Protocol):
    """What is asked of every environment with the arm."""

    simulation: FetchBlocksSimulation
    desired_places: np.ndarray


class _Blocks(_Table, Protocol):
    task: FetchBlocksTask


class _Program(_Table, Protocol):
    program: Program


TableT = TypeVar("TableT", bound=_Table)


class GripperControls(RealTimeControls[TableT]):
    """Keys that lead the gripper as the picture shows it, and one that closes it until it is pressed again."""

    fps = 25.0
    views = ("table",)
    toggles: ClassVar[frozenset[str]] = frozenset({"space"})
    help = ("w a s d: along the table   up, down: raise, lower   shift: faster", "space: close or open the fingers")
    touch_keys = ("w", "a", "s", "d", "up", "down", "space")

    def action(self, held: frozenset[str]) -> np.ndarray:
        """The action of a step in which these keys are held: float32 (4,)."""

        def way(forth: str, back: str) -> int:
            return (forth in held) - (back in held)

        speed = _SPEED if held.isdisjoint(_FAST) else _FAST_SPEED
        ways = speed * way("s", "w"), speed * way("d", "a"), speed * way("up", "down")
        return np.array([*ways, _CLOSE if "space" in held else _OPEN], np.float32)

    def draw(self, env: Wrapped[TableT], view: str) -> np.ndarray:
        """The table: uint8 (480, 480, 3)."""
        return draw_frame(env.unwrapped.simulation, env.unwrapped.desired_places)


class FetchBlocksControls(GripperControls[_Blocks]):
    """Texts for a person who is to bring blocks to their places."""

    def caption(self, env: Wrapped[_Blocks]) -> tuple[str, ...]:
        """Which blocks are not in their places yet, and how far from these they are."""
        distances = np.linalg.norm(env.unwrapped.simulation.positions - env.unwrapped.task.goal, axis=1)
        away = [
            f"block {block} ({COLOURS[BLOCK_COLOURS[block]].lower()}): {distance:.2f} m from its place"
            for block, distance in enumerate(distances)
            if distance > DISTANCE_THRESHOLD
        ]
        return ("   ".join(away) or "every block is in its place",)


class FetchProgramControls(GripperControls[_Program]):
    """Texts for a person who is to do what a program asks."""

    def caption(self, env: Wrapped[_Program]) -> tuple[str, ...]:
        """What the program is to do."""
        return (env.unwrapped.program.text,)
