import csv
import io
import json
import re

import pytest

from procgen_bench.cli.board_tables import in_words
from procgen_bench.core.benchmarks import BENCHMARKS
from procgen_bench.leaderboards.site import page


def test_from_policy_to_table(run, tmp_path):
    board = tmp_path / "board"
    code, out, err = run(
        "evaluate", "grid-world/graded", "--policy", "random", "--policy", "random", "-o", tmp_path / "random"
    )
    assert (code, err.count("warning")) == (0, 0)
    assert re.search(r"grid-world/graded v1: success 0\.\d+ \(2 runs x 200 tasks x 1 episodes\)", out)
    code, out, err = run(
        "evaluate", "grid-world/graded", "--policy", "null", "--out", tmp_path / "null", "--method", "None"
    )
    assert code == 0
    assert "warning: run 0: the policy raised NullPolicyError" in err
    assert "warning: 200 unfinished episodes score the minimum, 0" in err
    for folder in ("null", "random"):
        code, out, err = run("submit", tmp_path / folder, "--board", board)
        assert code == 0 and "enters with" in out and "Not ranked: floor. " in out
    code, out, err = run("leaderboard", "grid-world/graded", "--board", board, "--csv")
    rows = [*csv.DictReader(io.StringIO(out))]
    assert [(row["unranked"], row["method"]) for row in rows] == [("floor", "random"), ("floor", "None")]
    code, out, err = run("leaderboard", "--board", board)
    assert code == 0 and "grid-world/target-a: no entries" in out


def test_a_sentence_says_what_was_learned():
    """From the board's numbers: learners, best first, and the best floor beside them."""

    def row(method, score, unranked=None, teacher="", interval=None, runs=1):
        reference = unranked in ("floor", "oracle")
        value = {"value": score, "interval": interval}
        names = {"method": method, "teacher": teacher, "variant": "", "folded_under": None}
        counted = [{"counts": True}] * runs + [{"counts": False}]
        return {**names, "unranked": unranked, "reference": reference, "score": value, "runs": counted}

    rows = [row("ppo", 0.3, teacher="uniform"), row("ppo", 0.7, teacher="ladder", interval=[0.6, 0.8], runs=5)]
    rows += [row("solver", 1.0, "oracle"), row("random", 0.04, "floor"), row("null", 0.0, "floor")]
    feed = {"benchmark": "maze/a", "metric": "success", "rows": rows}
    assert in_words(feed) == (
        "mean success on the scored tasks of maze/a: "
        "ppo under ladder 0.700 (0.600 to 0.800) by 5 runs; ppo under uniform 0.300 by 1 run; random 0.040"
    )
    assert in_words({**feed, "rows": rows[2:]}) == "maze/a: nothing has been learned yet"


def test_feed_is_printed_for_programs(run, occupied_board, target):
    code, out, _ = run("leaderboard", target.id, "--json", "--board", occupied_board)
    (feed,) = json.loads(out)["benchmarks"]
    assert (code, feed["benchmark"], feed["unreadable"], feed["archive"]) == (0, target.id, [], [])
    (row,) = feed["rows"]
    assert (row["rank"], row["entry"], row["tier"], row["epoch"]) == (None, "random", "replayed", 1)
    assert (row["method"], row["teacher"], row["variant"], row["unranked"]) == ("random", "", "", "no policy")
    assert len(row["runs"]) == 2 and row["score"]["interval"] is None
    every = json.loads(run("leaderboard", "--json", "--board", occupied_board)[1])["benchmarks"]
    assert [of_one["benchmark"] for of_one in every] == list(BENCHMARKS)
    assert [of_one for of_one in every if of_one["rows"]] == [feed]


def test_site_is_written_by_the_page(run, occupied_board, tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(page, "write_site", lambda board, folder, *_, **__: asked.append((board, folder)))
    code, out, _ = run("leaderboard", "--board", occupied_board, "--html", tmp_path / "site")
    assert code == 0 and f"wrote {tmp_path / 'site'}" in out
    assert asked == [(occupied_board, tmp_path / "site")]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("evaluate", "grid-world/easy", "--policy", "random", "-o", "new"),
            "unknown benchmark 'grid-world/easy'; did you mean 'grid-world/",
        ),
        (
            ("evaluate", "grid-world/graded", "--policy", "nobody", "-o", "new"),
            "unknown policy 'nobody'; known: random",
        ),
        (("evaluate", "grid-world/graded", "-o", "new"), "--policy"),
        (
            ("evaluate", "grid-world/graded", "--policy", "random", "--seed", "1", "--seed", "2", "-o", "new"),
            "--seed is given 2 times, expected once per --policy (1)",
        ),
        (("evaluate", "grid-world/graded", "--policy", "random", "-o", "."), "already exists"),
        (("submit", "nowhere", "--board", "board"), "folder: path is 'nowhere', expected a readable folder"),
        (("leaderboard", "--board", "nowhere"), "nowhere is no folder"),
        (("leaderboard", "grid-world/easy", "--board", "."), "unknown benchmark 'grid-world/easy'"),
        (("leaderboard", "--board", ".", "--html", "site", "--json"), "--html writes all tables, and board.json"),
        (("leaderboard", "bit-grid/test", "--board", ".", "--html", "site"), "for one benchmark give --only"),
        (("leaderboard", "--board", ".", "--only", "bit-grid/test"), "give the site by --html, too"),
        (("leaderboard", "--board", ".", "--normaliser", "1"), "name the benchmark, too"),
        (
            ("leaderboard", "xland/mini", "--board", ".", "--normaliser", "99"),
            "unknown normaliser of xland/mini 99; known: ",
        ),
        (
            ("leaderboard", "--board", ".", "--html", "site", "--only", "bit-grid/easy"),
            "unknown benchmark 'bit-grid/easy'",
        ),
    ],
)
def test_bad_input_is_answered_in_one_line(run, tmp_path, monkeypatch, words, message):
    monkeypatch.chdir(tmp_path)
    code, _, err = run(*words)
    assert code == 2
    assert message in err
    assert len(err.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


def test_refusal_is_one_line_and_exit_code_two(run, honest, tmp_path):
    honest.fields(claimed_score=0.982)
    code, _, err = run("submit", honest.folder, "--board", tmp_path / "board")
    assert code == 2
    (line,) = err.splitlines()
    assert "claimed_score is 0.982, expected -0." in line
    assert not (tmp_path / "board").exists()


@pytest.mark.parametrize("command", ["evaluate", "score", "submit", "leaderboard"])
def test_help_has_examples(run, command):
    code, out, _ = run(command, "--help")
    assert code == 0
    assert "Examples" in out and f"procgen-bench {command}" in out
