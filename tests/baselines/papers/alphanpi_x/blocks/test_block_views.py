"""What a policy for blocks sees, its running moments, and the set of other blocks that grows in.

The replay of whole episodes, drawn as played or for goals that were achieved later.
"""

import numpy as np
import pytest
import torch

from procgen_bench.baselines.papers.alphanpi_x.block_views import (
    BlockActor,
    BlockNetwork,
    RelativeView,
    RunningMoments,
    make_view,
)
from procgen_bench.baselines.papers.alphanpi_x.episode_replay import EpisodeForm, EpisodeReplay
from procgen_bench.baselines.parts.replay import SmallReplayError
from procgen_bench.core.errors import InvalidOptionError


def observations(num_blocks=4, rows=8, seed=0):
    rng = np.random.default_rng(seed)
    sizes = {"observation": 15 * num_blocks + 10, "desired_goal": 3 * num_blocks}
    return {name: torch.as_tensor(rng.normal(1, 0.3, (rows, size))) for name, size in sizes.items()}


def moved(seen, way, num_blocks=4):
    """The same table with all places elsewhere along x and y."""
    state, goals = seen["observation"].clone(), seen["desired_goal"].clone()
    for first in [*range(0, 15 * num_blocks, 15), 15 * num_blocks]:
        state[:, first : first + 2] += torch.tensor(way)
    for first in range(0, 3 * num_blocks, 3):
        goals[:, first : first + 2] += torch.tensor(way)
    return {"observation": state, "desired_goal": goals}


def test_the_raw_view_is_the_papers_70_and_12_numbers():
    seen = observations()
    own, others = make_view("raw", 4)(seen)
    assert torch.equal(own, torch.cat([seen["observation"], seen["desired_goal"]], 1).float())
    assert own.shape == (8, 70 + 12) and others is None


def test_the_relative_view_tells_what_it_says():
    seen = observations(num_blocks=3)
    own, others = RelativeView()(seen)
    state, goals = (seen[name].float() for name in ("observation", "desired_goal"))
    assert own.shape == (8, 27) and others.shape == (8, 2, 18)
    assert torch.equal(own[:, :3], state[:, 6:9]) and torch.equal(own[:, 3:6], goals[:, :3] - state[:, :3])
    assert torch.equal(own[:, 6:15], torch.cat([state[:, 3:6], state[:, 9:15]], 1))
    assert torch.equal(own[:, 15:22], state[:, 48:55]) and torch.equal(own[:, 22:25], state[:, 45:48])
    assert torch.equal(own[:, 25:], torch.stack([state[:, 2], goals[:, 2]], 1))
    second = state[:, 30:33]
    assert torch.equal(others[:, 1, :3], second - state[:, 45:48]) and torch.equal(
        others[:, 1, 3:6], second - state[:, :3]
    )
    assert torch.equal(others[:, 1, 6:9], second - goals[:, :3]) and torch.equal(
        others[:, 1, 9:12], goals[:, 6:] - second
    )
    assert torch.equal(others[:, 1, 12:], torch.cat([state[:, 39:42], state[:, 33:36]], 1))


def test_the_relative_view_changes_but_for_the_hands_place_nowhere_when_all_is_moved():
    seen = observations()
    (own, others), (other_own, other_others) = RelativeView()(seen), RelativeView()(moved(seen, (0.2, -0.1)))
    still = [place for place in range(27) if place not in (22, 23)]
    assert torch.allclose(own[:, still], other_own[:, still], atol=1e-6)
    assert torch.allclose(others, other_others, atol=1e-6) and not torch.allclose(own, other_own, atol=0.05)


def test_an_unknown_view_is_refused():
    with pytest.raises(InvalidOptionError, match="view is 'bird', expected one of"):
        make_view("bird", 4)


def test_moments_are_those_of_all_that_was_seen():
    moments, values = RunningMoments(3), torch.randn(500, 3) * torch.tensor([1e-4, 2.0, 30.0]) + 1.4
    assert torch.equal(
        moments(values[:, :2].clamp(-1, 1).repeat(1, 2)[:, :3]), values[:, :2].clamp(-1, 1).repeat(1, 2)[:, :3]
    )
    for part in values.split(100):
        moments.update_normaliser(part)
    seen = moments(values)
    assert torch.allclose(seen[:, 1:].mean(0), torch.zeros(2), atol=1e-3)
    assert torch.allclose(seen[:, 1:].std(0), torch.ones(2), atol=0.02)
    assert seen[:, 0].abs().max() < 0.1, "what hardly differs is not blown up"
    assert moments(torch.full((1, 3), 1e6)).max() == 5


def test_features_are_divided_by_their_deviation_and_by_a_hundredth_at_least():
    """Of four features one is always the same, one varies less than that, one more, and one is cut off at 200 first."""
    moments = RunningMoments(4)
    moments.update_normaliser(
        torch.tensor([[[0.5, 0.501, 1.0, 1e5]], [[0.5, 0.499, 5.0, 1e5]]])
    )  # over rows and other blocks alike
    moments.update_normaliser(torch.tensor([[0.5, 0.499, 5.0, -1e5], [0.5, 0.501, 1.0, -1e5]]))
    shown = moments(torch.tensor([[0.5, 0.501, 5.0, 150.0], [0.51, 0.49, -1.0, 1e6], [0.6, 0.3, 14.0, -1e6]]))
    expected = torch.tensor([[0.0, 0.1, 1.0, 0.75], [1.0, -1.0, -2.0, 1.0], [5.0, -5.0, 5.0, -1.0]])
    assert torch.allclose(shown, expected, atol=1e-4)


def grown(network):
    network.grow()
    return network


@pytest.mark.parametrize("outputs", ["actor", "critic"])
def test_growing_keeps_the_function_bit_for_bit(outputs):
    torch.manual_seed(0)
    seen, actions = observations(), torch.rand(8, 4)
    network = BlockActor(RelativeView(), 4) if outputs == "actor" else BlockNetwork(RelativeView(), 1, 4)
    given = (seen,) if outputs == "actor" else (seen, actions)
    network.update_normaliser(seen)
    before = network(*given)
    after = grown(network)(*given)
    assert torch.equal(before, after)
    before.sum().backward()
    assert network.from_others.weight.grad is None, "a network that has not grown does not learn of others"
    after.square().sum().backward()
    assert network.from_others.weight.grad.abs().max() > 0, "one that has does"
    with torch.no_grad():
        network.from_others.weight.normal_()
    assert not torch.equal(network(*given), after)


def test_other_blocks_are_a_set_of_any_number():
    torch.manual_seed(0)
    network = grown(BlockActor(RelativeView(), 4))
    torch.nn.init.normal_(network.from_others.weight)
    seen = observations()
    state, goals = seen["observation"].clone(), seen["desired_goal"].clone()
    state[:, 15:60] = state[:, 15:60].unflatten(1, (3, 15)).roll(1, 1).flatten(1)
    goals[:, 3:] = goals[:, 3:].unflatten(1, (3, 3)).roll(1, 1).flatten(1)
    assert torch.allclose(network(seen), network({"observation": state, "desired_goal": goals}), atol=1e-5)
    for num_blocks in (2, 3, 6):
        assert network(observations(num_blocks)).shape == (8, 4)


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
