"""Sites as BrowserGym's tasks, in a page of Playwright's that is used as BrowserGym uses it."""

import sys

import pytest

from procgen_bench.core.errors import MissingExtraError, UnknownNameError
from procgen_bench.core.extras import import_extra
from procgen_bench.envs.web.browsergym_task import BrowserGymTask
from procgen_bench.tasks.sites.elements import TAKING_TEXT, Behaviour
from procgen_bench.tasks.sites.pages import placed_elements
from procgen_bench.tasks.sites.solver import solve


@pytest.fixture
def page(ordinary_browser):
    """A new one for every task, as BrowserGym's: Chromium itself asks again for a page that could not be loaded."""
    page = ordinary_browser.new_page(viewport={"width": 480, "height": 960})
    yield page
    page.close()


def use(page, task, number: int, element: int, value: str) -> None:
    """Use an element of the page with this number, by Playwright's own means."""
    there = page.locator("main:not([hidden]), main:not([hidden]) *").nth(element)
    behaviour = placed_elements(task.pages[number])[element].element.behaviour
    if behaviour == Behaviour.SELECT:
        there.select_option(label=value)
    elif behaviour in TAKING_TEXT:
        there.fill(value)
    else:
        there.click()


@pytest.mark.parametrize("name", ["test/shopping-4-3", pytest.param("varied/flight-4-1", marks=pytest.mark.slow)])
def test_all_fields_right_on_all_pages_are_a_success(name, page):
    """Values on pages that were left count, also where a step of BrowserGym's had fills and a click in one."""
    one = BrowserGymTask(0, name)
    goal, info = one.setup(page)
    assert all(f'"{value}"' in goal for _, value in one.task.profile) and not info["success"]
    values, number = [value for _, value in one.task.profile], 0
    for element, field in solve(one.task).tolist():
        use(page, one.task, number, element, values[field])
        gates = (Behaviour.LEAVE, Behaviour.SUBMIT)
        if placed_elements(one.task.pages[number])[element].element.behaviour in gates:
            reward, done, message, info = one.validate(page, [])
            number += 1
            last = number == len(one.task.pages)
            assert (reward, done, info["success"], message) == (float(last), last, last, "")
    assert info["num_right"] == info["num_active"] == len(values)


def test_what_is_wrong_or_distracts_earns_nothing(page):
    wrong = BrowserGymTask(0, "login/4")
    wrong.setup(page)
    page.get_by_role("textbox", name="Username").fill("nobody")
    assert wrong.validate(page, [])[:2] == (0.0, False)
    page.get_by_role("button", name="Place Order").click()
    assert wrong.validate(page, [])[:2] == (0.0, True)
    distracted = BrowserGymTask(0, "login/4")
    distracted.setup(page)
    page.get_by_text("Forgot password.").click()
    assert distracted.validate(page, [])[:2] == (0.0, True)


@pytest.mark.parametrize("leave", ["goto", "close"])
def test_a_site_that_is_left_is_done(leave, page, ordinary_browser):
    page = ordinary_browser.new_page() if leave == "close" else page
    one = BrowserGymTask(0, "login/1")
    one.setup(page)
    page.goto("about:blank") if leave == "goto" else page.close()
    assert one.validate(page, [])[:3] == (0.0, True, "The site is no longer there.")


@pytest.mark.parametrize("address", ["http://example.org/", "http://procgen-bench.invalid/", "file:///etc/passwd", ""])
def test_going_elsewhere_is_an_error_and_the_site_stays(address, page):
    """As in our loop: a request costs a step and leads nowhere."""
    one = BrowserGymTask(0, "login/1")
    one.setup(page)
    page.get_by_role("textbox", name="Username").fill("kept")
    with pytest.raises(Exception, match="ERR_ABORTED"):
        page.goto(address) if address else page.reload()
    assert one.validate(page, [])[:3] == (0.0, False, "")
    assert page.get_by_role("textbox", name="Username").input_value() == "kept"


def test_it_is_done_after_25_steps(page):
    one = BrowserGymTask(0, "login/1")
    one.setup(page)
    assert [one.validate(page, [])[1] for _ in range(25)] == [False] * 24 + [True]


def test_the_seed_is_the_number_of_the_task():
    three = [f"test/login-1-{place}" for place in range(3)]
    assert [BrowserGymTask(seed, three).task for seed in (1, 4)] == [BrowserGymTask(9, three[1]).task] * 2
    assert len({BrowserGymTask(None, three).task for _ in range(40)}) == 3
    with pytest.raises(UnknownNameError):
        BrowserGymTask(0, "nothing/4")


def test_without_browsergym_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "browsergym", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'procgen-bench\[browsergym\]'"):
        import_extra("procgen_bench.envs.web.browsergym")
