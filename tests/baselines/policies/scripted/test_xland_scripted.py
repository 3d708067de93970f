"""Participants as policies: what they see, in the episode or in its twin, is what happens in the episode."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from procgen_bench.baselines.method_table import METHODS
from procgen_bench.baselines.policies.loading import load_policy
from procgen_bench.baselines.policies.scripted.xland_scripted import ParticipantPolicy
from procgen_bench.baselines.training.evaluation import play_episodes
from procgen_bench.core.errors import InvalidPolicyError
from procgen_bench.envs.xland.actions import ACTION_CHOICES
from procgen_bench.envs.xland.environment import XLandEnv
from procgen_bench.envs.xland.participants import Participant
from procgen_bench.tasks.xland import TEST_CO_PLAYERS, load_suite

#: A task of one player, and one of three, two of whom draw their actions.
TASKS = [
    load_suite("hand_authored")["find_cube"],
    next(task for task in load_suite("evaluation").tasks if task.co_players == ("random", "random")),
]


class Sensitive(Participant):
    """Does what the last bits of all bodies' positions say, and a little by chance."""

    def act(self):
        bits = self.simulation.bodies.positions.view(np.uint64).sum() + self.rng.integers(3, dtype=np.uint64)
        return np.random.default_rng(bits).integers(0, ACTION_CHOICES)


def played(tasks, seed=0, num_envs=2, serial=True, policy=None):
    policy = policy or ParticipantPolicy("XLand-v0", Sensitive)
    policy.seed(seed)
    return play_episodes(policy, "XLand-v0", tasks, range(7, 7 + len(tasks)), num_envs, serial=serial)


@pytest.fixture(scope="module")
def episodes():
    return played(TASKS)


def test_the_twin_goes_through_the_same_states(episodes):
    """The same participant in the replayed episode itself, with the policy's chance, would do the same."""
    assert TASKS[1].co_players == ("random", "random")
    for task, episode in zip(TASKS, episodes):
        policy = ParticipantPolicy("XLand-v0", Sensitive)
        policy.begin(0, task, episode.seed)
        participant = policy._participants[0]
        env = XLandEnv(observation="state", privileged=True)
        env.reset(seed=episode.seed, options={"task": task})
        participant.simulation = env.simulation
        assert episode.finished and episode.length == 900
        for action in episode.actions:
            assert participant.act().tolist() == action.tolist()
            env.step(action)


@pytest.mark.slow
def test_single_environments_are_looked_at_and_rows_of_a_batch_have_twins(episodes):
    policy = ParticipantPolicy("XLand-v0", Sensitive)
    for serial, twins in ((False, 2), (True, 0), (False, 2)):
        again = played(TASKS, serial=serial, policy=policy)
        assert len(policy._twins) == twins
        for episode, expected in zip(again, episodes, strict=True):
            assert np.array_equal(episode.actions, expected.actions) and episode.return_ == expected.return_
    (fewer,) = played(TASKS[:1], num_envs=1, serial=False, policy=policy)
    assert np.array_equal(fewer.actions, episodes[0].actions)


def test_chance_follows_from_the_policys_seed_and_the_episodes(episodes):
    (alone,) = played(TASKS[:1], num_envs=1)
    assert np.array_equal(alone.actions, episodes[0].actions)
    (other,) = played(TASKS[:1], seed=1, num_envs=1)
    assert not np.array_equal(other.actions, episodes[0].actions)


def test_every_co_player_but_the_two_that_see_nothing_is_a_method():
    names = {name.removeprefix("xland-") for name in METHODS if name.startswith("xland-")}
    assert names == {*TEST_CO_PLAYERS, "scripted"} - {"noop", "random"}
    for name in names - {"scripted"}:
        policy = load_policy(f"xland-{name}", "XLand-v0")
        policy.begin(0, TASKS[1], 3)
        assert policy.act({}, np.ones(1, np.bool_)).shape == (1, 6)


def test_the_scripted_player_is_seated(monkeypatch):
    monkeypatch.setitem(
        sys.modules, "procgen_bench.envs.xland.scripted", SimpleNamespace(ScriptedParticipant=Sensitive)
    )
    policy = load_policy("xland-scripted", "XLand-v0")
    policy.begin(0, TASKS[0], 3)
    assert type(policy._participants[0]) is Sensitive and policy._participants[0].seat == 0


def test_another_environment_is_refused():
    with pytest.raises(
        InvalidPolicyError, match="XLand's players play 'XLand-v0' and 'XLandSmall-v0' only, not 'GridWorld-v0'"
    ):
        load_policy("xland-hunter", "GridWorld-v0")
