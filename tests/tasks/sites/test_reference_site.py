"""The reference model does what the specification says, example by example."""

import numpy as np
import pytest

from procgen_bench.tasks.sites import SiteDesign
from procgen_bench.tasks.sites.solver import solve
from tests.tasks.sites.makers import filled, sparse_tasks
from tests.tasks.sites.reference_site import NOWHERE, ReferenceSite

VALUE, BOX, FOCUS = 4, 7, 8


def site_of(text: str, **values: str) -> ReferenceSite:
    return ReferenceSite(filled(SiteDesign.from_text(text), **values))


def index_of(site: ReferenceSite, text: str = "", **attributes: str) -> int:
    """The element of the page with this text and these attributes."""
    (found,) = (
        index
        for index, node in enumerate(site.nodes)
        if node.element.text == text and all(node.element.attribute(name) == v for name, v in attributes.items())
    )
    return found


def snapshot(site: ReferenceSite) -> tuple:
    return site.page, site.num_right, site.records()


@pytest.mark.parametrize(
    ("action", "event"),
    [
        ((249, 0), "no such element"),
        ((11, 0), "no such element"),
        ((4, 1), "no such field"),
        ((4, 24), "no such field"),
        ((0, 0), "nothing to do"),
        ((3, 0), "nothing to do"),
        ((7, 0), "not visible"),
    ],
)
def test_actions_without_effect_cost_a_step(action, event):
    site = site_of("numberofpeople submit")
    before = snapshot(site)
    assert site.step(action) == (-0.05, False, False)
    assert site.event == event and snapshot(site) == before


def test_typing_makes_right_and_wrong():
    site = site_of("city state submit", city="Rome", state="Ohio")
    line = index_of(site, name="city")
    assert site.step((line, 0)) == (-0.05 + 0.5, False, False)
    assert site.records()[line][VALUE] == "Rome" and site.records()[line][FOCUS]
    assert site.step((line, 1)) == (-0.05 - 0.5, False, False)
    assert site.records()[line][VALUE] == "Ohio"
    assert site.step((line, 1)) == (-0.05 - 0.5, False, False), "a repetition, no change"
    assert site.step((line, 0)) == (-0.05 + 0.5, False, False)


def test_another_field_of_equal_value_is_right_too():
    site = site_of("city state submit", city="Rome", state="Rome")
    assert site.step((index_of(site, name="city"), 1))[0] == -0.05 + 0.5


def test_selecting_takes_an_option_or_does_nothing():
    site = site_of("city numberofpeople submit", city="5", numberofpeople="3")
    choice = next(index for index, node in enumerate(site.nodes) if node.element.tag == "select")
    before = snapshot(site)
    assert site.step((choice, 0)) == (-0.05, False, False)
    assert site.event == "no such option" and snapshot(site) == before
    assert site.step((choice, 1)) == (-0.05 + 0.5, False, False)
    assert site.records()[choice][VALUE] == "3" and site.records()[choice][FOCUS]


def test_checking_toggles_whatever_the_field():
    site = site_of("city rememberme submit")
    box = index_of(site, type="checkbox")
    rewards = [site.step((box, field))[0] for field in (0, 1, 0)]
    assert rewards == [-0.05 + 0.5, -0.05 - 0.5, -0.05 + 0.5]
    assert site.records()[box][VALUE] == "checked"


def test_choosing_moves_within_its_group():
    site = site_of("cabin cc submit", cabin="First", cc="Credit Card")
    economy, first, credit = (index_of(site, type="radio", value=v) for v in ("Economy", "First", "Credit Card"))
    rewards = [site.step((index, 0))[0] for index in (economy, credit, first, economy)]
    assert rewards == [-0.05, -0.05 + 0.5, -0.05 + 0.5, -0.05 - 0.5]
    assert [site.records()[index][VALUE] for index in (economy, first, credit)] == ["checked", "", "checked"]


def test_two_places_of_one_field_are_counted_apart():
    site = site_of("password verifypassword submit")
    lines = [index for index, node in enumerate(site.nodes) if node.element.tag == "input"]
    assert [site.step((line, 0))[0] for line in lines] == [-0.05 + 0.5] * 2
    assert site.step((index_of(site, "Place Order"), 0)) == (-0.05 + 1.0, True, True)


def test_leaving_keeps_what_was_right():
    site = site_of("city next_login\ncity submit next_login")
    site.step((index_of(site, name="city"), 0))
    assert site.step((index_of(site, "Login and Checkout"), 0)) == (-0.05, False, False)
    assert (site.page, site.num_right, site.focused) == (1, 1, None)
    assert site.records()[index_of(site, name="city")][VALUE] == ""
    stay = index_of(site, "Login and Checkout")
    assert site.step((stay, 0)) == (-0.05, False, False)
    assert site.page == 1 and site.records()[stay][1][-1] == "visited" and site.focused == stay
    assert site.step((index_of(site, "Place Order"), 0)) == (-0.05 - 1.0, True, False)


