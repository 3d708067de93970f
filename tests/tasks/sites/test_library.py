"""Libraries of primitives of one's own: what they hold, how they are written down, and what is refused."""

import json
import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.sites import (
    CATALOGUE,
    PRIMITIVES,
    PrimitiveLibrary,
    SiteDesign,
    SiteTask,
    Variation,
    templates,
)
from procgen_bench.tasks.sites.elements import Behaviour, Box, Element
from procgen_bench.tasks.sites.library import PUBLISHED_LIBRARY, read_library
from procgen_bench.tasks.sites.petri_net import expert_sequence, petri_net
from procgen_bench.tasks.sites.petri_net_checks import check_net
from procgen_bench.tasks.sites.primitive import Primitive
from procgen_bench.tasks.sites.primitives import CATALOGUE_FIELDS
from procgen_bench.tasks.sites.profiles import value_lists
from tests.tasks.sites.own import SHOE_SIZE, drawn_task, invented_library
from tests.tasks.sites.test_solver import assert_solves

LIBRARY = invented_library()


def test_the_published_library_is_the_catalogue():
    assert PUBLISHED_LIBRARY.known == PRIMITIVES and PUBLISHED_LIBRARY.catalogue == CATALOGUE
    assert PUBLISHED_LIBRARY.fields == CATALOGUE_FIELDS and PUBLISHED_LIBRARY.value_lists == value_lists()


def test_own_primitives_stand_behind_the_published_ones_or_alone():
    assert list(LIBRARY.catalogue) == [*CATALOGUE, *(one.name for one in LIBRARY.own)]
    alone = invented_library(published=False)
    assert [*alone.catalogue.values()] == [*LIBRARY.own] and set(alone.known) == set(LIBRARY.known)
    assert alone != LIBRARY and alone.own == LIBRARY.own


def test_fields_have_values():
    library = PrimitiveLibrary((SHOE_SIZE,))
    assert library.fields == (*CATALOGUE_FIELDS, "shoe size")
    assert library.value_lists["shoe size"] == value_lists()["text"]
    for primitive in LIBRARY.own:
        if primitive.active and primitive.options:
            assert set(LIBRARY.value_lists[primitive.field]) == set(primitive.options)


def test_a_library_is_read_as_it_was_written(tmp_path):
    LIBRARY.write(tmp_path / "library.json")
    read = read_library(tmp_path / "library.json")
    assert read == LIBRARY and read.own == LIBRARY.own and repr(read.own[0]) == repr(LIBRARY.own[0])
    assert pickle.loads(pickle.dumps(LIBRARY)) == LIBRARY


def test_tasks_carry_their_primitives():
    """Through text and pickle; on their own, without the library."""
    rng = np.random.default_rng(1)
    for number in range(20):
        task = drawn_task(LIBRARY, 1 + number % 4, 12, rng)
        task.validate()
        assert SiteTask.from_text(task.to_text()) == task == pickle.loads(pickle.dumps(task))
        assert {one.name for one in task.design.own} == {name for name, _ in task.design.pairs} - set(PRIMITIVES)
        assert_solves(task)
        check_net(petri_net(task.design), expert_sequence(task.design))


def test_two_primitives_of_one_name_make_two_designs():
    other = replace(SHOE_SIZE, root=templates.text_input("Size of shoe"), label="Size of shoe")
    designs = [SiteDesign.of_pairs([("shoe_size", 0)], 1, PrimitiveLibrary((one,))) for one in (SHOE_SIZE, other)]
    assert designs[0].pages == designs[1].pages and designs[0] != designs[1]


def test_a_variation_moves_own_primitives_and_leaves_their_words():
    design = SiteDesign.of_pairs([("shoe_size", 0), ("city", 0)], 1, PrimitiveLibrary((SHOE_SIZE,)))
    task = SiteTask(design, (("city", "Rome"), ("shoe size", "44")), Variation(labels="held-out", layout="airy"))
    task.validate()
    own, city, _ = task.pages[0]
    assert own.root == SHOE_SIZE.root and own.gap == city.gap == 24 and city.label == "Municipality"


