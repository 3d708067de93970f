"""The program behind the page: shows the game as it goes on, and gathers the keys that are reported."""

from collections.abc import Callable
from typing import Any

import typer

from procgen_bench.apps.game import QUIT, RUNNING, Game
from procgen_bench.apps.in_browser import OUTCOMES
from procgen_bench.apps.in_real_time import RealTimeGame, run_in_real_time
from procgen_bench.apps.page_server import PageServer, ReportKinds, check_key_changes, check_report
from procgen_bench.apps.pictures import picture_address
from procgen_bench.apps.real_time_page.document import real_time_document

#: Kinds of reports, and what each holds beside its kind.
_REPORTS: ReportKinds = {
    "begin": {},
    "next": {"window": (int,), "seen": (int,)},
    "keys": {"window": (int,), "changes": (list,)},
    "leave": {"window": (int,)},
}
#: Seconds that a page which was closed may take to be there again: it may have been reloaded.
_RETURN_SECONDS = 5
#: Seconds that a page has to ask once more after the end.
_FAREWELL_SECONDS = 2
#: JPEG, since PNG takes many times as long to write as a picture to draw.
_JPEG_QUALITY = 90


def play_on_page(game: Game, port: int, open_address: Callable[[str], object]) -> None:
    """Serve the game to a browser on this machine until its player quits or closes the page.

    Args:
        game: The game; its environment has ``real_time_controls``.
        port: Where to serve; 0: at any port that is free.
        open_address: Gets the address to play at.

    Raises:
        PortError: The port is not free.
    """
    live = RealTimeGame(game)
    with PageSession(live, port) as session:
        typer.echo(f"Play at {session.server.address} (Ctrl-C ends it)")
        open_address(session.server.address)
        run_in_real_time(live, session.show, session.key_changes)


class PageSession:
    """The page as a window: it shows the game, and says which keys have gone down or up.

    Reports are dicts with a ``kind``:

    - ``begin``: a page is there. The answer has the number of its window; all earlier windows are out of the game.
    - ``next``: the page has shown picture number ``seen``. The answer, once there is another, has that and all there is
      to say with it. ``{"elsewhere": True}``: the game went on in a later window; ``{"over": True}``: it has ended.
    - ``keys``: keys went down (true) or up (false).
    - ``leave``: the page is closed, or reloaded.

    Time stands still while no page asks for the next picture.

    Attributes:
        server: What serves the page.

    Args:
        live: The game.
        port: Where to serve; 0: at any port that is free.
    """

    def __init__(self, live: RealTimeGame, port: int):
        self._live = live
        self.server = PageServer(
            port, {"": lambda: real_time_document(live)}, {"report": self.answer}, over=lambda: self._end_sent
        )
        self._turn = self.server.turn
        self._window = self._number = self._taken = 0
        self._shown: dict[str, Any] = {}
        self._down: set[str] = set()
        self._changes: list[tuple[str, bool]] = []
        self._left = self._over = self._end_sent = False

    def __enter__(self) -> "PageSession":
        """Begin to serve."""
        self.server.__enter__()
        return self

    def __exit__(self, *error) -> None:
        """Serve no more; an open page learns of it."""
        with self._turn:
            self._over = True
            self._turn.notify_all()
        if self._window and not self._left:
            self.server.ended.wait(_FAREWELL_SECONDS)
        self.server.__exit__(*error)

    def show(self) -> None:
        """Show the game as it stands, and wait until a page has it; if the page was closed for good, its player quits.

        Raises:
            Exception: What the server ended by.
        """
        shown = self._state()
        with self._turn:
            self._shown, self._number = shown, self._number + 1
            self._turn.notify_all()
            seconds_away = 0
            while self._taken < self._number and seconds_away < _RETURN_SECONDS:
                notified = self._turn.wait(1.0)  # on some systems, Ctrl-C does not end a wait without a limit
                if self.server.failure is not None:
                    raise self.server.failure
                seconds_away = seconds_away + 1 if self._left and not notified else 0
            if self._taken < self._number:
                self._changes.append((QUIT[0], True))

    def key_changes(self) -> list[tuple[str, bool]]:
        """The keys that have gone down (``True``) or up since the last call, in their order."""
        with self._turn:
            changes, self._changes = self._changes, []
        return changes

    def answer(self, report: Any) -> dict[str, Any]:
        """The answer to a report.

        Raises:
            InvalidReportError: It is none.
        """
        arguments = check_report(report, _REPORTS)
        with self._turn:
            return getattr(self, f"_{report['kind']}")(**arguments)

    def _begin(self) -> dict[str, Any]:
        self._window += 1
        self._left = False
        self._release()
        self._turn.notify_all()
        return {"window": self._window}

    def _next(self, window: int, seen: int) -> dict[str, Any]:
        self._turn.wait_for(lambda: self._over or window != self._window or self._number > seen)
        if self._over:
            self._end_sent = True
            return {"over": True}
        if window != self._window:
            return {"elsewhere": True}
        self._taken = self._number
        self._turn.notify_all()
        return {"number": self._number, **self._shown}

    def _keys(self, window: int, changes: list[Any]) -> dict[str, Any]:
        checked = check_key_changes(changes)
        if window == self._window:
            for key, goes_down in checked:
                (self._down.add if goes_down else self._down.discard)(key)
            self._changes += checked
        return {}

    def _leave(self, window: int) -> dict[str, Any]:
        if window == self._window:
            self._left = True
            self._release()
        return {}

    def _release(self) -> None:
        """Keys that a window holds down which is out of the game."""
        self._changes += [(key, False) for key in sorted(self._down)]
        self._down.clear()

    def _state(self) -> dict[str, Any]:
        """What the page shows."""
        live, game = self._live, self._live.game
        return {
            "picture": picture_address(live.picture(), "JPEG", quality=_JPEG_QUALITY),
            "view": live.view,
            "what": game.what(),
            "description": live.description(),
            "waits": live.waits,
            "outcome": None if game.outcome == RUNNING else OUTCOMES[game.outcome],
            "success": game.outcome == "solved",
            **game.score(),
        }
