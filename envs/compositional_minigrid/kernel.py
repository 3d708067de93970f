"""CompositionalMiniGrid's compiled rules over rows of rooms: the library's, in one pass.

Every row's map is kept as 20 x 20 cells: the 8 x 8 map inside a margin of six wall cells, so that a view never leaves
it. What a cell holds is one number; see :mod:`procgen_bench.envs.compositional_minigrid.cells`.
"""

import numpy as np

from procgen_bench.core.compiled import njit
from procgen_bench.core.copying import copy
from procgen_bench.core.streams import draw_below
from procgen_bench.engine.outcomes import begin, count_steps
from procgen_bench.envs.compositional_minigrid import cells as c
from procgen_bench.envs.compositional_minigrid.observations import (
    ASKED_START,
    DIRECTION_START,
    FINISHED_START,
    POSITION_START,
    VIEW_SIDE,
)
from procgen_bench.envs.compositional_minigrid.views import MARGIN, draw_views
from procgen_bench.tasks.compositional_minigrid.layout import draw_task
from procgen_bench.tasks.compositional_minigrid.solver import DROP, FORWARD, LEFT, PICK_UP, RIGHT, STEPS, TOGGLE
from procgen_bench.tasks.compositional_minigrid.subtasks import (
    BALL,
    BOX,
    DOOR,
    DROP_BALL,
    GOAL,
    KEY,
    NUM_SUBTASKS,
    NUM_THINGS,
    OPEN_BOX,
    OPEN_DOOR,
    PICK_UP_BALL,
    PICK_UP_KEY,
)
from procgen_bench.tasks.compositional_minigrid.task import ABSENT, MAP_SIDE, ROOM_SIDE

CELLS_SIDE = MAP_SIDE + 2 * MARGIN
assert VIEW_SIDE <= MARGIN + 1

_NOTHING = -1
_COLOUR_BITS = c.COLOUR_BITS
_COLOUR_MASK = (1 << _COLOUR_BITS) - 1
_EMPTY_CELL, _GOAL_CELL = c.EMPTY_CELL, c.GOAL_CELL
_EMPTY, _GOAL, _KEY, _BALL = c.EMPTY, c.GOAL, c.KEY, c.BALL
_CLOSED_BOX, _OPEN_BOX, _FULL_BOX = c.CLOSED_BOX, c.OPEN_BOX, c.FULL_BOX
_OPEN_DOOR, _CLOSED_DOOR, _LOCKED_DOOR = c.OPEN_DOOR, c.CLOSED_DOOR, c.LOCKED_DOOR
#: By thing: its kind at the start, and whose colour it has (a place in a task's ``colours``; -1: it is the goal).
_KINDS = np.array([c.KEY, c.LOCKED_DOOR, c.BALL, c.CLOSED_BOX, c.GOAL])
_COLOUR_OF = np.array([0, 0, 1, 2, -1])
assert (KEY, DOOR, BALL, BOX, GOAL) == (0, 1, 2, 3, 4)


@njit
def draw_tasks(rows, streams, bank, tasks):
    """Draw a task from the bank, or from the whole space where it holds none, into every row of ``rows``."""
    bank_subtasks, bank_agents, bank_places, bank_colours = bank
    subtasks, agents, places, colours = tasks
    for i in range(rows.shape[0]):
        if not rows[i]:
            continue
        if bank_subtasks.shape[0] == 0:
            streams[i] = draw_task(streams[i], subtasks[i], agents[i], places[i], colours[i])
            continue
        streams[i], drawn = draw_below(streams[i], bank_subtasks.shape[0])
        copy(bank_subtasks[drawn], subtasks[i])
        copy(bank_agents[drawn], agents[i])
        copy(bank_places[drawn], places[i])
        copy(bank_colours[drawn], colours[i])


@njit
def start_rows(rows, goal_alone, tasks, cells, poses, hands, missing, shares, blocks, words, outcomes):
    """Begin an episode in every row of ``rows``; ``goal_alone``: subtasks earn nothing, the goal everything."""
    begin(outcomes, rows)
    subtasks, agents, places, colours = tasks
    for i in range(rows.shape[0]):
        if not rows[i]:
            continue
        for y in range(1, ROOM_SIDE + 1):
            for x in range(1, ROOM_SIDE + 1):
                cells[i, y + MARGIN, x + MARGIN] = _EMPTY_CELL
        for k in range(NUM_THINGS):
            x, y = places[i, k, 0], places[i, k, 1]
            if k == GOAL:
                cells[i, y + MARGIN, x + MARGIN] = _GOAL_CELL
            elif x != ABSENT:
                cells[i, y + MARGIN, x + MARGIN] = _KINDS[k] << _COLOUR_BITS | colours[i, _COLOUR_OF[k]]
        hands[i] = _EMPTY_CELL
        for k in range(3):
            poses[i, k] = agents[i, k]
        missing[i] = 0
        for k in range(NUM_SUBTASKS):
            missing[i] += subtasks[i, k]
            blocks[i, ASKED_START + k] = subtasks[i, k]
            blocks[i, FINISHED_START + k] = 0
        shares[i] = 0.0 if goal_alone else 1.0 / (missing[i] + 1)
    draw_views(rows, cells, poses, hands, words)
    _write_poses(rows, poses, blocks)