def test_pages_of_many_elements_take_no_more():
    """What has no room for a button is skipped, as what needs too many steps."""
    library = invented_library(200, seed=5)
    passive = [(one.name, 0) for one in library.own if not one.active]
    design = SiteDesign.of_pairs([("city", 0), *passive], 1, library)
    SiteTask(design, (("city", "Rome"),)).validate()
    assert 200 < sum(one.num_elements for one in design.primitives) + 5 <= 250


BAD = {
    "published": (replace(SHOE_SIZE, name="city"), "name of a primitive is 'city', expected 1 to 64 small letters"),
    "decoy": (replace(SHOE_SIZE, name="decoy_x"), "name of a primitive is 'decoy_x'"),
    "blank": (replace(SHOE_SIZE, name="shoe size"), "name of a primitive is 'shoe size'"),
    "template": (replace(SHOE_SIZE, template="form"), "template of primitive 'shoe_size' is 'form', expected one of"),
    "equals": (replace(SHOE_SIZE, field="a = b"), "field of primitive 'shoe_size' is 'a = b', expected no ="),
    "label": (replace(SHOE_SIZE, label=""), "label of primitive 'shoe_size' is ''"),
    "break": (replace(SHOE_SIZE, label="a\nb"), "label of primitive 'shoe_size' is 'a\\\\nb', expected one line"),
    "control": (replace(SHOE_SIZE, root=templates.heading("Shoe size")), "number of elements to fill in"),
    "options": (
        Primitive("city2", "multi-selection", templates.drop_down("City", ("A", "B")), "city", "City"),
        "options of primitive 'city2' is \\('A', 'B'\\), expected those of others that ask for 'city', any text",
    ),
}


@pytest.mark.parametrize("fault", BAD)
def test_what_cannot_stand_on_pages_is_named(fault):
    primitive, message = BAD[fault]
    with pytest.raises(InvalidTaskError, match=message):
        PrimitiveLibrary((primitive,))


def changed(**parts) -> Primitive:
    """The line of text, its ``input`` changed."""
    label, line = SHOE_SIZE.root.children
    return replace(SHOE_SIZE, root=replace(SHOE_SIZE.root, children=(label, replace(line, **parts))))


def covered_line() -> Primitive:
    """The line of text, and its label over it."""
    label, line = SHOE_SIZE.root.children
    return replace(SHOE_SIZE, root=replace(SHOE_SIZE.root, children=(line, replace(label, box=line.box))))


def in_a_low_box() -> Primitive:
    """The line of text, and an element around it that is lower."""
    around = Element("div", Box(24, 0, 432, 10), children=SHOE_SIZE.root.children)
    return replace(SHOE_SIZE, root=replace(SHOE_SIZE.root, children=(around,)))


def in_a_link() -> Primitive:
    """The line of text, all of it a link."""
    around = replace(SHOE_SIZE.root, tag="a", classes=("link",), behaviour=Behaviour.END)
    return replace(SHOE_SIZE, root=replace(SHOE_SIZE.root, children=(around,)))


