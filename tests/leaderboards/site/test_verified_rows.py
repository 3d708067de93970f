"""What pages tell of how rows were verified, and what they keep of a benchmark's former versions."""

import dataclasses
import json
import shutil

import pytest
from playwright.sync_api import Locator, Page

from procgen_bench.core.benchmarks import BENCHMARKS
from procgen_bench.leaderboards.board.board import read_entries
from procgen_bench.leaderboards.board.record import RECORD_FILE, FreshScore
from procgen_bench.leaderboards.board.verifier import own_verifier
from procgen_bench.leaderboards.site.page import write_site
from procgen_bench.leaderboards.verification.verification import Tier
from tests.leaderboards.site.browsing import SMALL_ENTRY, SMALL_TABLE, visit

pytestmark = pytest.mark.usefixtures("two_benchmarks")


@pytest.fixture
def found(small_board, target, tmp_path):
    """found(name, **fields) -> the board, on which the verifier has found this of an entry."""
    board = shutil.copytree(small_board, tmp_path / "board")
    entries = {entry.name: entry for entry in read_entries(target, board)}

    def sign(name: str, **fields):
        record = entries[name].record.model_copy(update=fields).signed(own_verifier())
        (entries[name].folder / RECORD_FILE).write_bytes(record.to_json())
        return board

    return sign


def words(element: Locator) -> str:
    """The text of an element, in one line."""
    return " ".join(element.inner_text().split())


def tiers(page: Page) -> dict[str, str]:
    """What the table says of how far each method is to be believed, in its order."""
    rows, heads = page.locator(".entries tbody tr").all(), page.locator(".entries thead th").all()
    place = 1 + [words(head) for head in heads].index("tier")
    return {words(row.locator("th")): words(row.locator(f"td:nth-child({place})")) for row in rows}


def test_a_re_run_row_shows_both_scores_and_their_gap(context, found, target, tmp_path):
    score = target.minimum  # of null
    fresh = FreshScore(score=score + 0.25, runs=[score, score + 0.5], episodes=50, seconds=1.5, secret="0" * 64)
    write_site(found("null", tier=Tier.RERUN, fresh=fresh), tmp_path / "site")
    page = visit(context, tmp_path / "site" / SMALL_TABLE).page
    assert tiers(page) == {"constant": "replayed", "null": "re-run"}
    shown = words(page.locator(".entries tbody tr", has_text="null").locator("td:nth-child(3)"))
    assert shown == f"{score + 0.25:.3f} +0.250"
    facts = words(visit(context, tmp_path / "site" / SMALL_ENTRY).page.locator("main"))
    assert f"{score + 0.25:.3f} +0.250 to the suite's" in facts
    assert f"50 fresh episodes of each run, played by the verifier in 1.500 s: {score:.3f}, {score + 0.5:.3f}" in facts
    (feed, _) = json.loads((tmp_path / "site" / "board.json").read_text())["benchmarks"]
    assert [row["fresh"] for row in feed["rows"]] == [None, {"value": pytest.approx(fresh.score), "interval": None}]


def test_rows_tell_what_was_verified_by_segments(context, found, tmp_path):
    write_site(found("null", by_segments=7), tmp_path / "site")
    page = visit(context, tmp_path / "site" / SMALL_TABLE).page
    assert tiers(page) == {"constant": "replayed", "null": "replayed 7 episodes by segments"}
    facts = words(visit(context, tmp_path / "site" / SMALL_ENTRY).page.locator("main"))
    assert "7 episodes of 100: their physics differed" in facts


def test_rows_of_a_former_version_are_kept_under_it(context, small_board, target, tmp_path, monkeypatch):
    monkeypatch.setitem(BENCHMARKS, target.id, dataclasses.replace(target, version=2))
    write_site(small_board, tmp_path / "site")
    seen = visit(context, tmp_path / "site" / SMALL_TABLE)
    page, archive = seen.page, seen.page.locator("details.archive")
    assert "version 2" in page.locator("h1").inner_text() and "No entries yet" in page.locator("main").inner_text()
    assert page.locator(".entries").count() == 0
    assert "2 entries of a former version" in archive.locator("summary").inner_text()
    assert not archive.locator("table").is_visible()
    archive.locator("summary").click()
    assert archive.locator("tbody td:first-child").all_inner_texts() == ["floor", "floor"]
    assert sorted(archive.locator("tbody th").all_inner_texts()) == ["constant", "null"]
    assert seen.complaints == []
    (feed, _) = json.loads((tmp_path / "site" / "board.json").read_text())["benchmarks"]
    (kept,) = feed["archive"]
    assert (feed["rows"], kept["version"], len(kept["rows"])) == ([], 1, 2)
