"""Answers of pages: read as they are when they fit the site, and refused when no page of it could give them."""

import json

import pytest

from procgen_bench.envs.web.reading import NonsenseError, is_changed, read_answer, right_fields
from procgen_bench.tasks.sites import SiteDesign
from procgen_bench.tasks.sites.solver import solve
from tests.tasks.sites.makers import filled, uniform_tasks
from tests.tasks.sites.reference_site import ReferenceSite

TASK = filled(SiteDesign.from_text("navbar username cabin rememberme next_login\ncity submit"))
ACTIONS = ((0, 0), (1, 0))


def told_by(site: ReferenceSite) -> list:
    """What a page tells that is as the reference."""
    end = ("ended" if site.event == "end" else "sent") if site.terminated else ""
    return [site.num_steps, site.page, end, json.loads(json.dumps(site.records()))]


def answered(task, *actions):
    """A site after these actions, and its answer."""
    site = ReferenceSite(task)
    for action in actions:
        site.step(action)
    return site, told_by(site)


def test_a_page_is_read_as_it_is():
    for task in uniform_tasks(5, seed=0):
        site, actions, reading = ReferenceSite(task), [], None
        for action in solve(task).tolist():
            site.step(tuple(action))
            actions.append(tuple(action))
            reading = read_answer(json.dumps(told_by(site)), task, actions, reading)
            assert [tuple(record) for record in reading.records] == site.records()
            assert (reading.page, reading.end) == (site.page, "sent" if site.terminated else "")
            assert right_fields(reading, task) == list(site.right_on_page().values())
        assert reading.end


def test_records_of_unchanged_elements_are_taken_over():
    site, answer = answered(TASK)
    before = read_answer(json.dumps(answer), TASK, (), None)
    typed = next(index for index, node in enumerate(site.nodes) if node.element.attribute("placeholder") == "Username")
    site.step((typed, len(TASK.profile) - 1))
    after = read_answer(json.dumps(told_by(site)), TASK, ((typed, 3),), before)
    assert [k for k, (old, new) in enumerate(zip(before.records, after.records)) if old is not new] == [typed]


def _spoilt(path: list, value) -> str:
    _, answer = answered(TASK, *ACTIONS)
    *folders, last = path
    part = answer
    for folder in folders:
        part = part[folder]
    part[last] = value
    return json.dumps(answer)


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (None, "NoneType"),
        (5, "int"),
        ("<html>", "<html>"),
        ("[]", r"\[\]"),
        ("null", "null"),
        ('[2, 0, ""]', "not enough values"),
        ('[2, 0, "", 5]', "len"),
        ('[2, 0, "", [], 0]', "too many values"),
        ('[2, 0, "", []]', "page 0 has 0 elements instead of "),
        (_spoilt([0], 1), "1 actions were done instead of 2"),
        (_spoilt([0], "2"), "'2' actions were done instead of 2"),
        (_spoilt([1], 2), "out of range"),
        (_spoilt([1], -1), "page -1 is shown"),
        (_spoilt([1], True), "page True is shown"),
        (_spoilt([1], 0.0), r"page 0\.0 is shown"),
        (_spoilt([1], 1), "page 1 has "),
        (_spoilt([2], True), "the end is True"),
        (_spoilt([2], "over"), "the end is 'over'"),
        (_spoilt([3, 3], None), "NoneType"),
        (_spoilt([3, 3], []), "not enough values"),
        (_spoilt([3, 3, 0], "script"), "<script> stands where <div> belongs"),
        (_spoilt([3, 3, 5], 1), "stands where"),
        (_spoilt([3, 3, 6], 1), "stands where"),
        (_spoilt([3, 3, 1], ["brand", "a", "b", "c", "d"]), "has classes"),
        (_spoilt([3, 3, 1], [5]), "has classes"),
        (_spoilt([3, 3, 1], None), "NoneType"),
        (_spoilt([3, 3, 2], 5), "has classes"),
        (_spoilt([3, 3, 3], [None]), "has classes"),
        (_spoilt([3, 3, 4], True), "has classes"),
        (_spoilt([3, 3, 7], [1, 2, 3]), "has the box"),
        (_spoilt([3, 3, 7], [1.5, 2, 3, 4]), "has the box"),
        (_spoilt([3, 3, 7], [-1, 2, 3, 4]), "has the box"),
        (_spoilt([3, 3, 7], [1, 2, 3, 40_000]), "has the box"),
        (_spoilt([3, 3, 7], [True, 2, 3, 4]), "has the box"),
        (_spoilt([3, 3, 8], 1), "has the focus 1"),
    ],
)
def test_what_no_page_of_the_site_answers_is_refused(answer, problem):
    with pytest.raises(NonsenseError, match=problem):
        read_answer(answer, TASK, ACTIONS, None)


def test_a_page_does_not_jump():
    _, answer = answered(TASK, *ACTIONS)
    first = read_answer(json.dumps(answer), TASK, ACTIONS, None)
    later = first._replace(page=1)
    with pytest.raises(NonsenseError, match="page 0 is shown"):
        read_answer(json.dumps(answer), TASK, ACTIONS, later)


def test_a_page_is_changed_by_anything_but_the_focus():
    site, answer = answered(TASK)
    before = read_answer(json.dumps(answer), TASK, (), None)
    line = next(index for index, node in enumerate(site.nodes) if node.element.attribute("placeholder") == "Username")
    answer[3][line][8] = True
    focused = read_answer(json.dumps(answer), TASK, (), before)
    assert not is_changed(before, focused) and focused.records[line].active
    answer[3][line][4] = "Ada"
    typed = read_answer(json.dumps(answer), TASK, (), focused)
    assert is_changed(focused, typed) and is_changed(before, before._replace(page=1))
