"""XLand's pages in a real Chromium, opened from disk, of boards of made-up returns."""

import dataclasses
import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest

from procgen_bench.core.task_suite import TaskSuite
from procgen_bench.envs.xland.environment import XLandEnv
from procgen_bench.leaderboards.board import board as board_module
from procgen_bench.leaderboards.board.table import read_table
from procgen_bench.leaderboards.site.page import write_site
from procgen_bench.leaderboards.submission.metadata import Metadata, parse_metadata
from procgen_bench.leaderboards.xland.evaluation_tasks import benchmark_tasks
from procgen_bench.leaderboards.xland.normalisation import normalised_scores
from procgen_bench.leaderboards.xland.normalisers import frozen, load_normaliser
from procgen_bench.leaderboards.xland.percentiles import dominance, participation, score_percentiles
from procgen_bench.leaderboards.xland.returns import ReturnTable
from procgen_bench.tasks.xland.hand_authored import hand_authored_task, task_names
from procgen_bench.tasks.xland.suites import load_suite
from tests.leaderboards.few_benchmarks import only_benchmarks
from tests.leaderboards.site.browsing import visit
from tests.leaderboards.xland.boards import write_entry, xland_benchmark
from tests.leaderboards.xland.makers import publish

CO_PLAYERS = ("noop", "random", "swift")
PAIRS = 12
SMALL, HAND_AUTHORED = "xland/small/index.html", "xland/hand-authored/index.html"
METHODS = ("Strong", "Half as strong", "Nothing", "Privileged")
#: Worlds are drawn in pictures: a board takes half a minute to write.
pytestmark = pytest.mark.slow
#: A page and all that it shows at once, in bytes.
MOST_BYTES = 2_000_000


def small_suite() -> TaskSuite:
    """A few tasks of the test suite, each with each of three co-players."""
    suite = load_suite("test")
    names, tasks = [], []
    for place in range(PAIRS):
        task = suite.tasks[place]
        for name in CO_PLAYERS:
            names.append(f"{place}-{name}")
            tasks.append(dataclasses.replace(task, co_players=(name,) * (task.game.num_players - 1)))
    return TaskSuite("small", tuple(tasks), tuple(names))


def made_up(strength, num_runs, num_tasks, seed):
    """Returns of runs: rewarded so often, and then so much."""
    rng = np.random.default_rng(seed)
    shape = (num_runs, num_tasks)
    return np.where(rng.random(shape) < strength, rng.integers(1, 901, shape) * strength, 0)


@pytest.fixture(scope="module")
def benchmarks(tmp_path_factory):
    """A small benchmark of generated tasks and that of the hand-authored ones, in the place of all benchmarks.

    The small one's normaliser is of two players, who both get nothing in the second game from one of the co-players.
    """
    small, hand = xland_benchmark("small", "small", None), xland_benchmark("hand-authored", "hand_authored", None)
    small = dataclasses.replace(small, normaliser=1)
    space = type(XLandEnv.task_space)
    suite_of, suite = space.suite, small_suite()
    returns = np.stack([made_up(0.9, 1, len(suite), seed)[0] + 1 for seed in (7, 8)])
    returns[:, 4] = 0
    normaliser = frozen(small.id, 1, ReturnTable(("one", "two"), benchmark_tasks(suite), returns))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(space, "suite", lambda self, name: suite if name == "small" else suite_of(self, name))
        publish(tmp_path_factory.mktemp("normalisers"), patch, normaliser)
        with only_benchmarks(small, hand):
            yield small, hand


@pytest.fixture(scope="module")
def board(benchmarks, tmp_path_factory):
    """Methods of which each is better than the next, the first an oracle; the second and third have five runs."""
    folder = tmp_path_factory.mktemp("xland") / "board"
    for benchmark, num_tasks in zip(benchmarks, (PAIRS * len(CO_PLAYERS), len(task_names()))):
        strong = made_up(0.9, 5, num_tasks, 0)
        write_entry(folder, benchmark, "Strong", strong)
        write_entry(folder, benchmark, "Half as strong", strong / 2)
        write_entry(folder, benchmark, "Nothing", np.zeros((3, num_tasks)))
        write_entry(folder, benchmark, "Privileged", np.full((1, num_tasks), 890.0), oracle=True)
    return folder


@pytest.fixture(scope="module")
def site(board):
    folder = board.parent / "site"
    write_site(board, folder)
    return folder


