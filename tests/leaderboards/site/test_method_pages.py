"""The page of a method: which rows it has, what it says of their training, and where it is."""

import pytest

from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.leaderboards.board.table import table_of
from procgen_bench.leaderboards.site.comparison import IndexedBenchmark
from procgen_bench.leaderboards.site.contents import Parts
from procgen_bench.leaderboards.site.feed import benchmark_feed
from procgen_bench.leaderboards.site.method_pages import entries_by_method, training_record, write_methods
from procgen_bench.leaderboards.site.section import Section
from procgen_bench.leaderboards.site.site_templates import method_folder
from tests.leaderboards.entries import entry

COMMAND = "procgen-bench train dqn grid-world/target-a --seed {seed}"


def indexed(name, *entries) -> IndexedBenchmark:
    section = Section(get_benchmark(name), table_of(get_benchmark(name), entries))
    training = {one.name: training_record(one.metadata, section.benchmark) for one in entries}
    return IndexedBenchmark(benchmark_feed(section), {}, True, False, training)


@pytest.fixture
def benchmarks():
    """A method with a row on one benchmark and two on another, where a rival has one, too."""
    graded = ("grid-world/graded", 1)
    first = indexed("grid-world/target-a", entry("DQN", ("a", 0.5), fresh=[0.4], training=COMMAND))
    second = indexed(
        "grid-world/graded",
        entry("dqn under uniform", ("b", 0.25), fresh=[0.75], benchmark=graded),
        entry("dqn under ladder", ("c", 0.5), benchmark=graded),
        entry("PPO", ("d", 0.5), benchmark=graded),
    )
    return [first, second]


def test_a_method_has_all_its_rows_in_the_benchmarks_order(benchmarks):
    found = entries_by_method(benchmarks)
    assert list(found) == ["methods/dqn", "methods/ppo"]
    shown = [(one.cell.benchmark["benchmark"], one.name.teacher, one.cell.score) for one in found["methods/dqn"]]
    assert shown == [
        ("grid-world/target-a", "", 0.4),
        ("grid-world/graded", "uniform", 0.75),
        ("grid-world/graded", "ladder", 0.5),
    ]


def test_the_page_shows_settings_and_curves_where_there_are_any(benchmarks, tmp_path):
    name = benchmarks[0].feed["rows"][0]["entry"]
    benchmarks[0].training[name] |= {"points": [[0.0, 0.1], [10.0, 0.4]], "band": [[0.0, 0.2], [0.3, 0.5]]}
    parts = Parts(tmp_path, tmp_path / "none")
    write_methods(benchmarks, tmp_path, parts)
    page = (tmp_path / "methods/dqn/index.html").read_text()
    assert COMMAND.replace("{seed}", "0") in page and "3 entries on 2 benchmarks" in page
    assert page.count("<figure>") == 1 and "Learning curves of dqn on grid-world/target-a" in page.replace("DQN", "dqn")
    assert (tmp_path / "methods/dqn/learning-0.svg").is_file()
    rival = (tmp_path / "methods/ppo/index.html").read_text()
    assert "<figure>" not in rival and "Settings" not in rival


@pytest.mark.parametrize("changed", [False, True])
def test_a_page_is_made_again_only_if_its_rows_have_changed(benchmarks, tmp_path, changed, monkeypatch):
    before, after = tmp_path / "before", tmp_path / "after"
    parts = Parts(before, tmp_path / "none")
    write_methods(benchmarks, before, parts)
    parts.write()
    if changed:
        benchmarks[1].feed["rows"][0]["training_steps"] = 7
    made = []
    write = "procgen_bench.leaderboards.site.method_pages._write_method"
    monkeypatch.setattr(write, lambda entries, folder, site: made.append(folder.name) or [])
    write_methods(benchmarks, after, Parts(after, before))
    assert made == (["dqn"] if changed else [])


def test_every_name_has_a_folder_of_its_own_and_none_leads_out():
    assert method_folder("dqn") == method_folder("DQN") == "methods/dqn"
    names = [
        "dqn",
        "dqn ",
        "d.qn",
        "../dqn",
        "..",
        ".",
        "a/b",
        "a-b",
        "a b",
        "-a-b",
        "index.html",
        "\u202e",
        "%2e%2e",
        "w" * 10_000,
    ]
    folders = [method_folder(name).partition("/") for name in names]
    assert len({folder for _, _, folder in folders}) == len(names)
    for start, _, folder in folders:
        assert (
            start == "methods"
            and not folder.startswith(".")
            and set(folder) <= set("abcdefghijklmnopqrstuvwxyz0123456789-.")
        )
    assert method_folder(method_folder("a b").removeprefix("methods/")) != method_folder("a b")
