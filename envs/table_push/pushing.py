"""A push in physics: where the cans come to rest, what has fallen, and whether something was struck."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from procgen_bench.envs.table_push.paths import HALF_WIDTH, PushPath, push_path
from procgen_bench.envs.table_push.scene import RESTING_SPEED, Scene
from procgen_bench.tasks.table_push import TablePushTask
from procgen_bench.tasks.table_push.table import (
    CAN_HEIGHT,
    CAN_RADIUS,
    DIRECTIONS,
    PUSH_LENGTH,
    distances_to_box,
)

#: Cans and walls within this distance of the way of the pushed one matter to it.
_REACH = 2 * CAN_RADIUS + 0.05
#: A can is on the table while it is at most this much (metres) lower than it stands, and less inclined than this.
_LOWEST, _LEAST_UPRIGHT = 0.01, np.cos(np.deg2rad(20.0))
#: Cans rest when they are slower than ``RESTING_SPEED``, and than this (rad/s); they are looked at every few steps, for
#: two seconds at most.
_RESTING_SPIN = 0.05
_STEPS_BETWEEN_LOOKS, _MOST_STEPS_TO_REST = 4, 200


#: Is called when a push begins and after every step of the physics, with the number of the position on the path that
#: the arm has reached; once it stays there, ``None``.
Watcher = Callable[[int | None], None]


def _watch_nothing(_: int | None) -> None:
    """Does not watch."""


@dataclass(frozen=True, eq=False)
class PushOutcome:
    """The result of a push.

    Attributes:
        positions: float64 (3, 2), metres: where the cans stand; NaN for those that are absent or have fallen.
        fallen: Whether a can has fallen: off the table, into a pit, or over.
        collided: Whether a can was struck by another one, or struck a roadblock or a static obstacle.
    """

    positions: np.ndarray
    fallen: bool = False
    collided: bool = False


def push(
    scene: Scene, task: TablePushTask, positions: np.ndarray, can: int, direction: int, watch: Watcher = _watch_nothing
) -> PushOutcome:
    """Push a can in one of the four directions, and wait until everything rests.

    The push is broken off as soon as a can is struck or has fallen. A can that is absent, or behind which there is no
    room for the tool, is not pushed. What comes of it depends on nothing but the arguments, bit for bit.

    Args:
        scene: Any; what is in it is replaced.
        task: The table.
        positions: float64 (3, 2), where the cans stand, metres; NaN for absent ones.
        can: Which can is pushed, 0 to 2.
        direction: 0 +x, 1 -x, 2 +y, 3 -y.
        watch: Sees it, where there is a push at all.
    """
    if np.isnan(positions[can, 0]):
        return PushOutcome(positions)
    path = push_path(positions[can], direction)
    if not has_room(task, positions, can, path):
        return PushOutcome(positions)
    near = cans_in_reach(positions, can, direction)
    scene.build(task, np.where(near[:, None], positions, np.nan))
    strikable = [body for other, body in scene.cans.items() if other != can]
    if scene.walls is not None and _walls_in_reach(task, positions[can], path):
        strikable.append(scene.walls)
    collided = _follow(scene, path, can, strikable, watch)
    scene.arm.withdraw()
    _settle(scene, watch)
    standing = positions.copy()
    for one in scene.cans:
        (x, y, _), _ = scene.pose(one)
        standing[one] = (np.nan, np.nan) if _has_fallen(scene, one) else (x, y)
    return PushOutcome(standing, any(_has_fallen(scene, one) for one in scene.cans), collided)


def has_room(task: TablePushTask, positions: np.ndarray, can: int, path: PushPath) -> bool:
    """Whether the tool can come down behind the can, with all at ``positions`` (float64 (3, 2), metres; NaN for absent
    ones), without coming down on something."""
    behind = path.positions[0, :2]
    others = np.delete(positions, can, axis=0)
    if (np.hypot(*(others - behind).T) < CAN_RADIUS + HALF_WIDTH).any():
        return False
    return not any(distances_to_box(behind, box) == 0.0 for box in task.walls)


def cans_in_reach(positions: np.ndarray, can: int, direction: int) -> np.ndarray:
    """bool (3,): the pushed can, and those of ``positions`` (float64 (3, 2), metres) that matter to the push; the
    others stay where they are."""
    offsets = positions - positions[can]
    along = np.clip(offsets @ DIRECTIONS[direction], 0.0, PUSH_LENGTH)
    return np.hypot(*(offsets - along[:, None] * DIRECTIONS[direction]).T) < _REACH


def _walls_in_reach(task: TablePushTask, place: np.ndarray, path: PushPath) -> bool:
    """Whether a roadblock or an obstacle is close to the way of the pushed can."""
    way = place + np.linspace(0.0, PUSH_LENGTH, 7)[:, None] * path.direction
    return any(distances_to_box(way, box).min() < _REACH for box in task.walls)


def _follow(scene: Scene, path: PushPath, can: int, strikable: list[int], watch: Watcher) -> bool:
    """Move the tool along the path, until the can has struck a body or has fallen; whether it has struck one."""
    scene.arm.begin(path)
    watch(0)
    for step in range(1, len(path.positions)):
        scene.arm.drive(step)
        scene.step()
        watch(step)
        if scene.is_about_to_touch(can, strikable):
            return True
        if _has_fallen(scene, can):
            return False
    return False


def _settle(scene: Scene, watch: Watcher) -> None:
    for done in range(_MOST_STEPS_TO_REST):
        if done % _STEPS_BETWEEN_LOOKS == 0 and all(_is_settled(scene, can) for can in scene.cans):
            return
        scene.step()
        watch(None)


def _is_settled(scene: Scene, can: int) -> bool:
    speed, spin = scene.speeds(can)
    return (speed < RESTING_SPEED and spin < _RESTING_SPIN) or _has_fallen(scene, can)


def _has_fallen(scene: Scene, can: int) -> bool:
    (_, _, height), (x, y, _, _) = scene.pose(can)
    return height < CAN_HEIGHT / 2 - _LOWEST or 1 - 2 * (x * x + y * y) < _LEAST_UPRIGHT
