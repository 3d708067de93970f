"""A person plays GMiniWoB-v0 in a real browser, and earns what an agent earns by the same actions."""

import re
import signal
import subprocess
import sys

import gymnasium
import numpy as np
import pytest
from playwright.sync_api import expect

from procgen_bench.apps.game import Game
from procgen_bench.core.errors import PageError
from procgen_bench.envs.web.controls import SiteControls
from procgen_bench.envs.web.page import site_document
from procgen_bench.tasks.sites.design import SiteDesign
from procgen_bench.tasks.sites.elements import HOLDING, Behaviour
from procgen_bench.tasks.sites.pages import Page, placed_elements
from procgen_bench.tasks.sites.primitives import CATALOGUE
from procgen_bench.tasks.sites.profiles import value_lists
from procgen_bench.tasks.sites.task import SiteTask
from tests.chromium import started_chromium
from tests.cli.playing import WINDOW, Person, PlayedGame, agents_return, finish

FLIGHT = dict(gymnasium.make("GMiniWoB-v0").unwrapped.task_space.resolve("flight/4").profile)
LOGIN = SiteDesign((("username", "password", "rememberme", "submit"),))


@pytest.fixture(scope="module")
def browser():
    """Chromium as it is started for agents, but for its leave to ask this machine."""
    with started_chromium(keep=lambda flag: "host-resolver" not in flag) as browser:
        yield browser


@pytest.fixture
def context(browser):
    with browser.new_context(viewport=WINDOW, permissions=["clipboard-read", "clipboard-write"]) as context:
        yield context


@pytest.fixture
def start(context):
    """start(task, tasks=None, seed=0) -> a person at the site, and the game."""

    def started(task=None, tasks=None, seed: int = 0) -> tuple[Person, PlayedGame]:
        env = gymnasium.make("GMiniWoB-v0", tasks=tasks, widgets="literal")
        played = PlayedGame(Game(env, seed, task))
        return Person(context.new_page(), played.address), played

    return started