def cells(page, table: str, row: str) -> list[list[str]]:
    """What stands in a table's rows, by cell and line; ``row`` selects the rows."""
    rows = page.locator(f"{table} {row}")
    return [[text.split("\n") for text in one.locator("th, td").all_inner_texts()] for one in rows.all()]


def test_pages_open_in_silence_and_fit_phones_and_desktops(browser, site):
    assert len(list(site.rglob("*.html"))) == 1 + 2 * (1 + len(METHODS))
    pages = [site / "index.html", *(site / name for name in (SMALL, HAND_AUTHORED))]
    pages += [path.parent / "strong/index.html" for path in pages[1:]]
    for width, scheme in ((360, "dark"), (1280, "light")):
        with browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme) as context:
            for path in pages:
                seen = visit(context, path)
                assert seen.page.evaluate("document.documentElement.scrollWidth") <= width, path
                seen.page.evaluate("for (const image of document.images) image.loading = 'eager'")
                # A picture that cannot be shown is an error here.
                seen.page.evaluate("Promise.all([...document.images].map(image => image.decode()))")
                assert seen.complaints == [], path
                seen.page.close()


def test_pages_are_light(context, site):
    for name in (SMALL, HAND_AUTHORED):
        page = visit(context, site / name).page
        shown = {
            site / name,
            *(Path(src.removeprefix("file://")) for src in page.evaluate("[...document.images].map(i => i.src)")),
        }
        assert sum(path.stat().st_size for path in shown) < MOST_BYTES


def test_percentiles_are_those_of_the_runs(context, site, board, benchmarks):
    """The table against a computation of its own: run by run, then the mean."""
    rows = read_table(benchmarks[0], board)
    names = [f"{row.entry.name}/{run}" for row in rows for run in range(len(row.entry.scores))]
    tasks = benchmark_tasks(benchmarks[0].task_suite())
    table = ReturnTable(names, tasks, np.concatenate([row.entry.scores for row in rows]))
    normalised = normalised_scores(table, load_normaliser("xland/small", 1).values)
    curves, uncut = score_percentiles(normalised.scores), score_percentiles(normalised.uncut, (10, 20, 50))
    shares = participation(table)
    page = visit(context, site / SMALL).page
    shown = cells(page, ".percentiles", "tbody tr")
    assert [line[0][0] for line in shown] == [row.entry.metadata.method for row in rows] == list(METHODS)
    for row, line in zip(rows, shown):
        of_row = [place for place, name in enumerate(names) if name.split("/")[0] == row.entry.name]
        assert line[1][0] == f"{shares[of_row].mean():.3f}"
        expected = curves[of_row].mean(axis=0)[[0, 10, 20, 30, 40, 50]]
        assert [cell[0] for cell in line[2:8]] == [f"{value:.3f}" for value in expected]
        assert (len(line[7]) == 2) == (len(of_row) == 5)  # an interval over runs
        assert [cell[0] for cell in line[8:11]] == [f"{value:.3f}" for value in uncut[of_row].mean(axis=0)]
    assert [line[12][0] for line in shown] == ["front", "", "", "oracle"]
    values = [float(line[7][0]) for line in shown[:3]]
    assert values == sorted(values, reverse=True) and values[-1] == 0 < values[-2]


def test_rows_stand_by_percentiles_and_the_page_tells_under_which_normaliser(context, site, board, benchmarks):
    page = visit(context, site / SMALL).page
    shown = cells(page, ".entries", "tbody tr")
    for row, line in zip(read_table(benchmarks[0], board), shown):
        values = (row.summary.mean, *row.standing.percentiles.values(), row.standing.participation)
        assert [cell[0] for cell in (line[3], *line[5:9])] == [f"{estimate.value:.3f}" for estimate in values]
    text = page.locator("main").inner_text()
    assert "normaliser version 1" in text and "one, two" in text and "11 games count; 1 more do not" in text
    assert cells(page, ".unrewarded", "tbody tr") == [
        [["1-noop"], [str(small_suite().tasks[3].game).splitlines()[0]], ["random"]]
    ]


def test_dominance_is_reported_in_words(context, site):
    page = visit(context, site / SMALL).page
    assert page.locator(".dominance li").all_inner_texts() == [
        "Strong dominates Half as strong, Nothing.",
        "Half as strong dominates Nothing.",
        "Privileged dominates all others.",
    ]
    assert "Pareto front: Strong." in page.locator("main").inner_text()


