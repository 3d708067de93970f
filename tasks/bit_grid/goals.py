"""Compiled drawing of starts and goals, as the paper's environment draws them."""

import numpy as np

from procgen_bench.core.compiled import njit
from procgen_bench.core.streams import advance, below, output
from procgen_bench.tasks.bit_grid.task import HORIZON, MOVES, OFF, ON, TOGGLE

#: Steps of the agent that makes a goal: as many bits are on at most.
GOAL_STEPS = HORIZON // 6
#: Greatest number of steps that it keeps a direction.
MAX_DURATION = HORIZON // 10 - 1

_NUM_MOVES = len(MOVES)
_LOW_32_BITS = np.uint64(0xFFFFFFFF)
_HIGH_32_BITS = np.uint64(32)


@njit
def draw_start(stream, side, start):
    """Write a uniform cell's x and y into ``start`` (2,); returns the stream's state after the draw."""
    stream = advance(stream)
    bits = output(stream)
    start[0], start[1] = below(bits & _LOW_32_BITS, side), below(bits >> _HIGH_32_BITS, side)
    return stream


@njit
def draw_goal(stream, goal):
    """Write what an agent leaves that wanders over ``goal`` (side, side), toggling each cell that it enters.

    It begins anywhere and walks for 8 steps. Every 1 to 4 steps it takes another of the eight directions, one that does
    not leave the grid at once; where a later step would, the coordinate stays, as everywhere in this environment. A
    goal on which nothing is left on is drawn again.

    Returns:
        The stream's state after the draws.
    """
    side = goal.shape[0]
    num_on = 0
    while num_on == 0:
        for y in range(side):
            for x in range(side):
                goal[y, x] = OFF
        stream = advance(stream)
        bits = output(stream)
        x, y = below(bits & _LOW_32_BITS, side), below(bits >> _HIGH_32_BITS, side)
        move, steps_left = TOGGLE, 0
        for _ in range(GOAL_STEPS):
            if steps_left == 0:
                stream = advance(stream)
                bits = output(stream)
                steps_left = 1 + below(bits >> _HIGH_32_BITS, MAX_DURATION)
                move = below(bits & _LOW_32_BITS, _NUM_MOVES)
                while move == TOGGLE or not 0 <= x + MOVES[move, 0] < side or not 0 <= y + MOVES[move, 1] < side:
                    stream = advance(stream)
                    move = below(output(stream) & _LOW_32_BITS, _NUM_MOVES)
            x = min(max(x + MOVES[move, 0], 0), side - 1)
            y = min(max(y + MOVES[move, 1], 0), side - 1)
            goal[y, x] = OFF if goal[y, x] == ON else ON
            num_on += 1 if goal[y, x] == ON else -1
            steps_left -= 1
    return stream
