"""A person plays XLand in a real browser: what the page shows is what the same actions give an agent."""

import re
from collections.abc import Callable

import gymnasium
import pytest
from playwright.sync_api import Page, expect

from procgen_bench.apps.game import Game
from procgen_bench.apps.pictures import picture_address
from procgen_bench.apps.real_time_page import session as module
from procgen_bench.apps.real_time_page.session import play_on_page
from procgen_bench.envs.xland.actions import NOOP
from procgen_bench.envs.xland.controls import XLandControls
from tests.chromium import started_chromium
from tests.cli.playing import WINDOW, PlayedGame

TASK = "small/0"
CONTROLS = XLandControls()
#: Steps after which a key was held for some time.
FAR = re.compile(r"^([3-9]|\d\d+) of 300")
#: What the keys of a step add to the action that does nothing.
FORWARDS, GADGET = (1, 0, 0, 0, 0, 0), (0, 0, 0, 0, 0, 1)
TURNS = tuple(CONTROLS.action(frozenset({"left"})))
#: Taps of e and d, faster than reports go.
BURST = """() => {
  for (const code of ["KeyE", "KeyD"])
    for (const kind of ["keydown", "keyup"])
      document.activeElement.dispatchEvent(new KeyboardEvent(kind, { code, bubbles: true }));
}"""


@pytest.fixture(scope="module")
def browser():
    with started_chromium(keep=lambda flag: "host-resolver" not in flag) as browser:
        yield browser


@pytest.fixture
def context(browser):
    with browser.new_context(viewport=WINDOW) as context:
        yield context


@pytest.fixture
def played():
    return PlayedGame(Game(gymnasium.make("XLandSmall-v0", tasks="small"), 0, TASK), play_on_page)


def opened(context, played: PlayedGame) -> Page:
    """A page of the game that has its first picture, and notes what the browser complains of."""
    page = context.new_page()
    page.complaints = []
    page.on("console", lambda message: message.type == "error" and page.complaints.append(message.text))
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    page.goto(played.address)
    sees(page, steps=re.compile(" of 300"))
    return page


def sees(page: Page, **texts: str | re.Pattern) -> None:
    for name, text in texts.items():
        expect(page.locator(f"#{name}")).to_have_text(text)


def wait_until(page: Page, condition: Callable[[], bool]) -> None:
    """Wait while the game goes on."""
    for _ in range(1000):
        if condition():
            return
        page.wait_for_timeout(20)
    raise AssertionError("it has not come to that")


def finish(page: Page, played: PlayedGame) -> None:
    """Quit; nothing has been complained of."""
    page.keyboard.press("q")
    sees(page, outcome="Play has ended", account="You may close this page.")
    played.wait()
    assert (played.failure, page.complaints) == (None, [])


def shown(page: Page) -> tuple[int, str]:
    """The step that the page shows, and its picture."""
    return int(page.locator("#steps").text_content().split()[0]), page.locator("#picture").get_attribute("src")


def test_held_keys_play_as_an_agent_that_takes_the_same_actions(context, played):
    page = opened(context, played)
    sees(page, what=f"XLandSmall-v0 {TASK} seed 0", remark="Press a key to begin.", steps="0 of 300", reward="\u2013")
    goals = CONTROLS.caption(played.game.env)[:-1]
    assert page.locator("#description p").all_text_contents()[: len(goals)] == list(goals)
    page.keyboard.down("w")
    sees(page, steps=FAR, remark="")
    page.evaluate(BURST)
    page.keyboard.up("w")
    wait_until(page, lambda: tuple(played.actions[-1]) == NOOP)
    finish(page, played)
    added = [tuple(action - NOOP) for action in played.actions]
    walked = sum(one[0] for one in added)
    assert all(one[0] for one in added[:walked]) and 3 <= walked < len(added)
    assert [sum(part) for part in zip(*added)] == [walked, 2, 0, 0, 0, 1], "taps are held in one step"
    env = gymnasium.make("XLandSmall-v0", tasks="small")
    env.reset(seed=0, options={"task": TASK})
    step, picture = shown(page)
    for action in played.actions[:step]:
        env.step(action)
    assert picture == picture_address(CONTROLS.draw(env, "first person"), "JPEG", quality=90)


