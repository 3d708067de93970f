"""Corridor-v0's environments, single and vector, and how they are drawn."""

from typing import ClassVar

import numpy as np
from gymnasium import spaces

from corridor.simulation import CorridorSimulation
from corridor.space import CorridorTaskSpace
from corridor.task import DOORS, CorridorTask
from procgen_bench.engine.native_env import NativeEnv
from procgen_bench.engine.native_vector_env import NativeVectorEnv

TILE_SIDE = 24
PASSED_COLOUR, LEFT_COLOUR, RIGHT_COLOUR, AGENT_COLOUR = (222, 218, 208), (36, 108, 220), (44, 160, 70), (222, 38, 48)


class CorridorEnv(NativeEnv[CorridorTask]):
    """A corridor whose doors open to those who read their signs.

    ## Description
    Eight doors, one behind the other, open to the left or to the right, as their signs say. Who turns the wrong way
    falls back by one door.

    ## Action Space
    ``Discrete(2)``: 0 left, 1 right.

    ## Observation Space
    float32 (2,): the number of doors passed, 0 to 8, and the sign ahead: -1 left, 1 right, 0 behind the last door.

    ## Starting State
    Before the first door. Without a given task, one is drawn from ``tasks`` or from the whole task space.

    ## Rewards
    1 for passing the last door, 0 otherwise.

    ## Episode End
    Terminates behind the last door. Truncates after 40 steps.

    ## Information
    ``success`` (bool): whether the last door has been passed.

    ## Arguments
    - ``tasks``: what resets without a task draw from; see :class:`NativeEnv`.
    - ``render_mode``: ``"rgb_array"`` (uint8 (24, 216, 3)), ``"ansi"`` (text), ``"human"`` (a window), or ``None``.

    ## Version History
    - v0: first version.
    """

    metadata = {"render_modes": ["human", "rgb_array", "ansi"], "render_fps": 8}
    task_space = CorridorTaskSpace()
    draws_solvable = True  # by the rules: ``tasks="solvable"`` has nothing to leave out
    simulation_type = CorridorSimulation
    observation_space: ClassVar[spaces.Box] = spaces.Box(np.float32([0, -1]), np.float32([DOORS, 1]))
    action_space: ClassVar[spaces.Discrete] = spaces.Discrete(2)
    #: Keyboard key -> action, for people who play.
    keys_to_action: ClassVar[dict[str, int]] = {"a": 0, "d": 1}

    @staticmethod
    def render_frame(simulation: CorridorSimulation, row: int) -> np.ndarray:
        """A tile per door, in its sign's colour, and one for the end; those passed are pale, and one is the agent's."""
        door = int(simulation.observations[row, 0])
        tiles = np.array([*np.array([LEFT_COLOUR, RIGHT_COLOUR])[simulation.task(row).signs], PASSED_COLOUR], np.uint8)
        tiles[:door], tiles[door] = PASSED_COLOUR, AGENT_COLOUR
        return np.tile(tiles.repeat(TILE_SIDE, axis=0), (TILE_SIDE, 1, 1))

    @staticmethod
    def render_text(simulation: CorridorSimulation, row: int) -> str:
        """The task's text with ``@`` before the door that is next."""
        door = int(simulation.observations[row, 0])
        signs = simulation.task(row).to_text()
        return f"{signs[:door]}@{signs[door:]}"


class CorridorVectorEnv(NativeVectorEnv):
    """Corridor-v0 with N tasks in one compiled step; see :class:`CorridorEnv` and :class:`NativeVectorEnv`."""

    single_env_type = CorridorEnv
