from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.sites import CATALOGUE
from procgen_bench.tasks.sites.elements import Behaviour, Box, Element
from procgen_bench.tasks.sites.invention import MARK, DomTemplate, invent_primitive, run_algorithm, variables_of
from procgen_bench.tasks.sites.primitive import Primitive
from procgen_bench.tasks.sites.primitive_check import check_primitive
from procgen_bench.tasks.sites.variable_templates import VARIABLE_TEMPLATES

EVERY = pytest.mark.parametrize("name", VARIABLE_TEMPLATES)
BOX = Box(0, 0, 10, 10)


def parts(element: Element) -> list[str]:
    return [element.text, *(value for _, value in element.attributes), *element.classes]


class Coins:
    """A generator that gives these numbers, one after the other, and remembers what was asked for."""

    def __init__(self, *numbers: int):
        self.numbers, self.asked = list(numbers), []

    def integers(self, bound: int) -> int:
        self.asked.append(bound)
        return self.numbers.pop(0)


def test_every_kind_of_the_catalogue_has_a_template():
    assert {template.kind for template in VARIABLE_TEMPLATES.values()} == {p.template for p in CATALOGUE.values()}


@EVERY
def test_templates_list_the_values_of_exactly_their_variables(name):
    template = VARIABLE_TEMPLATES[name]
    used = {variable for element in template.root for variable in variables_of(element)}
    assert used <= set(template.values) and used
    assert all(values and len(set(values)) == len(values) for values in template.values.values())
    assert not any(value.startswith(MARK) or not value for values in template.values.values() for value in values)
    assert template.label in ("", *used)


@EVERY
@settings(max_examples=25)
@given(st.integers(0, 2**32))
def test_invented_primitives_are_sound_and_of_their_template(name, seed):
    template = VARIABLE_TEMPLATES[name]
    primitive = invent_primitive(template, np.random.default_rng(seed), "new")
    check_primitive(primitive)
    assert primitive == invent_primitive(template, np.random.default_rng(seed), "new")
    assert (primitive.name, primitive.template, primitive.field) == ("new", template.kind, "new" * bool(template.label))
    assert not any(part.startswith(MARK) for element in primitive.root for part in parts(element))
    assert comes_from(primitive.root, template.root, template)


def comes_from(made: Element, source: Element, template: DomTemplate) -> bool:
    """Whether what is left stands where it stood, in the same order, its variables with a value of theirs or none."""
    varied = {"text": "", "attributes": (), "classes": (), "children": ()}
    values = {variable: {"", *template.values[variable]} for variable in variables_of(source)}
    found = dict(made.attributes)
    candidates = iter(source.children)
    return (
        replace(made, **varied) == replace(source, **varied)
        and made.text in values.get(source.text, {source.text})
        and all(found.get(name, "") in values.get(value, {value}) for name, value in source.attributes)
        and set(made.classes) <= set().union(*(values.get(name, {name}) for name in source.classes))
        and set(source.classes) - set(values) <= set(made.classes)
        and all(any(comes_from(child, candidate, template) for candidate in candidates) for child in made.children)
    )


def test_what_does_not_come_from_a_template_is_noticed():
    template = VARIABLE_TEMPLATES["label"]
    (title,) = template.root.children
    assert comes_from(replace(template.root, children=(replace(title, text="Your order"),)), template.root, template)
    assert not comes_from(replace(template.root, children=(replace(title, text="Other"),)), template.root, template)
    assert not comes_from(replace(template.root, children=(title, title)), template.root, template)


@EVERY
def test_many_different_ones_come_of_each_template(name):
    rng = np.random.default_rng(0)
    made = {invent_primitive(VARIABLE_TEMPLATES[name], rng, "new").root for _ in range(60)}
    assert len(made) >= 4


SMALL = DomTemplate(
    "input",
    Element(
        "div",
        BOX,
        children=(
            Element("label", BOX, text="{label}"),
            Element("p", BOX, ("{class}",), children=(Element("span", BOX, text="fixed"),)),
            Element("input", BOX, attributes=(("type", "text"), ("placeholder", "{hint}")), behaviour=Behaviour.TYPE),
        ),
    ),
    {"{label}": ("A", "B"), "{class}": ("big", "small"), "{hint}": ("x", "y", "z")},
    frozenset({Behaviour.TYPE}),
    "{label}",
)