BAD_ELEMENTS = {
    "tag": (changed(tag="script"), "tag of primitive 'shoe_size' is 'script'"),
    "main": (changed(tag="main"), "tag of primitive 'shoe_size' is 'main'"),
    "class": (changed(classes=("control", "wrap")), "class of <input> of primitive 'shoe_size' is 'wrap'"),
    "handler": (changed(attributes=(("onclick", "x"),)), "attribute of <input> of primitive 'shoe_size' is 'onclick'"),
    "source": (changed(attributes=(("src", "x"),)), "attribute of <input> of primitive 'shoe_size' is 'src'"),
    "type": (changed(attributes=(("type", "file"),)), "<input type='file'>'s behaviour"),
    "behaviour": (changed(behaviour=Behaviour.LEAVE), "<input type='text'>'s behaviour of primitive 'shoe_size'"),
    "box": (changed(box=Box(24, 26, 480, 36)), "box of <input> of primitive 'shoe_size'"),
    "below": (changed(box=Box(24, 60, 432, 36)), "box of <input> of primitive 'shoe_size'"),
    "covered": (covered_line(), "box of <label> of primitive 'shoe_size' is .*, expected one next to that of <input>"),
    "outside": (in_a_low_box(), "box of <label> of primitive 'shoe_size' is .*, expected one in <div>'s"),
    "nested": (in_a_link(), "use of <input> in <a> of primitive 'shoe_size' is 'type', expected none"),
    "text": (changed(text="x"), "content of <input> of primitive 'shoe_size' is 'x', expected nothing"),
    "nesting": (
        changed(tag="p", behaviour=Behaviour.NONE, attributes=(), children=(templates.link("a"),)),
        "<p> in <p>",
    ),
    "long": (changed(attributes=(("placeholder", "x" * 201),)), "expected one line of at most 200 characters"),
}


@pytest.mark.parametrize("fault", BAD_ELEMENTS)
def test_elements_that_both_backends_cannot_show_alike_are_named(fault):
    primitive, message = BAD_ELEMENTS[fault]
    with pytest.raises(InvalidTaskError, match=message):
        PrimitiveLibrary((primitive,))


def test_a_library_s_names_are_its_own_and_it_asks_for_something():
    with pytest.raises(InvalidTaskError, match="name of a primitive is 'shoe_size', expected each once"):
        PrimitiveLibrary((SHOE_SIZE, replace(SHOE_SIZE, label="Size")))
    heading = Primitive("hello", "label", templates.heading("Hello"))
    with pytest.raises(InvalidTaskError, match="library's active primitives is 0"):
        PrimitiveLibrary((heading,), published=False)


def library_text(**parts) -> str:
    return json.dumps(json.loads(PrimitiveLibrary((SHOE_SIZE,)).to_json()) | parts)


def told_primitive(**parts) -> str:
    known = json.loads(PrimitiveLibrary((SHOE_SIZE,)).to_json())["primitives"][0]
    return library_text(primitives=[known | parts])


BAD_FILES = {
    "empty": ("", "JSON"),
    "deep": ("[" * 100_000, "JSON"),
    "list": ("[]", "expected an object of format, primitives, published, version"),
    "version": (library_text(version=2), "of format 'procgen_bench primitives' and version 1"),
    "more": (library_text(script="x"), "expected an object of"),
    "primitives": (library_text(primitives={}), "library's primitives is {}, expected a list"),
    "key": (told_primitive(gap=3), "key of primitive is 'gap', expected one of name"),
    "name": (told_primitive(name=3), "primitive's name is 3, expected a text"),
    "box": (
        told_primitive(root={"tag": "p", "box": [0, 0, 1.5, 1]}),
        "box of root of 'shoe_size' is \\[0, 0, 1.5, 1\\]",
    ),
    "behaviour": (told_primitive(root={"tag": "p", "behaviour": "explode"}), "behaviour of root .* is 'explode'"),
    "children": (told_primitive(root={"tag": "p", "children": {}}), "children of root of 'shoe_size' is {}"),
    "hidden": (told_primitive(root={"tag": "p", "hidden": 1}), "hidden of root of 'shoe_size' is 1"),
}


@pytest.mark.parametrize("fault", BAD_FILES)
def test_what_is_no_library_s_file_is_named(fault, tmp_path):
    text, message = BAD_FILES[fault]
    (tmp_path / "library.json").write_text(text)
    with pytest.raises(InvalidTaskError, match=message) as caught:
        read_library(tmp_path / "library.json")
    assert len(str(caught.value)) < 600 and "\n" not in str(caught.value)


def test_a_file_that_is_not_there_is_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # of long names the end is left out
    with pytest.raises(InvalidTaskError, match=r"library's file is 'nowhere\.json', expected one that can be read"):
        read_library(Path("nowhere.json"))
