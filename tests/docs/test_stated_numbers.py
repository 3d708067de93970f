"""Numbers that documents state are those of the published board and of the committed runs."""

import json
import re

import pytest

from procgen_bench.leaderboards.board.board import published_board
from procgen_bench.leaderboards.board.stated import Documents
from procgen_bench.leaderboards.board.stated_charts import drawn
from procgen_bench.leaderboards.board.stated_numbers import Sources
from procgen_bench.leaderboards.errors import NoSuchRowError
from tests.architecture.checkout import CHECKOUT
from tests.docs.blocks import PAGES

BOARD, RESULTS = published_board(), CHECKOUT / "docs" / "results"
MARKED = re.compile(r"<!-- (?!slow|tested)[^\n]*? -->.*?<!-- end -->", re.DOTALL)
STATING = [page for page in PAGES if MARKED.search(page.read_text("utf-8"))]
FIRST = [CHECKOUT / "README.md", RESULTS / "index.md"]
UNIFORM = "apt-gen/grid-world-target-c/dqn-teacher-uniform-target-share-0.5-evaluation-episodes-1/100000"


@pytest.fixture(scope="module")
def documents():
    return Documents(BOARD, RESULTS)


@pytest.fixture
def written(documents, tmp_path):
    """What a document of this text becomes."""

    def rewritten(text):
        (tmp_path / "page.md").write_text(text)
        return documents.rewritten(tmp_path / "page.md")

    return rewritten


def test_the_first_pages_state_numbers():
    assert set(FIRST) <= set(STATING)


@pytest.mark.parametrize("page", STATING, ids=lambda page: page.name)
def test_documents_state_what_there_is(page, documents):
    command = f"python -m procgen_bench.leaderboards.board.stated {page.relative_to(CHECKOUT)}"
    assert documents.rewritten(page) == page.read_text("utf-8"), f"there are other numbers now: {command}"


@pytest.mark.parametrize("page", FIRST, ids=lambda page: page.name)
def test_first_pages_state_no_score_by_hand(page):
    """A score stands between marks, by which it is written; what is left has none, also not as .957 or 95 %."""
    left = re.sub(r"```.*?```|\]\([^)]*\)|<img[^>]*>", "", MARKED.sub("", page.read_text("utf-8")), flags=re.DOTALL)
    assert (
        re.findall(r"(?<![\w.])\d?\.\d+|\b\d+ of \d+\b", re.sub(r"Python 3\.\d+|\b3\.\d\d\b|\d\.\d GB", "", left)) == []
    )


def test_every_number_of_the_first_pages_says_its_runs_and_commit():
    """Runs, steps and commit stand in every row of the table; of scripts and floors what they are."""
    for page in FIRST:
        (table,) = re.findall(r"<!-- table claims[a-z ]* -->\n(.*?)<!-- end -->", page.read_text("utf-8"), re.DOTALL)
        head, _, *rows = table.splitlines()
        assert head.endswith("| Result (95 %) | Runs | Steps | Commit |") and len(rows) >= 12
        for row in rows:
            *_, score, runs, steps, commit = (cell.strip() for cell in row.strip("|").split(" | "))
            assert score and runs and (commit or not runs[0].isdigit() or runs.endswith("no learning")), row
            assert bool(steps) <= bool(commit), row


def test_other_numbers_are_written_over(written):
    text = "Maze <!-- row point-maze/test/ppo-naive score -->9.999<!-- end -->, others 9.999"
    assert written(text) == "Maze <!-- row point-maze/test/ppo-naive score -->0.000<!-- end -->, others 9.999"
    text = f"<!-- runs {UNIFORM} return score --><!-- end --> by <!-- runs {UNIFORM} return runs -->1<!-- end -->"
    assert re.search(r">0\.763 \(0\.119 to 0\.966\)<.*>5<", written(text))


def test_a_table_has_the_numbers_of_the_claims_and_links_that_lead_from_its_page(documents, tmp_path):
    page = CHECKOUT / "README.md"
    text = documents.rewritten(page)
    assert "](docs/results/sibling-rivalry.md)" in text and "](sibling-rivalry.md)" in documents.rewritten(FIRST[1])
    short, whole = (len(re.findall(r"^\| ", one, re.M)) for one in (text, documents.rewritten(FIRST[1])))
    assert short < whole + 20


@pytest.mark.parametrize(
    "source",
    [
        "row point-maze/test/nobody",
        "runs apt-gen/nowhere return",
        f"runs {UNIFORM} beauty",
        "figure code/figure-7.json keys nobody success",
        "beauty point-maze/test/ppo-naive",
        "row",
    ],
)
def test_a_source_that_names_nothing_is_an_error(source):
    with pytest.raises(NoSuchRowError, match=re.escape(source.split()[-1])):
        Sources(BOARD, RESULTS).number(source)


def test_what_is_not_stated_of_a_number_is_an_error(written):
    with pytest.raises(NoSuchRowError, match="beauty"):
        written("<!-- row point-maze/test/ppo-naive beauty -->1<!-- end -->")


def test_numbers_follow_from_committed_runs(tmp_path):
    for seed, score in enumerate((0.25, 0.75)):
        run = tmp_path / "runs" / f"seed-{seed}"
        run.mkdir(parents=True)
        config = {
            "settings": {"benchmark": "grid-world/graded"},
            "provenance": {"commit": "0123456789" + "+changes" * seed},
        }
        (run / "config.json").write_text(json.dumps(config))
        (run / "curve.csv").write_text(f"step,seconds,return,success\n1234567,1,0.5,{score}\n")
    sources = Sources(BOARD, tmp_path)
    found = sources.number("runs runs success")
    assert found[:4] == ("0.500", "2", "1.23M", "01234567 01234567+") and found.each == "0.250 0.750"
    assert sources.number("solved runs 0.4").score == "2 of 2" and sources.number("solved runs 0.5").score == "0 of 2"


def test_charts_show_what_there_is(documents):
    charts = documents.charts()
    assert len(charts) >= 7
    for path, content in charts.items():
        assert path.read_bytes() == content, f"{path.name} shows other numbers: run the command on README.md"


def test_every_page_of_results_opens_with_its_chart_and_says_what_to_see():
    for page in sorted(RESULTS.glob("*.md")):
        if page.name != "index.md":
            opening = page.read_text("utf-8").partition("\n## ")[0]
            assert "**Claim.**" in opening and "**Verdict.**" in opening and "*What to see: " in opening, page.name
            assert f"]({page.stem}/" in opening, page.name


def test_what_has_no_mean_is_not_drawn():
    bars = [{"label": "solved", "source": f"solved {UNIFORM} 0.9"}]
    chart = {"title": "t", "caption": "c", "label": "x", "low": 0, "high": 1, "bars": bars}
    with pytest.raises(NoSuchRowError, match="has no mean to draw"):
        drawn(chart, Sources(BOARD, RESULTS))


def test_tasks_that_reward_two_rows_are_counted():
    found = Sources(BOARD, RESULTS).number("paid xland/hand-authored/xland-scripted null")
    assert (found.score, found.runs) == ("0 of 42", "oracle")
