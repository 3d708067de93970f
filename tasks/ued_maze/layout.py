"""Compiled rules of UEDMaze's levels: how they are drawn, edited and checked."""

from procgen_bench.core.compiled import njit
from procgen_bench.core.streams import draw_below
from procgen_bench.tasks.ued_maze.task import DIRECTIONS, EMPTY, NUM_TILES, SIDE, WALL

_NUM_DIRECTIONS = len(DIRECTIONS)


@njit
def draw_level(stream, num_walls, walls, goal, agent):
    """Draw a level as JaxUED does: walls on uniform tiles, with replacement; agent and goal on two that are left.

    Args:
        stream: uint64, the random stream's state.
        num_walls: How many walls are drawn, 0 to 167; those on one tile are one.
        walls, goal, agent: As in the task, written.

    Returns:
        The stream's state after the draws.
    """
    for y in range(SIDE):
        for x in range(SIDE):
            walls[y, x] = EMPTY
    for _ in range(num_walls):
        stream, tile = draw_below(stream, NUM_TILES)
        walls[tile // SIDE, tile % SIDE] = WALL
    stream, start = _draw_empty(stream, walls, NUM_TILES)
    agent[0], agent[1] = start % SIDE, start // SIDE
    stream, direction = draw_below(stream, _NUM_DIRECTIONS)
    agent[2] = direction
    stream, tile = _draw_empty(stream, walls, start)
    goal[0], goal[1] = tile % SIDE, tile // SIDE
    return stream


@njit
def _draw_empty(stream, walls, taken):
    """The stream's state after drawing an empty tile other than ``taken``, and the tile (0 to 168)."""
    while True:
        stream, tile = draw_below(stream, NUM_TILES)
        if tile != taken and walls[tile // SIDE, tile % SIDE] == EMPTY:
            return stream, tile


@njit
def edit_level(rng, walls, goal, agent):
    """One edit of ACCEL's: a wall built or torn down on any tile but the agent's and the goal's, or the goal put on
    another empty tile; each of the two is equally likely.

    Where no tile is left for the goal, a wall is torn down.

    Args:
        rng: ``numpy.random.Generator``.
        walls, goal: As in the task, changed in place.
        agent: As in the task.
    """
    start, end = SIDE * agent[1] + agent[0], SIDE * goal[1] + goal[0]
    empty = 0
    for y in range(SIDE):
        for x in range(SIDE):
            empty += walls[y, x] == EMPTY
    moves_goal = rng.integers(0, 2) == 1 and empty > 2
    while True:
        tile = rng.integers(0, NUM_TILES)
        y, x = tile // SIDE, tile % SIDE
        if tile in (start, end):
            continue
        if not moves_goal:
            walls[y, x] = EMPTY if walls[y, x] == WALL else WALL
            return
        if walls[y, x] == EMPTY:
            goal[0], goal[1] = x, y
            return


@njit
def are_valid(walls, goals, agents):
    """Whether :meth:`.UEDMazeTask.validate` finds nothing wrong with any of walls (n, 13, 13), goals (n, 2) and agents
    (n, 3)."""
    for i in range(walls.shape[0]):
        for y in range(SIDE):
            for x in range(SIDE):
                if not EMPTY <= walls[i, y, x] <= WALL:
                    return False
        goal_x, goal_y, x, y = goals[i, 0], goals[i, 1], agents[i, 0], agents[i, 1]
        if not (0 <= goal_x < SIDE and 0 <= goal_y < SIDE and 0 <= x < SIDE and 0 <= y < SIDE):
            return False
        if (x == goal_x and y == goal_y) or walls[i, goal_y, goal_x] or walls[i, y, x]:
            return False
        if not 0 <= agents[i, 2] < _NUM_DIRECTIONS:
            return False
    return True
