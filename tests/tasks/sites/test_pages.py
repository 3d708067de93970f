from itertools import combinations, pairwise

import pytest
from hypothesis import given, settings

from procgen_bench.tasks.sites import CATALOGUE, PRIMITIVES
from procgen_bench.tasks.sites.elements import NO_BOX, Behaviour
from procgen_bench.tasks.sites.pages import (
    MAX_ELEMENTS,
    PAGE_TAGS,
    PlacedElement,
    num_elements,
    page_height,
    placed_elements,
)
from procgen_bench.tasks.sites.primitive_check import check_primitive
from procgen_bench.tasks.sites.primitives import FIELDS
from procgen_bench.tasks.sites.templates import PAGE_WIDTH
from tests.tasks.sites.makers import designs, published_page

MAX_PIXELS = 32_767
EVERYTHING = tuple(PRIMITIVES.values())
#: Elements around the blocks of a page.
AROUND = len(PAGE_TAGS)

#: Primitives one by one, and all of them below each other.
PAGES = pytest.mark.parametrize(
    "page",
    [*[(one,) for one in EVERYTHING], tuple(CATALOGUE.values()), EVERYTHING],
    ids=[*PRIMITIVES, "catalogue", "all"],
)


def overlap(one: tuple, other: tuple) -> bool:
    return (
        one[0] < other[0] + other[2]
        and other[0] < one[0] + one[2]
        and one[1] < other[1] + other[3]
        and other[1] < one[1] + one[3]
    )


def holds(outer: tuple, inner: tuple) -> bool:
    return (
        outer[0] <= inner[0]
        and outer[1] <= inner[1]
        and inner[0] + inner[2] <= outer[0] + outer[2]
        and inner[1] + inner[3] <= outer[1] + outer[3]
    )


def around(elements: list[PlacedElement], index: int) -> list[int]:
    """The elements around one, itself included."""
    chain = [index]
    while elements[chain[-1]].parent >= 0:
        chain.append(elements[chain[-1]].parent)
    return chain


def visible(elements: list[PlacedElement]) -> list[int]:
    return [
        index
        for index, placed in enumerate(elements)
        if placed.box != NO_BOX and not any(elements[one].element.hidden for one in around(elements, index))
    ]


@PAGES
def test_children_lie_inside_their_parents_and_all_on_the_page(page):
    elements = placed_elements(page)
    assert elements[0].box == (0, 0, PAGE_WIDTH, page_height(page))
    for placed in elements[1:]:
        if placed.element.tag == "option":
            assert placed.box == NO_BOX and elements[placed.parent].element.tag == "select"
        else:
            assert placed.box.width > 0 and placed.box.height > 0
            assert holds(elements[placed.parent].box, placed.box), placed.element


@PAGES
def test_nothing_a_person_sees_or_uses_is_covered(page):
    """Elements that show something or can be used overlap none but those around them."""
    elements = placed_elements(page)
    used = [
        index
        for index in visible(elements)
        if not [child for child in elements[index].element.children if child.tag != "option"]
        or elements[index].element.behaviour != Behaviour.NONE
    ]
    for one, other in combinations(used, 2):
        if one not in around(elements, other):
            assert not overlap(elements[one].box, elements[other].box), (elements[one], elements[other])


@PAGES
def test_visible_siblings_do_not_overlap(page):
    elements = placed_elements(page)
    for one, other in combinations(visible(elements), 2):
        if elements[one].parent != elements[other].parent:
            continue
        # The carousel's arrows lie over the frame of its slides, beside what is in it.
        classes = {elements[one].element.classes[:1], elements[other].element.classes[:1]}
        if ("slides",) not in classes:
            assert not overlap(elements[one].box, elements[other].box), (elements[one], elements[other])


@settings(max_examples=50)
@given(designs())
def test_pages_are_trees_in_the_document_s_order(design):
    for page in map(published_page, design.pages):
        elements = placed_elements(page)
        assert len(elements) <= MAX_ELEMENTS and page_height(page) <= MAX_PIXELS
        assert [placed.parent for placed in elements[:AROUND]] == list(range(-1, AROUND - 1))
        for index, placed in enumerate(elements[AROUND:], start=AROUND):
            assert placed.depth == len(around(elements, index)) - 1
            root_of_block = placed.parent == AROUND - 1
            assert root_of_block == (placed.element is page[placed.block].root)
            # What was before it and is not around it is closed.
            assert placed.parent in around(elements, index - 1)
        for index, placed in enumerate(elements):
            inside = [one for one in range(len(elements)) if one != index and index in around(elements, one)]
            assert inside == list(range(index + 1, index + 1 + len(inside)))
            if index >= AROUND:
                assert len(inside) + 1 == len(placed.element)


def test_blocks_follow_each_other_without_overlap():
    tops = [placed.box for placed in placed_elements(EVERYTHING) if placed.parent == AROUND - 1]
    assert len(tops) == len(EVERYTHING)
    for above, below in pairwise(tops):
        assert above.top + above.height <= below.top


