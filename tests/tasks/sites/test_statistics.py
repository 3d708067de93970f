import numpy as np
import pytest

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.sites import CATALOGUE, PRIMITIVES, SiteDesign
from procgen_bench.tasks.sites.pages import placed_elements
from tests.tasks.sites.makers import SPACE, published_page, uniform_tasks
from tests.tasks.sites.measures import MEASURES, difficulty, page_sizes, primitive_frequencies

TWO = [SiteDesign.from_text("city deck next_login\ncity state submit"), SiteDesign.from_text("navbar cc submit")]


def test_frequencies_of_two_designs():
    found = primitive_frequencies(iter(TWO))
    assert {name: count for name, count in found.counts.items() if count} == {
        "cc": 1, "city": 2, "deck": 1, "navbar": 1, "next_login": 1, "state": 1, "submit": 2,
    }  # fmt: skip
    assert list(found.counts) == list(PRIMITIVES)
    assert (found.active_per_design, found.passive_per_design) == (2.0, 2.5)
    assert (found.active_per_page, found.passive_per_page) == (4 / 3, 5 / 3)
    assert found.active_share == 4 / 9


def test_difficulty_of_two_designs():
    assert MEASURES == ("pages", "primitives", "active", "fields", "steps", "elements")
    rows = difficulty(TWO)
    assert rows.dtype == np.int64
    assert rows.tolist() == [[2, 6, 3, 2, 5, 5 + 3 + 41 + 2 + 5 + 3 + 4 + 2], [1, 3, 1, 1, 2, 5 + 18 + 9 + 2]]
    assert difficulty([]).shape == (0, 6)


def test_no_designs_have_no_frequencies():
    with pytest.raises(InvalidTaskError, match="designs is"):
        primitive_frequencies([])


def test_sizes_are_those_of_the_pages():
    for task in uniform_tasks(50, seed=4):
        assert page_sizes(task.design) == [len(placed_elements(published_page(page))) for page in task.design.pages]


def test_uniform_generator_draws_all_primitives_alike():
    designs = [task.design for task in uniform_tasks(600, seed=5)]
    found = primitive_frequencies(designs)
    passive = [found.counts[name] for name, one in CATALOGUE.items() if not one.active and not one.leaves | one.submits]
    assert max(passive) < 1.25 * min(passive) and 0.2 < found.active_share < 0.6
    assert found.counts["password"] > 0 == found.counts["verifypassword"]


def test_suites_grow_more_difficult():
    suite = SPACE.suite("test")
    elements = difficulty(task.design for task in suite)[:, MEASURES.index("elements")]
    for site in range(5):
        of_level = [
            set(elements[(suite.records["site"] == site) & (suite.records["level"] == level)]) for level in range(1, 5)
        ]
        assert all(len(one) == 1 for one in of_level)
        assert sorted(map(max, of_level)) == [max(one) for one in of_level]
