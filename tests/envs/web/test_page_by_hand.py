"""Sites used by mouse and keyboard become what the same actions of an agent make of them."""

import pytest

from procgen_bench.envs.web.page import site_document
from procgen_bench.tasks.sites import SiteDesign
from procgen_bench.tasks.sites.elements import Behaviour
from tests.envs.web.play import HOSTILE, designs_of_all_primitives, every_use, hostile_task
from tests.tasks.sites.makers import filled
from tests.tasks.sites.reference_site import ReferenceSite

#: All elements of a document, and what a script that runs might leave behind.
TREE = """() => JSON.stringify([
  [...document.querySelectorAll("*")].map(element => element.cloneNode().outerHTML),
  document.title,
  Object.keys(window).length,
])"""


def use_by_mouse(by_hand, site: ReferenceSite, index: int, value: str) -> None:
    """Click on an element, and go on as a person does."""
    by_hand.click(index)
    continue_by_keyboard(by_hand, site, index, value)


def continue_by_keyboard(by_hand, site: ReferenceSite, index: int, value: str) -> None:
    keyboard = by_hand.page.keyboard
    match site.nodes[index].element.behaviour:
        case Behaviour.TYPE | Behaviour.NUMBER:
            keyboard.press("Control+a")
            keyboard.insert_text(value)
        case Behaviour.SELECT:
            keyboard.type(value)
            keyboard.press("Enter")


def use_by_keyboard(by_hand, site: ReferenceSite, index: int, value: str) -> None:
    """Move the focus to an element by Tab, among options to choose by the arrows, and press what works it."""
    keyboard, behaviour = by_hand.page.keyboard, site.nodes[index].element.behaviour
    stops = (
        [site.nodes.index(other) for other in site.group(site.nodes[index])]
        if behaviour == Behaviour.CHOOSE
        else [index]
    )
    for _ in range(len(site.nodes)):
        if focused(by_hand) in stops:
            break
        keyboard.press("Tab")
    for _ in stops[1:]:
        if focused(by_hand) != index:
            keyboard.press("ArrowDown")
    match behaviour:
        case Behaviour.CHECK | Behaviour.CHOOSE:
            keyboard.press("Space")
        case Behaviour.TYPE | Behaviour.NUMBER | Behaviour.SELECT:
            continue_by_keyboard(by_hand, site, index, value)
        case _:
            keyboard.press("Enter")
    assert focused(by_hand) in (index, None)


def focused(by_hand) -> int | None:
    """Index of the element with the focus."""
    return next((index for index, element in enumerate(by_hand.report()[3]) if element[8]), None)


def assert_equals(by_hand, site: ReferenceSite, place: str) -> None:
    num_actions, page, end, reported = by_hand.report()
    assert (num_actions, page, bool(end)) == (0, site.page, site.terminated), place
    expected = site.records()
    assert len(reported) == len(expected), place
    for index, (element, record) in enumerate(zip(reported, expected)):
        tag, classes, text, attributes, value, depth, parent, box, active = element
        found = (tag, tuple(classes), text, tuple(attributes), value, depth, parent, tuple(box), active)
        assert found == record, f"{place}: element {index}"


@pytest.mark.parametrize("use", [pytest.param(use_by_mouse, marks=pytest.mark.slow), use_by_keyboard])
@pytest.mark.parametrize("half", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_by_hand_a_site_becomes_what_an_agent_makes_of_it(by_hand, half, use):
    site = ReferenceSite(filled(designs_of_all_primitives()[half], 2))
    by_hand.show(site_document(site.task))
    for index, field in every_use(site):
        element, value = site.nodes[index].element, site.values[field]
        if not site.nodes[index].visible or (
            element.behaviour == Behaviour.CHOOSE and element.attribute("value") != value
        ):
            continue
        use(by_hand, site, index, site.values[field])
        site.step((index, field))
        assert_equals(by_hand, site, f"{site.event} on element {index} of page {site.page}")
    assert site.terminated and by_hand.requests == []


def test_a_click_on_a_label_works_its_control(by_hand):
    site = ReferenceSite(filled(SiteDesign.from_text("firstname cabin rememberme numberofpeople submit")))
    by_hand.show(site_document(site.task))
    labels = [index for index, node in enumerate(site.nodes) if node.element.tag == "label"]
    clicked = {}
    for index in labels:
        by_hand.click(index)
        reported = by_hand.report()[3]
        (active,) = (element for element in reported if element[8])
        clicked[site.nodes[index].element.text] = (active[0], active[3], active[4])
    assert clicked == {
        "First Name": ("input", ["text"], ""),
        "Economy": ("input", ["radio", "Economy"], "checked"),
        "First": ("input", ["radio", "First"], "checked"),
        "Remember me": ("input", ["checkbox"], "checked"),
        "Number of passengers": ("input", ["number"], ""),
    }


def test_enter_in_a_line_of_text_does_nothing(by_hand):
    site = ReferenceSite(filled(SiteDesign.from_text("username submit")))
    by_hand.show(site_document(site.task))
    by_hand.page.evaluate("window.mark = 'here still'")
    index = next(k for k, node in enumerate(site.nodes) if node.element.tag == "input")
    use_by_mouse(by_hand, site, index, site.values[0])
    by_hand.page.keyboard.press("Enter")
    site.step((index, 0))
    assert_equals(by_hand, site, "Enter")
    assert by_hand.page.evaluate("window.mark") == "here still" and by_hand.requests == []


def test_hostile_texts_that_are_pasted_stay_texts(by_hand):
    for place in range(0, len(HOSTILE), 2):
        site = ReferenceSite(hostile_task(SiteDesign.from_text("username password submit"), place))
        by_hand.show(site_document(site.task))
        tree = by_hand.page.evaluate(TREE)
        for index, node in enumerate(site.nodes):
            if node.element.behaviour == Behaviour.TYPE:
                field = site.task.design.fields.index(node.primitive.field)
                use_by_mouse(by_hand, site, index, site.values[field])
                site.step((index, field))
                assert_equals(by_hand, site, site.values[field])
        assert by_hand.page.evaluate(TREE) == tree and by_hand.requests == []


def test_a_site_that_was_sent_off_takes_nothing_more(by_hand):
    site = ReferenceSite(filled(SiteDesign.from_text("navbar username rememberme submit")))
    by_hand.show(site_document(site.task))
    submit = next(k for k, node in enumerate(site.nodes) if node.element.behaviour == Behaviour.SUBMIT)
    by_hand.click(submit)
    site.step((submit, 0))
    assert_equals(by_hand, site, "sent")
    for index, node in enumerate(site.nodes):
        if node.visible and node.element.behaviour != Behaviour.NONE:
            by_hand.click(index)
            by_hand.page.evaluate("index => site.act(index, 'late')", index)
    _, *rest, elements = by_hand.report()
    assert rest == [0, "sent"] and [element[4] for element in elements if element[4]] == []
    assert [element[1] for element in elements] == [list(record[1]) for record in site.records()]
