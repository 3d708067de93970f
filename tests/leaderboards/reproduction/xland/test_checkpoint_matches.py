"""Figure 22: seekers are rows, hiders are columns, and who turns to the other one is the better seeker."""

import numpy as np
import pytest

from procgen_bench.baselines.policies.loading import load_policy
from procgen_bench.core.errors import InvalidOptionError
from procgen_bench.leaderboards.reproduction.xland import checkpoint_matches, matches
from procgen_bench.leaderboards.reproduction.xland.checkpoint_matches import (
    HIDE_AND_SEEK,
    CheckpointMatches,
    measure_checkpoint_matches,
)
from procgen_bench.leaderboards.reproduction.xland.matches import Matches, names_of, play_matches
from tests.leaderboards.reproduction.xland.followers import Still, Watcher, room


@pytest.fixture(scope="module")
def tasks():
    return [room(HIDE_AND_SEEK, facing) for facing in (0.5, 2.0, 3.5)]


def test_who_turns_to_the_other_one_sees_it_whoever_hides(tasks):
    found = play_matches([Still(), Watcher()], tasks, 0, 60).rewards[..., 0]
    assert found.shape == (2, 2, 3)
    means = found.mean(axis=2)
    assert (means[1] > 0.7).all() and (means[0] < 0.6).all()
    # One that stands still is met by the same pictures, whether the other one stands or turns.
    assert np.array_equal(found[0, 0], found[0, 1])
    swapped = play_matches([Watcher(), Still()], tasks, 0, 60).rewards[..., 0]
    assert np.array_equal(swapped, found[::-1, ::-1])


def test_the_equilibrium_is_of_the_better_ones(monkeypatch, tasks):
    shares = np.array([[0.5, 0.2], [0.8, 0.6]])  # the second seeker is better, and so is the second hider
    rewards = np.repeat(np.stack([shares, 1 - shares], axis=2)[:, :, None], 3, axis=2)
    monkeypatch.setattr(checkpoint_matches, "play_game", lambda *_: Matches(rewards, rewards[..., None]))
    found = measure_checkpoint_matches(1, np.random.default_rng(0), ["random", "noop"])
    assert found.seeking.tolist() == found.hiding.tolist() == [0.0, 1.0] and found.value == pytest.approx(0.6)
    assert [row.ours for row in found.key_numbers()][:2] == ["random 0.35, noop 0.70", "random 0.65, noop 0.40"]
    found.draw()


def test_checkpoints_of_one_name_are_numbered():
    assert names_of(["runs/a/policy", "runs/b.onnx", "trained"]) == ["a", "b", "trained"]
    assert names_of(["runs/a/policy", "more/a/policy"]) == ["checkpoint 1", "checkpoint 2"]


def test_policies_that_observe_otherwise_than_each_other_are_refused(monkeypatch):
    players = {"a": Watcher(), "b": load_policy("trained", "XLandSmall-v0")}
    monkeypatch.setattr(matches, "load_player", players.get)
    with pytest.raises(InvalidOptionError, match=r"b observes by .*False\}, expected .*True\}, as a does"):
        measure_checkpoint_matches(1, np.random.default_rng(0), ["a", "b"])


def test_numbers_name_what_is_drawn():
    found = CheckpointMatches(["early", "late"], np.full((2, 2, 4), 0.25), np.array([0, 1]), np.array([1, 0]), 0.25)
    assert {row.name: row.ours for row in found.key_numbers()}["found, late by itself"] == "0.25"