@pytest.mark.parametrize(
    ("coins", "asked", "tags", "values"),
    [
        # Nobody removed, everything assigned: second label, first class, third hint.
        ((0, 0, 1, 1, 1, 0, 1, 2), (2, 2, 2, 2, 2, 2, 2, 3), "div label p span input", {"{label}": "B", "{hint}": "z"}),
        # The label removed, which leaves its variable without a coin; the paragraph has no value, and goes with all.
        ((1, 0, 0, 0), (2, 2, 2, 2), "div input", {}),
        # The paragraph removed with what is inside; the label without a value goes; the input stays without one.
        ((0, 1, 0, 0), (2, 2, 2, 2), "div input", {}),
        ((0, 1, 0, 1, 1), (2, 2, 2, 2, 3), "div input", {"{hint}": "y"}),
        ((0, 1, 1, 0, 0), (2, 2, 2, 2, 2), "div label input", {"{label}": "A"}),
    ],
)
def test_the_algorithm_s_coins(coins, asked, tags, values):
    rng = Coins(*coins)
    root, bound = run_algorithm(SMALL, rng)
    assert not rng.numbers and rng.asked == list(asked)
    assert " ".join(element.tag for element in root) == tags
    assert bound.items() >= values.items()
    shown = [part for element in root for part in parts(element)]
    assert all(value in shown for value in bound.values())


def test_coins_are_fair():
    rng = np.random.default_rng(0)
    made = [run_algorithm(SMALL, rng) for _ in range(4_000)]
    labelled = np.mean([any(element.tag == "label" for element in root) for root, _ in made])
    hinted = np.mean(["{hint}" in bound for _, bound in made])
    assert abs(labelled - 0.25) < 0.03 and abs(hinted - 0.5) < 0.03


def test_a_variable_has_one_value_wherever_it_is_assigned():
    rng = np.random.default_rng(1)
    for _ in range(50):
        primitive = invent_primitive(VARIABLE_TEMPLATES["multi-selection"], rng, "new")
        assert len(primitive.options) >= 2 and primitive.active


def test_it_is_drawn_again_until_it_is_sound():
    # No label, hence no text; then a label.
    rng = Coins(1, 1, 0, 0, 1, 1, 1, 0)
    assert invent_primitive(SMALL, rng, "new").label == "B"
    assert not rng.numbers


def button(**changes) -> Element:
    return replace(Element("button", BOX, text="Go", behaviour=Behaviour.TOGGLE, target="menu"), **changes)


def line(**changes) -> Element:
    return replace(Element("input", BOX, behaviour=Behaviour.TYPE), **changes)


def option(value: str) -> Element:
    return Element("input", BOX, attributes=(("value", value),), behaviour=Behaviour.CHOOSE)


def passive(*children: Element, **changes) -> Primitive:
    return Primitive("new", "label", replace(Element("div", BOX, text="Text", children=children), **changes))


def active(*children: Element) -> Primitive:
    return replace(passive(*children), field="new", label="New")


MENU = Element("ul", BOX, name="menu", children=(Element("li", BOX), Element("li", BOX, hidden=True)))


@pytest.mark.parametrize(
    "primitive",
    [
        passive(button(), MENU),
        passive(line()),
        active(line()),
        active(option("A"), Element("label", BOX, text="A"), option("B"), Element("label", BOX, text="B")),
    ],
)
def test_sound_ones_are_accepted(primitive):
    check_primitive(primitive)


@pytest.mark.parametrize(
    ("primitive", "part"),
    [
        (passive(tag="marquee"), "tag of primitive 'new' is 'marquee', expected one of a, button"),
        (
            passive(classes=("a", "b", "c", "d")),
            "classes of primitive 'new' is ('a', 'b', 'c', 'd'), expected at most 3",
        ),
        (passive(classes=("hidden",)), "expected at most 3, none that tells a state"),
        (passive(text=""), "text of primitive 'new' is '', expected some text to be seen"),
        (passive(button()), "elements named 'menu' of primitive 'new' is 0, expected one"),
        (passive(button(), MENU, MENU), "elements named 'menu' of primitive 'new' is 2, expected one"),
        (passive(*[Element("p", BOX)] * 245), "number of elements of primitive 'new' is 246, expected at most 245"),
        (active(), "number of elements to fill in of primitive 'new' is 0"),
        (active(line(), line()), "number of elements to fill in of primitive 'new' is 2"),
        (active(line(behaviour=Behaviour.SELECT)), "options of primitive 'new' is (), expected at least one"),
        (active(option("A"), Element("label", BOX, text="A")), "expected at least two different ones"),
        (active(option("A"), Element("label", BOX, text="B"), option("C"), Element("label", BOX, text="C")), "options"),
        (active(option("A"), option("B")), "each with its text behind it"),
        (replace(passive(), label="New"), "label of primitive 'new' is 'New', expected one for a field, and none with"),
        (replace(active(line()), label=""), "label of primitive 'new' is ''"),
    ],
)
def test_faulty_ones_are_refused(primitive, part):
    with pytest.raises(InvalidTaskError) as caught:
        check_primitive(primitive)
    assert part in str(caught.value)
