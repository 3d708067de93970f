"""How the levels of an environment are drawn by hand: on a picture, or as an outline of pages."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple

import numpy as np

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.core.task import TaskT

if TYPE_CHECKING:
    import gymnasium


class Setting(NamedTuple):
    """Something of a level that is chosen beside the drawing.

    Attributes:
        name: What it is called; no two of a level are alike.
        value: What it is now.
        choices: What it can be; none: any line of text.
        pieces: What a text can be put together from, with ``&`` and ``|`` between them.
        group: The heading under which it stands.
    """

    name: str
    value: str
    choices: tuple[str, ...] = ()
    pieces: tuple[str, ...] = ()
    group: str = "Settings"


class LevelEditor(ABC, Generic[TaskT]):
    """What one family's levels are made of. A level may be unfinished: a task that its space would refuse.

    Attributes:
        hint: What a person should know before they draw.
    """

    hint: ClassVar[str]

    @abstractmethod
    def blank(self) -> TaskT:
        """The level that drawing begins with."""

    @abstractmethod
    def why_unsolvable(self, task: TaskT) -> str:
        """Why a level is no task that can be played, or why the solver finds no solution.

        Returns:
            A sentence's end: ``"there is no goal"``.
        """

    def settings(self, task: TaskT) -> tuple[Setting, ...]:
        """What is chosen beside the drawing; nothing, unless a family says more."""
        return ()

    def with_setting(self, task: TaskT, name: str, value: str) -> TaskT:
        """The level with one of its :meth:`settings` changed.

        Raises:
            InvalidTaskError: There is no such setting, or it cannot have this value.
        """
        setting = next((one for one in self.settings(task) if one.name == name), None)
        if setting is None or (setting.choices and value not in setting.choices):
            expected = "a setting of this level" if setting is None else f"one of {', '.join(setting.choices)}"
            raise InvalidTaskError(f"setting {name}", value, expected)
        return self.chosen(task, setting, value)

    def chosen(self, task: TaskT, setting: Setting, value: str) -> TaskT:
        """The level with ``setting``, one of its own, at ``value``, one of the setting's choices if it has some.

        Raises:
            InvalidTaskError: The value is no text that the setting can have.
        """
        raise NotImplementedError(f"{type(self).__name__} has settings and no chosen()")

    def note(self, task: TaskT) -> str:
        """What there is to say of a level while it is drawn; nothing, unless a family says more."""
        return ""


class Layout(NamedTuple):
    """Where the places of a picture are.

    Attributes:
        width, height: The picture's, in pixels.
        columns: Pixels of the picture at which columns of places begin, and the one at which the last ends.
        rows: The same of rows.
    """

    width: int
    height: int
    columns: tuple[int, ...]
    rows: tuple[int, ...]


class PictureEditor(LevelEditor[TaskT]):
    """Levels that are drawn on a picture, place by place. Places are columns and rows, from its upper left.

    Attributes:
        brushes: What can be drawn, by name, under the heading of its group; no two names are alike.
        swatches: Colours, as style sheets have them, of the brushes that have one.
    """

    brushes: ClassVar[Mapping[str, tuple[str, ...]]]
    swatches: ClassVar[Mapping[str, str]] = {}

    @classmethod
    def brush_names(cls) -> tuple[str, ...]:
        """All brushes; a brush's place here is its number."""
        return tuple(name for names in cls.brushes.values() for name in names)

    @abstractmethod
    def layout(self, task: TaskT) -> Layout:
        """Where the places of a level's picture are."""

    @abstractmethod
    def painted(self, task: TaskT, brush: int, column: int, row: int) -> TaskT:
        """The level with a brush used at a place; an equal one where that changes nothing.

        Args:
            task: The level before.
            brush: Number of the brush.
            column, row: The place.
        """

    @abstractmethod
    def label(self, task: TaskT, column: int, row: int) -> str:
        """What is at a place, in words."""

    def place_name(self, task: TaskT, column: int, row: int) -> str:
        """What a place is called: its column and row from the upper left, unless the family counts otherwise."""
        return f"column {column + 1}, row {row + 1}"

    def picture(self, task: TaskT, env: "gymnasium.Env") -> np.ndarray:
        """The level's picture, uint8 (height, width, 3): the environment's own of its beginning.

        Args:
            task: The level.
            env: The environment, which may be reset.
        """
        env.reset(seed=0, options={"task": task})
        frame: Any = env.render()
        return np.asarray(frame)


class Piece(NamedTuple):
    """Something that stands on pages.

    Attributes:
        name: What it is called; no two are alike.
        group: The heading under which it is offered.
        last: Whether it belongs at a page's end: what is added there goes before it.
    """

    name: str
    group: str
    last: bool = False


class OutlineEditor(LevelEditor[TaskT]):
    """Levels that are pages of pieces, in their order, of which an HTML document shows what they look like.

    Attributes:
        pieces: What can stand on a page, at most once on each.
        most_pages: How many pages there may be; one there always is.
        preview_width: Pixels that the document is wide.
    """

    pieces: ClassVar[tuple[Piece, ...]]
    most_pages: ClassVar[int]
    preview_width: ClassVar[int]

    @abstractmethod
    def pages(self, task: TaskT) -> tuple[tuple[str, ...], ...]:
        """The names of the pieces, page by page."""

    @abstractmethod
    def arranged(self, task: TaskT, pages: Sequence[Sequence[str]]) -> TaskT:
        """The level with these pieces on its pages: 1 to ``most_pages`` pages of known pieces, none twice on a page."""

    @abstractmethod
    def preview(self, task: TaskT) -> str:
        """The document. Its pages are ``main`` elements, of which the first is shown and the others are ``hidden``."""
