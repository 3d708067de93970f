"""Playing in the user's own browser: a step whenever they have changed something."""

from collections.abc import Callable, Mapping
from types import MappingProxyType, NoneType
from typing import TYPE_CHECKING, Any

import typer

from procgen_bench.apps.game import NEW_TASK, QUIT, RESTART, RUNNING, Game
from procgen_bench.apps.page_server import InvalidReportError, PageServer, ReportKinds, check_report
from procgen_bench.core.errors import PageError

if TYPE_CHECKING:
    from procgen_bench.engine.browser_play import BrowserControls

#: What pages say of episodes that are over.
OUTCOMES = {"solved": "Success", "failed": "Not solved", "out of time": "Out of steps"}
#: What the buttons for the game's keys say.
COMMAND_LABELS = {RESTART: "Start again", NEW_TASK: "New task", QUIT[0]: "Finish"}
#: Kinds of reports, and what each holds beside its kind.
_REPORTS: ReportKinds = {
    "begin": {},
    "use": {"episode": (int,), "steps": (int,), "element": (int,), "text": (str, NoneType)},
    "shown": {"episode": (int,), "steps": (int,), "page": (str,), "unfinished": (list,)},
    "command": {"key": (str,)},
}


def play_in_browser(game: Game, port: int, open_address: Callable[[str], object]) -> None:
    """Serve the game to a browser on this machine until its player quits, and say how each episode went.

    Args:
        game: The game; its environment has ``browser_controls``.
        port: Where to serve; 0: at any port that is free.
        open_address: Gets the address to play at.

    Raises:
        PortError: The port is not free.
        PageError: The page shows something else than the environment's state, time and again.
    """
    session = Session(game)
    with PageServer(port, session.documents, {"report": session.answer}, over=lambda: game.over) as server:
        typer.echo(f"Play at {server.address} (Ctrl-C ends it)")
        open_address(server.address)
        try:
            while not server.ended.wait(1.0):  # on some systems, Ctrl-C does not end a wait without a limit
                pass
        finally:
            session.tell_end()
        if server.failure is not None:
            raise server.failure


class Session:
    """A game and the page in which it is played, which reports what a person does and is given what to do.

    Reports are dicts with a ``kind``:

    - ``begin``: the page shows the episode's site as it was at its start. The answer has what it needs to go on.
    - ``use``: something was typed or clicked. The answer has an order for the site, or ``None``: nothing has changed.
    - ``shown``: the site as it tells itself after its orders.
    - ``command``: one of the game's keys.

    The answer ``{"stale": True}`` tells a page to begin again: the episode went on in another window, or was begun
    again, or the site was not in the environment's state.

    Attributes:
        documents: The documents by name.

    Args:
        game: The game; its environment has ``browser_controls``.
        commands: By key of the game what its button says; the page has no others.
    """

    def __init__(self, game: Game, commands: Mapping[str, str] = MappingProxyType(COMMAND_LABELS)):
        self.game, self.commands = game, commands
        controls = game.family.browser_controls
        assert controls is not None  # see above
        self.controls: BrowserControls = controls
        self.documents = {"": lambda: self.controls.frame(commands), "site": lambda: self.controls.site(game.env)}
        self._episode = 0
        self._in_doubt = self._reported = False
        self._restart()

    def answer(self, report: Any) -> dict[str, Any]:
        """The answer to a report.

        Raises:
            InvalidReportError: It is none.
            PageError: The site was not in the environment's state, and is not when it was loaded again either.
        """
        if self.game.over:
            raise InvalidReportError(report)
        arguments = check_report(report, _REPORTS)
        return getattr(self, f"_{report['kind']}")(**arguments)

    def tell_end(self) -> None:
        """Say how the episode went, unless nothing was done in it or it was said already."""
        if not self._reported and self.game.steps:
            typer.echo(f"{self.game.what()}\n{self.game.status()}   {self.controls.account(self.game.env)}")
        self._reported = True

    def _restart(self) -> None:
        self._episode += 1
        self._orders: list[tuple] = []
        self._reported = False

    def _begin(self) -> dict[str, Any]:
        return {
            "episode": self._episode,
            "what": self.game.what(),
            "instruction": self.controls.instruction(self.game.env),
            "orders": self._orders,
            "status": self._status(),
        }

    def _use(self, episode: int, steps: int, element: int, text: str | None) -> dict[str, Any]:
        if (episode, steps) != (self._episode, self.game.steps):
            return {"stale": True}
        try:
            action = self.controls.action(self.game.env, element, text)
        except ValueError as error:
            raise InvalidReportError(str(error)) from error
        if action is None or self.game.outcome != RUNNING:
            return {"order": None}
        self.game.act(action)
        self._orders.append(self.controls.order(self.game.env, action))
        if self.game.outcome != RUNNING:
            self.tell_end()
        return {"order": self._orders[-1], "status": self._status()}

    def _shown(self, episode: int, steps: int, page: str, unfinished: list[int]) -> dict[str, Any]:
        if (episode, steps) != (self._episode, self.game.steps):
            return {"stale": True}
        difference = self.controls.difference(self.game.env, page, unfinished)
        if difference is not None and self._in_doubt:
            raise PageError(f"the page differs from the environment: {difference}; try it without browser extensions")
        self._in_doubt = difference is not None
        return {"stale": self._in_doubt}

    def _command(self, key: str) -> dict[str, Any]:
        self.tell_end()
        if key not in self.commands or not self.game.command(key):
            raise InvalidReportError(f"no key {key!r}")
        if not self.game.over:
            self._restart()
        return {"stale": not self.game.over}

    def _status(self) -> dict[str, Any]:
        """How it goes, as the page shows it."""
        game, status = self.game, self.game.score()
        if game.outcome == RUNNING:
            return status
        account = f"{self.controls.account(game.env)}, {game.episode_return:.3f} in total"
        return status | {"over": OUTCOMES[game.outcome], "account": account, "success": game.outcome == "solved"}
