"""Progress without a terminal: few whole lines; with one, a bar."""

import re

import pytest

from procgen_bench.core import progress
from procgen_bench.core.progress import LINE_INTERVAL, Progress


@pytest.fixture
def clock(monkeypatch):
    """A clock that is set by hand: ``clock[0]``, in seconds."""
    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    return now


def lines(capsys) -> list[str]:
    err = capsys.readouterr().err
    assert "\r" not in err and "\x1b" not in err and (not err or err.endswith("\n"))
    return err.splitlines()


def test_a_line_a_minute_without_a_terminal(clock, capsys):
    with Progress(total=400, unit="step", desc="ppo grid-world/graded") as bar:
        for second in range(4 * LINE_INTERVAL):
            clock[0] = second
            bar.update()
            bar.set_postfix(success=f"{second / 100:.2f}")
    written = lines(capsys)
    # At the start, after one, two and three minutes, and at the end.
    assert [re.search(r": (\d+)/400 step, ", line)[1] for line in written] == ["0", "61", "121", "181", "240"]
    assert written[2].startswith("ppo grid-world/graded: ") and "success=1.20" in written[2]
    assert all("#" not in line and "█" not in line and len(line) < 100 for line in written)


def test_a_line_is_not_said_twice(clock, capsys):
    with Progress(total=1, desc="playing", unit="policy", delay=2, mininterval=0) as bar:
        clock[0] = LINE_INTERVAL
        bar.start_t -= LINE_INTERVAL
        bar.update()
    assert len(lines(capsys)) == 1


def test_what_is_quick_says_nothing(clock, capsys):
    for _ in Progress(range(1_000), desc="reading", unit="benchmark", delay=2):
        pass
    assert lines(capsys) == []


def test_what_is_not_left_has_no_last_line(clock, capsys):
    for second in Progress(range(2 * LINE_INTERVAL), desc="reading", unit="entry", mininterval=0, leave=False):
        clock[0] = second
    assert [line.partition("/")[0] for line in lines(capsys)] == ["reading: 0", "reading: 61"]


def test_a_bar_in_a_terminal(clock, capsys, monkeypatch):
    monkeypatch.setattr(progress.sys.stderr, "isatty", lambda: True, raising=False)
    with Progress(total=4, desc="ppo", ascii=True) as bar:
        bar.update(2)
        bar.refresh()
    assert "\r" in (written := capsys.readouterr().err) and "50%|#" in written