def test_percentiles_sort_as_numbers_and_by_keyboard(context, site):
    page = visit(context, site / SMALL).page
    heading = page.locator(".percentiles th", has_text="P50")
    heading.get_by_role("button").focus()
    page.keyboard.press("Enter")
    assert heading.get_attribute("aria-sort") == "descending"
    page.keyboard.press("Enter")
    assert [line[0][0] for line in cells(page, ".percentiles", "tbody tr")] == [
        "Nothing",
        "Half as strong",
        "Strong",
        "Privileged",
    ]


def test_figures_draw_every_row(site):
    for name in ("percentiles", "surface", "participation"):
        root = ElementTree.parse(site / "xland/small" / f"{name}.svg").getroot()
        texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
        assert set(METHODS) <= set(texts), name
    surface = (site / "xland/small/surface.svg").read_text()
    assert surface.count("#77797d") == 2  # the one who gets nothing, in one piece, and the key


def test_download_holds_what_the_table_shows(site, board, benchmarks):
    content = json.loads((site / "xland/small/xland.json").read_text())
    assert (content["benchmark"], content["version"]) == ("xland/small", 1)
    assert content["tasks"]["name"][1] == "0-random" and content["tasks"]["co_player"][1] == "random"
    methods = {method["method"]: method for method in content["methods"]}
    assert list(methods) == list(METHODS)
    for row in read_table(benchmarks[0], board):
        method = methods[row.entry.metadata.method]
        np.testing.assert_array_equal(method["returns"], row.entry.scores)
        assert len(method["normalised"]) == len(content["percentiles"]) == 51
        assert [run["normalised"][50][0] for run in method["runs"]] and len(method["runs"]) == len(row.entry.scores)
        assert method["normalised"][50][0] == pytest.approx(
            np.mean([run["normalised"][50][0] for run in method["runs"]])
        )
        for run in method["runs"]:
            uncut = [value for value, *_ in run["normalised_uncut"]]
            assert np.minimum(uncut, 1.0).tolist() == [value for value, *_ in run["normalised"]]
    curves = np.array([[value for value, *_ in method["normalised"]] for method in methods.values()])
    assert [[content["methods"][k]["entry"] for k in np.flatnonzero(row)] for row in dominance(curves)] == [
        method["dominates"] for method in methods.values()
    ]
    returns = json.loads((site / "xland/hand-authored/xland.json").read_text())
    assert returns["tasks"]["name"] == list(task_names())
    assert [len(method["returns"][0]) for method in returns["methods"]] == [42] * len(METHODS)


def test_hand_authored_tasks_are_named_and_their_best_is_bold(context, site, board, benchmarks):
    rows = read_table(benchmarks[1], board)
    page = visit(context, site / HAND_AUTHORED).page
    shown = cells(page, ".hand-authored", "tbody tr")
    assert len(shown) == 42
    for place, (name, line) in enumerate(zip(task_names(), shown)):
        task, described = hand_authored_task(name), " ".join(line[0])
        assert task.title in described and task.description in described
        assert line[1][0] == (", ".join(task.task.co_players) or "—")
        for row, cell in zip(rows, line[2:]):
            of_runs = row.entry.scores[:, place]
            value, rewarded = of_runs.mean(), int((of_runs > 0).sum())
            assert cell[0].split()[0] == (f"{value:.1f}" if value else "0")
            marks = "✓" if rewarded == len(of_runs) else f"{rewarded} of {len(of_runs)} runs" if rewarded else ""
            assert " ".join(cell).partition(" ")[2].strip() == marks
    # Privileged's 890 do not compete, and where all get nothing nobody is best.
    methods = [row.entry.metadata.method for row in rows]
    strong = next(row for row in rows if row.entry.name == "strong").entry.scores.mean(axis=0)
    column = 3 + methods.index("Strong")
    assert page.locator(".hand-authored tbody td.best").count() == (strong > 0).sum()
    assert page.locator(f".hand-authored tbody td.best:nth-child({column})").count() == (strong > 0).sum()
    totals = cells(page, ".hand-authored", "tfoot tr")
    for row, counted, mean in zip(rows, totals[0][2:], totals[1][2:]):
        assert counted[0] == f"{(row.entry.scores > 0).any(axis=0).sum()} of 42"
        assert mean[0] == f"{row.entry.scores.mean():.1f}"


def test_totals_stay_below_when_tasks_are_sorted(context, site):
    page = visit(context, site / HAND_AUTHORED).page
    page.locator(".hand-authored th", has_text="Strong").first.get_by_role("button").click()
    values = [
        float(cell)
        for cell in page.locator(".hand-authored tbody td:nth-child(4)").evaluate_all(
            "a => a.map(c => c.dataset.value)"
        )
    ]
    assert values == sorted(values, reverse=True)
    assert page.locator(".hand-authored tfoot tr").count() == 2


