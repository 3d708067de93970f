"""What a session answers to reports, also to such as no page makes."""

import json
import urllib.request
import webbrowser

import gymnasium
import pytest

from procgen_bench.apps.game import Game
from procgen_bench.apps.in_browser import Session
from procgen_bench.apps.page_server import InvalidReportError


@pytest.fixture
def session():
    return Session(Game(gymnasium.make("GMiniWoB-v0"), 0, "test/enter-text-0"))


def use(element: int, text: str | None = None, episode: int = 1, steps: int = 0) -> dict:
    return {"kind": "use", "episode": episode, "steps": steps, "element": element, "text": text}


@pytest.mark.parametrize(
    "report",
    [
        None,
        [],
        "begin",
        {},
        {"kind": "restart"},
        {"kind": ["begin"]},
        {"kind": "begin", "more": 1},
        {"kind": "command"},
        {"kind": "command", "key": "x"},
        {"kind": "command", "key": 1},
        use(0) | {"element": "1"},
        use(0) | {"element": True},
        use(0) | {"text": 1},
        use(0, "typed"),
        use(-1),
        use(10**20),
        {"kind": "shown", "episode": 1, "steps": 0, "page": []},
        {"kind": "shown", "episode": 1, "steps": 0, "page": "", "unfinished": None},
    ],
    ids=str,
)
def test_what_is_no_report_is_refused_and_changes_nothing(session, report):
    before = session.answer({"kind": "begin"})
    with pytest.raises(InvalidReportError):
        session.answer(report)
    assert session.answer({"kind": "begin"}) == before
    assert session.game.steps == 0


def test_a_page_of_another_episode_or_step_is_stale(session):
    (typed,) = [i for i, r in enumerate(session.game.env.unwrapped.simulation.records(0)) if r.tag == "input"]
    ((_, value),) = session.game.env.unwrapped.task.instruction
    for stale in (use(typed, value, episode=0), use(typed, value, steps=1)):
        assert session.answer(stale) == {"stale": True}
    answer = session.answer(use(typed, value))
    assert answer["order"] == (typed, value, value)
    assert answer["status"] == {"return": "0.950", "reward": "+0.950", "steps": "1 of 25"}
    assert session.answer(use(typed, value)) == {"stale": True}
    assert session.answer({"kind": "begin"})["orders"] == [(typed, value, value)]
    assert session.answer({"kind": "command", "key": "r"}) == {"stale": True}
    assert session.answer(use(typed, value, steps=1)) == {"stale": True}
    assert session.answer({"kind": "begin"})["orders"] == []


def test_after_the_end_there_are_no_more_steps(session, capsys):
    (button,) = [i for i, r in enumerate(session.game.env.unwrapped.simulation.records(0)) if r.tag == "button"]
    status = session.answer(use(button))["status"]
    assert (status["over"], status["success"], status["account"]) == (
        "Not solved",
        False,
        "0 of 1 fields right, -1.000 in total",
    )
    assert session.answer(use(button, steps=1)) == {"order": None}
    assert session.answer({"kind": "command", "key": "q"}) == {"stale": False}
    assert session.game.over
    with pytest.raises(InvalidReportError):
        session.answer({"kind": "begin"})
    assert capsys.readouterr().out.splitlines() == [
        "GMiniWoB-v0   test/enter-text-0   seed 0",
        "step 1 of 25   return -1.000   failed   0 of 1 fields right",
    ]


def test_the_browser_is_opened_at_the_address(run, monkeypatch):
    opened = []

    def finish(address: str) -> None:
        opened.append(address)
        body = json.dumps({"kind": "command", "key": "q"}).encode()
        request = urllib.request.Request(address + "report", body, {"Content-Type": "application/json"})
        urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=10).read()

    monkeypatch.setattr(webbrowser, "open", finish)
    code, out, err = run("play", "GMiniWoB-v0", "--task", "flight/4")
    assert (code, out, err) == (0, f"Play at {opened[0]} (Ctrl-C ends it)\n", "")
