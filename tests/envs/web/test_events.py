"""Real input: what the browser takes for a person's, and what a person's hands come to in a page."""

import json

import pytest

from procgen_bench.core.errors import PageError
from procgen_bench.envs.web.browser_pages import use_pages
from procgen_bench.envs.web.gestures import gesture_calls
from procgen_bench.envs.web.page import site_document
from procgen_bench.tasks.sites import SiteDesign
from procgen_bench.tasks.sites.elements import Behaviour
from tests.tasks.sites.makers import filled
from tests.tasks.sites.reference_site import ReferenceSite

pytestmark = pytest.mark.usefixtures("running")

AIM = "([index, value]) => site.aim(index, value)"
#: Events of interest, as they come: kind, whether the browser made them, and the key.
LISTEN = """() => {
  window.heard = [];
  const kinds = ["mousemove", "mousedown", "mouseup", "click", "keydown", "keyup", "input", "change"];
  for (const kind of kinds) addEventListener(kind, e => heard.push([kind, e.isTrusted, e.key ?? ""]), true);
}"""

#: Chromium works out again what the pointer is over when it draws a frame, as a picture of the page makes it do.
HOVERED_IN_THE_NEXT_FRAME = """() => new Promise(tell => requestAnimationFrame(() => requestAnimationFrame(
  () => tell(document.querySelector(":hover") !== null))))"""


@pytest.fixture
def used(open_page):
    """used(design) -> a page of such a site in a low window, and use(index, value): what is heard of it."""

    def of(design: str):
        site, page = ReferenceSite(filled(SiteDesign.from_text(design))), open_page(width=480, height=100, deadline=30)
        assert page.load(site_document(site.task, guarded=False)) is None
        page.evaluate(LISTEN)

        def use(index: int, value: str):
            (answer,) = use_pages([(page, AIM, [[index, value]], "[heard.splice(0), site.observe()]")])
            return answer[0], json.loads(answer[1])[3]

        return page, site, use

    return of


def those(site: ReferenceSite, behaviour: Behaviour) -> list[int]:
    return [index for index, node in enumerate(site.nodes) if node.element.behaviour == behaviour]


def test_events_are_the_browsers_own(used):
    _, site, use = used("username state rememberme submit")
    (line,), (menu,), (box,) = (those(site, kind) for kind in (Behaviour.TYPE, Behaviour.SELECT, Behaviour.CHECK))
    click = ["mousemove", "mousedown", "mouseup", "click"]
    for index, value, kinds in (
        (line, "Ada", [*click, "keydown", "keyup", "input"]),
        (menu, "NY", ["mousemove", "mousedown", "change", "mouseup", "click", "input", "change", "click", "keyup"]),
        (box, "true", [*click[:3], "click", "input", "change"]),
    ):
        heard, answer = use(index, value)
        assert all(trusted for _, trusted, _ in heard)
        assert [kind for kind, _, _ in heard if kind != "mousemove"] == [k for k in kinds if k != "mousemove"]
        assert answer[index][4] == {"true": "checked"}.get(value, value) and answer[index][8]


def test_what_is_typed_takes_the_place_of_what_was_there(used):
    _, site, use = used("username numberofpeople submit")
    (line,), (number,) = those(site, Behaviour.TYPE), those(site, Behaviour.NUMBER)
    for value in ("Ada", "e\u0301 \U0001f468\u200d\U0001f469", "x" * 1000, ""):
        assert use(line, value)[1][line][4] == value
    for value, becomes in (("4", "4"), ("-1.5e3", "-1.5e3"), ("12 of 34", ""), ("+1", ""), ("", "")):
        assert use(number, value)[1][number][4] == becomes


def test_what_lies_below_the_window_is_scrolled_to(used):
    page, site, use = used("header carousel cart deck username submit")
    *_, line = those(site, Behaviour.TYPE)
    assert page.evaluate("scrollY") == 0
    assert use(line, "Ada")[1][line][4] == "Ada"
    assert page.evaluate("scrollY") > 500


def test_what_is_covered_is_not_used(used):
    page, site, use = used("username submit")
    (line,) = those(site, Behaviour.TYPE)
    cover = "const cover = document.createElement('div'); cover.style = 'position:fixed;inset:0'; document.body.append"
    page.evaluate(f"() => {{ {cover}(cover); }}")
    assert use(line, "Ada")[0] == []
    assert page.evaluate("site.observe()").startswith("[1,0,")


def test_the_pointer_leaves_the_page_after_each_use(used):
    page, site, use = used("username submit")
    use(those(site, Behaviour.TYPE)[0], "Ada")
    assert page.evaluate(HOVERED_IN_THE_NEXT_FRAME) is False


def test_gestures_that_there_are_not_are_refused(used):
    page, _, _ = used("username submit")
    with pytest.raises(PageError, match=r"the page wants the gesture \['wave'\], which there is not"):
        use_pages([(page, "() => [['wave']]", [None], "1")])
    assert page.evaluate("1") == 1
    for gesture in (["click", "here", 1], "click", ["pick", 0.5], ["write", None], [], None):
        with pytest.raises(PageError, match="which there is not"):
            gesture_calls(gesture)
