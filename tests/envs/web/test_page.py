"""The document of a site: self-contained, closed to the network and to foreign script, legible, escaped.

Records and texts of a page, of which only what has changed is made again: the same as if all were.
"""

import json
import re

import numpy as np
import pytest

from procgen_bench.envs.web.dom_simulation import DomSimulation
from procgen_bench.envs.web.page import site_document
from procgen_bench.envs.web.page_texts import PageWriter
from procgen_bench.envs.web.row_records import RowRecords
from procgen_bench.envs.web.shown_page import ShownPage, page_structure
from procgen_bench.envs.web.site_arrays import OWN_TEXT
from procgen_bench.tasks.sites import SiteDesign, SiteTaskSpace
from tests.envs.web.play import HOSTILE, designs_of_all_primitives, hostile_task
from tests.tasks.sites.makers import filled

TASK = filled(SiteDesign.from_text("navbar username password next_login\nrememberme submit"))

#: Texts that stand out of the boxes of their elements, by as many pixels as a browser may round away.
OVERFLOWING = """() => {
  const found = [];
  for (const main of document.querySelectorAll("main")) main.hidden = false;
  for (const element of document.querySelectorAll("main *")) {
    const box = element.getBoundingClientRect();
    for (const node of element.childNodes) {
      if (node.nodeType !== Node.TEXT_NODE || !element.checkVisibility() || element.tagName === "OPTION") continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      const text = range.getBoundingClientRect();
      const [across, down] = [box.width - text.width, box.height - text.height];
      const least = Math.min(text.left - box.left, text.top - box.top, across, down);
      if (least < -0.5) found.push([element.className, node.data, least]);
    }
  }
  return JSON.stringify([found, document.querySelectorAll("main *").length]);
}"""

#: For every label the control that it leads to, and the one nearest to it: above are lines, to the left ticks.
LABELS = """() => {
  const distance = (label, control) => {
    const [one, other] = [label.getBoundingClientRect(), control.getBoundingClientRect()];
    return Math.abs(one.top - other.top) + Math.abs(one.left - other.left);
  };
  for (const main of document.querySelectorAll("main")) main.hidden = false;
  return JSON.stringify([...document.querySelectorAll("label")].map(label => {
    const controls = [...label.closest("main").querySelectorAll("input, select")];
    const nearest = controls.reduce((a, b) => distance(label, a) <= distance(label, b) ? a : b);
    return [label.control?.id, nearest.id];
  }));
}"""

#: Ways out of a document, or into it; each gives what came of it.
ATTEMPTS = {
    "inline script": """() => {
      const script = document.createElement("script");
      script.textContent = "window.foreign = 1";
      document.head.append(script);
      return String(window.foreign);
    }""",
    "event attribute": """() => {
      document.body.setAttribute("onclick", "window.foreign = 1");
      document.body.click();
      return String(window.foreign);
    }""",
    "fetch": "async () => { try { await fetch('/other'); return 'answered' } catch (error) { return error.name } }",
    "picture": """() => new Promise(done => {
      const picture = new Image();
      picture.onload = () => done("loaded");
      picture.onerror = () => done("refused");
      picture.src = "/picture.png";
    })""",
    "style sheet": """() => new Promise(done => {
      const link = document.createElement("link");
      link.rel = "stylesheet";
      link.onload = () => done("loaded");
      link.onerror = () => done("refused");
      link.href = "/style.css";
      document.head.append(link);
    })""",
    "frame": """() => new Promise(done => {
      const frame = document.createElement("iframe");
      frame.src = "/frame.html";
      document.body.append(frame);
      setTimeout(() => done("waited"), 200);
    })""",
    "form": """() => new Promise(done => {
      const form = document.querySelector("form");
      form.action = "/form";
      form.submit();
      setTimeout(() => done("waited"), 200);
    })""",
}
REFUSED = {"inline script": "undefined", "event attribute": "undefined", "fetch": "TypeError"}


def test_the_profile_is_not_in_the_document():
    task = hostile_task(TASK.design, 3)
    assert site_document(task) == site_document(filled(TASK.design, 9))
    assert all(text not in site_document(task) for text in HOSTILE)