def test_entries_tell_games_and_runs(context, site, board, benchmarks):
    strong = {row.entry.name: row.entry.scores for row in read_table(benchmarks[0], board)}["strong"]
    page = visit(context, site / "xland/small/strong/index.html").page
    shown = cells(page, ".games", "tbody tr")
    assert len(shown) == PAIRS
    suite = load_suite("test")
    for place, line in enumerate(shown):
        means = strong[:, place * len(CO_PLAYERS) : (place + 1) * len(CO_PLAYERS)].mean(axis=0)
        assert line[0][0] == f"{place}-noop" and line[1][0] == str(suite.tasks[place].game).splitlines()[0]
        assert [cell[0] for cell in line[2:]] == [f"{value:.1f}" if value else "0" for value in means]
    assert page.locator(".viewer").count() == 3  # the best, a median and the worst episode
    runs = visit(context, site / "xland/hand-authored/strong/index.html").page
    assert runs.locator("table", has_text="Capture The Cube").locator("thead th").all_inner_texts()[1:] == [
        f"run {run}" for run in range(5)
    ]


def test_without_javascript_all_is_there(browser, site):
    with browser.new_context(java_script_enabled=False) as context:
        page = visit(context, site / SMALL).page
        assert page.locator(".percentiles tbody tr").count() == len(METHODS)
        assert page.locator(".dominance li").first.is_visible()


@pytest.fixture
def few(benchmarks):
    """The small benchmark and one of two hand-authored tasks, in the place of all benchmarks."""
    two = xland_benchmark("two", "hand_authored", ("find_cube", "xfootball"))
    with only_benchmarks(benchmarks[0], two):
        yield benchmarks[0], two


def test_a_benchmark_without_a_normaliser_says_so(context, few, tmp_path):
    with only_benchmarks(dataclasses.replace(few[0], normaliser=None), few[1]):
        write_entry(tmp_path / "board", few[0], "Nothing", np.zeros((2, PAIRS * len(CO_PLAYERS))))
        write_site(tmp_path / "board", tmp_path / "site")
    seen = visit(context, tmp_path / "site" / SMALL)
    assert (
        "No normaliser of this benchmark is published yet" in seen.page.locator("main").inner_text()
        and seen.complaints == []
    )
    assert not (tmp_path / "site/xland/two").exists()  # no entries: no page, no pictures


@pytest.mark.parametrize(
    "attack",
    [
        "<script>window.hacked = 1</script>\"><img src=x onerror='window.hacked = 1'>",
        pytest.param("W" * 5_000, marks=pytest.mark.slow),
    ],
)
def test_hostile_names_are_shown_as_texts(browser, few, tmp_path, monkeypatch, attack):
    for benchmark, num_tasks in zip(few, (PAIRS * len(CO_PLAYERS), 2)):
        write_entry(tmp_path / "board", benchmark, "a", made_up(0.9, 1, num_tasks, 0))
        write_entry(tmp_path / "board", benchmark, "b", made_up(0.9, 1, num_tasks, 0) / 2)

    def tampered(raw):  # no submission that is read can be called so
        metadata = parse_metadata(raw)
        return metadata.model_copy(update={"method": f"{metadata.method} {attack}"})

    monkeypatch.setattr(board_module, "parse_metadata", tampered)
    monkeypatch.setattr(Metadata, "entry_name", property(lambda metadata: metadata.method[0]))
    write_site(tmp_path / "board", tmp_path / "site")
    for path in (SMALL, "xland/two/index.html"):
        for width in (360, 1280):
            with browser.new_context(viewport={"width": width, "height": 800}) as context:
                seen = visit(context, tmp_path / "site" / path)
                page = seen.page
                assert seen.complaints == [] and page.evaluate("window.hacked") is None
                assert page.locator("script").count() == 1 and page.locator("main [onerror]").count() == 0
                assert page.evaluate("document.documentElement.scrollWidth") <= width
                assert f"a {attack}" in page.locator("main table").nth(1).text_content()
    for figure in (tmp_path / "site").rglob("*.svg"):
        ElementTree.parse(figure)
    feed = json.loads((tmp_path / "site/xland/small/xland.json").read_text())
    assert [method["method"] for method in feed["methods"]] == [f"a {attack}", f"b {attack}"]
