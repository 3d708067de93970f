"""Exact solver: breadth-first search over all states of a room.

A state is where the agent stands and faces, where the key and the ball are, and whether the door and the box are open.
Closing the door again is the one action left out: it only takes ways away.
"""

import numpy as np

from procgen_bench.core.compiled import njit
from procgen_bench.tasks.compositional_minigrid.subtasks import (
    BALL,
    BOX,
    DOOR,
    DROP_BALL,
    GOAL,
    KEY,
    OPEN_BOX,
    OPEN_DOOR,
    PICK_UP_BALL,
    PICK_UP_KEY,
)
from procgen_bench.tasks.compositional_minigrid.task import ABSENT, HORIZON, ROOM_SIDE, CompositionalMiniGridTask

#: The library's actions.
LEFT, RIGHT, FORWARD, PICK_UP, DROP, TOGGLE, DONE = range(7)
NUM_ACTIONS = 7
#: x and y steps of the four directions: right, down, left, up.
STEPS = np.array([[1, 0], [0, 1], [-1, 0], [0, -1]], np.int64)

_NUM_TILES = ROOM_SIDE * ROOM_SIDE
_NUM_POSES = 4 * _NUM_TILES
#: Where a key or a ball is: a tile (0 to 35), in the agent's hand, where it was from the start, or in the box.
_IN_HAND, _UNTOUCHED, _IN_BOX = _NUM_TILES, _NUM_TILES + 1, _NUM_TILES + 2
_NUM_KEY_PLACES, _NUM_BALL_PLACES = _NUM_TILES + 2, _NUM_TILES + 3
_NUM_STATES = _NUM_POSES * _NUM_KEY_PLACES * _NUM_BALL_PLACES * 4
_NOWHERE = -1
_UNSEEN, _START = -1, -2
_ACTION_BITS = 3


def solve(task: CompositionalMiniGridTask) -> np.ndarray | None:
    """The first of the shortest action sequences, int64 (steps,), that do all subtasks and then reach the goal.

    Returns ``None`` when there is none within the horizon of 256 steps.
    """
    actions = _search(task.subtasks, task.agent, task.places)
    return actions if 0 < len(actions) <= HORIZON else None


@njit
def _search(subtasks, agent, places):
    """Shortest actions from the start to the goal; empty when there are none."""
    # By state, the state and the action that it was first reached by, in one number.
    reached_by = np.full(_NUM_STATES, _UNSEEN, np.int32)
    queue = np.empty(_NUM_STATES, np.int32)
    tiles = np.empty(len(places), np.int64)
    for k in range(len(places)):
        tiles[k] = _NOWHERE if places[k, 0] == ABSENT else ROOM_SIDE * (places[k, 1] - 1) + places[k, 0] - 1
    pose = 4 * (ROOM_SIDE * (agent[1] - 1) + agent[0] - 1) + agent[2]
    start = _state(pose, _UNTOUCHED, _UNTOUCHED, 0, 0)
    reached_by[start] = _START
    queue[0] = start
    head, tail = 0, 1
    while head < tail:
        state = queue[head]
        head += 1
        pose, key, ball, door_is_open, box_is_open = _parts(state)
        tile, direction = pose // 4, pose % 4
        key_tile = tiles[KEY] if key == _UNTOUCHED else key
        ball_tile = tiles[BALL] if ball == _UNTOUCHED else ball
        x, y = tile % ROOM_SIDE + STEPS[direction, 0], tile // ROOM_SIDE + STEPS[direction, 1]
        inside = 0 <= x < ROOM_SIDE and 0 <= y < ROOM_SIDE
        front = ROOM_SIDE * y + x if inside else _NOWHERE
        is_door, is_box, is_goal = front == tiles[DOOR], front == tiles[BOX], front == tiles[GOAL]
        is_key, is_ball = front == key_tile, front == ball_tile
        is_floor = not (is_door or is_box or is_goal or is_key or is_ball)
        for action in range(6):
            if action == LEFT:
                following = _state(4 * tile + (direction + 3) % 4, key, ball, door_is_open, box_is_open)
            elif action == RIGHT:
                following = _state(4 * tile + (direction + 1) % 4, key, ball, door_is_open, box_is_open)
            elif not inside:
                break
            elif action == FORWARD and is_goal:
                all_done = (
                    (not subtasks[PICK_UP_KEY] or key != _UNTOUCHED)
                    and (not subtasks[OPEN_DOOR] or door_is_open)
                    and (not subtasks[PICK_UP_BALL] or ball != _UNTOUCHED)
                    and (not subtasks[OPEN_BOX] or box_is_open)
                    and (not subtasks[DROP_BALL] or ball == _IN_BOX)
                )
                if all_done:
                    return _traced_back(reached_by, state, FORWARD)
                continue
            elif action == FORWARD and (is_floor or (is_door and door_is_open)):
                following = _state(4 * front + direction, key, ball, door_is_open, box_is_open)
            elif action == PICK_UP and is_key and ball != _IN_HAND:
                following = _state(pose, _IN_HAND, ball, door_is_open, box_is_open)
            elif action == PICK_UP and is_ball and key != _IN_HAND:
                following = _state(pose, key, _IN_HAND, door_is_open, box_is_open)
            elif action == DROP and is_floor and key == _IN_HAND:
                following = _state(pose, front, ball, door_is_open, box_is_open)
            elif action == DROP and is_floor and ball == _IN_HAND:
                following = _state(pose, key, front, door_is_open, box_is_open)
            elif action == DROP and is_box and box_is_open and ball == _IN_HAND:
                following = _state(pose, key, _IN_BOX, door_is_open, box_is_open)
            elif action == TOGGLE and is_door and key == _IN_HAND:
                following = _state(pose, key, ball, 1, box_is_open)
            elif action == TOGGLE and is_box:
                following = _state(pose, key, ball, door_is_open, 1)
            else:
                continue
            if reached_by[following] == _UNSEEN:
                reached_by[following] = state << _ACTION_BITS | action
                queue[tail] = following
                tail += 1
    return np.empty(0, np.int64)


@njit
def _state(pose, key, ball, door_is_open, box_is_open):
    return (((ball * _NUM_KEY_PLACES + key) * 2 + door_is_open) * 2 + box_is_open) * _NUM_POSES + pose


@njit
def _parts(state):
    """Pose, place of the key and of the ball, and whether the door and the box are open."""
    rest, pose = state // _NUM_POSES, state % _NUM_POSES
    return pose, rest // 4 % _NUM_KEY_PLACES, rest // 4 // _NUM_KEY_PLACES, rest // 2 % 2, rest % 2


@njit
def _traced_back(reached_by, state, last_action):
    """Actions that led from the start to ``state``, and the last one."""
    length, at = 1, reached_by[state]
    while at != _START:
        length, at = length + 1, reached_by[at >> _ACTION_BITS]
    actions = np.empty(length, np.int64)
    actions[length - 1] = last_action
    at = reached_by[state]
    for step in range(length - 2, -1, -1):
        actions[step] = at & ((1 << _ACTION_BITS) - 1)
        at = reached_by[at >> _ACTION_BITS]
    return actions
