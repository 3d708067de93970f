"""How a drawn level is played on the editor's page: key by key, in real time, or on a site of its own."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

from procgen_bench.apps.game import NEW_TASK, QUIT, RESTART, Game
from procgen_bench.apps.in_browser import Session
from procgen_bench.apps.in_real_time import NEXT_VIEW, RealTimeGame
from procgen_bench.apps.key_by_key import press
from procgen_bench.apps.page_server import InvalidReportError, ReportKinds, check_key_changes
from procgen_bench.core.task import Task

if TYPE_CHECKING:
    import gymnasium

#: Where the documents of a site that is played are, and where it sends its reports.
SITE = "play/"
_SITE_REPORT = f"{SITE}report"
_LEAVE = "Escape goes back to drawing."


class Play(ABC):
    """One way of playing.

    Attributes:
        script: Name of the part of the page's script that plays.
        reports: Kinds of reports that this part makes; each is answered by the method of its name.
        game: What is played; ``None``: nothing.

    Args:
        env: The environment.
    """

    script: ClassVar[str]
    reports: ClassVar[ReportKinds] = {}

    def __init__(self, env: "gymnasium.Env"):
        self.env = env
        self.game: Game | None = None

    @property
    @abstractmethod
    def hint(self) -> str:
        """What the person should know who plays."""

    def begin(self, level: Task) -> None:
        """Play a level, which must be valid, from its beginning."""
        self.game = Game(self.env, 0, "your level", level)

    def end(self) -> None:
        """Go back to drawing."""
        self.game = None

    @abstractmethod
    def picture(self) -> Any | None:
        """What is shown while a level is played, uint8 (height, width, 3)."""

    def message(self) -> str:
        """How it goes."""
        return self.game.status() if self.game is not None else ""

    def documents(self) -> dict[str, Callable[[], str]]:
        """Documents of its own, by name."""
        return {}

    def answers(self) -> dict[str, Callable[[Any], Any]]:
        """What answers the reports of these documents, by where they are sent."""
        return {}


class KeyPlay(Play):
    """A step a key."""

    script = "key_play"
    reports: ClassVar[ReportKinds] = {"press": {"key": (str,)}}

    @property
    def hint(self) -> str:
        """The environment's own keys."""
        keys = " ".join(self.env.unwrapped.keys_to_action)  # type: ignore[attr-defined]  # of the class TaskEnv
        return f"Play with {keys} or the arrow keys; {RESTART} begins again. {_LEAVE}"

    def picture(self) -> Any:
        """The environment's own."""
        return self.env.render()

    def press(self, key: str) -> None:
        """A key is pressed."""
        if self.game is None or key in (NEW_TASK, *QUIT):
            raise InvalidReportError(f"no key {key!r}")
        press(self.game, key)


class RealTimePlay(Play):
    """A step every so often, with the keys that are held then; the first key starts the clock."""

    script = "real_time_play"
    reports: ClassVar[ReportKinds] = {"hold": {"changes": (list,)}}

    def __init__(self, env: "gymnasium.Env"):
        super().__init__(env)
        self._controls: Any = env.unwrapped.real_time_controls  # type: ignore[attr-defined]  # of the class TaskEnv
        self._live: RealTimeGame | None = None

    @property
    def hint(self) -> str:
        """What keys do."""
        return "\n".join((*self._controls.help, f"{NEXT_VIEW}: another view   {RESTART}: begin again", _LEAVE))

    @property
    def fps(self) -> float:
        """Steps in a second."""
        return self._controls.fps

    def begin(self, level: Task) -> None:
        """See :class:`Play`."""
        super().begin(level)
        assert self.game is not None  # since it was just begun
        self._live = RealTimeGame(self.game)

    def end(self) -> None:
        """See :class:`Play`."""
        super().end()
        self._live = None

    def picture(self) -> Any:
        """The view that is chosen."""
        return self._live.picture() if self._live is not None else None

    def message(self) -> str:
        """The goals, and how it goes."""
        return "\n".join((*self._live.description(), self._live.status())) if self._live is not None else ""

    def hold(self, changes: list[Any]) -> None:
        """Keys went down (true) or up (false), and the next step is due."""
        if self._live is None:
            raise InvalidReportError(changes)
        for key, goes_down in check_key_changes(changes):
            if key not in (NEW_TASK, *QUIT):
                self._live.change(key, goes_down)
        self._live.step()


class SitePlay(Play):
    """The site in a frame, with the instruction beside it, as `play` shows it."""

    script = "site_play"
    hint = _LEAVE

    def __init__(self, env: "gymnasium.Env"):
        super().__init__(env)
        self._session: Session | None = None

    def begin(self, level: Task) -> None:
        """See :class:`Play`."""
        super().begin(level)
        assert self.game is not None  # since it was just begun
        self._session = Session(self.game, {RESTART: "Start again"})

    def end(self) -> None:
        """See :class:`Play`."""
        super().end()
        self._session = None

    def picture(self) -> None:
        """The frame shows it all."""
        return

    def message(self) -> str:
        """The frame says it all."""
        return ""

    def documents(self) -> dict[str, Callable[[], str]]:
        """The frame and the site; empty while nothing is played."""
        return {SITE: lambda: self._document(""), f"{SITE}site": lambda: self._document("site")}

    def _document(self, name: str) -> str:
        return "" if self._session is None else self._session.documents[name]()

    def answers(self) -> dict[str, Callable[[Any], Any]]:
        """What the frame reports."""
        return {_SITE_REPORT: self._answer}

    def _answer(self, report: Any) -> Any:
        if self._session is None:
            raise InvalidReportError(report)
        return self._session.answer(report)


def play_of(env: "gymnasium.Env") -> Play:
    """How an environment is played on the page."""
    family: Any = env.unwrapped
    if family.browser_controls is not None:
        return SitePlay(env)
    return KeyPlay(env) if family.real_time_controls is None else RealTimePlay(env)
