"""The document of a site: self-contained, closed to the network and to foreign script, legible, escaped."""

import json
import re

import pytest

from procgen_bench.envs.web.page import site_document
from procgen_bench.tasks.sites import SiteDesign
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
