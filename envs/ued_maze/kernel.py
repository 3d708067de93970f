"""UEDMaze's compiled rules over rows of mazes.

Every row keeps its walls twice, as bits of its lines: of the rows of tiles, then of the columns. Around the maze there
are four lines of walls, the view's reach, so that a column of a view, which runs along one of these lines, is five
neighbouring bits of one number: a table tells its fifteen bytes.
"""

import numpy as np

from procgen_bench.core.compiled import njit
from procgen_bench.core.streams import draw_below
from procgen_bench.engine.outcomes import begin, count_steps
from procgen_bench.envs.ued_maze.observations import (
    COLUMN_SIZE,
    DIRECTION_START,
    EMPTY_CODE,
    GOAL_CODE,
    VIEW_SIDE,
    WALL_CODE,
)
from procgen_bench.tasks.ued_maze.layout import draw_level
from procgen_bench.tasks.ued_maze.solver import FORWARD, LEFT, RIGHT, STEPS, draw_solvable_levels
from procgen_bench.tasks.ued_maze.task import HORIZON, SIDE

#: Walls around the maze, the view's reach.
MARGIN = VIEW_SIDE - 1
LINES_SIDE = SIDE + 2 * MARGIN
#: Which lines of a row's are the rows of tiles, and which the columns.
ROWS, COLUMNS = 0, 1

#: What an episode loses of its reward when it takes all its steps.
TIME_SHARE = 0.9

_MIDDLE = VIEW_SIDE // 2
_PATTERNS = 1 << VIEW_SIDE
_ALL_WALLS = np.uint32((1 << LINES_SIDE) - 1)
_ONE = np.uint32(1)
_WORD_BITS = 64
_GOAL_TYPE, _GOAL_COLOUR = GOAL_CODE


def _column_words() -> np.ndarray:
    """uint64 (2, 32, 2): the bytes of a column of the view by its walls, as two words, the first byte lowest.

    The five bits are a line's, its first lowest. First come the columns whose far end is the first bit, then those
    whose far end is the last.
    """
    words = np.zeros((2, _PATTERNS, 2), np.uint64)
    for pattern in range(_PATTERNS):
        walls = [pattern >> bit & 1 for bit in range(VIEW_SIDE)]
        for is_turned, column in enumerate((walls, walls[::-1])):
            codes = bytes(byte for wall in column for byte in (*(WALL_CODE if wall else EMPTY_CODE), 0))
            words[is_turned, pattern] = np.frombuffer(codes + b"\0", "<u8")
    return words


_COLUMN_WORDS = _column_words()
#: By direction: whether it looks along a row of tiles or a column, towards the last, and which way its right is.
_ALONG = np.array([ROWS, COLUMNS, ROWS, COLUMNS])
_FORWARDS = np.array([1, 1, 0, 0])
_RIGHTWARDS = np.array([1, -1, -1, 1])


@njit
def draw_solvable_rows(rows, streams, num_walls, walls, goals, agents):
    """Draw a level that can be solved from its stream into every row of ``rows``."""
    for i in range(rows.shape[0]):
        if rows[i]:
            one = slice(i, i + 1)
            streams[i] = draw_solvable_levels(streams[i], num_walls, walls[one], goals[one], agents[one])


@njit
def draw_rows(rows, streams, num_walls, bank, tasks):
    """Draw a level from the bank, or as JaxUED draws them where it holds none, into every row of ``rows``."""
    bank_walls, bank_goals, bank_agents = bank
    walls, goals, agents = tasks
    for i in range(rows.shape[0]):
        if not rows[i]:
            continue
        if bank_walls.shape[0] == 0:
            streams[i] = draw_level(streams[i], num_walls, walls[i], goals[i], agents[i])
            continue
        streams[i], drawn = draw_below(streams[i], bank_walls.shape[0])
        for y in range(SIDE):
            for x in range(SIDE):
                walls[i, y, x] = bank_walls[drawn, y, x]
        for k in range(2):
            goals[i, k] = bank_goals[drawn, k]
        for k in range(3):
            agents[i, k] = bank_agents[drawn, k]


@njit
def start_rows(rows, tasks, lines, poses, words, blocks, outcomes):
    """Begin an episode in every row of ``rows``."""
    begin(outcomes, rows)
    walls, goals, agents = tasks
    for i in range(rows.shape[0]):
        if not rows[i]:
            continue
        for k in range(LINES_SIDE):
            lines[i, ROWS, k] = lines[i, COLUMNS, k] = _ALL_WALLS
        for y in range(SIDE):
            for x in range(SIDE):
                if not walls[i, y, x]:
                    lines[i, ROWS, y + MARGIN] ^= _ONE << np.uint32(x + MARGIN)
                    lines[i, COLUMNS, x + MARGIN] ^= _ONE << np.uint32(y + MARGIN)
        for k in range(3):
            poses[i, k] = agents[i, k]
    draw_views(rows, lines, poses, goals, words, blocks)


