"""Tables of returns by the dozen: by hand, and by Hypothesis; and normalisers of them, published for a while."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from procgen_bench.leaderboards.xland import normalisers
from procgen_bench.leaderboards.xland.evaluation_tasks import EvaluationTask
from procgen_bench.leaderboards.xland.normalisers import Normaliser, write_normaliser
from procgen_bench.leaderboards.xland.returns import ReturnTable

POLICIES = ("noop", "random", "swift")
#: Returns as episodes give them: many zeros, at most 900 rewarded steps.
RETURNS = st.one_of(st.just(0.0), st.floats(0.001, 900.0), st.integers(0, 900).map(float))


def tasks_of(games, worlds=("w",), co_players=POLICIES):
    """Every game with every world and co-player."""
    return tuple(EvaluationTask(game, world, name) for game in games for world in worlds for name in co_players)


def table_of(returns, games=("g",), worlds=("w",), policies=POLICIES, co_players=POLICIES):
    """A table of these returns, policies x tasks."""
    return ReturnTable(policies, tasks_of(games, worlds, co_players), np.array(returns, np.float64))


def publish(folder: Path, patch: pytest.MonkeyPatch, *made: Normaliser) -> None:
    """Publish these normalisers in the place of all, until the patch is undone."""
    patch.setattr(normalisers, "FOLDER", folder)
    checksums = {(one.benchmark, one.version): write_normaliser(one, folder) for one in made}
    patch.setattr(normalisers, "PUBLISHED", checksums)


@st.composite
def tables(draw):
    """Tables of three policies on up to five games of up to three worlds."""
    games = tuple(f"game {k}" for k in range(draw(st.integers(1, 5))))
    worlds = tuple(f"world {k}" for k in range(draw(st.integers(1, 3))))
    tasks = tasks_of(games, worlds)
    return ReturnTable(POLICIES, tasks, draw(arrays(np.float64, (len(POLICIES), len(tasks)), elements=RETURNS)))
