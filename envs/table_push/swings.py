"""Swings: pushes as they are seen, moment by moment. They are made once more for it, in a world of their own, which
comes out the same to the last bit; the simulation does not notice.
"""

from collections.abc import Sequence

import numpy as np

from procgen_bench.envs.table_push.arms import make_arm
from procgen_bench.envs.table_push.moments import TOOL_WAITS, Moment, Posture, standing
from procgen_bench.envs.table_push.paths import push_path
from procgen_bench.envs.table_push.pushing import has_room, push
from procgen_bench.envs.table_push.sawyer import REST, base_place, joint_path, waiting_posture
from procgen_bench.envs.table_push.scene import Scene
from procgen_bench.tasks.table_push import TablePushTask
from procgen_bench.tasks.table_push.table import NUM_DIRECTIONS

#: Pushes of an episode: where the cans stood, and the action.
Pushes = Sequence[tuple[np.ndarray, int]]

#: Moments in which the arm goes from one push to the next, and in which one sees a can fall, in steps of the physics.
_TRANSIT, _FALL = 36, 25


class Onlooker:
    """Sees one episode's pushes.

    Args:
        arm: ``"tool"`` or ``"sawyer"``.
    """

    def __init__(self, arm: str):
        self._arm = arm
        self._scene = Scene(make_arm(arm))
        self._seen: tuple[TablePushTask, Pushes, list[Moment]] | None = None

    def moments(self, task: TablePushTask, pushes: Pushes, positions: np.ndarray) -> list[Moment]:
        """What is seen of the last push, step by step of the physics; the last moment is now, when all rests.

        Before any push, and after one that moved nothing, that is all.

        Args:
            task: The episode's.
            pushes: All of the episode so far.
            positions: float64 (3, 2), where the cans stand now, metres; NaN for those that are absent or have fallen.
        """
        if self._seen is None or self._seen[0] is not task or self._seen[1] is not pushes:
            self._seen = task, pushes, self._looked_at(task, pushes)
        moments = self._seen[2]
        posture = moments[-1].posture if moments else self._posture_after(task, pushes)
        return [*moments, standing(positions, posture)]

    def close(self) -> None:
        """Close the world; it is opened again when needed."""
        self._scene.close()

    def _looked_at(self, task: TablePushTask, pushes: Pushes) -> list[Moment]:
        """The moments of the last push."""
        postures = self._postures(task, *pushes[-1]) if pushes else []
        if not postures:
            return []
        before, action = pushes[-1]
        start = self._posture_after(task, pushes[:-1]) or self._waiting(task)
        moments = [standing(before, posture) for posture in _transit(start, postures[0])]

        def watch(step: int | None) -> None:
            posture = moments[-1].posture if step is None else postures[step]
            moments.append(Moment(self._poses(before), posture))

        outcome = push(self._scene, task, before, *divmod(action, NUM_DIRECTIONS), watch=watch)
        for _ in range(_FALL if outcome.fallen else 0):
            self._scene.step()
            watch(None)
        return moments

    def _poses(self, before: np.ndarray) -> np.ndarray:
        """The cans' (3, 7) in the world, and out of a push's reach as they were."""
        poses = standing(before).cans
        for can in self._scene.cans:
            position, orientation = self._scene.pose(can)
            poses[can] = [*position, *orientation]
        return poses

    def _posture_after(self, task: TablePushTask, pushes: Pushes) -> Posture | None:
        """Where the arm is after pushes that ended well; ``None``: it still waits."""
        for before, action in reversed(pushes):
            if postures := self._postures(task, before, action):
                return postures[-1]
        return None

    def _postures(self, task: TablePushTask, before: np.ndarray, action: int) -> list[Posture]:
        """The arm's along the path of a push; none where it does not make it."""
        can, direction = divmod(action, NUM_DIRECTIONS)
        if np.isnan(before[can, 0]):
            return []
        path = push_path(before[can], direction)
        if not has_room(task, before, can, path):
            return []
        if self._arm == "tool":
            return [Posture(place, path.yaw) for place in path.positions]
        joints = joint_path(path, base_place(task.extent))
        return (
            []
            if (joints[0] == REST).all()
            else [Posture(place, path.yaw, at) for place, at in zip(path.positions, joints)]
        )

    def _waiting(self, task: TablePushTask) -> Posture:
        return TOOL_WAITS if self._arm == "tool" else waiting_posture(task.extent)


def _transit(start: Posture, end: Posture) -> list[Posture]:
    """The way between two pushes, begun and ended gently."""
    turn = (end.yaw - start.yaw + np.pi) % (2 * np.pi) - np.pi
    return [
        Posture(
            start.place + share * (end.place - start.place),
            start.yaw + share * turn,
            None if start.joints is None or end.joints is None else start.joints + share * (end.joints - start.joints),
        )
        for share in (1 - np.cos(np.pi * np.arange(_TRANSIT) / _TRANSIT)) / 2
    ]


def evenly(moments: Sequence[Moment], count: int) -> list[Moment]:
    """At most ``count`` of the moments, at even distances, the last one among them."""
    places = np.linspace(0, len(moments) - 1, count + 1)[1:].round().astype(int)
    return [moments[place] for place in np.unique(places)]
