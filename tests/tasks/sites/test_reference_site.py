"""The reference model does what the specification says, example by example."""

import numpy as np
import pytest

from procgen_bench.tasks.sites import SiteDesign
from procgen_bench.tasks.sites.elements import Behaviour
from procgen_bench.tasks.sites.solver import solve
from tests.tasks.sites.makers import filled, sparse_tasks
from tests.tasks.sites.reference_site import NOWHERE, ReferenceSite

VALUE, BOX, FOCUS = 4, 7, 8


def site_of(text: str, **values: str) -> ReferenceSite:
    return ReferenceSite(filled(SiteDesign.from_text(text), **values), literal=True)


def index_of(site: ReferenceSite, text: str = "", **attributes: str) -> int:
    """The element of the page with this text and these attributes."""
    (found,) = (
        index
        for index, node in enumerate(site.nodes)
        if node.element.text == text
        and all(node.element.attribute(name.replace("_", "-")) == value for name, value in attributes.items())
    )
    return found


def lines_of(site: ReferenceSite) -> list[int]:
    """The lines of text of the page."""
    return [index for index, node in enumerate(site.nodes) if node.element.behaviour == Behaviour.TYPE]


def snapshot(site: ReferenceSite) -> tuple:
    return site.page, site.num_right, site.records()


#: Of a step that changes nothing, of one that does, and of an episode's end.
IDLE, STEP = -0.05 - 0.5, -0.05


@pytest.mark.parametrize(
    ("action", "event"),
    [
        ((249, 0), "no such element"),
        ((10, 0), "no such element"),
        ((7, 1), "no such field"),
        ((7, 24), "no such field"),
        ((0, 0), "nothing to do"),
        ((6, 0), "nothing to do"),
    ],
)
def test_actions_without_effect_cost_a_step_and_that_it_was_idle(action, event):
    site = site_of("numberofpeople submit")
    before = snapshot(site)
    assert site.step(action) == (IDLE, False, False)
    assert site.event == event and snapshot(site) == before


def test_typing_makes_right_and_wrong():
    site = site_of("city captcha submit", city="Rome", captcha="Ohio")
    line, other = lines_of(site)
    assert site.step((line, 1)) == (0.5 + STEP, False, False)
    assert site.records()[line][VALUE] == "Rome" and site.records()[line][FOCUS]
    assert site.step((line, 0)) == (-0.5 + STEP, False, False)
    assert site.records()[line][VALUE] == "Ohio"
    assert site.step((line, 0)) == (IDLE, False, False), "it is there already"
    assert site.step((other, 1)) == (STEP, False, False), "wrong, but a change"
    assert site.step((line, 1)) == (0.5 + STEP, False, False)


def test_a_repetition_that_changes_the_page_is_not_idle():
    site = site_of("rememberme city submit", rememberme="true")
    box = index_of(site, type="checkbox")
    assert [site.step((box, 0))[0] for _ in range(3)] == [0.5 + STEP, -0.5 + STEP, 0.5 + STEP]


def test_where_the_focus_is_makes_no_page_another():
    site = site_of("city captcha submit")
    first, second = lines_of(site)
    site.step((first, 1))
    site.step((second, 0))
    assert site.focused == second
    assert site.step((first, 1)) == (IDLE, False, False) and site.focused == first


def test_another_field_of_equal_value_is_right_too():
    site = site_of("city captcha submit", city="Rome", captcha="Rome")
    assert site.step((lines_of(site)[0], 0))[0] == 0.5 + STEP


def test_selecting_takes_an_option_or_does_nothing():
    site = site_of("city state submit", city="Texas", state="NY")
    choice = next(index for index, node in enumerate(site.nodes) if node.element.tag == "select")
    assert site.records()[choice][VALUE] == "CA", "the first of the list at first"
    before = snapshot(site)
    assert site.step((choice, 0)) == (IDLE, False, False)
    assert site.event == "no such option" and snapshot(site) == before
    assert site.step((choice, 1)) == (0.5 + STEP, False, False)
    assert site.records()[choice][VALUE] == "NY" and site.records()[choice][FOCUS]


def test_a_line_of_numbers_takes_numbers_alone():
    site = site_of("city zipcode numberofpeople submit", numberofpeople="3", zipcode="94043", city="Rome")
    line = next(index for index, node in enumerate(site.nodes) if node.element.attribute("type") == "number")
    fields = {field: number for number, field in enumerate(site.task.design.fields)}
    assert site.step((line, fields["city"])) == (IDLE, False, False)
    assert site.step((line, fields["zipcode"])) == (STEP, False, False) and site.records()[line][VALUE] == "94043"
    assert site.step((line, fields["numberofpeople"]))[0] == 1 / 3 + STEP
    assert site.step((line, fields["city"]))[0] == -1 / 3 + STEP and site.records()[line][VALUE] == ""