@pytest.mark.slow
def test_it_can_be_played_by_the_keyboard_alone(context, played):
    page = opened(context, played)
    picture = page.get_by_role("img")
    for view in ("third person", "map", "first person"):
        page.keyboard.press("Tab")
        expect(picture).to_have_attribute("alt", f"View: {view}")
    page.keyboard.press("Shift+Tab")
    expect(page.get_by_role("button", name="Finish")).to_be_focused()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    expect(picture).to_have_attribute("alt", "View: third person")
    expect(page.get_by_role("application")).to_be_focused()
    page.keyboard.press("d")
    sees(page, steps=FAR)
    page.keyboard.press("n")
    sees(page, what="XLandSmall-v0 drawn task seed 1", steps="0 of 300", remark="Press a key to begin.")
    page.keyboard.down("ArrowLeft")
    wait_until(page, lambda: tuple(played.actions[-1]) == TURNS)
    page.keyboard.press("Shift+Tab")  # the game lets its keys go
    wait_until(page, lambda: tuple(played.actions[-1]) == NOOP)
    page.keyboard.up("ArrowLeft")
    page.get_by_role("button", name="Start again").click()
    sees(page, steps="0 of 300")
    finish(page, played)


@pytest.mark.slow
def test_the_mouse_plays_on_the_picture(context, played):
    page = opened(context, played)
    page.get_by_role("img").hover()
    page.mouse.down(button="right")
    sees(page, steps=FAR)
    page.mouse.up(button="right")
    finish(page, played)
    assert [tuple(action - NOOP) for action in played.actions[:3]] == [GADGET] * 3


@pytest.mark.slow
def test_buttons_play_on_a_phone(browser, played):
    with browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True) as context:
        page = opened(context, played)
        assert page.evaluate("document.documentElement.scrollWidth") == 390
        forwards = page.get_by_role("button", name="w", exact=True)
        forwards.dispatch_event("pointerdown")
        sees(page, steps=FAR)
        forwards.dispatch_event("pointerup")
        page.get_by_role("button", name="e", exact=True).tap()
        page.get_by_role("button", name="Finish").tap()
        sees(page, outcome="Play has ended")
        played.wait()
    added = [tuple(action - NOOP) for action in played.actions]
    assert added[:2] == [FORWARDS] * 2
    assert sum(one[5] for one in added) <= 1 and played.failure is None


@pytest.mark.slow
def test_two_windows_do_not_fight(context, played):
    first = opened(context, played)
    first.keyboard.down("w")
    sees(first, steps=FAR)
    second = opened(context, played)
    sees(first, remark="The game goes on in another window.")
    first.keyboard.press("n")
    wait_until(second, lambda: tuple(played.actions[-1]) == NOOP)  # what the first window held down is let go
    sees(second, what=f"XLandSmall-v0 {TASK} seed 0")
    first.get_by_role("button", name="Play here").click()
    sees(second, remark="The game goes on in another window.")
    expect(first.get_by_role("button", name="Play here")).to_be_hidden()
    assert second.complaints == []
    finish(first, played)


@pytest.mark.slow
def test_a_page_that_is_loaded_anew_goes_on_and_one_that_is_closed_ends_it(context, played, monkeypatch):
    monkeypatch.setattr(module, "_RETURN_SECONDS", 3)
    page = opened(context, played)
    page.keyboard.down("w")
    sees(page, steps=FAR)
    page.reload()
    sees(page, steps=FAR)
    page.close()
    played.wait()
    assert played.game.over and played.failure is None


@pytest.mark.slow
def test_a_page_says_how_an_episode_ended(context):
    env = gymnasium.make("XLandSmall-v0", tasks="small", max_episode_steps=4)
    played = PlayedGame(Game(env, 0, TASK), play_on_page)
    page = context.new_page()
    page.complaints = []
    page.goto(played.address)
    sees(page, remark="Press a key to begin.")
    page.keyboard.press("w")
    sees(page, outcome="Out of steps", steps="4 of 4")
    page.keyboard.press("r")
    expect(page.locator("#end")).to_be_hidden()
    sees(page, steps="0 of 4")
    finish(page, played)
