"""Answers of pages: read as they are when they fit the site, and refused when no page of it could give them.

The accessibility tree beside the one that Chromium makes of the real page.
"""

import json
import re
from dataclasses import replace

import numpy as np
import pytest

from procgen_bench.envs.web.dom_simulation import DomSimulation
from procgen_bench.envs.web.page import site_document
from procgen_bench.envs.web.page_texts import PageWriter
from procgen_bench.envs.web.reading import NonsenseError, is_changed, read_answer, right_fields
from procgen_bench.envs.web.text_observations import shown_page
from procgen_bench.tasks.sites import CATALOGUE, SiteDesign, SiteTask, SiteTaskSpace, Variation
from procgen_bench.tasks.sites.solver import solve
from procgen_bench.tasks.sites.variation import NO_VARIATION
from tests.envs.web.play import hostile_task
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


#: What says nothing of itself, or is Chromium's own.
_LEFT_OUT = ("RootWebArea", "InlineTextBox", "generic", "MenuListPopup", "none")
_LINES = ("textbox", "searchbox", "spinbutton", "Date", "InputTime")
_FLAGS = ("disabled", "readonly", "required", "multiselectable")
_NAMED_BY_CONTENT = ("button", "heading", "link", "option")
_EVERY_ONE = SiteDesign.of_pairs([(name, 0) for name in CATALOGUE], 1)
_WITHOUT_DECK = SiteDesign.of_pairs([(name, 0) for name in CATALOGUE if name not in ("deck", "dealmedia")], 1)


def tree_of_chromium(page) -> list[str]:
    """Its nodes with role, name, value and state, in order, as our lines have them without ids."""
    inspector = page.context.new_cdp_session(page)
    nodes = {node["nodeId"]: node for node in inspector.send("Accessibility.getFullAXTree")["nodes"]}
    lines: list[str] = []

    def collect(node, within: str) -> None:
        role = node["role"]["value"]
        if not node["ignored"] and role not in _LEFT_OUT and within not in _NAMED_BY_CONTENT:
            lines.append(_line(node, role))
        for child in node.get("childIds", []):
            if child in nodes and role not in _LINES:
                collect(nodes[child], within if within in _NAMED_BY_CONTENT else role)

    collect(next(iter(nodes.values())), "")
    return lines


def _line(node: dict, role: str) -> str:
    name = node.get("name", {}).get("value", "")
    value = node.get("value", {}).get("value", "")
    properties = {one["name"]: one["value"].get("value") for one in node.get("properties", [])}
    line = f"{role} {name!r}" + (f" value={str(value)!r}" if value else "")
    description = node.get("description", {}).get("value")
    if role != "option" and description:
        line += f", description={description!r}"
    limits = [name for name in ("valuemin", "valuemax") if role == "spinbutton" and properties.get(name)]
    line += "".join(f", {name}={format(properties[name], 'g')!r}" for name in limits)
    line += "".join(f", {name}=True" for name in _FLAGS if properties.get(name))
    if "checked" in properties and role in ("checkbox", "radio", "switch"):
        line += f", checked={properties['checked']!r}"
    if role == "button" and "expanded" in properties:
        line += f", expanded={properties['expanded']}"
    if role == "option" and properties.get("selected"):
        line += ", selected"
    if properties.get("focused"):
        line += ", focused"
    return line


@pytest.fixture(scope="module")
def opened(ordinary_browser):
    page = ordinary_browser.new_page()
    yield page
    page.close()


def slow(variation: Variation):
    """Looked at in the longer checks alone."""
    return pytest.param(variation, marks=pytest.mark.slow)


def tree_of_ours(simulation: DomSimulation) -> list[str]:
    tree = PageWriter().write(shown_page(simulation)).tree
    return [re.sub(r"^\t*(\[\d+\] )?", "", line) for line in tree.split("\n")]


@pytest.mark.parametrize(
    "variation",
    [
        NO_VARIATION,
        slow(Variation(labels="held-out", naming="label", order="reversed")),
        slow(Variation(labels="familiar", naming="placeholder", layout="dense")),
        Variation(naming="aria-label", order="reversed", theme="dark", decoys="after"),
    ],
    ids=["published", "labels", "placeholders", "aria-labels"],
)
def test_roles_names_and_states_are_those_of_chromium(variation, opened):
    design = _EVERY_ONE if variation == NO_VARIATION else _WITHOUT_DECK  # its longest labels are elements too many
    task = replace(hostile_task(design, 0), variation=variation)
    task.validate()
    assert_trees_agree(task, opened)


@pytest.mark.slow
@pytest.mark.parametrize("suite", ["test", "random", "varied", "invented"])
def test_all_pages_of_suites_are_told_as_chromium_tells_them(suite, opened):
    tasks = SiteTaskSpace().suite(suite).tasks
    for place in range(0, len(tasks), len(tasks) // 15):
        assert_trees_agree(tasks[place], opened, at_every_step=True)


def assert_trees_agree(task: SiteTask, opened, at_every_step: bool = False) -> None:
    """At first, and when the expert has done all but the last step; or after every step until then."""
    simulation, one_row = DomSimulation(1, None), np.ones(1, np.bool_)
    simulation.load(0, task)
    simulation.start(one_row, ~one_row)
    opened.goto("about:blank")  # the policy of the document before goes with it
    opened.set_content(site_document(task))
    values = [value for _, value in task.profile]
    assert tree_of_ours(simulation) == tree_of_chromium(opened)
    for element, field in solve(task)[:-1].tolist():
        simulation.step(np.array([[element, field]]), one_row)
        opened.evaluate("([element, value]) => site.act(element, value)", [element, values[field]])
        assert not at_every_step or tree_of_ours(simulation) == tree_of_chromium(opened), task.to_text()
    assert tree_of_ours(simulation) == tree_of_chromium(opened)
