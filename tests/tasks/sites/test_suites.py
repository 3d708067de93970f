import hashlib
from collections import Counter

import numpy as np
import pytest

from procgen_bench.core.errors import InvalidTaskError, UnknownNameError
from procgen_bench.tasks.sites import suites
from procgen_bench.tasks.sites.elements import TAKING_TEXT, Behaviour
from procgen_bench.tasks.sites.pages import placed_elements
from procgen_bench.tasks.sites.primitives import is_decoy
from procgen_bench.tasks.sites.published_sites import (
    GRADED_SITES,
    LEVELS,
    SITES,
    graded_design,
    miniwob_design,
    published_designs,
)
from procgen_bench.tasks.sites.suites import GRADES, ORDERED, PICTURES, PLACED, VARIED, random_arrays
from procgen_bench.tasks.sites.variation import CHOICES
from tests.tasks.sites.makers import SPACE, published_page

#: SHA-256 over the texts of all tasks: what their numbers stand for.
GOLDEN = {
    "test": "1547a4265e7280994f3a2b8c4d4abf1cdeccb3a73c0ea13d3bc116e53c067500",
    "random": "3238070a340b0a208a8483081b8979a2d747d6f37c051b14924885d5786f6caf",
    "varied": "3d23e351f00e16bcbeca83d59f97773fe7430f1971dc013f6a62cb2d0f794a5f",
    "ordered": "1b8ffafa3893c5d11b13d2670f6cefc13d7596fbe0e1171c8cad8909171222e9",
    "pictures": "8feda02d6afbf220a9f8444a58426cc071840409b8e60a27cc0eb641be39f424",
    "invented": "41328e2b07006aac4fb4bfbbad11d285b0ceeb2091a08bb12646b766ca7fda78",
}

#: Sites as the table gives them; each level holds all of the level before.
PUBLISHED = {
    "login-1": "username password submit",
    "login-2": "navbar username password rememberme submit",
    "login-3": "navbar username password rememberme stayloggedin forgotusername submit",
    "login-4": "navbar username password rememberme stayloggedin captcha forgotusername forgotpassword submit",
    "address-1": "firstname lastname submit",
    "address-2": "navbar firstname lastname addressline1 submit",
    "address-3": "navbar firstname lastname addressline1 addressline2 city submit",
    "address-4": "navbar firstname lastname addressline1 addressline2 city zipcode state submit",
    "payment-1": "navbar cc fullname footer submit",
    "payment-2": "navbar cc fullname ccnumber footer submit",
    "payment-3": "navbar cc fullname ccnumber ccexpdate footer submit",
    "payment-4": "navbar cc fullname ccnumber ccexpdate cccvv footer submit",
    "flight-1": "navbar departureairport destinationairport footer submit",
    "flight-2": "navbar departureairport destinationairport departuredate destinationdate footer submit",
    "flight-3": "navbar departureairport destinationairport departuredate destinationdate numberofpeople cabin footer "
    "submit",
    "flight-4": "navbar departureairport destinationairport departuredate destinationdate numberofpeople cabin "
    "flighttype footer submit",
    "shopping-1": "navbar next_login_page\nusername password next_login\nfirstname lastname submit",
    "shopping-4": "navbar inpgroup carousel dealmedia deck footer next_login_page\n"
    "navbar username password rememberme stayloggedin captcha forgotusername forgotpassword next_login\n"
    "navbar firstname lastname addressline1 addressline2 city zipcode state submit",
    "enter-password": "header_password password verifypassword submit",
    "enter-text": "entertext_0 submit",
}


@pytest.mark.parametrize("name", SPACE.suite_names)
def test_suite_is_whole(name):
    suite = SPACE.suite(name)
    assert (
        len(suite)
        == {"test": 460, "random": 500, "varied": 200, "ordered": 200, "pictures": 200, "invented": 150}[name]
    )
    assert len(set(suite.task_names)) == len(set(suite.tasks)) == len(suite)
    for place, task in enumerate(suite):
        task.validate()
        assert suite.records["num_fields"][place] == len(task.profile)
        assert suite.records["steps"][place] == task.num_steps <= task.design.num_steps
    assert all(record.dtype == np.int64 and record.shape == (len(suite),) for record in suite.records.values())


