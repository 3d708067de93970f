"""Which actions stand for what a person does at a site, and what a page must show.

Controls with a state at first, that cannot be used, take several options, or texts of a form: all twins alike.
"""

import json

import gymnasium
import numpy as np
import pytest

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.envs.web.controls import SiteControls
from procgen_bench.envs.web.dom_simulation import DomSimulation
from procgen_bench.tasks.sites import HORIZON, PrimitiveLibrary, templates
from procgen_bench.tasks.sites.design import SiteDesign
from procgen_bench.tasks.sites.own_check import check_own
from procgen_bench.tasks.sites.primitive import Primitive
from procgen_bench.tasks.sites.task import SiteTask
from tests.envs.web.play import every_use, play_in_lockstep, random_action
from tests.envs.web.test_lockstep import expert_policy, random_policy
from tests.envs.web.test_lockstep import play_in_lockstep as play_both
from tests.envs.web.test_reading import assert_trees_agree, opened  # noqa: F401 (a fixture)
from tests.tasks.sites.own import drawn_task

CONTROLS = SiteControls()
DESIGN = SiteDesign((("navbar", "username", "password", "verifypassword", "cabin", "rememberme", "submit"),))
PROFILE = {"cabin": "First", "password": "same", "rememberme": "true", "username": "same"}


@pytest.fixture
def env():
    env = gymnasium.make("GMiniWoB-v0", tasks=[SiteTask(DESIGN, tuple(PROFILE.items()))], widgets="literal")
    env.reset(seed=0)
    return env


def index(env, *words: str) -> int:
    """The element that has these words among its text and attributes."""
    records = env.unwrapped.simulation.records(0)
    (found,) = [i for i, r in enumerate(records) if all(word in (r.text, *r.attributes) for word in words)]
    return found


def use(env, element: int, text: str | None = None):
    """The action and the order of what a person does."""
    action = CONTROLS.action(env, element, text)
    env.step(action)
    return action, CONTROLS.order(env, action)


def shown(env, **changes) -> str:
    """What the site tells of itself in the environment's state; ``changes``: (element's place, entry) -> value."""
    simulation = env.unwrapped.simulation
    reported = [
        [r.tag, r.classes, r.text, r.attributes, r.value, r.depth, r.parent, r.box, False]
        for r in simulation.records(0)
    ]
    for element, entry, value in changes.get("entries", ()):
        reported[element][entry] = value
    steps, page = changes.get("steps", int(simulation.elapsed[0])), changes.get("page", 0)
    return json.dumps([steps, page, changes.get("end", ""), reported])


def test_an_option_is_the_field_of_its_value(env):
    first, economy = index(env, "radio", "First"), index(env, "radio", "Economy")
    assert use(env, economy) == ((economy, 24), (economy, None, "")), "nobody wants it"
    assert use(env, first) == ((first, 0), (first, "First", "checked"))


def test_a_value_is_the_first_field_that_has_it(env):
    username = index(env, "Username")
    assert use(env, username, "First") == ((username, 0), (username, "First", "First"))
    assert use(env, username, "same") == ((username, 1), (username, "same", "same"))
    assert use(env, username, "First")[0] == (username, 0)


def test_any_other_text_is_a_field_that_is_not_there(env):
    username = index(env, "Username")
    assert use(env, username, "same ") == ((username, 24), (username, None, ""))
    assert use(env, username, "Same") == ((username, 24), (username, None, ""))
    use(env, username, "same")
    assert use(env, username, "") == ((username, 24), (username, None, "same"))


def test_clicks_go_with_the_first_field(env):
    menu = index(env, "Menu")
    assert [use(env, menu)[0] for _ in range(3)] == [(menu, 0)] * 3
    tick = index(env, "checkbox")
    assert use(env, tick) == ((tick, 0), (tick, "First", "checked"))
    assert use(env, tick) == ((tick, 0), (tick, "First", ""))


def test_what_is_so_already_is_no_action(env):
    first, username = index(env, "radio", "First"), index(env, "Username")
    assert CONTROLS.action(env, username, "") is None
    use(env, first)
    assert CONTROLS.action(env, first, None) is None
    use(env, username, "same")
    assert CONTROLS.action(env, username, "same") is None


def test_what_cannot_be_done_is_refused(env):
    for element, text in (
        (-1, None),
        (200, None),
        (0, "same"),
        (index(env, "Username"), None),
        (index(env, "Menu"), ""),
    ):
        with pytest.raises(ValueError, match="element"):
            CONTROLS.action(env, element, text)


def test_the_page_must_be_in_the_environments_state(env):
    username, menu = index(env, "Username"), index(env, "Menu")
    use(env, username, "same")
    left, top, width, height = env.unwrapped.simulation.records(0)[username].box
    assert CONTROLS.difference(env, shown(env), []) is None
    enlarged = [username, 7, [left + 0.2, top - 0.2, width, height + 0.1]]
    assert CONTROLS.difference(env, shown(env, entries=[enlarged]), []) is None
    assert CONTROLS.difference(env, shown(env, entries=[[username, 4, "sa"]]), [username]) is None
    wrong = [
        {"entries": [[username, 4, "sa"]]},
        {"entries": [[username, 7, [left + 1, top, width, height]]]},
        {"entries": [[username, 7, [1e999, 0, 0, 0]]]},
        {"entries": [[menu, 1, ["fold", "visited"]]]},
        {"entries": [[menu, 2, "Menu"]]},
        {"steps": 2},
        {"end": "sent"},
        {"page": 1},
    ]
    for changes in wrong:
        assert CONTROLS.difference(env, shown(env, **changes), [menu]), changes
    for text in ("", "[]", "1", "null", "[1,0,false,[]]", "[1,0,false,[[]]]", '{"a": 1}', "[" * 100_000):
        assert CONTROLS.difference(env, text, []), text