# No helper that takes arrays is called for a single row: that costs reference counting (see
# procgen_bench/engine/outcomes.py).
@njit
def step_rows(
    actions, active, max_episode_steps, changed, cells, poses, hands, missing, shares, blocks, words, outcomes
):
    """Advance every active row by its action; only what is observed in rows where something changed is rewritten."""
    count_steps(outcomes, active, max_episode_steps)
    rewards, terminations, _, successes, _ = outcomes
    for i in range(actions.shape[0]):
        changed[i] = False
        if not active[i]:
            continue
        rewards[i] = 0.0
        terminations[i] = False
        action = actions[i]
        direction = poses[i, 2]
        if action in (LEFT, RIGHT):
            poses[i, 2] = (direction + (1 if action == RIGHT else 3)) & 3
            changed[i] = True
            continue
        x, y = poses[i, 0] + STEPS[direction, 0], poses[i, 1] + STEPS[direction, 1]
        at_x, at_y = np.uint64(x + MARGIN), np.uint64(y + MARGIN)
        front = np.int64(cells[i, at_y, at_x])
        kind, colour = front >> _COLOUR_BITS, front & _COLOUR_MASK
        hand = np.int64(hands[i])
        done = _NOTHING
        if action == FORWARD:
            if kind in (_EMPTY, _OPEN_DOOR, _GOAL):
                poses[i, 0], poses[i, 1] = x, y
                changed[i] = True
                if kind == _GOAL:
                    terminations[i] = True
                    successes[i] = missing[i] == 0
                    if missing[i] == 0:
                        rewards[i] = shares[i] if shares[i] > 0 else 1.0
        elif action == PICK_UP:
            if hand == _EMPTY_CELL and kind in (_KEY, _BALL):
                hands[i], cells[i, at_y, at_x] = front, _EMPTY_CELL
                changed[i] = True
                done = PICK_UP_KEY if kind == _KEY else PICK_UP_BALL
        elif action == DROP:
            if hand != _EMPTY_CELL and kind == _EMPTY:
                hands[i], cells[i, at_y, at_x] = _EMPTY_CELL, hand
                changed[i] = True
            elif hand >> _COLOUR_BITS == _BALL and kind == _OPEN_BOX:
                hands[i], cells[i, at_y, at_x] = _EMPTY_CELL, _FULL_BOX << _COLOUR_BITS | colour
                changed[i] = True
                done = DROP_BALL
        elif action == TOGGLE:
            if kind == _CLOSED_BOX:
                cells[i, at_y, at_x] = _OPEN_BOX << _COLOUR_BITS | colour
                changed[i] = True
                done = OPEN_BOX
            elif kind == _CLOSED_DOOR or (kind == _LOCKED_DOOR and hand == _KEY << _COLOUR_BITS | colour):
                cells[i, at_y, at_x] = _OPEN_DOOR << _COLOUR_BITS | colour
                changed[i] = True
                done = OPEN_DOOR
            elif kind == _OPEN_DOOR:
                cells[i, at_y, at_x] = _CLOSED_DOOR << _COLOUR_BITS | colour
                changed[i] = True
        if done != _NOTHING and blocks[i, ASKED_START + done] > blocks[i, FINISHED_START + done]:
            blocks[i, FINISHED_START + done] = 1
            missing[i] -= 1
            rewards[i] = shares[i]
    draw_views(changed, cells, poses, hands, words)
    _write_poses(changed, poses, blocks)


@njit
def _write_poses(rows, poses, blocks):
    """What the agents of ``rows`` observe of their own place and direction."""
    for i in range(rows.shape[0]):
        if rows[i]:
            blocks[i, POSITION_START], blocks[i, POSITION_START + 1] = poses[i, 0], poses[i, 1]
            for direction in range(4):
                blocks[i, DIRECTION_START + direction] = poses[i, 2] == direction
