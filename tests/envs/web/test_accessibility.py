"""The accessibility tree beside the one that Chromium makes of the real page."""

import re
from dataclasses import replace

import numpy as np
import pytest

from procgen_bench.envs.web.dom_simulation import DomSimulation
from procgen_bench.envs.web.page import site_document
from procgen_bench.envs.web.page_texts import PageWriter
from procgen_bench.envs.web.text_observations import shown_page
from procgen_bench.tasks.sites import CATALOGUE, SiteDesign, SiteTask, SiteTaskSpace, Variation
from procgen_bench.tasks.sites.solver import solve
from procgen_bench.tasks.sites.variation import NO_VARIATION
from tests.envs.web.play import hostile_task

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
