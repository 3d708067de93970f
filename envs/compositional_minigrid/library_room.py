"""The room in the Minigrid library's own classes (needs the ``minigrid`` extra)."""

from itertools import product
from typing import Any

import numpy as np
from minigrid.core.constants import COLORS, IDX_TO_COLOR, IDX_TO_OBJECT
from minigrid.core.grid import Grid
from minigrid.core.mission import MissionSpace
from minigrid.core.world_object import Ball, Box, Door, Goal, Key, Wall, WorldObj
from minigrid.minigrid_env import MiniGridEnv
from minigrid.utils.rendering import fill_coords, point_in_circle, point_in_rect

from procgen_bench.core.errors import ResetNeededError
from procgen_bench.tasks.compositional_minigrid import subtasks as s
from procgen_bench.tasks.compositional_minigrid.task import ABSENT, HORIZON, MAP_SIDE, CompositionalMiniGridTask

#: Numbers of a :meth:`LibraryRoom.snapshot`: the map, what is carried, the pose, the subtasks done.
SNAPSHOT_SIZE = 3 * MAP_SIDE**2 + 3 + 3 + s.NUM_SUBTASKS


class OpenableBox(Box):
    """The library's box, but it stays where it is and opens for good; once open, it takes one ball for good.

    Its states are 0 closed (as the library's box, which it looks like), 1 open, 2 open with a ball in it.
    """

    CLOSED, OPEN, FULL = range(3)

    contains: WorldObj | None  # type: ignore[assignment]  # minigrid says None

    def __init__(self, color: str):
        super().__init__(color)
        self.is_open = False

    def can_pickup(self) -> bool:
        """Never: what is in it, too, stays."""
        return False

    def can_contain(self) -> bool:
        """Whether a ball can be dropped into it."""
        return self.is_open and self.contains is None

    def toggle(self, env: MiniGridEnv, pos: tuple[int, int]) -> bool:
        """Open it; whether it was closed."""
        opened, self.is_open = not self.is_open, True
        return opened

    @property
    def state(self) -> int:
        """``CLOSED``, ``OPEN`` or ``FULL``."""
        return self.CLOSED if not self.is_open else self.OPEN if self.contains is None else self.FULL

    def encode(self) -> tuple[int, int, int]:
        """Type, colour and state."""
        return (*super().encode()[:2], self.state)

    def render(self, img: np.ndarray):
        """Draw into ``img``, uint8 (height, width, 3): closed, the library's box; open, four low walls, and a dot for
        the ball."""
        if not self.is_open:
            super().render(img)
            return
        fill_coords(img, point_in_rect(0.12, 0.88, 0.12, 0.88), COLORS[self.color])
        fill_coords(img, point_in_rect(0.20, 0.80, 0.20, 0.80), (0, 0, 0))
        if self.contains is not None:
            # Tiles are cached by encoding, which does not tell the ball's colour.
            fill_coords(img, point_in_circle(0.5, 0.5, 0.22), COLORS[self.color])


