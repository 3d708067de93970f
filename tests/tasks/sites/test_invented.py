"""The two libraries of invented primitives, and the suite of those that are held out."""

from collections import Counter

import numpy as np

from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.tasks.sites import CATALOGUE, SiteTaskSpace
from procgen_bench.tasks.sites.design import DEFAULT_GATE, LAST_GATE
from procgen_bench.tasks.sites.invented_libraries import invent_libraries, look_alike_name
from procgen_bench.tasks.sites.invented_suite import GRADES, INVENTED_SEED
from procgen_bench.tasks.sites.libraries import library_of
from procgen_bench.tasks.sites.suites import invented_libraries
from procgen_bench.tasks.sites.vocabulary import words_of
from tests.tasks.sites.makers import SPACE

TRAINED, HELD_OUT = invented_libraries()


def test_libraries_are_drawn_by_their_seed():
    assert invent_libraries(np.random.default_rng(INVENTED_SEED)) == (TRAINED, HELD_OUT)


def test_no_two_primitives_are_alike_or_ask_under_one_label():
    every = [*TRAINED.own, *HELD_OUT.own]
    assert len(every) == len({one.content for one in every}) == len({one.root for one in every}) == 128
    asking = [one for one in every if one.active]
    assert len(asking) == len({one.field for one in asking}) == len({one.label for one in asking}) == 44
    for one in asking:
        shown = {part for e in one.root for part in (e.text, e.attribute("aria-label"))}
        assert one.label in shown and one.field not in CATALOGUE


def test_keys_are_other_words_than_what_pages_say():
    """No key shares a word with its label, and none is among what pages call that which nobody asks for."""
    every = [*TRAINED.own, *HELD_OUT.own]
    unasked = {" ".join(words_of(part)) for one in every if one.decoy for e in one.root for part in (e.text, *names(e))}
    for one in every:
        assert not set(words_of(one.field)) & set(words_of(one.label))
        assert not one.active or " ".join(words_of(one.field)) not in unasked


def names(element):
    return [value for name, value in element.attributes if name in ("aria-label", "placeholder")]


def test_beside_each_that_asks_stands_one_that_looks_the_same():
    for library in (TRAINED, HELD_OUT):
        for one in library.own:
            if not one.active:
                continue
            decoy = library.known[look_alike_name(one.name)]
            assert decoy.decoy and decoy.options == one.options and decoy.content != one.content
            differing = [(a.text, b.text) for a, b in zip(one.root, decoy.root) if a.text != b.text]
            assert all(old == one.label for old, _ in differing)
    for task in SPACE.suite("invented"):
        for page in task.design.pages:
            active = [name for name in page if task.design.known[name].active]
            assert all(look_alike_name(name) in page for name in active)
            assert sum(task.design.known[name].decoy for name in page) == len(active)


def test_both_have_as_many_of_every_template():
    counts = [Counter(one.template for one in library.own) for library in (TRAINED, HELD_OUT)]
    assert counts[0] == counts[1] and set(counts[0]) == {one.template for one in CATALOGUE.values()}
    assert library_of("invented") is TRAINED and len(TRAINED.catalogue) == 104 and len(HELD_OUT.catalogue) == 64


def test_the_suite_is_of_held_out_primitives_alone():
    suite = SPACE.suite("invented")
    asked = (sum(not one.decoy for one in task.design.primitives) for task in suite)
    sizes = zip(suite.records["num_pages"], asked)
    for (num_pages, placed), (pages, count) in zip((grade for grade in GRADES for _ in range(10)), sizes):
        assert pages == num_pages and placed <= count <= placed + num_pages
    used = {primitive for task in suite for primitive in task.design.primitives}
    gates = {CATALOGUE[DEFAULT_GATE], CATALOGUE[LAST_GATE]}
    assert used == {*HELD_OUT.own, *gates}


def test_training_draws_none_that_is_held_out():
    scored = get_benchmark("gminiwob/invented")
    space, rng, own = SiteTaskSpace(**scored.level_options), np.random.default_rng(0), set()
    for _ in range(30):
        task = space.decode(space.sample(rng))
        assert not scored.holds_out(task)
        own |= set(task.design.own)
    assert own == set(TRAINED.own)
    assert scored.holds_out(scored.draw(rng)) and scored.holds_out(scored.task_suite()["77"])
