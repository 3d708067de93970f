"""Parsed fragments as primitives: what their elements become, and where these stand. Parsing: tests/cli."""

import pytest

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.sites.elements import NO_BOX, Behaviour
from procgen_bench.tasks.sites.fragment_kinds import FragmentError
from procgen_bench.tasks.sites.fragments import primitive_of_fragment


def tags(nodes: list, hints: str = "") -> str:
    return " ".join(element.tag for element in primitive_of_fragment("new", nodes, hints)[0].root)


LINKS = [["ul", {}, [["li", {}, [["a", {"href": "/a"}, [text]]]] for text in ("One", "Two")]]]


def test_tags_are_those_of_published_primitives():
    assert tags([["h1", {}, ["Big"]], ["section", {}, [["strong", {}, ["a"]], " b "]]]) == "div h2 div span span"
    assert tags([["ul", {}, ["loose", ["li", {}, ["kept"]]]]]) == "div ul li span li"
    assert tags([["li", {}, ["no list"]]]) == "div"
    assert tags([["textarea", {"placeholder": "Say"}, []]]) == "div input"


def test_a_control_leaves_its_label():
    primitive, _ = primitive_of_fragment("new", [["label", {}, ["Shoe size: ", ["input", {"type": "number"}, []]]]])
    around, label, line = (*primitive.root,)
    assert (around.tag, label.text, line.behaviour) == ("div", "Shoe size:", Behaviour.NUMBER)
    assert (primitive.label, primitive.field, primitive.template) == ("Shoe size", "shoe_size", "input")


def test_elements_stand_below_each_other_or_in_a_line():
    primitive, _ = primitive_of_fragment("new", [["p", {}, ["Up"]], ["a", {}, ["left"]], ["a", {}, ["right"]]])
    up, left, right = primitive.root.children
    assert up.box.top + up.box.height <= left.box.top == right.box.top
    assert left.box.left + left.box.width < right.box.left and NO_BOX not in (up.box, left.box, right.box)
    wide, _ = primitive_of_fragment("new", [["a", {}, ["x" * 40]], ["a", {}, ["y" * 40]]])
    assert wide.root.children[1].box.top > wide.root.children[0].box.top


@pytest.mark.parametrize(
    ("nodes", "hints", "kind"),
    [
        (LINKS, "", "navigation bar"),
        (LINKS, "site-footer", "footer"),
        (LINKS, "carousel", "carousel"),
        ([["img", {}, []], "Lamp", ["img", {}, []], "Mug"], "", "deck"),
        (["Hello"], "", "label"),
        ([["a", {}, ["Go"]]], "", "link"),
        ([["input", {"type": "submit"}, []]], "", "button"),
    ],
)
def test_kinds_are_told_by_tags_and_names(nodes, hints, kind):
    assert primitive_of_fragment("new", nodes, hints)[0].template == kind


def test_long_and_broken_lines_are_mended():
    primitive, left_out = primitive_of_fragment("new", [["p", {}, ["one\ntwo\u2028three " + "x" * 99]]])
    (text,) = (element.text for element in primitive.root if element.text)
    assert text.startswith("one two three xxx") and len(text) == 60 and left_out == {"end of a long text": 1}


@pytest.mark.parametrize(
    ("nodes", "error", "message"),
    [
        ([], FragmentError, "nothing to be seen"),
        ([["input", {"type": "range"}, []]], FragmentError, "an input of type 'range'"),
        ([["label", {}, ["\u202e"]], ["input", {}, []]], FragmentError, "expected one with a word"),
        ([["a", {}, ["Go", ["input", {"title": "x"}, []]]]], InvalidTaskError, "use of <input> in <a>"),
    ],
)
def test_what_is_no_primitive_is_named(nodes, error, message):
    with pytest.raises(error, match=message):
        primitive_of_fragment("new", nodes)