def test_checking_toggles_whatever_the_field():
    site = site_of("city rememberme submit", rememberme="true")
    box = index_of(site, type="checkbox")
    rewards = [site.step((box, field))[0] for field in (0, 1, 0)]
    assert rewards == [0.5 + STEP, -0.5 + STEP, 0.5 + STEP]
    assert site.records()[box][VALUE] == "checked"


def test_what_is_right_at_first_counts_from_the_beginning_and_pays_nothing():
    """Also on pages that are yet to come."""
    site = site_of("rememberme city next_login\nstate stayloggedin submit", rememberme="false", stayloggedin="true")
    assert site.num_right == 2
    assert site.step((lines_of(site)[0], 0))[0] == 1 / 4 + STEP
    assert site.step((index_of(site, type="checkbox"), 0))[0] == -1 / 4 + STEP
    assert site.step((index_of(site, "Login and Checkout"), 0)) == (STEP, False, False)
    assert site.num_right == 2
    assert site.step((index_of(site, type="checkbox"), 0))[0] == 1 / 4 + STEP


def test_an_option_takes_the_field_of_its_value_and_no_other():
    site = site_of("cabin cc city submit", cabin="First", cc="Credit Card", city="Economy")
    economy, first, credit = (index_of(site, type="radio", value=v) for v in ("Economy", "First", "Credit Card"))
    before = snapshot(site)
    assert [site.step((first, field)) for field in (1, 2)] == [(IDLE, False, False)] * 2
    assert site.event == "another option" and snapshot(site) == before
    rewards = [site.step(action)[0] for action in ((economy, 2), (credit, 1), (first, 0), (economy, 2), (economy, 2))]
    assert rewards == [STEP, 1 / 3 + STEP, 1 / 3 + STEP, -1 / 3 + STEP, IDLE]
    assert [site.records()[index][VALUE] for index in (economy, first, credit)] == ["checked", "", "checked"]


def test_two_places_of_one_field_are_counted_apart():
    site = site_of("password verifypassword submit")
    assert [site.step((line, 0))[0] for line in lines_of(site)] == [0.5 + STEP] * 2
    assert site.step((index_of(site, "Place Order"), 0)) == (1.0, True, True)


def test_leaving_needs_nothing_and_keeps_what_was_right():
    site = site_of("city captcha next_login\ncity submit next_login")
    site.step((lines_of(site)[0], 1))
    assert site.step((index_of(site, "Login and Checkout"), 0)) == (STEP, False, False)
    assert (site.page, site.num_right, site.focused) == (1, 1, None)
    assert site.records()[lines_of(site)[0]][VALUE] == ""
    stay = index_of(site, "Login and Checkout")
    assert site.step((stay, 0)) == (STEP, False, False)
    assert site.page == 1 and site.records()[stay][1][-1] == "visited" and site.focused == stay
    assert site.step((stay, 0)) == (IDLE, False, False)
    site.step((lines_of(site)[0], 1))
    assert site.step((index_of(site, "Place Order"), 0)) == (-1.0, True, False), "one field was lost on page 0"


def test_sending_off_before_the_last_page_does_nothing():
    site = site_of("city next_login submit\nnavbar submit")
    site.step((lines_of(site)[0], 0))
    assert site.step((index_of(site, "Place Order"), 0)) == (IDLE, False, False)
    assert site.event == "submit too early" and site.page == 0
    site.step((index_of(site, "Login and Checkout"), 0))
    assert site.step((index_of(site, "Place Order"), 0)) == (1.0, True, True)


@pytest.mark.parametrize(
    ("primitive", "text"),
    [
        ("navbar", "Home"),
        ("navbar", "Checkout"),
        ("deck", "Add to cart"),
        ("cart", "Redeem"),
        ("cart", "\u00d7"),
        ("footer", "Terms"),
        ("dealmedia", "Get it today!"),
        ("forgotusername", "Forgot user name."),
        ("forgotpassword", "Forgot password."),
        ("carousel", "Next"),
        ("carousel", "Previous"),
    ],
)
def test_distractions_end_the_episode_however_much_is_right(primitive, text):
    site = site_of(f"{primitive} city submit")
    site.step((lines_of(site)[-1], 0))
    assert site.num_right == 1
    if primitive == "navbar":
        site.step((index_of(site, aria_label="Menu"), 0))
    link = next(i for i, n in enumerate(site.nodes) if text in (n.element.text, n.element.attribute("aria-label")))
    assert site.step((link, 0)) == (-1.0, True, False) and site.event == "end" and site.focused == link


def test_the_search_button_is_no_distraction():
    site = site_of("inpgroup city submit")
    search = index_of(site, "Search")
    assert site.step((search, 0)) == (STEP, False, False) and site.records()[search][1][-1] == "visited"


def test_the_twenty_fifth_step_is_another_end():
    site = site_of("city submit")
    rewards = [site.step((0, number % 2))[0] for number in range(25)]
    assert rewards == [IDLE] * 24 + [-1.0] and not site.terminated


