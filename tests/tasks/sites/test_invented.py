"""The two libraries of invented primitives, and the suite of those that are held out."""

from collections import Counter

import numpy as np

from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.tasks.sites import CATALOGUE, SiteTaskSpace
from procgen_bench.tasks.sites.design import DEFAULT_GATE, LAST_GATE
from procgen_bench.tasks.sites.invented_libraries import invent_libraries
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
    assert len(every) == len({one.content for one in every}) == len({one.root for one in every}) == 84
    asking = [one for one in every if one.active]
    assert len(asking) == len({one.field for one in asking}) == len({one.label for one in asking}) == 44
    for one in asking:
        shown = {part for e in one.root for part in (e.text, e.attribute("aria-label"))}
        assert one.label in shown and words_of(one.label) == words_of(one.field) and one.field not in CATALOGUE


def test_both_have_as_many_of_every_template():
    counts = [Counter(one.template for one in library.own) for library in (TRAINED, HELD_OUT)]
    assert counts[0] == counts[1] and set(counts[0]) == {one.template for one in CATALOGUE.values()}
    assert library_of("invented") is TRAINED and len(TRAINED.catalogue) == 82 and len(HELD_OUT.catalogue) == 42


def test_the_suite_is_of_held_out_primitives_alone():
    suite = SPACE.suite("invented")
    sizes = zip(suite.records["num_pages"], (len([*task.design.pairs]) for task in suite))
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
