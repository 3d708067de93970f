"""BitGrid drawn from its state: frames assembled from tile sprites, and text."""

from functools import cache

import numpy as np

from procgen_bench.envs.bit_grid.kernel import BITS, GOAL, PLACE
from procgen_bench.envs.bit_grid.simulation import BitGridSimulation
from procgen_bench.envs.sprites import X, Y, assembled, disc, paint, plain, rectangle

OFF_COLOUR, GRID_LINE_COLOUR = (246, 244, 238), (222, 218, 208)
ON_COLOUR, WRONG_COLOUR = (36, 108, 220), (128, 132, 142)
GOAL_COLOUR = (240, 142, 22)
AGENT_COLOUR, AGENT_EDGE_COLOUR = (222, 38, 48), (122, 14, 24)

#: Text of a cell by its bit and then by its goal: off and on as they should be, missing, wrong.
_SYMBOLS = np.array([[".", "o"], ["x", "#"]])


def draw_frame(simulation: BitGridSimulation, row: int) -> np.ndarray:
    """The grid of ``row``: uint8 (32 side, 32 side, 3).

    Bits that are on are filled (blue where the goal has them, grey where it does not), the goal's bits are outlined in
    orange, the agent is a red disc.
    """
    bits, place, goal = (simulation.observation_rows[row, plane].astype(np.intp) for plane in (BITS, PLACE, GOAL))
    return assembled(_sprites()[bits, goal, place])


def draw_text(simulation: BitGridSimulation, row: int) -> str:
    """The grid of ``row`` as lines with two characters per cell.

    First ``.`` off, ``#`` on, ``o`` off and the goal's, ``x`` on and not the goal's; then ``@`` where the agent is.
    """
    bits, goal = (simulation.observation_rows[row, plane].astype(np.intp) for plane in (BITS, GOAL))
    agents = np.where(simulation.observation_rows[row, PLACE] == 1, "@", " ")
    return "\n".join("".join(line) for line in np.char.add(_SYMBOLS[bits, goal], agents))


@cache
def _sprites() -> np.ndarray:
    """uint8 (2, 2, 2, 32, 32, 3): a sprite by a cell's bit, its goal, and whether the agent is there."""
    sprites = np.zeros((2, 2, 2, *plain(OFF_COLOUR).shape))
    for bit, goal, agent in np.ndindex(2, 2, 2):
        sprite = paint(plain(OFF_COLOUR), (X < 1) | (Y < 1), GRID_LINE_COLOUR)
        if bit:
            sprite = paint(sprite, rectangle(6, 6, 27, 27, radius=3), ON_COLOUR if goal else WRONG_COLOUR)
        if goal:
            outline = rectangle(2, 2, 31, 31, radius=5) & ~rectangle(4.5, 4.5, 28.5, 28.5, radius=3)
            sprite = paint(sprite, outline, GOAL_COLOUR)
        if agent:
            sprite = paint(sprite, disc(16.5, 16.5, 8), AGENT_EDGE_COLOUR)
            sprite = paint(sprite, disc(16.5, 16.5, 6.5), AGENT_COLOUR)
        sprites[bit, goal, agent] = sprite
    return sprites.round().astype(np.uint8)
