"""Tables: whole into pipes, with fewer columns on narrow terminals; nothing is broken that has to be copied.

Where standard output is ASCII, as under LC_ALL=C, names in other scripts are no reason to stop.
"""

import csv
import inspect
import io
import json
import sys
from collections import Counter

import pytest
from rich.console import Console

from procgen_bench.baselines.method_table import METHODS
from procgen_bench.baselines.methods.ppo_settings import PPOConfiguration
from procgen_bench.baselines.training.run_folder import RunFolder
from procgen_bench.cli import catalogue, main
from procgen_bench.cli.tables import Column, csv_of, print_table
from procgen_bench.core.benchmarks import BENCHMARKS, get_benchmark
from procgen_bench.core.errors import MissingExtraError
from procgen_bench.core.registrations import ENVIRONMENT_IDS, REGISTRATIONS, environment_type, find_registration
from procgen_bench.leaderboards.board.board import published_board
from tests.installed import INSTALLED_IDS

COMMAND = "procgen-bench train recurrent-ppo grid-world/graded --seed 0"
SENTENCE = "Levels of intermediate success, which are picked from a large batch of levels that are tried before."
COLUMNS = [
    Column("id", ["GridWorld-v0", "FetchBlocks-v0"]),
    Column("what it is", [SENTENCE, "short"], sentence=True),
    Column("command", [COMMAND, ""]),
    Column("training steps", ["1,000,000", "2"], number=True, spare=True),
    Column("nothing", ["", ""]),
]


def printed(columns, width: int, terminal: bool) -> str:
    written = io.StringIO()
    console = Console(file=written, width=width, force_terminal=terminal or None, color_system=None, highlight=False)
    print_table(columns, "Title", "Caption.", console)
    return written.getvalue()


@pytest.mark.parametrize("width", [20, 80])
def test_a_pipe_gets_every_row_in_one_line(width):
    out = printed(COLUMNS, width, terminal=False)
    assert [line for line in out.splitlines() if SENTENCE in line and COMMAND in line and "1,000,000" in line]
    assert "training steps" in out and "nothing" not in out and "Not shown" not in out
    assert not [line for line in out.splitlines() if line.endswith(" ")]


@pytest.mark.parametrize(
    "words", [["list"], ["describe", "BitGrid-v0"], ["leaderboard", "bit-grid/test"]], ids=lambda words: words[0]
)
def test_what_is_piped_has_no_blanks_at_the_ends_of_lines(run, words):
    code, out, _ = run(*words)
    assert code == 0 and not [line for line in out.splitlines() if line.endswith(" ")]


@pytest.mark.parametrize("width", range(60, 160, 7))
def test_a_terminal_breaks_nothing_but_sentences_between_words(width):
    out = printed(COLUMNS, width, terminal=True)
    assert COMMAND in out and "GridWorld-v0" in out
    words = out.split()
    assert all(word in words for word in SENTENCE.split()), "a word is broken"
    needed = sum(column.least + 2 for column in COLUMNS[:3])
    if width >= needed:
        assert max(map(len, out.splitlines())) <= width
    assert ("training" in out.split("Not shown")[0]) == (not needed <= width < needed + len("1,000,000") + 2)


def test_what_a_narrow_terminal_does_without_is_named():
    out = printed([COLUMNS[0], *COLUMNS[3:]], 20, terminal=True)
    assert "1,000,000" not in out and "training steps" in " ".join(out.partition("Not shown")[2].split())


def test_where_even_the_rest_is_too_wide_a_row_takes_lines_of_its_own():
    lines = printed(COLUMNS, 40, terminal=True).splitlines()
    assert lines[:4] == ["Title", "GridWorld-v0", f"  what it is: {SENTENCE}", f"  command: {COMMAND}"]


def test_csv_has_a_column_for_every_value():
    rows = [{"a": 1, "b": None}, {"a": 'x,"y', "c": 2.5}]
    assert list(csv.reader(io.StringIO(csv_of(rows)))) == [["a", "b", "c"], ["1", "", ""], ['x,"y', "", "2.5"]]


