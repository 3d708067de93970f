"""The small track, and an honest submission to it."""

import pytest

from procgen_bench.core.benchmarks import BENCHMARKS
from tests.leaderboards.xland.small_track import SMALL


@pytest.fixture
def small(monkeypatch):
    """``xland/hand-authored`` with three tasks in the place of all."""
    monkeypatch.setitem(BENCHMARKS, SMALL.id, SMALL)
    return SMALL


@pytest.fixture(scope="session")
def small_folder(play):
    """One run of the random policy."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(BENCHMARKS, SMALL.id, SMALL)
        return play(SMALL, "random")
