"""The replay of whole episodes, drawn as played or for goals that were achieved later."""

import numpy as np
import pytest

from procgen_bench.baselines.papers.alphanpi_x.episode_replay import EpisodeForm, EpisodeReplay
from procgen_bench.baselines.parts.replay import SmallReplayError

HORIZON, EPISODES = 5, 4


def places(states):
    """Two blocks: the first is at x = the state's number, the second never moves."""
    return np.stack([states[:, 0], 0 * states[:, 0], 0 * states[:, 0], *[0 * states[:, 0]] * 3], axis=1)


def all_there(states, goals):
    return (places(states) == goals).all(axis=1)


def replay(strategy="future", relabelled=4, episodes=EPISODES, capacity=100):
    form = EpisodeForm(HORIZON, 2, 1, 6, places)
    kept = EpisodeReplay(capacity, form, relabelled, strategy, np.random.default_rng(0), all_there)
    for episode in range(episodes):
        numbers = 100.0 * episode + np.arange(HORIZON + 1)
        states = np.stack([numbers, numbers], axis=1)
        kept.add(states, numbers[:-1, None], np.array([-1000.0, 0, 0, 0, 0, 0]))
    return kept


def drawn(kept, count=2_000):
    batch = kept.sample(count)
    before, after = (part["observation"][:, 0].numpy() for part in (batch.observations, batch.next_observations))
    return batch, before, after, batch.observations["desired_goal"][:, 0].numpy()


def test_transitions_are_those_of_the_episodes():
    batch, before, after, _ = drawn(replay())
    assert np.array_equal(after, before + 1) and np.array_equal(batch.actions[:, 0], before)
    assert set(before.astype(int)) == {100 * e + t for e in range(EPISODES) for t in range(HORIZON)}
    assert len(replay()) == EPISODES * HORIZON and not batch.terminations.any(), "nothing terminates"


def test_goals_are_achieved_after_the_step_or_later():
    batch, before, after, goals = drawn(replay())
    as_played = goals == -1000
    assert as_played.mean() == pytest.approx(1 / 5, abs=0.03)
    later = (goals - before)[~as_played]
    assert later.min() == 1 and (goals[~as_played] // 100 == before[~as_played] // 100).all()
    assert set((goals - before)[~as_played & (before == 0)].astype(int)) == {1, 2, 3, 4, 5}
    assert np.array_equal(batch.rewards[:, 0], (goals == after).astype(np.float32))


def test_final_goals_are_those_of_the_end():
    goals = drawn(replay("final"))[3]
    chosen = goals != -1000
    assert np.array_equal(goals[chosen] % 100, np.full(chosen.sum(), HORIZON))
    assert (drawn(replay(relabelled=0))[3] == -1000).all()


def test_rewards_are_of_the_state_that_follows_and_the_goal_that_is_drawn():
    kept = replay()
    kept.rewards = lambda states, goals: np.where(goals[:, 0] < 0, -1.0, states[:, 1] - goals[:, 0])
    batch, _, after, goals = drawn(kept)
    assert np.array_equal(batch.rewards[:, 0], np.where(goals < 0, -1.0, after - goals))
    assert len(set(batch.rewards[:, 0].tolist())) > 2, "relabelled ones, too, and not truths alone"


def test_the_oldest_episode_makes_room_and_what_is_kept_comes_back():
    kept = replay(episodes=6, capacity=4 * HORIZON + 1)
    assert kept.episodes == 4 and set(kept.states[:, 0, 0]) == {200, 300, 400, 500}
    other = replay(episodes=0, capacity=4 * HORIZON + 1)
    arrays, values = kept.state()
    other.restore({name: array.copy() for name, array in arrays.items()}, values)
    for one in (kept, other):
        one._rng = np.random.default_rng(5)
        one.add(np.full((HORIZON + 1, 2), 9.0), np.zeros((HORIZON, 1)), np.zeros(6))
    assert np.array_equal(kept.states, other.states)
    assert all(np.array_equal(a, b) for a, b in zip(drawn(kept)[1:], drawn(other)[1:]))


def test_a_replay_that_holds_no_episode_is_refused():
    with pytest.raises(SmallReplayError, match="holds 4 transitions, expected at least the 5 of an episode"):
        replay(capacity=4, episodes=0)
