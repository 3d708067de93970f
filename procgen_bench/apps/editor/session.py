"""The program behind the editor's page: keeps the level, asks the solver, plays, and reads and writes files."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import typer

from procgen_bench.apps.editor.boards import board_for
from procgen_bench.apps.editor.document import editor_document
from procgen_bench.apps.editor.history import History
from procgen_bench.apps.editor.playing import play_of
from procgen_bench.apps.page_server import InvalidReportError, PageServer, ReportKinds, check_report
from procgen_bench.apps.pictures import picture_address
from procgen_bench.core.errors import ProcgenBenchError, UnsolvedTaskError
from procgen_bench.core.success import counted_success
from procgen_bench.core.task import Task
from procgen_bench.core.task_files import parse_task, write_task

if TYPE_CHECKING:
    import gymnasium

    from procgen_bench.engine.level_editor import LevelEditor

#: Kinds of reports, and what each holds beside its kind; there are those of the board and of play, too.
_REPORTS: ReportKinds = {
    "begin": {},
    "set": {"name": (str,), "value": (str,)},
    "undo": {},
    "redo": {},
    "clear": {},
    "prove": {},
    "play": {},
    "save": {},
    "load": {"name": (str,), "text": (str,)},
    "finish": {},
}
#: Pictures of a solution that are shown at most, the first and the last among them.
_MOST_FRAMES = 60


class _Proof(NamedTuple):
    """What is known of a level.

    Attributes:
        level: The level.
        actions: A solution, up to the step that is rewarded; ``None``: there is none, or none was found.
        refusal: What there is to say where there is no solution.
    """

    level: Task
    actions: Any | None
    refusal: str = ""

    @property
    def praise(self) -> str:
        """What there is to say where there is one."""
        return f"it can be solved, in {len(self.actions)} steps." if self.actions is not None else ""


def edit_in_browser(session: "EditorSession", port: int, open_address: Callable[[str], object]) -> None:
    """Serve the editor to a browser on this machine until the person finishes, and say where the level is.

    Args:
        session: What the page reports to.
        port: Where to serve; 0: at any port that is free.
        open_address: Gets the address to draw at.

    Raises:
        PortError: The port is not free.
    """
    with PageServer(port, session.documents(), session.answers(), over=lambda: session.over) as server:
        typer.echo(f"Draw at {server.address} (Ctrl-C ends it)")
        open_address(server.address)
        while not server.ended.wait(1.0):  # on some systems, Ctrl-C does not end a wait without a limit
            pass
        if server.failure is not None:
            raise server.failure


class EditorSession:
    """A level and the page on which it is drawn.

    Each answer holds what the page shows: a ``picture``, if there is one; what its board shows; the ``settings``; a
    ``note``; whether there is something to ``undo`` and ``redo``; a ``message``, and whether that is ``bad`` news. A
    proof has ``frames``, too. While a level is played, there is no more than the picture and the message.

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
        self._board, self._play_kind = board_for(editor), play_of(env)
        self._kinds = {**_REPORTS, **self._board.reports, **self._play_kind.reports}
        self._history = History(level)
        self._saved: Task | None = level if file.exists() else None
        self._known: _Proof | None = None
        self._space = env.unwrapped.task_space  # type: ignore[attr-defined]  # of the class TaskEnv

    def documents(self) -> dict[str, Callable[[], str]]:
        """The page, and what it shows in frames, by name."""
        own = self._board.documents(lambda: self._history.level)
        return {"": self.document, **own, **self._play_kind.documents()}

    def answers(self) -> dict[str, Callable[[Any], Any]]:
        """What answers reports, by where they are sent."""
        return {"report": self.answer, **self._play_kind.answers()}

    def document(self) -> str:
        """The page."""
        assert self.env.spec is not None  # it was made by its id
        return editor_document(self._board, self._play_kind, self.env.spec.id, str(self.file))

    def answer(self, report: Any) -> dict[str, Any]:
        """The answer to a report.

        Raises:
            InvalidReportError: It is none.
        """
        if self.over:
            raise InvalidReportError(report)
        held, kind = check_report(report, self._kinds), report["kind"]
        if kind in self._play_kind.reports:
            getattr(self._play_kind, kind)(**held)
            return self._shown()
        self._play_kind.end()
        try:
            if kind in self._board.reports:
                self._history.draw(*self._board.changed(self._history.level, **held))
                found = {}
            else:
                found = getattr(self, f"_{kind}")(**held)
        except ProcgenBenchError as error:
            found = {"message": str(error), "bad": True}
        return {**self._shown(), **found}

    def _shown(self) -> dict[str, Any]:
        """What the page shows after a report, whatever it was."""
        if self._play_kind.game is not None:
            picture = _encoded(self._play_kind.picture())
            return {"picture": picture, "playing": True, "message": self._play_kind.message(), "bad": False}
        level = self._history.level
        return {
            "picture": _encoded(self._board.picture(level, self.env)),
            "board": self._board.shown(level),
            "settings": [setting._asdict() for setting in self.editor.settings(level)],
            "note": self.editor.note(level),
            "undo": self._history.can_undo,
            "redo": self._history.can_redo,
            "playing": False,
            "message": "",
            "bad": False,
        }

    def _begin(self) -> dict[str, Any]:
        return {}

    def _set(self, name: str, value: str) -> dict[str, Any]:
        self._history.draw(self.editor.with_setting(self._history.level, name, value))
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
        proof = self._proof()
        if proof.actions is None:
            return {"message": proof.refusal, "bad": True}
        return {"message": f"Proven: {proof.praise}", "frames": self._film(proof.actions)}

    def _film(self, actions: Any) -> list[str | None]:
        """Pictures of a solution."""
        self.env.reset(seed=0, options={"task": self._history.level})
        frames, pace = [_encoded(self.env.render())], -(-len(actions) // (_MOST_FRAMES - 1))
        for number, action in enumerate(actions, start=1):
            self.env.step(action)
            if number % pace == 0 or number == len(actions):
                frames.append(_encoded(self.env.render()))
        return frames

    def _proof(self) -> _Proof:
        """What the solver says of the level; it is asked once."""
        if self._known is None or self._known.level != self._history.level:
            self._known = self._found(self._history.level)
        return self._known

    def _found(self, level: Task) -> _Proof:
        why = self.editor.why_unsolvable
        if not self._is_valid():
            return _Proof(level, None, f"It cannot be solved: {why(level)}.")
        try:
            solution = self._space.solve(level)
        except UnsolvedTaskError:
            return _Proof(level, None, f"Not proven: {why(level)}.")
        if solution is None:
            return _Proof(level, None, f"It cannot be solved: {why(level)}.")
        self.env.reset(seed=0, options={"task": level})
        for number, action in enumerate(solution, start=1):
            *_, info = self.env.step(action)
            if counted_success(info):
                return _Proof(level, solution[:number])
        raise AssertionError("the solver and the environment disagree")

    def _is_valid(self) -> bool:
        """Whether the level is a task that can be played."""
        try:
            self._space.validate(self._history.level)
        except ProcgenBenchError:
            return False
        return True

    def _play(self) -> dict[str, Any]:
        if not self._is_valid():
            return {"message": self._proof().refusal, "bad": True}
        self._play_kind.begin(self._history.level)
        return {}

    def _save(self) -> dict[str, Any]:
        """Write the file, also of a level without a solution; the message says what is known of it."""
        level = self._history.level
        if not self._is_valid():
            return {"message": f"Not saved. {self._proof().refusal}", "bad": True}
        write_task(self._space, level, self.file)
        self._saved = level
        proof = self._proof()
        known = proof.refusal or f"I{proof.praise[1:]}"
        return {"message": f"Saved as {self.file}. {known}", "bad": proof.actions is None}

    def _load(self, name: str, text: str) -> dict[str, Any]:
        self._history.draw(parse_task(self._space, text, name))
        return {"message": f"Loaded {name}."}

    def _finish(self) -> dict[str, Any]:
        self.over = True
        unsaved = self._history.level != self._saved
        message = "The level was not saved." if unsaved else f"The level is in {self.file}."
        typer.echo(message)
        return {"message": f"{message} You may close this page."}


def _encoded(frame: Any | None) -> str | None:
    """A picture as the page takes it."""
    return None if frame is None else picture_address(frame, "PNG", compress_level=1)
