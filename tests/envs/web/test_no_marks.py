"""Nothing in a document tells which of its elements end the episode; what they do is known to a closure alone."""

import json
import re

import pytest

from procgen_bench.envs.web.page import site_document
from procgen_bench.tasks.sites import SiteDesign
from procgen_bench.tasks.sites.elements import Behaviour
from tests.tasks.sites.makers import filled

DESIGN = SiteDesign.from_text(
    "navbar carousel deck dealmedia footer forgotpassword city next_checkout\nnavbar state submit"
)
#: What a document holds after it was loaded: its markup, with scripts, and what hangs at its elements and the window.
HELD = """() => JSON.stringify([
  document.documentElement.outerHTML,
  [...document.querySelectorAll("*")].map(element => // those of lists are their options' numbers
    [...Object.keys(element), ...Object.keys(element.dataset)].filter(name => isNaN(name))),
  Object.keys(window).filter(name => !known.includes(name)),
  document.scripts.length,
])"""


@pytest.fixture
def held(by_hand):
    by_hand.show("<p>empty</p>")
    known = by_hand.page.evaluate("JSON.stringify(Object.keys(window))")
    by_hand.show(site_document(filled(DESIGN)))
    return json.loads(by_hand.page.evaluate(HELD.replace("known", known)))


def test_no_behaviour_stands_in_the_document(held):
    markup, own, names, num_scripts = held
    assert num_scripts == 0 and names == ["site"] and not any(own)
    body = re.sub(r' (class|role|type)="[^"]*"', "", markup[markup.index("<body") :])
    assert "behaviour" not in markup and "data-" not in body
    for behaviour in Behaviour:
        assert f'"{behaviour.name.lower()}"' not in body


def test_what_ends_and_what_does_not_look_alike(by_hand):
    """Buttons of one class differ by their texts alone, whatever they do."""
    by_hand.show(site_document(filled(DESIGN)))
    site = by_hand.page.evaluate("Object.keys(site)")
    assert site == ["act", "aim", "observe", "put", "used"]
    assert by_hand.page.evaluate("String(site.used(document.querySelector('footer a')).localName)") == "a"
    by_hand.page.locator("main:not([hidden]) a >> nth=8").click()
    assert by_hand.report()[2] == "ended"


def test_a_menu_says_whether_it_is_unfolded(by_hand):
    by_hand.show(site_document(filled(DESIGN)))
    menu = by_hand.page.get_by_role("button", name="Menu", expanded=False)
    assert menu.count() == 1
    menu.click()
    assert by_hand.page.get_by_role("button", name="Menu", expanded=True).count() == 1