@pytest.mark.parametrize("name", SPACE.suite_names)
def test_tasks_are_the_published_ones(name):
    content = "\n\n".join(task.to_text() for task in SPACE.suite(name))
    assert hashlib.sha256(content.encode()).hexdigest() == GOLDEN[name]


def test_test_holds_every_site_level_and_profile():
    suite = SPACE.suite("test")
    expected = [f"{site}-{level}-{k}" for site in GRADED_SITES for level in range(1, 5) for k in range(20)]
    expected += [f"{site}-{k}" for site in ("enter-password", "enter-text", "enter-text-dynamic") for k in range(20)]
    assert list(suite.task_names) == expected
    for name, site, level in zip(suite.task_names, suite.records["site"], suite.records["level"]):
        assert name.startswith(SITES[site]) and (level == -1 if site >= 5 else f"-{level}-" in name)
    assert np.bincount(suite.records["site"]).tolist() == [80] * 5 + [20] * 3


@pytest.mark.parametrize("name", PUBLISHED)
def test_sites_are_the_published_ones(name):
    for number in range(20):
        assert SPACE.resolve(f"test/{name}-{number}").design.to_text() == PUBLISHED[name]


def test_each_level_holds_all_of_the_level_before():
    for site in GRADED_SITES:
        for level in range(1, 4):
            lower, higher = graded_design(site, level), graded_design(site, level + 1)
            for one, other in zip(lower.pages, higher.pages, strict=True):
                assert [name for name in other if name in one] == list(one) and len(other) > len(one)


def test_the_dynamic_text_moves_with_the_profile():
    suite = SPACE.suite("test")
    places = [suite[f"enter-text-dynamic-{number}"].design.pages[0][0] for number in range(20)]
    assert places == [f"entertext_{1 + number % 5}" for number in range(20)]


def test_profile_is_one_person_s_on_every_site():
    suite = SPACE.suite("test")
    for number in range(20):
        known = {}
        for site in ("login-4", "address-4", "payment-4", "flight-4", "shopping-4", "login-1"):
            for field, value in suite[f"{site}-{number}"].profile:
                assert known.setdefault(field, value) == value


#: Usable elements that end the episode, and all usable ones, at level 4 (facts of the published pages).
ENDING = {"login": (7, 14), "address": (5, 14), "payment": (9, 17), "flight": (9, 20), "shopping": (28, 48)}


@pytest.mark.parametrize("site", GRADED_SITES)
def test_as_many_elements_end_the_episode_as_published(site):
    pages = map(published_page, graded_design(site, 4).pages)
    behaviours = [placed.element.behaviour for page in pages for placed in placed_elements(page)]
    used = [behaviour for behaviour in behaviours if behaviour != Behaviour.NONE]
    assert (used.count(Behaviour.END), len(used)) == ENDING[site]


@pytest.mark.parametrize(("name", "choices"), [("varied", VARIED), ("ordered", ORDERED), ("pictures", PICTURES)])
def test_varied_is_every_site_in_words_that_are_held_out(name, choices):
    suite = SPACE.suite(name)
    assert list(suite.task_names) == [
        f"{site}-{level}-{k}" for site in GRADED_SITES for level in LEVELS for k in range(10)
    ]
    assert all(task.variation.held_out for task in suite)
    for part, drawn in (CHOICES | {"labels": ("held-out",)} | choices).items():
        counts = Counter(getattr(task.variation, part) for task in suite)
        assert set(counts) == set(drawn) and min(counts.values()) > 200 / len(drawn) / 2
    published = [graded_design(site, level) for site in GRADED_SITES for level in LEVELS for _ in range(10)]
    if name == "ordered":
        assert [task.design for task in suite] == published
    else:
        assert sum(task.design == design for task, design in zip(suite, published)) < 30


