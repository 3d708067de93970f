"""What levels are drawn on: a picture with places, or an outline of pages. Each has its part of the page's script."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from markupsafe import Markup

from procgen_bench.apps.page_server import InvalidReportError, ReportKinds
from procgen_bench.core.task import Task
from procgen_bench.engine.level_editor import LevelEditor, OutlineEditor, PictureEditor

if TYPE_CHECKING:
    import gymnasium

EditorT = TypeVar("EditorT", bound=LevelEditor)
#: So many brushes have a key each, the digits from 1; of more, none has.
_KEYS = 9
_PICTURE = Markup("""\
<div id="board">
<img id="picture" alt="The level">
<div id="places" role="grid" aria-label="Level"></div>
</div>""")
_BRUSHES = Markup("""\
<fieldset class="brushes {kind}">
<legend>{group}</legend>
{brushes}
</fieldset>""")
_BRUSH = Markup("""\
<label><input type="radio" name="brush" value="{index}"{checked}>{swatch} {name}{key}</label>""")
_SWATCH = Markup(' <span class="swatch" style="background: {colour}"></span>')
_KEY = Markup(" <kbd>{key}</kbd>")
_OUTLINE = Markup("""\
<div id="board">
<div id="paper" style="--width: {width}"><iframe id="preview" title="The page" width="{width}" \
inert tabindex="-1"></iframe></div>
<img id="picture" alt="The level" hidden>
</div>""")
_PAGES = Markup("""\
<fieldset id="outline">
<legend>Pages</legend>
<div id="tabs" role="tablist" aria-label="Pages" data-most="{most}"></div>
<ol id="pieces" aria-label="Pieces of the page"></ol>
<div id="offer"><select id="piece" aria-label="Piece">{groups}</select><button type="button" id="add">Add</button></div>
</fieldset>""")
_GROUP = Markup('<optgroup label="{group}">{options}</optgroup>')
_OPTION = Markup("<option{last}>{name}</option>")


class Board(ABC, Generic[EditorT]):
    """Where one kind of levels is drawn.

    Attributes:
        script: Name of the part of the page's script that draws.
        reports: Kinds of reports that this part makes.

    Args:
        editor: What levels are made of.
    """

    script: ClassVar[str]
    reports: ClassVar[ReportKinds]

    def __init__(self, editor: EditorT):
        self.editor = editor

    @abstractmethod
    def stage(self) -> Markup:
        """Where the level is shown."""

    @abstractmethod
    def panel(self) -> Markup:
        """What to draw it with."""

    @abstractmethod
    def shown(self, level: Task) -> dict[str, Any]:
        """What the script shows of a level, as plain values, but for its :meth:`picture`."""

    def picture(self, level: Task, env: "gymnasium.Env") -> Any | None:
        """The level's picture, uint8 (height, width, 3), if it is drawn on one."""
        return None

    @abstractmethod
    def changed(self, level: Task, **held: Any) -> tuple[Task, int | None]:
        """The level after one of the :attr:`reports`, and the number of the stroke, if it is part of one.

        Raises:
            InvalidReportError: It is none.
        """

    def documents(self, level: Callable[[], Task]) -> dict[str, Callable[[], str]]:
        """Documents of the board's own, by name; ``level`` gives the level as it is."""
        return {}