def test_everything_that_is_listed_is_told_to_programs(run):
    code, out, _ = run("list", "--json")
    found = json.loads(out)
    assert code == 0 and [record["id"] for record in found["environments"]] == list(ENVIRONMENT_IDS)
    assert [record["id"] for record in found["benchmarks"]] == list(BENCHMARKS)
    code, out, _ = run("list", "--csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert code == 0 and len(rows) == sum(map(len, found.values()))
    assert [row["id"] for row in rows if row["list"] == "benchmarks"] == list(BENCHMARKS)


def test_a_board_is_told_as_csv(run):
    code, out, _ = run("leaderboard", "grid-world/target-b", "--csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    told = json.loads(run("leaderboard", "grid-world/target-b", "--json")[1])["benchmarks"][0]["rows"]
    assert code == 0 and [row["entry"] for row in rows] == [row["entry"] for row in told]
    assert [float(row["score"]) for row in rows] == [row["score"]["value"] for row in told]
    assert {row["benchmark"] for row in rows} == {"grid-world/target-b"}


def test_list_shows_every_environment_method_and_benchmark(run):
    code, out, _ = run("list")
    assert code == 0
    first_words = [line.split()[0] for line in out.splitlines() if line.strip()]
    assert {*ENVIRONMENT_IDS, *METHODS, *BENCHMARKS} <= set(first_words)
    assert "The parameterised grid world of APT-Gen." in out


@pytest.mark.parametrize("columns", [160, 80])
def test_list_tells_how_to_install_what_is_missing(run, monkeypatch, columns):
    def missing(extra):
        raise MissingExtraError(extra, extra)

    monkeypatch.setattr(catalogue, "check_installed", missing)
    monkeypatch.setenv("COLUMNS", str(columns))
    code, out, _ = run("list")
    assert code == 0
    for extra, count in Counter(one.extra for one in REGISTRATIONS if one.extra).items():
        assert out.count(f"  pip install 'procgen-bench[{extra}]'") == count, "in one line, to be copied"
    assert "…" not in out


@pytest.mark.parametrize("environment_id", INSTALLED_IDS)
def test_list_says_what_an_environments_own_page_says_first(environment_id):
    found, env_type = find_registration(environment_id), environment_type(environment_id)
    assert inspect.getdoc(env_type).partition("\n")[0] == found.description


@pytest.mark.parametrize("environment_id", INSTALLED_IDS)
def test_describe_shows_spaces_limit_suites_and_documentation(run, environment_id):
    code, out, _ = run("describe", environment_id)
    assert code == 0
    for fact in ("observation space", "action space", "task parameters", "time limit", "suites"):
        assert fact in out
    for section in ("Description", "Action Space", "Rewards", "Episode End", "Version History"):
        assert section in out
    assert "`" not in out
    assert ":class:" not in out
    assert "##" not in out


def test_describe_of_bit_grid(run):
    _, out, _ = run("describe", "BitGrid-v0")
    assert "Discrete(9)" in out
    assert "test (500)" in out
    assert "desired_goal" in out


def test_describe_of_grid_world(run):
    _, out, _ = run("describe", "GridWorld-v0")
    assert "Discrete(4)" in out
    assert "50 steps" in out
    assert "targets (3), graded (200), random (1000)" in out


@pytest.fixture
def printed_in_ascii(monkeypatch):
    """Runs the command line in this process with an ASCII standard output: words -> what is printed there."""

    def run_main(*words):
        raw = io.BytesIO()
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
        with pytest.raises(SystemExit) as stop:
            main([str(word) for word in words])
        sys.stdout.flush()
        assert not stop.value.code
        return raw.getvalue().decode("ascii")

    return run_main


@pytest.mark.parametrize("words", [["list"], *(["describe", name] for name in INSTALLED_IDS)], ids=" ".join)
def test_catalogue(printed_in_ascii, words):
    assert len(printed_in_ascii(*words).splitlines()) > 40


def test_published_tables(printed_in_ascii):
    tables = printed_in_ascii("leaderboard", "--board", published_board())
    assert all(name in tables for name in BENCHMARKS)


def test_names_in_another_script_are_replaced(printed_in_ascii, tmp_path):
    folder = tmp_path / "L\u00e4ufe"
    RunFolder(folder, "ppo", get_benchmark("grid-world/graded"), PPOConfiguration(), seed=0, steps=200).open()
    assert "L?ufe" in printed_in_ascii("runs", folder)
