"""Journals of returns: resumed, written by several processes, torn by kills."""

import subprocess
import sys

import numpy as np
import pytest

from procgen_bench.errors import UnknownNameError
from procgen_bench.leaderboards.xland.errors import InvalidReturnsError
from procgen_bench.leaderboards.xland.journal import ReturnJournal
from procgen_bench.leaderboards.xland.returns import EvaluationTask
from tests.leaderboards.xland.makers import tasks_of

POLICIES = ("noop", "swift")
TASKS = tasks_of(("g", "h"), co_players=("noop", "random", "swift"))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "returns.jsonl"


@pytest.fixture
def journal(path):
    return ReturnJournal(path, POLICIES, TASKS)


def value_of(policy, task):
    return POLICIES.index(policy) * 100 + TASKS.index(task) / 7


def test_an_evaluation_resumes(journal, path):
    assert journal.missing() == [(policy, task) for policy in POLICIES for task in TASKS]
    for policy, task in journal.missing()[:5]:
        journal.record(policy, task, value_of(policy, task))
    resumed = ReturnJournal(path, POLICIES, TASKS)
    assert len(resumed.missing()) == 7 and resumed.missing()[0] == ("noop", TASKS[5])
    with pytest.raises(InvalidReturnsError, match=r"'noop' on game 'h', .* co-player 'swift' \(as are 6 others\)"):
        resumed.table()
    for policy, task in resumed.missing():
        resumed.record(policy, task, value_of(policy, task))
    expected = [[value_of(policy, task) for task in TASKS] for policy in POLICIES]
    assert resumed.missing() == [] and resumed.table().returns.tolist() == expected


def test_a_torn_line_does_not_count_and_is_removed(journal, path):
    """Whatever a kill leaves of a line: the lines before stay, and the next begins afresh."""
    journal.record("noop", TASKS[0], 1.25)
    whole = path.read_bytes()
    journal.record("swift", TASKS[5], 3.0)
    line = path.read_bytes()[len(whole) :]
    for length in range(len(line)):
        path.write_bytes(whole + line[:length])
        assert journal.cells() == {("noop", TASKS[0]): 1.25}
        ReturnJournal(path, POLICIES, TASKS).record("swift", TASKS[5], 3.0)
        assert path.read_bytes() == whole + line


#: A process that records every other cell, ten times over: the same return again is no fault.
WRITER = """
import sys
from procgen_bench.leaderboards.xland.journal import ReturnJournal
from procgen_bench.leaderboards.xland.returns import EvaluationTask

policies = ("noop", "swift")
tasks = tuple(EvaluationTask(game, "w", name) for game in "gh" for name in ("noop", "random", "swift"))
journal = ReturnJournal(sys.argv[1], policies, tasks)
for place in range(int(sys.argv[2]), 12, 2):
    for _ in range(10):
        journal.record(policies[place // 6], tasks[place % 6], place // 6 * 100 + place % 6 / 7)
"""


def test_processes_write_one_journal(path):
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(path), str(share)]) for share in range(2)]
    assert [writer.wait() for writer in writers] == [0, 0]
    table = ReturnJournal(path, POLICIES, TASKS).table()
    expected = [[value_of(policy, task) for task in TASKS] for policy in POLICIES]
    assert table.returns.tolist() == expected
    assert len(path.read_bytes().splitlines()) == 1 + 10 * len(POLICIES) * len(TASKS)


@pytest.mark.parametrize("value", [np.nan, np.inf, -1.0])
def test_impossible_returns_are_not_recorded(journal, path, value):
    before = path.read_bytes()
    with pytest.raises(InvalidReturnsError, match=r"return of 'noop' on game 'g', .* expected a finite number"):
        journal.record("noop", TASKS[0], value)
    assert path.read_bytes() == before


def test_unknown_names_are_not_recorded(journal):
    with pytest.raises(UnknownNameError, match="unknown policy 'human'; known: noop, swift"):
        journal.record("human", TASKS[0], 1.0)
    with pytest.raises(UnknownNameError, match="unknown task"):
        journal.record("noop", EvaluationTask("x", "w", "noop"), 1.0)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"[0, 1]", "line 2 is b'[0, 1]', expected [place of policy, place of task, return]"),
        (b"[0, 1, 2.0, 3]", "line 2 is"),
        (b"[2, 0, 1.0]", "line 2 is"),
        (b"[-1, 0, 1.0]", "line 2 is"),
        (b"[true, 0, 1.0]", "line 2 is"),
        (b"[0, 0, null]", "line 2 is"),
        (b"{}", "line 2 is"),
        (b"\xff", "line 2 is"),
        (b"[0, 0, NaN]", "return of 'noop' on game 'g', world 'w', co-player 'noop' is nan"),
        (b"[0, 0, -2.0]", "is -2.0, expected a finite number"),
        (b"[0, 0, 2.0]\n[0, 0, 2.5]", "line 3: return of 'noop' on game 'g', world 'w', co-player 'noop' is 2.5"),
    ],
)
def test_corrupt_lines_are_named(journal, path, line, message):
    path.write_bytes(path.read_bytes() + line + b"\n")
    with pytest.raises(InvalidReturnsError) as caught:
        journal.missing()
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("policies", "tasks", "message"),
    [
        (
            ("noop", "random"),
            TASKS,
            "policies that is not this evaluation's is 'swift', expected 'random'",
        ),
        (
            ("noop",),
            TASKS,
            "policies that is not this evaluation's is 'swift', expected None; use another",
        ),
        (POLICIES, TASKS[:-1], "first of the tasks that is not this evaluation's is"),
        ((), TASKS, "number of policies is 0"),
        (POLICIES, (), "number of tasks is 0"),
    ],
)
def test_another_evaluations_journal_is_refused(journal, path, policies, tasks, message):
    with pytest.raises(InvalidReturnsError) as caught:
        ReturnJournal(path, policies, tasks)
    assert message in str(caught.value)


def test_what_is_no_journal_is_refused(path):
    path.write_text("hello\n")
    with pytest.raises(InvalidReturnsError, match=r"returns.jsonl: text at line 1"):
        ReturnJournal(path, POLICIES, TASKS)
    assert path.read_text() == "hello\n"
