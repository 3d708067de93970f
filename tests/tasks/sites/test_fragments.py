"""Shown fragments as primitives: what their elements become, and where these stand. In Chromium: tests/envs/web."""

import pytest

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.sites.elements import NO_BOX, Behaviour
from procgen_bench.tasks.sites.fragments import primitives_of_fragment
from procgen_bench.tasks.sites.primitive import Primitive
from procgen_bench.tasks.sites.shown_fragment import FragmentError, ShownFragment, ShownNode, differences

#: Roles of tags in Chromium's accessibility tree.
ROLES = {"a": "link", "button": "button", "h1": "heading", "img": "image", "li": "listitem", "ul": "list"}


def node(tag: str, *inside: str | ShownNode, role: str = "", name: str = "", **attributes: str) -> ShownNode:
    """An element as Chromium shows it: a span stands in a line of text."""
    held = {"value": "", "type": attributes.get("type", "text"), "line": tag in ("a", "span", "input")}
    return ShownNode(tag, attributes, inside, held, role or ROLES.get(tag, ""), name)


def line(name: str, **more: str) -> ShownNode:
    return node("input", name=name, **{"role": "textbox", **more})


def primitive_of(*nodes: str | ShownNode, hints: str = "") -> Primitive:
    (primitive,), _ = primitives_of_fragment("new", ShownFragment(nodes, hints))
    return primitive


def tags(*nodes: str | ShownNode) -> str:
    return " ".join(element.tag for element in primitive_of(*nodes).root)


LINKS = node("ul", *(node("li", node("a", text, name=text)) for text in ("One", "Two")))


def test_tags_are_those_of_published_primitives():
    assert tags(node("h1", "Big"), node("section", node("span", "a"), " b ")) == "div h2 p"
    assert tags(node("ul", "loose", node("li", "kept"))) == "div ul li span li"
    assert tags(node("li", "no list", role="generic")) == "div"
    assert tags(node("textarea", role="textbox", name="Say")) == "div input"


def test_a_control_leaves_its_label():
    primitive = primitive_of(node("label", "Shoe size: ", line("Shoe size:", role="spinbutton", type="number")))
    around, label, control = (*primitive.root,)
    assert (around.tag, label.tag, label.text, control.behaviour) == ("div", "label", "Shoe size:", Behaviour.NUMBER)
    assert (primitive.label, primitive.field, primitive.template) == ("Shoe size", "shoe_size", "input")


def test_a_label_stays_on_its_side_of_the_control():
    primitive = primitive_of(line("Nick", id="n"), node("label", "Nick", **{"for": "n"}))
    assert [element.tag for element in primitive.root] == ["div", "input", "label"]


def test_fields_are_cut_by_their_labels():
    fields = [node("label", text, line(text)) for text in ("First", "Last")]
    primitives, _ = primitives_of_fragment("new", ShownFragment((node("h1", "Name"), *fields)))
    assert [(one.name, one.field) for one in primitives] == [("new_1", ""), ("new_2", "first"), ("new_3", "last")]


def test_elements_stand_below_each_other_or_in_a_line():
    up, left, right = primitive_of(node("p", "Up"), node("a", "left"), node("a", "right")).root.children
    assert up.box.top + up.box.height <= left.box.top == right.box.top
    assert left.box.left + left.box.width < right.box.left and NO_BOX not in (up.box, left.box, right.box)
    wide = primitive_of(node("a", "x" * 40), node("a", "y" * 40)).root.children
    assert wide[1].box.top > wide[0].box.top


@pytest.mark.parametrize(
    ("shown", "hints", "kind"),
    [
        (LINKS, "", "navigation bar"),
        (LINKS, "site-footer", "footer"),
        (LINKS, "carousel", "carousel"),
        (node("div", node("img", name="Lamp"), node("img", name="Mug")), "", "deck"),
        ("Hello", "", "label"),
        ("Hello", "menu", "label"),
        (node("a", "Go"), "", "link"),
        (node("input", "Go", role="button", type="submit", name="Go"), "", "button"),
    ],
)
def test_kinds_are_those_of_tags_and_names(shown, hints, kind):
    assert primitive_of(shown, hints=hints).template == kind


def test_long_texts_go_on_in_the_next_line():
    root = primitive_of(node("p", "one\ntwo\u2028three " + "x" * 99)).root
    assert [element.text for element in root if element.text] == ["one two three", "x" * 54, "x" * 45]


@pytest.mark.parametrize(
    ("nodes", "error", "message"),
    [
        ([], FragmentError, "nothing to be seen"),
        ([node("input", role="slider", type="range")], FragmentError, "an input of type 'range'"),
        ([line("\u202e")], FragmentError, "expected one with a word"),
        ([line("")], FragmentError, "nothing says what the line asks for"),
        ([node("a", "Go", line("x"))], InvalidTaskError, "use of <input> in <a>"),
        ([line("City"), line("City")], FragmentError, "'city' is asked for twice"),
    ],
)
def test_what_is_no_primitive_is_named(nodes, error, message):
    with pytest.raises(error, match=message):
        primitives_of_fragment("new", ShownFragment(tuple(nodes)))


def test_what_differs_is_said_but_blanks_do_not_count():
    one = ShownFragment(("Send", node("span", "it"), node("button", name="Go"))).shown
    assert differences(one, ("Sendit", one[-1])) == []
    assert differences(one, ("Send it",)) == ["button 'Go' would be nothing"]
    assert differences(one, ("Send", one[-1])) == ["the text 'Send it' would be the text 'Send'"]