@njit
def step_rows(actions, active, max_episode_steps, changed, lines, poses, goals, words, blocks, outcomes):
    """Advance every active row by its action; only what is observed in rows where something changed is rewritten."""
    count_steps(outcomes, active, max_episode_steps)
    rewards, terminations, _, successes, elapsed = outcomes
    for i in range(actions.shape[0]):
        changed[i] = False
        if not active[i]:
            continue
        rewards[i] = 0.0
        terminations[i] = False
        action, direction = actions[i], poses[i, 2]
        if action in (LEFT, RIGHT):
            poses[i, 2] = (direction + (1 if action == RIGHT else 3)) & 3
            changed[i] = True
        elif action == FORWARD:
            x, y = poses[i, 0] + STEPS[direction, 0], poses[i, 1] + STEPS[direction, 1]
            if x == goals[i, 0] and y == goals[i, 1]:  # the episode ends with the agent before it
                rewards[i] = 1.0 - TIME_SHARE * (elapsed[i] / HORIZON)
                terminations[i] = True
                successes[i] = True
            elif not lines[i, ROWS, np.uint64(y + MARGIN)] >> np.uint32(x + MARGIN) & _ONE:
                poses[i, 0], poses[i, 1] = x, y
                changed[i] = True
    draw_views(changed, lines, poses, goals, words, blocks)


@njit
def draw_views(rows, lines, poses, goals, words, blocks):
    """Write what is observed in every row of ``rows``.

    Args:
        rows: bool (N,).
        lines: uint32 (N, 2, 21), the walls.
        poses: int64 (N, 3), the agents' x, y and direction.
        goals: int8 (N, 2).
        words, blocks: uint64 (N, 10) and uint8 (N, 80), the observations' memory.
    """
    for i in range(rows.shape[0]):
        if not rows[i]:
            continue
        x, y, direction = poses[i, 0], poses[i, 1], poses[i, 2]
        along, forwards, rightwards = _ALONG[direction], _FORWARDS[direction], _RIGHTWARDS[direction]
        place, across = (x, y) if along == ROWS else (y, x)
        nearest = np.uint32(place + MARGIN * forwards)  # the first bit of the view in its lines
        line = across + MARGIN - _MIDDLE * rightwards
        word, bits, used = 0, np.uint64(0), 0
        for _ in range(VIEW_SIDE):
            pattern = np.uint64(lines[i, along, np.uint64(line)] >> nearest) & np.uint64(_PATTERNS - 1)
            low, high = _COLUMN_WORDS[forwards, pattern, 0], _COLUMN_WORDS[forwards, pattern, 1]
            line += rightwards
            # Fifteen bytes fill the word that is under way and the next, and begin a third, or not quite the next.
            bits |= low << np.uint64(used)
            words[i, word] = bits
            bits = (low >> np.uint64(_WORD_BITS - used) if used else np.uint64(0)) | high << np.uint64(used)
            word += 1
            spilt = used + 8 * COLUMN_SIZE - _WORD_BITS
            if spilt >= _WORD_BITS:
                words[i, word] = bits
                bits = high >> np.uint64(_WORD_BITS - used)
                word += 1
                spilt -= _WORD_BITS
            used = spilt
        words[i, word] = bits | np.uint64(1) << np.uint64(used + 8 * direction)
        # Where the goal is in the view: how far ahead of the agent, and how far to the right.
        ahead = (goals[i, 0] - x) * STEPS[direction, 0] + (goals[i, 1] - y) * STEPS[direction, 1]
        aside = (goals[i, 1] - y) * STEPS[direction, 0] - (goals[i, 0] - x) * STEPS[direction, 1]
        if 0 <= ahead <= MARGIN and -_MIDDLE <= aside <= _MIDDLE:
            byte = np.uint64(COLUMN_SIZE * (aside + _MIDDLE) + 3 * (MARGIN - ahead))
            blocks[i, byte] = _GOAL_TYPE
            blocks[i, byte + np.uint64(1)] = _GOAL_COLOUR


assert DIRECTION_START == VIEW_SIDE * COLUMN_SIZE, "the direction's bytes follow the last column's"