def test_addresses_in_the_document_are_those_of_names_and_data_alone():
    for design in designs_of_all_primitives():
        document = site_document(filled(design))
        assert not re.search(r"https?:(?!//www\.w3\.org/2000/svg)", document)
        assert set(re.findall(r"""(?:src|href)="(\w+:)""", document)) == {"data:"}


def test_the_title_is_escaped(running):
    title = "</title><script>window.foreign = 1</script>&amp;"
    assert running.load(site_document(TASK, title=title, guarded=False)) is None
    assert running.evaluate("[document.title, String(window.foreign)].join()") == f"{title},undefined"


def test_ids_are_unique_labels_lead_to_their_controls_and_texts_stay_in_their_boxes(running):
    for design in designs_of_all_primitives():
        document = site_document(filled(design), guarded=False)  # another one replaces it at once
        ids = re.findall(r' id="([^"]*)"', document)
        assert len(ids) == len(set(ids))
        assert running.load(document) is None
        labels = json.loads(running.evaluate(LABELS))
        assert labels and all(control == expected for control, expected in labels)
        overflowing, num_elements = json.loads(running.evaluate(OVERFLOWING))
        assert overflowing == [] and num_elements > 100


@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_nothing_leaves_or_enters_by_the_documents_own_policy(by_hand, attempt):
    """Outside the environments' browser, which refuses all requests anyway."""
    by_hand.show(site_document(TASK))
    assert by_hand.page.evaluate(ATTEMPTS[attempt]) in (REFUSED.get(attempt), "refused", "waited")
    assert by_hand.requests == []
    assert by_hand.report()[:3] == [0, 0, ""]


ROWS = np.ones(1, np.bool_)


def started(name: str) -> DomSimulation:
    simulation = DomSimulation(1, 25)
    simulation.load(0, SiteTaskSpace().resolve(f"test/{name}"))
    simulation.start(ROWS, ~ROWS)
    return simulation


def shown(simulation: DomSimulation) -> ShownPage:
    return ShownPage(page_structure(simulation.page(0)), simulation.records(0))


@pytest.mark.parametrize("name", ["login-4-0", "flight-4-0", "shopping-4-0"])
def test_changes_are_all_that_is_made_again(name):
    simulation, writer, rng = started(name), PageWriter(), np.random.default_rng(0)
    for step in range(300):
        if simulation.terminations[0] or simulation.truncations[0]:
            simulation.start(ROWS, ~ROWS)
        page = shown(simulation)
        states = simulation._seen.states[0, : len(page)]
        assert page.records == RowRecords(1).of(0, simulation.page(0), states, simulation._tables.texts)
        assert writer.write(page) == PageWriter().write(page) == simulation.texts()[0]
        usable = np.flatnonzero(simulation.element_masks[0])
        simulation.write(0, f"own {step}")
        field = OWN_TEXT if step % 3 == 0 else int(rng.integers(3))
        simulation.step(np.array([[rng.choice(usable), field]]), ROWS)


def test_what_stays_is_the_same_object():
    simulation = started("login-4-0")
    before = simulation.records(0)
    assert simulation.records(0) is before
    (line, *_) = [index for index, record in enumerate(before) if record.tag == "input"]
    simulation.step(np.array([[line, 0]]), ROWS)
    after = simulation.records(0)
    assert [index for index, (old, new) in enumerate(zip(before, after)) if old is not new] == [line]
    assert after[line].value and after[line].active


def test_numbers_that_get_other_texts_are_not_taken_for_the_same():
    simulation = started("login-4-0")
    (line, *_) = [index for index, record in enumerate(simulation.records(0)) if record.tag == "input"]
    held = []
    state = simulation.save_state()
    for text in ("one text of its own", "another text"):
        simulation.restore_state(state)
        simulation.write(0, text)
        simulation.step(np.array([[line, OWN_TEXT]]), ROWS)
        held.append(simulation.records(0)[line].value)
    assert held == ["one text of its own", "another text"]
