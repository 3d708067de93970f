"""Advantages and the buffer's content, against loops over single episodes."""

import numpy as np
import pytest
from gymnasium import spaces
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from procgen_bench.baselines.episodic.buffer import EpisodeBuffer, generalised_advantages
from tests.baselines.episodic.made_episodes import episode_pairs, made_episodes

NUMBERS = st.floats(-10, 10)
SHARES = st.sampled_from([0.0, 0.5, 0.98, 1.0])


def slow_advantages(rewards, values, final_value, discount, decay):
    """Generalised advantages of one episode: the discounted sum of all later surprises, for every step."""
    following = [*values[1:], final_value]
    surprises = [r + discount * after - v for r, v, after in zip(rewards, values, following)]
    return [
        sum((discount * decay) ** (later - step) * surprises[later] for later in range(step, len(rewards)))
        for step in range(len(rewards))
    ]


@st.composite
def rewarded_episodes(draw):
    """Episodes with a reward and a value for every step (behind the end too), and a final value each."""
    episodes = draw(episode_pairs().filter(lambda pairs: pairs.lengths.max() > 1))  # one step alone is no batch
    per_step = arrays(np.float64, episodes.actions.shape, elements=NUMBERS)
    count = len(episodes.lengths)
    included = draw(arrays(np.bool_, count))
    included[np.argmax(episodes.lengths)] = True
    return episodes, draw(per_step), draw(per_step), draw(arrays(np.float64, count, elements=NUMBERS)), included


def new_buffer(discount=1.0, decay=1.0) -> EpisodeBuffer:
    space = spaces.Dict({"observation": spaces.Box(0, 100, (2,))})
    return EpisodeBuffer(0, space, spaces.Discrete(10), "cpu", discount, decay, 2)


@given(rewarded_episodes(), SHARES, SHARES)
def test_advantages_are_those_of_each_episode_alone(drawn, discount, decay):
    episodes, rewards, values, final_values, _ = drawn
    found = generalised_advantages(rewards, values, final_values, episodes.lengths, discount, decay)
    for row, length in enumerate(episodes.lengths):
        expected = slow_advantages(rewards[:length, row], values[:length, row], final_values[row], discount, decay)
        assert found[:length, row] == pytest.approx(np.array(expected))
        assert not found[length:, row].any()


@given(rewarded_episodes(), SHARES, SHARES, st.integers(1, 40))
def test_the_buffer_holds_the_included_steps_and_no_others(drawn, discount, decay, batch_size):
    episodes, rewards, values, final_values, included = drawn
    anti_goals = episodes.ends[::-1]
    buffer = new_buffer(discount, decay)
    buffer.fill(episodes, rewards, values, final_values, included, anti_goals)
    expected = {}
    for row in np.flatnonzero(included):
        length = episodes.lengths[row]
        advantages = slow_advantages(rewards[:length, row], values[:length, row], final_values[row], discount, decay)
        for step in range(length):
            expected[step + 1, row + 1] = (
                *(values[step, row], -step - row / 100, advantages[step], values[step, row] + advantages[step]),
                *(step * 1_000 + row, anti_goals[row, 0], episodes.goals[row, 0]),
            )
    mean, deviation = np.mean([numbers[2] for numbers in expected.values()]), np.std([n[2] for n in expected.values()])
    expected = {
        place: (*numbers[:2], (numbers[2] - mean) / (deviation + 1e-8), *numbers[3:])
        for place, numbers in expected.items()
    }
    assert len(buffer) == len(expected)
    (samples,) = buffer.get(len(expected))
    found = {}
    for index, place in enumerate(samples.observations["observation"].tolist()):
        found[tuple(place)] = (
            *(samples.old_values[index].item(), samples.old_log_prob[index].item()),
            *(samples.advantages[index].item(), samples.returns[index].item()),
            *(samples.actions[index, 0].item(), samples.observations["anti_goal"][index, 0].item()),
            samples.observations["desired_goal"][index, 0].item(),
        )
    assert found.keys() == expected.keys()
    for place, numbers in expected.items():
        assert found[place] == pytest.approx(numbers, rel=1e-4, abs=1e-4)
    assert buffer.values.dtype == buffer.returns.dtype == np.float32
    sizes = [len(batch.actions) for batch in buffer.get(batch_size)]
    left = len(expected) % batch_size
    assert sizes == [size for size in [*[batch_size] * (len(expected) // batch_size), left] if size > 0]


def test_every_pass_draws_another_order():
    episodes = made_episodes([40, 40], [[0.0], [0.0]], [[0.0], [0.0]])
    nothing = np.zeros((40, 2))
    buffer = new_buffer()
    buffer.fill(episodes, nothing, nothing, np.zeros(2), np.ones(2, np.bool_), None)
    passes = [[batch.actions[:, 0].tolist() for batch in buffer.get(20)] for _ in range(2)]
    first, second = ([action for batch in batches for action in batch] for batches in passes)
    assert first != second
    assert sorted(first) == sorted(second) == sorted(episodes.actions.ravel().tolist())
    assert "anti_goal" not in next(buffer.get(20)).observations