def test_sending_off_on_an_earlier_page():
    site = site_of("city next_login submit\nnavbar submit")
    site.step((index_of(site, name="city"), 0))
    assert site.step((index_of(site, "Place Order"), 0)) == (-0.05 + 1.0, True, True)


def test_the_twenty_fifth_step_is_another_end():
    site = site_of("city submit")
    rewards = [site.step((0, number % 2))[0] for number in range(25)]
    assert rewards == [-0.05] * 24 + [-0.05 - 1.0] and not site.terminated


def test_sending_off_at_the_twenty_fifth_step_counts():
    site = site_of("city submit")
    for number in range(23):
        site.step((0, number % 2))
    site.step((index_of(site, name="city"), 0))
    assert site.step((index_of(site, "Place Order"), 0)) == (-0.05 + 1.0, True, True)


def test_repetition_is_of_the_action_not_of_its_effect():
    site = ReferenceSite(filled(SiteDesign.from_text("city submit")), step_penalty=0.25, repeat_penalty=2.0)
    rewards = [site.step(action)[0] for action in ((249, 24), (249, 24), (249, 23), (249, 24))]
    assert rewards == [-0.25, -2.25, -0.25, -0.25]


def test_links_stay_visited():
    site = site_of("forgotpassword city submit")
    link = index_of(site, "Forgot your password?")
    site.step((link, 0))
    site.step((index_of(site, name="city"), 0))
    assert site.records()[link][1] == ("link", "visited") and not site.records()[link][FOCUS]


def test_menu_folds_with_all_inside():
    site = site_of("navbar city submit")
    fold, entry = index_of(site, "\u2261"), index_of(site, "Home")
    site.step((fold, 0))
    menu = site.nodes[entry].placed.parent - 1
    assert site.records()[menu][1] == ("menu", "hidden")
    assert site.records()[menu][BOX] == site.records()[entry][BOX] == NOWHERE
    assert site.records()[fold][FOCUS]
    site.step((entry, 0))
    assert site.event == "not visible" and site.records()[entry][1] == ("entry",)
    assert site.step((fold, 0))[0] == -0.05 and site.records()[entry][BOX] != NOWHERE


def test_good_taken_out_takes_the_focus_with_it():
    site = site_of("cart city submit")
    remove = next(index for index, node in enumerate(site.nodes) if node.element.text == "\u00d7")
    site.step((remove, 0))
    assert site.event == "toggle" and site.focused is None
    assert not site.nodes[remove].visible
    assert not any(record[FOCUS] for record in site.records())


def test_carousel_turns_both_ways_round():
    site = site_of("carousel city submit")
    forward, back = index_of(site, title="Next"), index_of(site, title="Previous")
    slides = [node for node in site.nodes if node.element.classes == ("slide",)]

    def shown() -> list[int]:
        return [place for place, slide in enumerate(slides) if slide.visible]

    seen = [shown()]
    for button in (*[forward] * 6, *[back] * 2):
        site.step((button, 0))
        seen.append(shown())
    assert seen == [[0], [1], [2], [3], [4], [0], [1], [0], [4]]


def test_records_are_of_the_whole_page():
    site = site_of("rememberme submit")
    tick = index_of(site, type="checkbox")
    assert site.records()[tick] == (
        "input", ("tick",), "", ("checkbox", "rememberme"), "", 3, 2, (24, 16, 20, 20), False,
    )  # fmt: skip
    assert [record[5:7] for record in site.records()] == [(0, -1), (1, 0), (2, 1), (3, 2), (3, 2), (2, 1)]


def test_random_play_meets_every_rule_and_never_gains():
    rng, events = np.random.default_rng(0), set()
    for task in sparse_tasks(300, seed=6):
        site, total = ReferenceSite(task), 0.0
        while not site.terminated and site.num_steps < 25:
            used = [
                i for i, node in enumerate(site.nodes) if node.element.behaviour and node.element.text != "Place Order"
            ]
            index = int(rng.choice(used)) if used and rng.random() < 0.9 else int(rng.integers(60))
            total += site.step((index, int(rng.integers(len(task.profile) + 1))))[0]
            assert 0 <= site.num_right <= task.design.num_active
            assert len([record for record in site.records() if record[FOCUS]]) == (site.focused is not None)
            events.add(site.event)
        assert total <= 2 - 0.05 * len(solve(task))
    assert events == {
        "type", "select", "no such option", "check", "choose", "visit", "toggle", "forward", "back", "leave",
        "leave the last page", "submit", "no such element", "no such field", "not visible", "nothing to do",
    }  # fmt: skip
