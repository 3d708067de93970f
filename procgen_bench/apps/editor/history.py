"""A level as it is drawn: undone and done again, a stroke at a time."""

from typing import Generic

from procgen_bench.core.task import TaskT

_MOST = 1000


class History(Generic[TaskT]):
    """The levels that a person has drawn, of which one is the current one.

    Attributes:
        level: The current one.

    Args:
        level: The first one.
    """

    def __init__(self, level: TaskT):
        self.level = level
        self._past: list[TaskT] = []
        self._future: list[TaskT] = []
        self._stroke: int | None = None

    @property
    def can_undo(self) -> bool:
        """Whether there is a level to go back to."""
        return bool(self._past)

    @property
    def can_redo(self) -> bool:
        """Whether a level was undone that nothing was drawn after."""
        return bool(self._future)

    def draw(self, level: TaskT, stroke: int | None = None) -> None:
        """Go on with ``level``, unless it is equal; what is drawn in one stroke, by its number, is undone at once."""
        if level == self.level:
            return
        if stroke is None or stroke != self._stroke:
            self._past = [*self._past[1 - _MOST :], self.level]
        self.level, self._future, self._stroke = level, [], stroke

    def undo(self) -> None:
        """Go back to what was before the last stroke, if there is one."""
        if self._past:
            self._future.append(self.level)
            self.level, self._stroke = self._past.pop(), None

    def redo(self) -> None:
        """Do again what was undone last, if anything was."""
        if self._future:
            self._past.append(self.level)
            self.level, self._stroke = self._future.pop(), None