@pytest.fixture
def command():
    """command(*words) -> the process of `play` with these words, and the address that it prints."""
    processes = []

    def run(*words: str) -> tuple[subprocess.Popen, str]:
        process = subprocess.Popen(
            [sys.executable, "-m", "procgen_bench.cli", "play", "GMiniWoB-v0", "--no-open", *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # as from a terminal
        )
        processes.append(process)
        return process, re.search(r"http://\S+/", process.stdout.readline())[0]

    yield run
    for process in processes:
        process.kill()
        process.communicate()


def agents_action(task: str, name: str, field: str, value: str = "") -> tuple[int, int]:
    """The action on the control of a primitive (and of an observed value), on the first page."""
    env = gymnasium.make("GMiniWoB-v0")
    env.reset(seed=0, options={"task": task})
    return control_of(env.unwrapped.task, name, value), list(dict(env.unwrapped.task.profile)).index(field)


def control_of(task: SiteTask, name: str, value: str = "") -> int:
    """The element of the first page that holds a primitive's value (this one of its options)."""
    page = task.pages[0]
    (element,) = [
        index
        for index, placed in enumerate(placed_elements(page))
        if placed.block >= 0
        and page[placed.block].name == name
        and placed.element.behaviour in HOLDING
        and value in (placed.element.attribute("value"), "")
    ]
    return element


def test_a_site_is_filled_in_and_sent_off(command, context):
    """In the words of the command line, with what an agent earns by the same actions."""
    process, address = command("--task", "flight/4")
    person = Person(context.new_page(), address)
    person.sees(what="GMiniWoB-v0 flight/4 seed 0", steps="0 of 25")
    actions = []
    for name in ("departureairport", "destinationairport", "departuredate", "destinationdate"):
        person.type(name, FLIGHT[name])
        actions.append(agents_action("flight/4", name, name))
    person.type("numberofpeople", FLIGHT["numberofpeople"])
    actions.append(agents_action("flight/4", "numberofpeople", "numberofpeople"))
    for name in ("cabin", "flighttype"):
        person.click(FLIGHT[name])
        actions.append(agents_action("flight/4", name, name, FLIGHT[name]))
    person.sees(steps="7 of 25", reward="+0.093", **{"return": "0.650"})
    person.click("Place Order")
    env = gymnasium.make("GMiniWoB-v0")
    env.reset(options={"task": "flight/4"})
    (button,) = [i for i, r in enumerate(env.unwrapped.simulation.records(0)) if r.text == "Place Order"]
    earned = agents_return([*actions, (button, 0)], task="flight/4")
    assert earned == pytest.approx(1.65)
    person.sees(outcome="Success", account=f"7 of 7 fields right, {earned:.3f} in total", **{"return": f"{earned:.3f}"})
    person.press("Finish")
    assert process.wait(timeout=30) == 0
    out, err = process.communicate()
    said = ["GMiniWoB-v0   flight/4   seed 0", f"step 8 of 25   return {earned:.3f}   solved   7 of 7 fields right"]
    assert (out.splitlines(), err, person.complaints) == (said, "", [])


def test_a_text_that_is_no_value_goes_again_and_costs_a_step(start, capsys):
    person, played = start("flight/4")
    person.type("departureairport", "Nowhere")
    person.page.keyboard.press("Enter")
    person.sees(steps="1 of 25", reward="-0.550", remark="\u201cNowhere\u201d is not a value of the instruction.")
    expect(person.control("departureairport")).to_have_value("")
    person.type("departureairport", FLIGHT["departureairport"])
    person.page.keyboard.press("Tab")
    person.sees(steps="2 of 25", reward="+0.093", remark="")
    expect(person.control("destinationairport")).to_be_focused()
    person.type("departureairport", FLIGHT["departureairport"].lower())
    person.page.keyboard.press("Tab")
    person.sees(steps="3 of 25", reward="-0.550")
    expect(person.control("departureairport")).to_have_value(FLIGHT["departureairport"])
    person.type("numberofpeople", "40")
    person.page.keyboard.press("Tab")
    person.sees(steps="4 of 25", remark="\u201c40\u201d is not a value of the instruction.")
    expect(person.control("numberofpeople")).to_have_value("")
    person.type("departuredate", FLIGHT["destinationdate"])  # a value, but the wrong one
    person.click("Place Order")
    person.sees(outcome="Not solved", steps="6 of 25")
    earned = agents_return(played.actions, task="flight/4")
    person.sees(account=f"1 of 7 fields right, {earned:.3f} in total")
    expect(person.control("departuredate")).to_have_value(FLIGHT["destinationdate"])
    finish(person, played)
    assert f"step 6 of 25   return {earned:.3f}   failed   1 of 7 fields right" in capsys.readouterr().out


def test_a_site_is_sent_off_too_early(start):
    person, played = start("test/login-4-17")
    person.click("Place Order")
    person.sees(outcome="Not solved", account="1 of 5 fields right, -1.000 in total", reward="-1.000")
    person.page.keyboard.press("Enter")  # the button has the focus still: nothing is submitted twice
    person.sees(steps="1 of 25")
    finish(person, played)


@pytest.mark.slow
def test_steps_run_out_and_the_task_begins_again_or_another_one_does(start, capsys):
    person, played = start("test/flight-1-3", tasks="test")
    for _ in range(25):
        person.fold()
    person.sees(steps="25 of 25")
    earned = agents_return(played.actions, tasks="test", task="test/flight-1-3")
    assert earned == pytest.approx(-24 * 0.05 - 1)  # each changes the page
    person.sees(outcome="Out of steps", **{"return": f"{earned:.3f}"})
    person.press("Start again")
    person.sees(what="GMiniWoB-v0 test/flight-1-3 seed 0", steps="0 of 25", reward="\u2013")
    person.fold()
    person.sees(steps="1 of 25")
    person.press("New task")
    person.sees(what="GMiniWoB-v0 drawn task seed 1", steps="0 of 25")
    env = gymnasium.make("GMiniWoB-v0", tasks="test")
    env.reset(seed=1)
    values = [value for _, value in env.unwrapped.task.instruction]
    assert person.page.locator("dd").all_inner_texts() == values
    finish(person, played)
    said = [line for line in capsys.readouterr().out.splitlines() if line.startswith("step")]
    assert said == [
        f"step 25 of 25   return {earned:.3f}   out of time   0 of 2 fields right",
        "step 1 of 25   return -0.050   running   0 of 2 fields right",
    ]


@pytest.mark.slow
def test_every_kind_of_element_does_what_it_does_for_an_agent(start):
    """At random over pages of all primitives; after every step the session compares the page with the environment."""
    names = [name for name, one in CATALOGUE.items() if not one.leaves and not one.submits]
    names.remove("zipcode")  # with 24 fields, two pages take 26 steps
    design = SiteDesign(((*names[::2], "next_login"), (*names[1::2], "submit")))
    task = SiteTask(design, tuple((field, value_lists()[field][0]) for field in design.fields))
    person, played = start(tasks=[task])
    rng = np.random.default_rng(3)
    use_at_random(person, played, task.pages[0], [*dict(task.profile).values(), "anything else"], 8, rng)
    person.click("Login and Checkout")
    person.sees(steps="9 of 25")
    use_at_random(person, played, task.pages[1], [*dict(task.profile).values(), "anything else"], 8, rng)
    person.click("Place Order")
    person.sees(steps="18 of 25", outcome="Not solved")
    person.sees(**{"return": f"{agents_return(played.actions, tasks=[task]):.3f}"})
    finish(person, played)
    assert person.num_begun == 1  # a page that differs is started again


def use_at_random(
    person: Person, played: PlayedGame, page: Page, texts: list[str], num_steps: int, rng: np.random.Generator
) -> None:
    """Do what a page offers, but for leaving it, and wait for each step."""
    begun, kinds = len(played.actions), set()
    behaviours = [placed.element.behaviour for placed in placed_elements(page)]
    passed_over = (Behaviour.NONE, Behaviour.END, Behaviour.LEAVE, Behaviour.SUBMIT)
    every = person.site.locator("main:not([hidden]), main:not([hidden]) *")
    while len(played.actions) < begun + num_steps:
        index = rng.integers(len(behaviours))
        element, kind = every.nth(index), behaviours[index].name.lower()
        if behaviours[index] in passed_over or not element.is_visible():
            continue
        if kind in kinds and kind in ("type", "number", "select", "visit"):  # most of the elements
            continue
        kinds.add(kind)
        if kind == "choose" and element.is_checked():
            element.click()  # nothing changes: no step
            continue
        steps = len(played.actions)
        if kind == "type":
            element.fill(texts[rng.integers(len(texts))])
            person.page.keyboard.press("Enter")
        elif kind == "number":
            element.fill("3")
            person.page.keyboard.press("Enter")
        elif kind == "select":
            element.select_option(index=1)
        else:
            element.click()
        person.sees(steps=f"{steps + 1} of 25")


@pytest.mark.parametrize(
    "value",
    [
        "</script><script>alert(1)</script>",
        *(pytest.param(value, marks=pytest.mark.slow) for value in ("<img src=x onerror=alert(1)>", "\"'&amp; 😀")),
    ],
)
def test_markup_is_text(start, value):
    task = SiteTask(LOGIN, (("password", value), ("rememberme", "true"), ("username", value + " ")))
    person, played = start(tasks=[task])
    assert person.page.locator("dd").all_text_contents() == [value, "true", value + " "]
    person.type("username", value + "!")
    person.page.keyboard.press("Enter")
    person.sees(remark=f"\u201c{value}!\u201d is not a value of the instruction.")
    person.page.get_by_title("Copy username").click()
    person.control("username").click()
    person.page.keyboard.press("Control+V")
    person.type("password", value)
    person.control("rememberme").click()
    person.click("Place Order")
    person.sees(outcome="Success")
    finish(person, played)
    assert person.num_begun == 1


@pytest.mark.slow
def test_a_quick_person_loses_nothing(start):
    """Reports go one after the other, however late their answers come; what is being typed stays."""
    person, played = start("flight/4")

    def late(route) -> None:
        person.page.wait_for_timeout(150)
        route.continue_()

    person.page.route("**/report", late)
    person.type("departureairport", FLIGHT["departureairport"])
    person.type("destinationairport", "Os")
    person.control("destinationairport").click()  # not left yet
    person.page.keyboard.press("End")
    person.page.keyboard.insert_text("lo (OSL)")
    person.click("Economy")
    person.type("departuredate", "never")
    person.click("Place Order")
    person.fold()  # too late
    person.sees(outcome="Not solved", steps="5 of 25")
    expect(person.control("destinationairport")).to_have_value("Oslo (OSL)")
    expect(person.control("departuredate")).to_have_value("")
    finish(person, played)
    assert person.num_begun == 1


@pytest.mark.slow
def test_a_page_that_is_loaded_again_or_twice_shows_the_same_game(start, context):
    person, played = start("flight/4")
    person.type("departureairport", FLIGHT["departureairport"])
    person.fold()
    person.sees(steps="2 of 25")
    person.page.reload()
    person.sees(steps="2 of 25")
    expect(person.control("departureairport")).to_have_value(FLIGHT["departureairport"])
    other = Person(context.new_page(), played.address)
    other.click(FLIGHT["cabin"])
    other.sees(steps="3 of 25")
    person.fold()  # the other window came first: nothing but the news of it
    person.sees(steps="3 of 25", remark="The site went on elsewhere: this is how it stands.")
    assert person.site.get_by_label(FLIGHT["cabin"]).is_checked()
    person.fold()
    person.sees(steps="4 of 25", remark="")
    finish(person, played)


def test_a_page_that_was_tampered_with_is_loaded_anew(start):
    person, played = start("flight/4")
    person.site.locator("body").evaluate("document.querySelector('.brand').textContent = 'Mine'")
    person.fold()
    person.sees(remark="The site was not as it should be, and was loaded again.", steps="1 of 25")
    expect(person.site.locator(".brand")).to_have_text("Shop")
    assert person.num_begun == 2
    person.fold()
    person.sees(steps="2 of 25", remark="")
    finish(person, played)


def test_a_page_that_is_another_site_ends_the_game(context, monkeypatch):
    space = gymnasium.make("GMiniWoB-v0").unwrapped.task_space
    monkeypatch.setattr(SiteControls, "site", lambda controls, env: site_document(space.resolve("flight/3")))
    played = PlayedGame(Game(gymnasium.make("GMiniWoB-v0"), 0, "flight/4"))
    person = Person(context.new_page(), played.address)
    person.sees(outcome="Play has stopped")
    played.wait()
    assert isinstance(played.failure, PageError)
    assert "the page differs from the environment" in str(played.failure)


@pytest.mark.slow
def test_ctrl_c_ends_it(command, context):
    process, address = command("--task", "flight/4", "--seed", "3")
    person = Person(context.new_page(), address)
    with person.shown(steps=1):  # nothing is under way that the end could meet with
        person.fold()
    person.sees(steps="1 of 25", what="GMiniWoB-v0 flight/4 seed 3")
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=30) == 130
    out, err = process.communicate()
    assert out.splitlines()[-1] == "step 1 of 25   return -0.050   running   0 of 7 fields right"
    assert err == ""
    person.fold()
    person.sees(outcome="Play has stopped")


def test_what_play_does_not_take(run):
    code, _, err = run("play", "GMiniWoB-v0", "--text")
    assert (code, err.count("\n")) == (2, 1) and "is played in a browser" in err
    code, _, err = run("play", "GridWorld-v0", "--port", "8000")
    assert (code, err.count("\n")) == (2, 1) and "leave --port out" in err
    code, _, err = run("play", "GMiniWoB-v0", "--task", "flight/5")
    assert (code, err.count("\n")) == (2, 1) and "flight/5" in err