def test_how_it_went(env):
    assert CONTROLS.account(env) == "0 of 5 fields right"
    use(env, index(env, "Username"), "same")
    use(env, index(env, "radio", "First"))
    assert CONTROLS.account(env) == "2 of 5 fields right"


FLAG = {name: {name: name} for name in ("disabled", "readonly", "required", "checked", "multiple")}
LINES = {
    "arrival": {"type_": "date", "min": "2027-05-01", "max": "2027-05-31"},
    "since": {"type_": "date", "value": "2020-02-29", "naming": "aria-label"},
    "meal_time": {"type_": "time"},
    "e_mail": {"type_": "email", "placeholder": "you@example.org"} | FLAG["required"],
    "guests": {"type_": "number", "min": "2", "max": "9", "step": "1", "value": "2"},
    "phone": {"type_": "tel", "value": "+1 555"},
    "search": {"type_": "search", "naming": "placeholder"},
    "website": {"type_": "url", "naming": "aria-label"},
}
LISTS = {
    "size": {"selected": "Medium"},
    "colour": {"asking": "Choose one"},
    "sauces": FLAG["multiple"],
    "toppings": FLAG["multiple"] | {"selected": "Large"},
}
_OPTIONS = ("Small", "Medium", "Large", "Extra large", "As it comes")


def primitives() -> tuple[Primitive, ...]:
    def named(name: str, template: str, root, active: bool = True) -> Primitive:
        says = name.replace("_", " ")
        return Primitive(name, template, root, says if active else "", says if active else "")

    made = [named(name, "input", templates.text_input(name.replace("_", " "), **more)) for name, more in LINES.items()]
    made += [named(n, "multi-selection", templates.drop_down(n, _OPTIONS, **more)) for n, more in LISTS.items()]
    made += [named("news", "selection", templates.selection("news", **FLAG["checked"]))]
    made += [
        named("account", "input", templates.text_input("account", value="4711", **FLAG["readonly"]), False),
        named("coupon", "input", templates.text_input("coupon", **FLAG["disabled"]), False),
        named("plan", "multi-selection", templates.drop_down("plan", _OPTIONS, **FLAG["disabled"]), False),
    ]
    return tuple(made)


LIBRARY = PrimitiveLibrary(primitives(), published=False)


def every_one(place: int) -> SiteTask:
    """A site of all of them, whose fields have the values at a place of their lists."""
    design = SiteDesign.of_pairs(
        [(name, k % 2) for k, name in enumerate(LIBRARY.known) if name in LIBRARY.catalogue], 2, LIBRARY
    )
    places = {field: place % len(LIBRARY.value_lists[field]) for field in design.fields}
    task = SiteTask(design, library_profile(design, places))
    task.validate()
    return task


def library_profile(design: SiteDesign, places: dict[str, int]) -> tuple[tuple[str, str], ...]:
    return LIBRARY.profile(design.fields, places)


def test_what_is_asked_for_keeps_to_form_and_limits():
    assert LIBRARY.value_lists["guests"] == tuple("23456789")
    assert min(LIBRARY.value_lists["arrival"]) == "2027-05-01" and max(LIBRARY.value_lists["arrival"]) <= "2027-05-31"
    assert LIBRARY.known["colour"].options == _OPTIONS and LIBRARY.known["colour"].initial == "Choose one"
    firsts = {name: LIBRARY.known[name].initial for name in ("since", "phone", "size", "sauces", "toppings", "news")}
    assert firsts == {
        "since": "2020-02-29",
        "phone": "+1 555",
        "size": "Medium",
        "sauces": "",
        "toppings": "Large",
        "news": "true",
    }


def test_arrays_keep_to_the_specification():
    rng = np.random.default_rng(0)
    tasks = [*map(every_one, range(3)), *(drawn_task(LIBRARY, 2, 9, rng) for _ in range(20))]
    seen = play_in_lockstep(DomSimulation(4, HORIZON), tasks, lambda site, _: random_action(site, rng))
    assert min(seen[what] for what in ("type", "number", "date", "time", "email", "select", "check")) > 2
    plays = {}
    play_in_lockstep(
        DomSimulation(1, None), [every_one(1)], lambda site, _: next(plays.setdefault(id(site), every_use(site))), 500
    )


@pytest.mark.parametrize("events", ["script", pytest.param("input", marks=pytest.mark.slow)])
def test_backends_show_them_alike(events):
    tasks = [every_one(1), every_one(2)]
    assert play_both(tasks, expert_policy, events) == len(tasks)
    play_both(tasks, random_policy(3), events)


def test_trees_are_those_of_chromium(opened):  # noqa: F811
    assert_trees_agree(every_one(1), opened, at_every_step=True)


@pytest.mark.parametrize(
    ("root", "message"),
    [
        (templates.text_input("a", "date", value="2027-02-30"), "value of <input type='date'>"),
        (templates.text_input("a", "number", min="9", max="2"), "limits of <input>"),
        (templates.text_input("a", "number", disabled="yes"), "disabled of <input type='number'>"),
        (templates.text_input("a", min="1"), "min of <input type='text'>"),
        (templates.selection("a", readonly="readonly"), "readonly of <input type='checkbox'>"),
    ],
)
def test_states_that_no_such_control_has_are_refused(root, message):
    with pytest.raises(InvalidTaskError, match=message):
        check_own(Primitive("new", "input", root, "a", "a"))