def test_the_twenty_fifth_step_pays_for_what_it_makes_right():
    site = site_of("city captcha submit")
    for _ in range(24):
        site.step((0, 0))
    assert site.step((lines_of(site)[0], 1))[0] == 0.5 - 1.0


def test_sending_off_at_the_twenty_fifth_step_counts():
    site = site_of("city submit")
    for number in range(23):
        site.step((0, number % 2))
    site.step((lines_of(site)[0], 0))
    assert site.step((index_of(site, "Place Order"), 0)) == (1.0, True, True)


def test_penalties_are_what_was_asked_for():
    site = ReferenceSite(filled(SiteDesign.from_text("city submit")), step_penalty=0.25, idle_penalty=2.0)
    (line,) = lines_of(site)
    assert [site.step(action)[0] for action in ((249, 24), (line, 0), (line, 0))] == [-2.25, 1 - 0.25, -2.25]


def test_filled_is_what_a_value_was_put_into_on_this_page():
    site = site_of("city rememberme cabin next_login\nstate submit", cabin="First", state="NY")
    (line,), box = lines_of(site), index_of(site, type="checkbox")
    economy = index_of(site, type="radio", value="Economy")
    for action in ((line, 1), (box, 0), (box, 0), (economy, 0), (economy, 1)):
        site.step(action)
    assert site.filled == {line, box}, "unchecked again, too; not what took nothing"
    site.step((index_of(site, "Login and Checkout"), 0))
    assert site.filled == set()


def test_new_is_what_was_not_shown_before_the_last_step():
    site = site_of("navbar city next_login\ncity submit")
    fold, entry = index_of(site, aria_label="Menu"), index_of(site, "Home")
    assert site.new == set(), "nothing at first"
    site.step((fold, 0))
    assert len(site.new) == 11 and entry in site.new
    site.step((lines_of(site)[0], 0))
    assert site.new == set()
    site.step((index_of(site, "Login and Checkout"), 0))
    assert site.new == site.shown() and len(site.new) == len(site.nodes)


def test_menu_is_folded_at_first_with_all_inside():
    site = site_of("navbar city submit")
    fold, entry = index_of(site, aria_label="Menu"), index_of(site, "Home")
    menu = site.nodes[entry].placed.parent - 1
    assert site.records()[menu][1] == ("menu", "hidden")
    assert site.records()[menu][BOX] == site.records()[entry][BOX] == NOWHERE
    assert site.step((entry, 0)) == (IDLE, False, False) and site.event == "not visible"
    assert site.step((fold, 0)) == (STEP, False, False) and site.records()[fold][FOCUS]
    assert site.records()[menu][1] == ("menu",) and site.records()[entry][BOX] != NOWHERE
    assert site.step((fold, 0)) == (STEP, False, False) and site.records()[entry][BOX] == NOWHERE


def test_records_are_of_the_whole_page():
    site = site_of("rememberme submit")
    tick = index_of(site, type="checkbox")
    assert site.records()[tick] == (
        "input", ("tick",), "", ("checkbox",), "", 6, 5, (24, 16, 20, 20), False,
    )  # fmt: skip
    around = [(depth, depth - 1) for depth in range(5)]
    assert [record[5:7] for record in site.records()] == [*around, (5, 4), (6, 5), (6, 5), (5, 4), (6, 8)]


def test_random_play_meets_every_rule_and_never_gains():
    rng, events = np.random.default_rng(0), set()
    for task in sparse_tasks(300, seed=6):
        site, total = ReferenceSite(task, literal=True), 0.0
        while not site.terminated and site.num_steps < 25:
            used = [
                i
                for i, node in enumerate(site.nodes)
                if node.element.behaviour and (node.element.behaviour < Behaviour.LEAVE or rng.random() < 0.1)
            ]
            index = int(rng.choice(used)) if used and rng.random() < 0.9 else int(rng.integers(60))
            total += site.step((index, int(rng.integers(len(task.profile) + 1))))[0]
            assert 0 <= site.num_right <= task.design.num_active
            assert len([record for record in site.records() if record[FOCUS]]) == (site.focused is not None)
            events.add(site.event)
        assert total <= 2 - 0.05 * (len(solve(task)) - 1)
    assert events == {
        "type", "number", "select", "no such option", "check", "choose", "another option", "visit", "toggle", "leave",
        "leave the last page", "submit", "submit too early", "end", "no such element", "no such field", "not visible",
        "nothing to do",
    }  # fmt: skip


def test_under_the_published_rule_a_box_is_clicked_by_yes_alone():
    site = ReferenceSite(filled(SiteDesign.from_text("rememberme username submit"), rememberme="true"))
    box, names = index_of(site, type="checkbox"), [name for name, _ in site.task.profile]
    assert site.step((box, names.index("username")))[0] == STEP and site.event == "visited box"
    assert site.step((box, names.index("rememberme")))[0] == 1 / 2 + STEP