class PictureBoard(Board[PictureEditor]):
    """Brushes, and a picture with places to use them at."""

    script = "picture_board"
    reports: ClassVar[ReportKinds] = {"paint": {"brush": (int,), "column": (int,), "row": (int,), "stroke": (int,)}}

    def stage(self) -> Markup:
        """See :class:`Board`."""
        return _PICTURE

    def panel(self) -> Markup:
        """The brushes, group by group."""
        names, editor = self.editor.brush_names(), self.editor
        groups = []
        for group, brushes in editor.brushes.items():
            labels = [self._brush(names.index(name), name) for name in brushes]
            kind = "many" if len(names) > _KEYS else "few"
            groups.append(_BRUSHES.format(kind=kind, group=group, brushes=Markup("\n").join(labels)))
        return Markup("\n").join(groups)

    def _brush(self, index: int, name: str) -> Markup:
        colour = self.editor.swatches.get(name)
        return _BRUSH.format(
            index=index,
            name=name,
            checked=Markup("" if index else " checked"),
            swatch="" if colour is None else _SWATCH.format(colour=colour),
            key=_KEY.format(key=index + 1) if len(self.editor.brush_names()) <= _KEYS else "",
        )

    def shown(self, level: Task) -> dict[str, Any]:
        """The layout, and row by row what is at each place."""
        layout = self.editor.layout(level)
        columns, rows = range(len(layout.columns) - 1), range(len(layout.rows) - 1)
        labels = [[self._label(level, column, row) for column in columns] for row in rows]
        return {"layout": layout._asdict(), "labels": labels}

    def _label(self, level: Task, column: int, row: int) -> str:
        return f"{self.editor.label(level, column, row)}, {self.editor.place_name(level, column, row)}"

    def picture(self, level: Task, env: "gymnasium.Env") -> Any:
        """See :class:`Board`."""
        return self.editor.picture(level, env)

    def changed(self, level: Task, **held: Any) -> tuple[Task, int | None]:
        """The level with a brush used at a place."""
        layout, brush, column, row = self.editor.layout(level), held["brush"], held["column"], held["row"]
        for number, many in (
            (brush, len(self.editor.brush_names())),
            (column, len(layout.columns) - 1),
            (row, len(layout.rows) - 1),
        ):
            if not 0 <= number < many:
                raise InvalidReportError(f"{number} is outside 0 to {many - 1}")
        return self.editor.painted(level, brush, column, row), held["stroke"]


class OutlineBoard(Board[OutlineEditor]):
    """Pages of pieces in a list, and a document that shows what they look like."""

    script = "outline_board"
    reports: ClassVar[ReportKinds] = {"arrange": {"pages": (list,)}}

    def stage(self) -> Markup:
        """See :class:`Board`."""
        return _OUTLINE.format(width=self.editor.preview_width)

    def panel(self) -> Markup:
        """The pages, and the pieces to choose from, group by group."""
        groups: dict[str, list[Markup]] = {}
        for piece in self.editor.pieces:
            last = Markup(' data-last=""') if piece.last else ""
            groups.setdefault(piece.group, []).append(_OPTION.format(name=piece.name, last=last))
        offered = [_GROUP.format(group=group, options=Markup("").join(names)) for group, names in groups.items()]
        return _PAGES.format(most=self.editor.most_pages, groups=Markup("").join(offered))

    def shown(self, level: Task) -> dict[str, Any]:
        """The names of the pieces, page by page."""
        return {"pages": self.editor.pages(level)}

    def changed(self, level: Task, **held: Any) -> tuple[Task, int | None]:
        """The level with other pages."""
        pages, editor = held["pages"], self.editor
        known = {piece.name for piece in editor.pieces}.union(*editor.pages(level))
        if not 1 <= len(pages) <= editor.most_pages:
            raise InvalidReportError(f"{len(pages)} pages")
        for page in pages:
            if not isinstance(page, list) or not all(isinstance(name, str) and name in known for name in page):
                raise InvalidReportError(page)
            if len(set(page)) < len(page):
                raise InvalidReportError(page)
        return editor.arranged(level, pages), None

    def documents(self, level: Callable[[], Task]) -> dict[str, Callable[[], str]]:
        """What the level looks like."""
        return {"preview": lambda: self.editor.preview(level())}


#: What is drawn on for each kind of editor.
_BOARDS: dict[type, type[Board]] = {PictureEditor: PictureBoard, OutlineEditor: OutlineBoard}


def board_for(editor: LevelEditor) -> Board:
    """What the levels of an editor are drawn on."""
    return next(board(editor) for kind, board in _BOARDS.items() if isinstance(editor, kind))
