"""Other words, another look and decoys: what each part of a variation changes, and what it leaves alone."""

from dataclasses import replace
from itertools import combinations, product

import pytest

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.sites import CATALOGUE, SiteDesign, SiteTask, Variation
from procgen_bench.tasks.sites.elements import NO_BOX, Behaviour
from procgen_bench.tasks.sites.pages import num_elements, placed_elements
from procgen_bench.tasks.sites.primitive_check import check_primitive
from procgen_bench.tasks.sites.primitives import EVERY_PRIMITIVE, FIELDS, PRIMITIVES, primitives_in
from procgen_bench.tasks.sites.variation import CHOICES, Look
from procgen_bench.tasks.sites.wording import check_label_set, decoy_labels, label_set_names, wording
from tests.tasks.sites.makers import SPACE, filled, published_page
from tests.tasks.sites.test_pages import around, holds, overlap, visible

LOOKS = [Look(*parts) for parts in product(*(CHOICES[part] for part in Look._fields))]
DESIGN = SiteDesign.from_text("header city username state rememberme cabin numberofpeople submit")


MIXED = Variation(decoys="mixed")


def filled_with(number: int) -> SiteTask:
    """The design for another town each."""
    cities = SPACE.library.value_lists["city"]
    task = filled(DESIGN)
    return replace(task, profile=tuple((f, cities[number] if f == "city" else v) for f, v in task.profile))


def varied(**parts: str) -> SiteTask:
    task = replace(filled(DESIGN), variation=Variation(**parts))
    task.validate()
    return task


def elements(**parts: str) -> list:
    task = varied(**parts)
    return [placed.element for placed in placed_elements(task.pages[0])]


def texts(**parts: str) -> list[str]:
    return [part for e in elements(**parts) for part in (e.text, e.attribute("placeholder")) if part]


def test_there_are_72_looks_and_variations_are_places_among_choices():
    assert len(set(LOOKS)) == 72 and Variation().look == LOOKS[0]
    for look in LOOKS[::7]:
        variation = Variation(**look._asdict(), theme="dark")
        assert variation.look == look and Variation.of_places(variation.places) == variation


@pytest.mark.parametrize("look", LOOKS, ids=lambda look: "-".join(look))
def test_primitives_are_sound_in_every_look_and_mean_the_same(look):
    for name, primitive in primitives_in(look).items():
        check_primitive(primitive)
        published = EVERY_PRIMITIVE[name]
        for part in ("field", "options", "initial", "leaves", "submits", "active"):
            assert getattr(primitive, part) == getattr(published, part)
        behaviours = sorted(element.behaviour for element in primitive.root)
        assert [one for one in behaviours if one] == [one for one in sorted(e.behaviour for e in published.root) if one]


@pytest.mark.parametrize("look", LOOKS[::5], ids=lambda look: "-".join(look))
def test_nothing_that_is_seen_is_covered_in_any_look(look):
    placed = placed_elements(published_page(EVERY_PRIMITIVE, look))
    for one in placed[1:]:
        assert one.box == NO_BOX or holds(placed[one.parent].box, one.box), one.element
    seen = [i for i in visible(placed) if not placed[i].element.children or placed[i].element.behaviour]
    for one, other in combinations(seen, 2):
        if abs(placed[one].box.top - placed[other].box.top) < 100 and one not in around(placed, other):
            assert not overlap(placed[one].box, placed[other].box), (placed[one], placed[other])


def test_other_labels_share_no_word_order_with_the_published_ones():
    shown = {labels: set(texts(labels=labels)) for labels in CHOICES["labels"]}
    options = {"CA", "NY", "Economy", "First"}
    for one, other in combinations(shown.values(), 2):
        assert one & other == options
    assert "Municipality" in shown["held-out"] and "Town" in shown["familiar"]


def test_lines_are_named_the_way_that_is_asked_for():
    for naming in ("placeholder", "aria-label"):
        lines = [e for e in elements(naming=naming) if e.behaviour in (Behaviour.TYPE, Behaviour.NUMBER)]
        assert [line.attribute(naming) for line in lines] == ["City", "Username", "Number of passengers"]
    labels = [e.text for e in elements(naming="label") if e.tag == "label"]
    assert labels[:3] == ["City", "Username", "State"] and "Number of passengers" in labels


def test_labels_and_inputs_change_places():
    def order(**parts):
        return [e.tag for e in elements(**parts) if e.tag in ("label", "input", "select", "h6")]

    published, reversed_ = order(), order(order="reversed")
    assert " ".join(published) == "label input input select input label h6 input label input label label input"
    assert " ".join(reversed_) == "input label input select label input label input label input h6 input label"


def test_layouts_put_blocks_apart():
    tops = {
        layout: [placed.box.top for placed in placed_elements(varied(layout=layout).pages[0])][-1]
        for layout in CHOICES["layout"]
    }
    assert tops["airy"] - tops["plain"] == 7 * 16 and tops["plain"] - tops["dense"] == 7 * 6