def test_varied_asks_in_every_order_that_a_form_allows():
    """Bars above, footers and buttons below; in between any order, and a decoy on either side of what it is for."""
    seen, sides = Counter(), Counter()
    for name, task in zip(SPACE.suite("varied").task_names, SPACE.suite("varied")):
        site, level, _ = name.rsplit("-", 2)
        for page, published in zip(task.design.pages, graded_design(site, int(level)).pages, strict=True):
            assert sorted(page) == sorted(published) and page[-1] == published[-1]
            for bound, place in (("navbar", 0), ("footer", -2)):
                assert bound not in page or page.index(bound) == place % len(page)
        if (site, level) == ("address", "1"):
            seen[task.design.pages[0]] += 1
        for page in task.pages:
            names = [primitive.name for primitive in page]
            decoys = [name for name in names if is_decoy(name)]
            sides.update(names.index(decoy) < names.index(decoy.removeprefix("decoy_")) for decoy in decoys)
    assert len(seen) == 2 and 0.45 < sides[True] / sides.total() < 0.55


def test_a_person_can_read_the_pictures():
    """Whatever is to be filled in with a text has a label that is seen, and nearer to it than to any other."""
    num_lines = 0
    for task in SPACE.suite("pictures"):
        for page in task.pages:
            placed = placed_elements(page)
            labels = [one for one in placed if one.element.tag == "label"]
            lines = [one for one in placed if one.element.behaviour in TAKING_TEXT]
            asked = [one for one in lines if page[one.block].active or page[one.block].decoy]
            for line in asked:
                (label,) = (one for one in labels if one.block == line.block)
                assert label.element.text.strip()
                assert min(lines, key=lambda other: abs(other.box.top - label.box.top)) is line
                between = [max(o.box.top - label.box.top - 20, label.box.top - o.box.top - 36) for o in lines]
                assert lines[between.index(min(between))] is line
            num_lines += len(asked)
    assert num_lines > 1000


def test_random_is_graded_and_held_out():
    suite = SPACE.suite("random")
    published = set(published_designs())
    assert len(published) == 27 and len({task.design for task in suite}) == 500
    for place, task in enumerate(suite):
        num_pages, count = GRADES[place // 10]
        assert task.design not in published
        assert len(task.design.pages) == suite.records["num_pages"][place] == num_pages
        assert count <= len(task.design.primitives) == suite.records["num_primitives"][place] <= count + num_pages
    assert GRADES[0] == (1, PLACED[0]) and len(GRADES) * 10 == 500


def test_random_leaves_out_what_methods_are_tested_on(monkeypatch):
    monkeypatch.setattr(suites, "GRADES", ((1, 4),))
    once = random_arrays(SPACE)
    first = SPACE.suite("random")["0"].design
    monkeypatch.setattr(suites, "published_designs", lambda: [first])
    again = random_arrays(SPACE)
    assert np.array_equal(again["primitives"][:9], once["primitives"][1:])
    assert not (again["primitives"] == once["primitives"][0]).all(axis=1).any()


def test_random_uses_every_primitive_and_most_values():
    suite = SPACE.suite("random")
    used = {name for task in suite for name, _ in task.design.pairs}
    assert len(used) == 40
    assert len({value for task in suite for field, value in task.profile if field == "city"}) > 55


def test_unknown_names():
    with pytest.raises(UnknownNameError, match="suite 'train'"):
        SPACE.suite("train")
    with pytest.raises(UnknownNameError, match="site 'enter-text'"):
        graded_design("enter-text", 1)
    with pytest.raises(UnknownNameError, match="site 'login'"):
        miniwob_design("login", 0)
    for level in (0, 5):
        with pytest.raises(InvalidTaskError, match=f"level is {level}, expected 1 to 4"):
            graded_design("login", level)
