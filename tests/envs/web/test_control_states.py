"""Controls with a state at first, that cannot be used, take several options, or texts of a form: all twins alike."""

import numpy as np
import pytest

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.envs.web.dom_simulation import DomSimulation
from procgen_bench.tasks.sites import HORIZON, PrimitiveLibrary, SiteDesign, SiteTask, templates
from procgen_bench.tasks.sites.own_check import check_own
from procgen_bench.tasks.sites.primitive import Primitive
from tests.envs.web.play import every_use, play_in_lockstep, random_action
from tests.envs.web.test_accessibility import assert_trees_agree, opened  # noqa: F401 (a fixture)
from tests.envs.web.test_lockstep import expert_policy, random_policy
from tests.envs.web.test_lockstep import play_in_lockstep as play_both
from tests.tasks.sites.own import drawn_task

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
