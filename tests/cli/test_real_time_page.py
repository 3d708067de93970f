"""What the program behind a real-time page shows and answers, also to reports that no page makes."""

import json
import threading
import urllib.request
import webbrowser

import gymnasium
import pytest

from procgen_bench.apps.game import Game
from procgen_bench.apps.in_real_time import RealTimeGame
from procgen_bench.apps.page_server import InvalidReportError
from procgen_bench.apps.pictures import picture_address
from procgen_bench.apps.real_time_page import session as module
from procgen_bench.apps.real_time_page.session import PageSession

TASK = "small/0"


@pytest.fixture
def session(monkeypatch):
    monkeypatch.setattr(module, "_FAREWELL_SECONDS", 0)
    live = RealTimeGame(Game(gymnasium.make("XLandSmall-v0", tasks="small"), 0, TASK))
    with PageSession(live, 0) as session:
        session.live = live
        yield session


class Showing:
    """What shows the game in a thread of its own, as it waits for a page."""

    def __init__(self, session: PageSession):
        self.failure = None
        self._thread = threading.Thread(target=self._show, args=(session,), daemon=True)
        self._thread.start()

    def _show(self, session: PageSession) -> None:
        try:
            session.show()
        except LookupError as error:
            self.failure = error

    def is_over(self, seconds: float = 10) -> bool:
        self._thread.join(timeout=seconds)
        return not self._thread.is_alive()


def begin(session: PageSession) -> int:
    return session.answer({"kind": "begin"})["window"]


def following(session: PageSession, window: int, seen: int = 0) -> dict:
    return session.answer({"kind": "next", "window": window, "seen": seen})


def keys(session: PageSession, window: int, *changes: list) -> dict:
    return session.answer({"kind": "keys", "window": window, "changes": list(changes)})


def leave(session: PageSession, window: int) -> None:
    session.answer({"kind": "leave", "window": window})


def test_a_page_gets_what_a_window_shows(session):
    live, window, showing = session.live, begin(session), Showing(session)
    answer = following(session, window)
    assert showing.is_over()
    picture = picture_address(live.controls.draw(live.game.env, "first person"), "JPEG", quality=90)
    assert answer == {
        "number": 1,
        "picture": picture,
        "view": "first person",
        "what": f"XLandSmall-v0   {TASK}   seed 0",
        "description": live.controls.caption(live.game.env),
        "waits": True,
        "outcome": None,
        "success": False,
        "return": "0.000",
        "reward": "\u2013",
        "steps": "0 of 300",
    }


def test_time_stands_still_until_a_page_has_the_picture(session):
    showing = Showing(session)
    assert not showing.is_over(0.1)
    window = begin(session)
    assert not showing.is_over(0.1)
    assert following(session, window)["number"] == 1
    assert showing.is_over()
    showing = Showing(session)
    assert not showing.is_over(0.1)
    assert following(session, window, seen=1)["number"] == 2
    assert showing.is_over()


def test_no_key_is_lost_between_two_steps(session):
    window = begin(session)
    assert keys(session, window, ["w", True], ["e", True]) == keys(session, window, ["e", False], ["w", False]) == {}
    assert session.key_changes() == [("w", True), ("e", True), ("e", False), ("w", False)]
    assert session.key_changes() == []


def test_the_later_window_takes_over(session):
    first, answers = begin(session), []
    keys(session, first, ["w", True], ["e", True], ["e", False])
    waiting = threading.Thread(target=lambda: answers.append(following(session, first)), daemon=True)
    waiting.start()
    second = begin(session)
    waiting.join(timeout=10)
    assert answers == [{"elsewhere": True}]
    assert session.key_changes()[-1] == ("w", False), "nobody holds it down any more"
    keys(session, first, ["d", True])
    keys(session, second, ["a", True])
    assert session.key_changes() == [("a", True)]
    showing = Showing(session)
    assert following(session, first) == {"elsewhere": True}
    assert not showing.is_over(0.1)
    assert following(session, second)["number"] == 1


def test_who_closes_the_page_quits(session, monkeypatch):
    monkeypatch.setattr(module, "_RETURN_SECONDS", 1)
    window, showing = begin(session), Showing(session)
    keys(session, window, ["w", True])
    leave(session, window)
    assert showing.is_over()
    assert session.key_changes() == [("w", True), ("w", False), ("q", True)]


def test_who_loads_the_page_anew_goes_on(session, monkeypatch):
    monkeypatch.setattr(module, "_RETURN_SECONDS", 1)
    first = begin(session)
    leave(session, first)
    second, showing = begin(session), Showing(session)
    leave(session, first)  # reports of a page that is closed may come late
    assert not showing.is_over(1.5)
    assert following(session, second)["number"] == 1
    assert showing.is_over()
    assert session.key_changes() == []


def test_what_the_server_fails_by_is_raised(session):
    showing = Showing(session)
    session.server.failure = LookupError("failed")
    assert showing.is_over()
    assert showing.failure is session.server.failure


@pytest.mark.parametrize(
    "report",
    [
        None,
        {"kind": "show"},
        {"kind": "begin", "more": 1},
        {"kind": "next", "window": 1},
        {"kind": "next", "window": 1, "seen": True},
        {"kind": "leave", "window": "1"},
        {"kind": "keys", "window": 1, "changes": "w"},
        {"kind": "keys", "window": 1, "changes": [["w"]]},
        {"kind": "keys", "window": 1, "changes": [["w", 1]]},
        {"kind": "keys", "window": 1, "changes": [["e", True], [1, True]]},
        {"kind": "keys", "window": 1, "changes": ["w"]},
    ],
    ids=str,
)
def test_what_is_no_report_is_refused_and_changes_nothing(session, report):
    begin(session)
    with pytest.raises(InvalidReportError):
        session.answer(report)
    assert session.key_changes() == []


def test_it_is_played_without_a_display(run, monkeypatch):
    """In the words of the command line, by a page that quits at once."""
    for name in ("SDL_VIDEODRIVER", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    opened, answers = [], []

    def report(**held: object) -> dict:
        request = urllib.request.Request(
            opened[0] + "report", json.dumps(held).encode(), {"Content-Type": "application/json"}
        )
        client = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        answers.append(json.load(client.open(request, timeout=30)))
        return answers[-1]

    def play() -> None:
        window = report(kind="begin")["window"]
        report(kind="keys", window=window, changes=[["q", True]])
        report(kind="next", window=window, seen=0)
        report(kind="next", window=window, seen=1)

    player = threading.Thread(target=play, daemon=True)
    monkeypatch.setattr(webbrowser, "open", lambda address: (opened.append(address), player.start()))
    code, out, err = run("play", "XLandSmall-v0", "--task", TASK, "--browser")
    player.join(timeout=10)
    assert (code, out, err) == (0, f"Play at {opened[0]} (Ctrl-C ends it)\n", "")
    assert answers[-1] == {"over": True}


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("XLandSmall-v0", "--port", "8000"), "only with --browser; add it, or leave --port out"),
        (("XLandSmall-v0", "--no-open"), "only with --browser; add it, or leave --open and --no-open out"),
        (("GridWorld-v0", "--open"), "is not played in a browser; leave --open and --no-open out"),
        (("GridWorld-v0", "--browser"), "is not played in a browser; leave --browser out"),
        (("XLandSmall-v0", "--browser", "--text"), "leave --text out"),
    ],
    ids=str,
)
def test_options_that_mean_nothing_are_refused(run, words, reason):
    code, out, err = run("play", *words)
    assert (code, out, err.count("\n")) == (2, "", 1) and reason in err
