"""The task space over a library of one's own, and with variations that are drawn."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.sites import SiteTaskSpace, Variation
from procgen_bench.tasks.sites.design import HORIZON
from procgen_bench.tasks.sites.pages import MAX_ELEMENTS, num_elements
from procgen_bench.tasks.sites.variation import CHOICES
from tests.tasks.sites.makers import SPACE
from tests.tasks.sites.own import invented_library


@pytest.fixture(scope="module")
def varied_space():
    """Of 140 invented primitives, and all variations."""
    return SiteTaskSpace(invented_library(140, seed=3, published=False), "all")


def test_usual_options_are_the_usual_space(varied_space):
    assert SiteTaskSpace("published").space == SPACE.space and "variation" not in SPACE.space.spaces
    assert varied_space.space["primitives"].nvec.tolist() == [141] * 40
    assert varied_space.space["variation"].nvec.tolist() == [2, 4, 2, 3, 3, 2, 4]
    assert SiteTaskSpace(variations=["theme", "labels"]).space["variation"].nvec.tolist() == [2, 1, 1, 1, 3, 1, 1]


def test_of_what_is_sampled_nothing_is_cut(varied_space):
    """140 primitives are far more than a page has room for."""
    rng, full, varied = np.random.default_rng(4), 0, Counter()
    for _ in range(100):
        params = varied_space.sample(rng)
        params["pages"] %= params["num_pages"]
        task = varied_space.decode(params)
        task.validate()
        placed = {(int(k), int(page)) for k, page in zip(params["primitives"], params["pages"]) if k}
        own = [(name, page) for name, page in task.design.pairs if name in varied_space.library.catalogue]
        assert sorted(own) == sorted((list(varied_space.library.catalogue)[k - 1], page) for k, page in placed)
        assert task.design.num_steps <= HORIZON
        full += any(num_elements(page) > MAX_ELEMENTS - 60 for page in task.pages)
        varied.update(zip(CHOICES, vars(task.variation).values()))
        encoded = varied_space.encode(task)
        assert varied_space.space.contains(encoded) and varied_space.decode(encoded) == task
        assert varied_space.resolve(varied_space.plain(task)) == task
        neighbour = varied_space.mutate(task, rng)
        assert varied_space.decode(varied_space.encode(neighbour)) == neighbour
    assert full > 5 and ("labels", "held-out") not in varied
    assert len(varied) == sum(map(len, CHOICES.values())) - 1


def test_decoys_without_room_are_left_out():
    params = SiteTaskSpace(variations="decoys").sample(np.random.default_rng(0))
    params |= {"num_pages": np.array(1), "primitives": np.arange(1, 41), "variation": np.array([0] * 6 + [1])}
    task = SiteTaskSpace(variations="decoys").decode(params)
    task.validate()
    assert task.variation.decoys == "none" and len(task.design.pages[0]) == 40


def test_tasks_that_the_space_does_not_draw_have_no_parameters(varied_space):
    task = varied_space.decode(varied_space.sample(np.random.default_rng(5)))
    held_out = replace(task, variation=Variation(labels="held-out"))
    with pytest.raises(InvalidTaskError, match=r"variation is 'labels: held-out', expected .* to have parameters"):
        varied_space.encode(held_out)
    with pytest.raises(InvalidTaskError, match="expected one of the catalogue's 40, to have parameters"):
        SPACE.encode(replace(task, variation=Variation()))
    assert SPACE.resolve(SPACE.plain(held_out)) == held_out


def test_sites_with_primitives_that_are_held_out_are_held_out_by_whatever_name(varied_space):
    one, other = (varied_space.decode(varied_space.sample(np.random.default_rng(seed))) for seed in (6, 7))
    assert SPACE.hold_out_marks(one) & {own.content for own in one.design.own}
    renamed = replace(one.design.own[0], name="other")
    assert renamed != one.design.own[0] and renamed.content in SPACE.hold_out_marks(one)
    assert one.design.fingerprint() not in SPACE.hold_out_marks(other)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"library": "mine"}, "library is 'mine', expected a PrimitiveLibrary, a file NAME.json, or one of published"),
        ({"library": 3}, "library is 3"),
        ({"library": "nowhere.json"}, "library's file is 'nowhere.json', expected one that can be read"),
        ({"variations": "colour"}, "part of variations is 'colour', expected all, or one of labels, naming, order"),
        ({"variations": ("theme", 3)}, "part of variations is 3"),
    ],
)
def test_what_is_not_there_is_named(options, message):
    with pytest.raises(InvalidTaskError, match=message):
        SiteTaskSpace(**options)