def test_the_largest_pages_fit():
    catalogue = tuple(CATALOGUE.values())
    assert len(placed_elements(catalogue)) == num_elements(catalogue) == 247 <= MAX_ELEMENTS
    assert page_height(EVERYTHING) <= MAX_PIXELS


@pytest.mark.parametrize("name", PRIMITIVES)
def test_primitives_are_sound(name):
    check_primitive(PRIMITIVES[name])
    assert PRIMITIVES[name].name == name


def test_there_are_forty_of_twelve_templates():
    assert len(CATALOGUE) == 40 and list(CATALOGUE) == sorted(CATALOGUE)
    assert sum(primitive.active for primitive in CATALOGUE.values()) == 24
    assert {primitive.template for primitive in CATALOGUE.values()} == {
        "input", "selection", "multi-selection", "label", "link", "button", "navigation bar", "carousel", "cart",
        "deck", "media", "footer",
    }  # fmt: skip


#: What pages show for each primitive, in the order of the document (facts of the published catalogue).
TEXTS = {
    "username": ["Username"],
    "password": ["Password"],
    "rememberme": ["Remember me"],
    "stayloggedin": ["Stay logged in"],
    "captcha": ["Enter Captcha"],
    "firstname": ["First Name"],
    "lastname": ["Last Name"],
    "addressline1": ["Address"],
    "addressline2": ["Apt #"],
    "city": ["City"],
    "zipcode": ["ZIP Code"],
    "state": ["CA", "NY"],
    "fullname": ["Full Name"],
    "ccnumber": ["Credit card number"],
    "ccexpdate": ["Expiration date"],
    "cccvv": ["CVV"],
    "departureairport": ["From"],
    "destinationairport": ["To"],
    "departuredate": ["Depart"],
    "destinationdate": ["Return"],
    "numberofpeople": ["Number of passengers"],
    "cabin": ["Cabin", "Economy", "First"],
    "flighttype": ["Oneway", "Roundtrip"],
    "cc": ["Payment", "Credit Card", "Debit Card"],
    "forgotusername": ["Forgot user name."],
    "forgotpassword": ["Forgot password."],
    "header_login": ["Login"],
    "header": ["Shipping Information"],
    "next_login_page": ["Login"],
    "next_login": ["Login and Checkout"],
    "next_checkout": ["Checkout"],
    "submit": ["Place Order"],
}
#: Of those that show more, what of it is published.
PARTS = {
    "navbar": ["Home", "Login", "Account", "Cart", "Checkout"],
    "cart": ["Shoe", "Bag", "Tshirt", "Promo code", "Redeem"],
    "footer": ["Contact", "Terms", "Support", "Full Site"],
    "dealmedia": ["Deal of the Day", "Get it today!"],
}


def shown_texts(name: str) -> list[str]:
    return [part for e in PRIMITIVES[name].root for part in (e.text, e.attribute("placeholder")) if part]


@pytest.mark.parametrize("name", TEXTS)
def test_labels_are_the_published_ones(name):
    assert shown_texts(name) == TEXTS[name]


@pytest.mark.parametrize("name", PARTS)
def test_parts_are_the_published_ones(name):
    assert [text for text in shown_texts(name) if text in PARTS[name]] == PARTS[name]


def test_no_page_shows_a_key_of_the_instruction():
    shown = {text for name in PRIMITIVES for text in shown_texts(name)}
    assert shown.isdisjoint(FIELDS)
    assert all(dict(element.attributes).keys() <= {"type", "value", "placeholder", "title", "alt", "aria-label"}
               for name in PRIMITIVES for element in PRIMITIVES[name].root)  # fmt: skip


@pytest.mark.parametrize("name", ["username", "password", "addressline2", "state"])
def test_some_have_no_label(name):
    assert not [element for element in PRIMITIVES[name].root if element.tag == "label"]


def test_people_are_a_number_from_1_to_5():
    (line,) = (element for element in PRIMITIVES["numberofpeople"].root if element.tag == "input")
    assert line.attribute("type") == "number" and line.behaviour == Behaviour.NUMBER
    assert PRIMITIVES["numberofpeople"].options == ("1", "2", "3", "4", "5")


#: Elements that end the episode, of those that do something, by what they are in: facts of the published pages.
ENDING = {"navbar": (5, 6), "carousel": (2, 2), "cart": (4, 5), "deck": (4, 4), "dealmedia": (1, 1), "footer": (4, 4),
          "forgotusername": (1, 1), "forgotpassword": (1, 1)}  # fmt: skip


@pytest.mark.parametrize("name", CATALOGUE)
def test_distractions_end_the_episode_and_nothing_else_does(name):
    used = [element.behaviour for element in PRIMITIVES[name].root if element.behaviour != Behaviour.NONE]
    assert (used.count(Behaviour.END), len(used)) == ENDING.get(name, (0, len(used)))


def test_carousel_has_five_slides_and_deck_four_cards():
    assert sum(element.classes == ("slide",) for element in PRIMITIVES["carousel"].root) == 5
    assert sum(element.classes == ("card",) for element in PRIMITIVES["deck"].root) == 4