class LibraryRoom(MiniGridEnv):
    """A room of the Minigrid library, with rewards and ends as :class:`CompositionalMiniGridEnv` has them.

    It is a whole environment of the library, to which its wrappers can be applied. ``reset(options={"task": task})``
    puts a task into it; without one, the current task begins again.

    With ``goal_alone`` subtasks earn nothing, and the goal 1.

    Attributes:
        task: The current task.
        done: bool (5,), which of the asked subtasks have been done.
    """

    carrying: WorldObj | None  # type: ignore[assignment]  # the same

    def __init__(
        self,
        task: CompositionalMiniGridTask | None = None,
        render_mode: str | None = None,
        goal_alone: bool = False,
    ):
        designs = product((0, 1), repeat=s.NUM_SUBTASKS)
        missions = [mission(np.array(design)) for design in designs]
        super().__init__(
            MissionSpace(mission_func=_as_it_is, ordered_placeholders=[missions]),
            grid_size=MAP_SIDE,
            max_steps=HORIZON,
            render_mode=render_mode,
        )
        self.task, self.goal_alone = task, goal_alone
        self.done = np.zeros(s.NUM_SUBTASKS, np.bool_)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None):
        """Begin an episode of the task in ``options``, or of the current one.

        Raises:
            ResetNeededError: There is neither.
        """
        self.task = (options or {}).get("task", self.task)
        if self.task is None:
            raise ResetNeededError("the room has no task yet; call reset with options={'task': ...}")
        return super().reset(seed=seed)

    @property
    def _current(self) -> CompositionalMiniGridTask:
        assert self.task is not None  # no episode begins without one
        return self.task

    def _gen_grid(self, width: int, height: int) -> None:
        task = self._current
        self.grid = Grid(width, height)
        self.grid.wall_rect(0, 0, width, height)
        key_colour, ball_colour, box_colour = (IDX_TO_COLOR.get(colour, "") for colour in task.colours.tolist())
        makers = {
            s.KEY: lambda: Key(key_colour),
            s.DOOR: lambda: Door(key_colour, is_locked=True),
            s.BALL: lambda: Ball(ball_colour),
            s.BOX: lambda: OpenableBox(box_colour),
            s.GOAL: Goal,
        }
        for thing, (x, y) in enumerate(task.places.tolist()):
            if x != ABSENT:
                self.put_obj(makers[thing](), x, y)
        x, y, direction = task.agent.tolist()
        self.agent_pos, self.agent_dir = (x, y), direction
        self.mission = mission(task.subtasks)
        self.done[:] = False

    def step(self, action: Any):
        """The library's step, a ball dropped into an open box, and the subtasks' rewards."""
        front = self.grid.get(*self.front_pos)
        drops_ball = action == self.actions.drop and isinstance(self.carrying, Ball)
        # The library itself drops onto empty cells alone.
        if drops_ball and isinstance(front, OpenableBox) and front.can_contain():
            front.contains, self.carrying = self.carrying, None
        observation, _, terminated, truncated, info = super().step(action)
        before = self.done.sum()
        self.done |= self._achieved() & (self._current.subtasks != 0)
        success = bool(terminated and self.done.sum() == self._current.subtasks.sum())
        paid = success or (self.done.sum() > before and not self.goal_alone)
        reward = self._share() if paid else 0.0
        return observation, reward, terminated, truncated, info | {"success": success}

    def _share(self) -> float:
        """What every subtask that is paid for earns, the goal included."""
        return 1.0 if self.goal_alone else 1.0 / (int(self._current.subtasks.sum()) + 1)

    def _achieved(self) -> np.ndarray:
        """bool (5,): what is the case now that makes a subtask done."""
        door, box = (self._thing(thing) for thing in (s.DOOR, s.BOX))
        return np.array(
            [
                isinstance(self.carrying, Key),
                isinstance(door, Door) and door.is_open,
                isinstance(self.carrying, Ball),
                isinstance(box, OpenableBox) and box.is_open,
                isinstance(box, OpenableBox) and box.contains is not None,
            ]
        )

    def _thing(self, thing: int) -> WorldObj | None:
        """The door or the box, which stay where they are."""
        x, y = self._current.places[thing].tolist()
        return None if x == ABSENT else self.grid.get(x, y)

    def snapshot(self) -> np.ndarray:
        """The state in the library's own encoding: uint8 (203,): map, what is carried, pose, subtasks done."""
        carried = (0, 0, 0) if self.carrying is None else self.carrying.encode()
        pose = (*self.agent_pos, self.agent_dir)
        return np.concatenate([self.grid.encode().ravel(), carried, pose, self.done]).astype(np.uint8)

    def restore(self, task: CompositionalMiniGridTask, snapshot: np.ndarray, elapsed: int) -> None:
        """Continue ``task`` from a :meth:`snapshot` that was taken after ``elapsed`` steps."""
        self.reset(options={"task": task})
        numbers = snapshot.tolist()
        encoded = np.array(numbers[: 3 * MAP_SIDE**2]).reshape(MAP_SIDE, MAP_SIDE, 3)
        carried, (x, y, direction), done = numbers[-11:-8], numbers[-8:-5], numbers[-5:]
        for i, j in product(range(MAP_SIDE), repeat=2):
            thing = _decoded(*encoded[i, j].tolist())
            if isinstance(thing, OpenableBox) and encoded[i, j, 2] == OpenableBox.FULL:
                thing.contains = Ball(IDX_TO_COLOR[int(task.colours[1])])
            self.grid.set(i, j, thing)
        self.carrying = _decoded(*carried)
        self.agent_pos, self.agent_dir = (x, y), direction
        self.done[:] = done
        self.step_count = elapsed


def mission(subtasks: np.ndarray) -> str:
    """A design, ``subtasks`` int8 (5,), 0 or 1, in words."""
    return ", ".join([name for name, asked in zip(s.SUBTASKS, subtasks) if asked] + [s.REACH_GOAL])


def _as_it_is(text: str) -> str:
    """What makes a mission of a placeholder that is a whole mission already (the library asks for a function)."""
    return text


def _decoded(type_index: int, colour: int, state: int) -> WorldObj | None:
    """The library's ``WorldObj.decode``, with our box."""
    if IDX_TO_OBJECT[type_index] == "box":
        box = OpenableBox(IDX_TO_COLOR[colour])
        box.is_open = state != OpenableBox.CLOSED
        return box
    if IDX_TO_OBJECT[type_index] == "wall":
        return Wall(IDX_TO_COLOR[colour])
    return WorldObj.decode(type_index, colour, state)
