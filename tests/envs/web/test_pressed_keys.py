"""Keys that are pressed in our loop do what they do in Chromium, where BrowserGym's loop presses them."""

import json

import gymnasium
import pytest

from procgen_bench.envs.web.page import site_document
from procgen_bench.tasks.sites import SiteTaskSpace

KEYS = ("Enter", "Space", "a", "Backspace", "ArrowDown", "ArrowUp", "ArrowRight", "ArrowLeft", "Control+a")
#: Whether an element of a page, by its index, is the page itself or inside it.
ELEMENT = """index => {
  const page = [...document.querySelectorAll(".page")].find((one) => one.checkVisibility());
  return [page, ...page.querySelectorAll("*")][index];
}"""
USED = ("a", "button", "input", "select")


@pytest.fixture(scope="module")
def opened(ordinary_browser):
    page = ordinary_browser.new_page()
    yield page
    page.close()


def pressed_in_chromium(opened, task, before: str | None, index: int, key: str) -> list:
    """How the page ends, and what its elements hold and are marked by after a key."""
    opened.goto("about:blank")  # in the window of another document, its script would stay
    opened.set_content(site_document(task))
    element = opened.evaluate_handle(ELEMENT, index).as_element()
    if before:
        element.fill(before)
    element.press(key)
    _, page, end, elements = json.loads(opened.evaluate("site.observe()"))
    return [page, bool(end), [(one[4], one[1]) for one in elements]]


def pressed_in_ours(env, name: str, before: str | None, index: int, key: str) -> list:
    """The same in the dom backend."""
    env.reset(options={"task": name})
    if before:
        env.step(f"fill('{index}', {before!r})")
    _, _, terminated, _, _ = env.step(f"press('{index}', {key!r})")
    simulation = env.simulation
    records = [(record.value, list(record.classes)) for record in simulation.records(0)]
    return [int(simulation.pages["number"][0]), terminated, records]


@pytest.mark.parametrize(
    "name",
    [
        "login-4-0",
        pytest.param("flight-4-0", marks=pytest.mark.slow),
        pytest.param("address-4-0", marks=pytest.mark.slow),
    ],
)
def test_keys_do_what_they_do_in_chromium(name, opened):
    env = gymnasium.make("GMiniWoB-v0", observation="text").unwrapped
    env.reset(options={"task": f"test/{name}"})
    task, seen = SiteTaskSpace().resolve(f"test/{name}"), set()
    for index, record in enumerate(env.simulation.records(0)):
        kind = (record.tag, *record.attributes[:1])
        if record.tag not in USED or not record.visible or kind in seen:
            continue
        seen.add(kind)
        for before in (None, "Ada") if "text" in kind else (None,):
            for key in KEYS:
                ours = pressed_in_ours(env, f"test/{name}", before, index, key)
                assert ours == pressed_in_chromium(opened, task, before, index, key), (index, kind, before, key)
