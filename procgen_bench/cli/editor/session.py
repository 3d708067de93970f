"""The program behind the editor's page: keeps the level, asks the solver, plays, and reads and writes files."""

import base64
import io
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import typer

from procgen_bench.cli.editor.document import editor_document
from procgen_bench.cli.editor.history import History
from procgen_bench.cli.game import NEW_TASK, QUIT, Game
from procgen_bench.cli.key_by_key import press
from procgen_bench.cli.page_server import InvalidReportError, PageServer, ReportKinds, check_report
from procgen_bench.core.errors import ProcgenBenchError
from procgen_bench.core.task import Task
from procgen_bench.core.task_files import parse_task, write_task

if TYPE_CHECKING:
    import gymnasium

    from procgen_bench.engine.level_editor import LevelEditor

#: Kinds of reports, and what each holds beside its kind.
_REPORTS: ReportKinds = {
    "begin": {},
    "paint": {"brush": (int,), "column": (int,), "row": (int,), "stroke": (int,)},
    "undo": {},
    "redo": {},
    "clear": {},
    "prove": {},
    "play": {},
    "press": {"key": (str,)},
    "save": {},
    "load": {"name": (str,), "text": (str,)},
    "finish": {},
}


def edit_in_browser(session: "EditorSession", port: int, open_address: Callable[[str], object]) -> None:
    """Serve the editor to a browser on this machine until the person finishes, and say where the level is.

    Args:
        session: What the page reports to.
        port: Where to serve; 0: at any port that is free.
        open_address: Gets the address to draw at.

    Raises:
        PortError: The port is not free.
    """
    documents = {"": session.document}
    with PageServer(port, documents, session.answer, over=lambda: session.over) as server:
        typer.echo(f"Draw at {server.address} (Ctrl-C ends it)")
        open_address(server.address)
        while not server.ended.wait(1.0):  # on some systems, Ctrl-C does not end a wait without a limit
            pass
        if server.failure is not None:
            raise server.failure


class EditorSession:
    """A level and the page on which it is drawn.

    Each answer holds what the page shows: ``picture``, ``labels`` of the places row by row, whether there is something
    to ``undo`` and ``redo``, ``message``, and whether that is ``bad`` news. A proof has ``frames``, too.

    Attributes:
        over: Whether the person has finished.

    Args:
        env: The environment, which draws pictures of itself.
        editor: What its levels are made of.
        level: The first one.
        file: Where the level is saved.
    """

    def __init__(self, env: "gymnasium.Env", editor: "LevelEditor", level: Task, file: Path):
        self.env, self.editor, self.file = env, editor, file
        self.over = False
        self._history = History(level)
        self._saved: Task | None = level if file.exists() else None
        self._game: Game | None = None
        self._space = env.unwrapped.task_space  # type: ignore[attr-defined]  # of the class TaskEnv

    def document(self) -> str:
        """The page."""
        assert self.env.spec is not None  # it was made by its id
        keys = " ".join(self.env.unwrapped.keys_to_action)  # type: ignore[attr-defined]  # of the class TaskEnv
        return editor_document(self.editor, self.env.spec.id, keys, str(self.file))

    def answer(self, report: Any) -> dict[str, Any]:
        """The answer to a report.

        Raises:
            InvalidReportError: It is none.
        """
        if self.over:
            raise InvalidReportError(report)
        held = check_report(report, _REPORTS)
        if report["kind"] not in ("press", "finish"):
            self._game = None
        try:
            found = getattr(self, f"_{report['kind']}")(**held)
        except ProcgenBenchError as error:
            found = {"message": str(error), "bad": True}
        return {**self._shown(), "bad": False, **found}

    def _shown(self) -> dict[str, Any]:
        """What the page shows after a report, whatever it was."""
        columns, rows = len(self.editor.columns) - 1, len(self.editor.rows) - 1
        level = self._history.level
        if self._game is None:
            self.env.reset(seed=0, options={"task": level})
        return {
            "picture": self._picture(),
            "labels": [[self.editor.label(level, column, row) for column in range(columns)] for row in range(rows)],
            "undo": self._history.can_undo,
            "redo": self._history.can_redo,
            "playing": self._game is not None,
            "message": "",
        }

    def _picture(self) -> str:
        from PIL import Image

        frame: Any = self.env.render()
        content = io.BytesIO()
        Image.fromarray(np.asarray(frame)).save(content, format="PNG")
        return f"data:image/png;base64,{base64.b64encode(content.getvalue()).decode()}"

    def _begin(self) -> dict[str, Any]:
        return {}

    def _paint(self, brush: int, column: int, row: int, stroke: int) -> dict[str, Any]:
        editor = self.editor
        for number, many in (
            (brush, len(editor.brushes)),
            (column, len(editor.columns) - 1),
            (row, len(editor.rows) - 1),
        ):
            if not 0 <= number < many:
                raise InvalidReportError(f"{number} is outside 0 to {many - 1}")
        self._history.draw(editor.painted(self._history.level, brush, column, row), stroke)
        return {}

    def _undo(self) -> dict[str, Any]:
        self._history.undo()
        return {}

    def _redo(self) -> dict[str, Any]:
        self._history.redo()
        return {}

    def _clear(self) -> dict[str, Any]:
        self._history.draw(self.editor.blank())
        return {}

    def _prove(self) -> dict[str, Any]:
        """The solver's solution, played in the environment, or why there is none."""
        solution = self._space.solve(self._history.level)
        if solution is None:
            return {"message": self._unsolvable(), "bad": True}
        _, info = self.env.reset(seed=0, options={"task": self._history.level})
        frames = [self._picture()]
        for action in solution:
            *_, info = self.env.step(action)
            frames.append(self._picture())
        assert info["success"]  # else the solver and the environment disagree
        return {"message": f"Proven: it can be solved, in {len(solution)} steps.", "frames": frames}

    def _unsolvable(self) -> str:
        return f"It cannot be solved: {self.editor.why_unsolvable(self._history.level)}."

    def _play(self) -> dict[str, Any]:
        self._game = Game(self.env, 0, "your level", self._history.level)
        return {"message": self._game.status()}

    def _press(self, key: str) -> dict[str, Any]:
        if self._game is None or key in (NEW_TASK, *QUIT):
            raise InvalidReportError(f"no key {key!r}")
        press(self._game, key)
        return {"message": self._game.status()}

    def _save(self) -> dict[str, Any]:
        """Write the file, also of a level that is not finished; the message says what is known of it."""
        level = self._history.level
        write_task(self._space, level, self.file)
        self._saved = level
        try:
            solution = self._space.solve(level)
        except ProcgenBenchError as error:
            return {"message": f"Saved as {self.file}, unproven: {error}", "bad": True}
        if solution is None:
            return {"message": f"Saved as {self.file}. {self._unsolvable()}", "bad": True}
        return {"message": f"Saved as {self.file}. It can be solved, in {len(solution)} steps."}

    def _load(self, name: str, text: str) -> dict[str, Any]:
        self._history.draw(parse_task(self._space, text, name))
        return {"message": f"Loaded {name}."}

    def _finish(self) -> dict[str, Any]:
        self._game, self.over = None, True
        unsaved = self._history.level != self._saved
        message = "The level was not saved." if unsaved else f"The level is in {self.file}."
        typer.echo(message)
        return {"message": f"{message} You may close this page."}
