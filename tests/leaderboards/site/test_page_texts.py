"""Texts and addresses from submitters, in a real Chromium: shown, never obeyed."""

import json
import xml.etree.ElementTree as ElementTree

import pytest

from procgen_bench.leaderboards.board import board as board_module
from procgen_bench.leaderboards.site.page import write_site
from procgen_bench.leaderboards.submission import folder as submission_folder_module
from procgen_bench.leaderboards.submission.metadata import Metadata, parse_metadata
from tests.leaderboards.site.browsing import SMALL_ENTRY, SMALL_TABLE, visit

pytestmark = pytest.mark.usefixtures("two_benchmarks")

#: Texts that would do harm in markup, an attribute, a script, a template, or by turning the text around.
ATTACKS = (
    "<script>window.hacked = 1</script>",
    "\"><img src=x onerror='window.hacked = 1'>",
    "' onmouseover='window.hacked = 1' x='",
    "</title></style></textarea></noscript><svg onload='window.hacked = 1'>",
    "{{ 7 * 191 }}{% raw %}",
    "&lt;b&gt; &#60;i&#62;",
    r"$\frac{1}{0}$ $",
    "\u202edesrever\u202c",
)


class Planted(Metadata):
    """Metadata that the schema would refuse, in a folder that is called as before."""

    folder: str

    @property
    def entry_name(self) -> str:
        return self.folder


@pytest.fixture
def planted(monkeypatch):
    """planted(**fields): from now on every entry's metadata have these values."""

    def plant(**fields):
        def parse(raw: bytes):
            honest = parse_metadata(raw)
            return Planted.model_construct(**{**dict(honest), **fields}, folder=honest.entry_name)

        for module in (board_module, submission_folder_module):
            monkeypatch.setattr(module, "parse_metadata", parse)

    return plant


def hostile_fields(text: str, link: str) -> dict:
    names = ("method", "authors", "command", "commit", "hardware", "notes")
    fields = {name: f"{name} {text}" for name in names}
    return {**fields, "link": link, "package_versions": {f"package {text}": f"version {text}"}}


@pytest.mark.parametrize(
    "attack", ["".join(ATTACKS), "W" * 10_000, *(pytest.param(attack, marks=pytest.mark.slow) for attack in ATTACKS)]
)
def test_hostile_texts_are_shown_as_texts(context, small_board, tmp_path, planted, attack):
    planted(**hostile_fields(attack, f'https://example.org/"><b>{attack}'))
    site = tmp_path / "site"
    write_site(small_board, site)
    text_fields = [text for text in hostile_fields(attack, "").values() if isinstance(text, str) and text]
    method = next((site / "methods").iterdir()) / "index.html"
    for path in (site / "index.html", site / SMALL_TABLE, site / SMALL_ENTRY, method):
        seen = visit(context, path)
        page = seen.page
        page.mouse.move(200, 200)
        for element in page.locator("main bdi").all()[:6]:
            element.hover(force=True)
        if page.locator(".peek-box").count():
            assert attack in page.locator(".peek-box p").text_content()
        page.wait_for_timeout(50)
        assert seen.complaints == [], path
        assert page.evaluate("window.hacked") is None
        assert page.locator("script").count() == 1
        assert page.locator("b, svg:not(.dots), [onmouseover], [onerror], [onload]").count() == 0
        assert page.evaluate("document.documentElement.scrollWidth") <= 1280, path
        shown = page.locator("main").text_content()
        assert f"method {attack}" in shown
        if path == site / SMALL_ENTRY:
            assert all(text in shown for text in (*text_fields, f"package {attack}", f"version {attack}"))
    for figure in site.rglob("*.svg"):
        assert not [element for element in ElementTree.parse(figure).iter() if element.tag.endswith("script")]
    (row, *_), *_ = [of_one["rows"] for of_one in json.loads((site / "board.json").read_text())["benchmarks"]]
    assert row["method"] == f"method {attack}" and row["authors"] == f"authors {attack}"


@pytest.mark.parametrize(
    "link", ["javascript:window.hacked=1", "data:text/html,<script>1</script>", "file:///etc/passwd"]
)
def test_only_web_addresses_become_links(context, small_board, tmp_path, planted, link):
    planted(link=link)
    write_site(small_board, tmp_path / "site")
    for path in (SMALL_TABLE, SMALL_ENTRY):
        page = visit(context, tmp_path / "site" / path).page
        assert link in page.locator("main").text_content()
        assert link not in page.evaluate("[...document.querySelectorAll('[href], [src]')].map(e => e.href ?? e.src)")


def test_web_addresses_are_links_that_tell_nothing(context, small_board, tmp_path, planted):
    planted(link="https://example.org/paper?a=1&b=2")
    write_site(small_board, tmp_path / "site")
    link = visit(context, tmp_path / "site" / SMALL_ENTRY).page.locator("a", has_text="example.org").first
    assert link.get_attribute("href") == "https://example.org/paper?a=1&b=2"
    assert "noopener" in link.get_attribute("rel").split()