@pytest.mark.parametrize("decoys", ["before", "after"])
def test_decoys_stand_beside_what_is_asked_for(decoys):
    task = varied(decoys=decoys)
    page = [primitive.name for primitive in task.pages[0]]
    asked = ("city", "username", "rememberme", "cabin", "numberofpeople")
    assert len(page) == len(DESIGN.pages[0]) + len(asked)
    for name in asked:
        assert page.index(f"decoy_{name}") - page.index(name) == (1 if decoys == "after" else -1)
    assert task.design == DESIGN and task.num_steps == filled(DESIGN).num_steps
    assert {"Billing city", "Recommended by", "Remind me", "Last cabin"} < set(texts(decoys=decoys))
    for name in asked:
        decoy, its = EVERY_PRIMITIVE[f"decoy_{name}"], EVERY_PRIMITIVE[name]
        assert decoy.decoy and not decoy.active and decoy.options == its.options and decoy.height == its.height


def test_decoys_stand_on_either_side_as_the_task_decides():
    orders = {
        tuple(one.name for one in replace(task, variation=MIXED).pages[0]) for task in map(filled_with, range(40))
    }
    assert len(orders) > 20
    assert varied(decoys="mixed").pages == varied(decoys="mixed").pages


@pytest.mark.parametrize(
    ("free", "naming", "decoys"), [(23, "label", "after"), (22, "label", "none"), (1, "published", "none")]
)
def test_a_full_page_is_varied_without_what_it_has_no_room_for(free, naming, decoys, monkeypatch):
    """Of the 23 elements more, labels are two and decoys 21."""
    task = filled(DESIGN)
    monkeypatch.setattr("procgen_bench.tasks.sites.task.MAX_ELEMENTS", num_elements(task.pages[0]) + free)
    changed = task.varied(Variation(naming="label", decoys="after", theme="dark"))
    changed.validate()
    assert changed.variation == Variation(naming=naming, decoys=decoys, theme="dark")


def test_decoys_are_no_part_of_designs():
    assert "decoy_city" not in PRIMITIVES and set(decoy_labels()) < set(CATALOGUE)
    with pytest.raises(InvalidTaskError, match="primitive 0 of page 0 is 'decoy_city'"):
        SiteDesign.from_text("decoy_city city submit")


def test_instructions_can_be_sentences():
    keys, sentences = varied().instruction, varied(instruction="sentences").instruction
    assert [value for _, value in keys] == [value for _, value in sentences]
    assert [key for key, _ in keys] == list(DESIGN.fields)
    assert dict(zip(DESIGN.fields, (begin for begin, _ in sentences)))["city"] == "The town they live in is"
    assert set(wording()["sentences"]) == set(FIELDS) and len(set(wording()["sentences"].values())) == len(FIELDS)


def test_held_out_words_are_held_out_and_others_are_not():
    suite = SPACE.suite("varied")
    marks = SPACE.suite_marks("varied") if hasattr(SPACE, "suite_marks") else None
    held_out, familiar = varied(labels="held-out"), varied(labels="familiar")
    of_suite = frozenset().union(*(SPACE.hold_out_marks(task) for task in suite)) if marks is None else marks
    assert SPACE.hold_out_marks(held_out) & of_suite and not SPACE.hold_out_marks(familiar) & of_suite


def test_text_round_trip():
    for parts in ({}, {"labels": "held-out"}, {"theme": "dark", "decoys": "before", "instruction": "sentences"}):
        task = varied(**parts)
        assert SiteTask.from_text(task.to_text()) == task
    assert varied(theme="dark").to_text().endswith("\n\ntheme: dark") and varied(theme="dark") != varied()


@pytest.mark.parametrize("part", CHOICES)
def test_a_variation_that_is_not_there_is_named(part):
    with pytest.raises(InvalidTaskError, match=f"variation {part} is 'odd', expected one of {CHOICES[part][0]}"):
        Variation(**{part: "odd"}).validate()


def test_a_label_set_without_a_synonym_is_named():
    with pytest.raises(InvalidTaskError, match="synonym of 'City' in the labels 'mine' is None, expected a text"):
        check_label_set("mine", {"Username": "Nick"}, ["Username", "City"])
    with pytest.raises(InvalidTaskError, match="synonym of 'City' in the labels 'mine' is ''"):
        check_label_set("mine", {"Username": "Nick", "City": ""}, ["Username", "City"])


def test_every_label_set_has_a_synonym_for_whatever_a_page_says():
    said = {primitive.label for primitive in EVERY_PRIMITIVE.values() if primitive.label} | set(decoy_labels().values())
    for name in label_set_names(wording()):
        check_label_set(name, wording()[name], sorted(said))
        assert not any(synonym == text for text, synonym in wording()[name].items())
