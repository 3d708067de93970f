"""How the levels of an environment are drawn by hand, on the environment's own picture."""

from abc import ABC, abstractmethod
from typing import ClassVar, Generic

from procgen_bench.core.task import TaskT


class LevelEditor(ABC, Generic[TaskT]):
    """What one family's levels are made of. Places are columns and rows of the picture, from its upper left.

    Attributes:
        brushes: What can be drawn, by name; each also has the key of its number, from 1.
        width, height: The picture's, in pixels.
        columns: Pixels of the picture at which columns of places begin, and the one at which the last ends.
        rows: The same of rows.
        hint: What a person should know before they draw.
    """

    brushes: ClassVar[tuple[str, ...]]
    width: ClassVar[int]
    height: ClassVar[int]
    columns: ClassVar[tuple[int, ...]]
    rows: ClassVar[tuple[int, ...]]
    hint: ClassVar[str]

    @abstractmethod
    def blank(self) -> TaskT:
        """The level that drawing begins with."""

    @abstractmethod
    def painted(self, task: TaskT, brush: int, column: int, row: int) -> TaskT:
        """A valid level with a brush used at a place; an equal one where that changes nothing.

        Args:
            task: The level before.
            brush: Index of the brush.
            column, row: The place.
        """

    @abstractmethod
    def label(self, task: TaskT, column: int, row: int) -> str:
        """What is at a place, in words."""

    @abstractmethod
    def why_unsolvable(self, task: TaskT) -> str:
        """Why the solver has proven that there is no solution, as a sentence's end: ``"there is no goal"``."""
