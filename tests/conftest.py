"""Hypothesis measures how long an example takes; kernels that compile in it, and busy machines, are no faults. It tries
half as many examples as it would by itself.

Each process computes in one thread: the tests run in several processes, whose threads would wait for each other. What
needs a package that is not to be had is left out, and the head of the report says so.
"""

import gc
import os

import pytest
from hypothesis import settings

from tests.installed import LEFT_OUT, MISSING
from tests.leaderboards.attacks.meter import PROPERTY, summary

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before torch is imported; children inherit it

settings.register_profile("suite", deadline=None, max_examples=50)
settings.load_profile("suite")

collect_ignore_glob = list(LEFT_OUT)


def pytest_report_header() -> str | None:
    """One line on what is left out, if anything is."""
    return f"not installed: {', '.join(MISSING)}; left out: {', '.join(LEFT_OUT)}" if MISSING else None


def pytest_terminal_summary(terminalreporter) -> None:
    """One line on the attacks on boards, whichever process stopped them."""
    reports = terminalreporter.getreports("passed")
    line = summary([cost for report in reports for name, cost in report.user_properties if name == PROPERTY])
    if line is not None:
        terminalreporter.write_line(line)


@pytest.fixture(scope="session", autouse=True)
def disk_that_nobody_waits_for():
    """No test cuts the power, which is all that waiting for the disk is for; every file of a run or a board waits."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda descriptor: None)
        yield


@pytest.fixture(scope="module", autouse=True)
def quick_collections():
    """The garbage collector passes by what is alive between two files: late in a run that is millions of objects."""
    gc.collect()
    gc.freeze()
