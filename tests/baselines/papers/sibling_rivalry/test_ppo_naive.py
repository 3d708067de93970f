import numpy as np
from hypothesis import given

from procgen_bench.baselines.papers.sibling_rivalry.sibling_rivalry import TerminalDistance
from tests.baselines.papers.sibling_rivalry.episodes.made_episodes import (
    THRESHOLD,
    distance,
    episode_pairs,
    made_episodes,
)


@given(episode_pairs())
def test_the_last_step_is_rewarded_by_equation_2(episodes):
    labels = TerminalDistance(distance, THRESHOLD).label(episodes)
    for row, length in enumerate(episodes.lengths):
        left = abs(float(episodes.ends[row, 0]) - float(episodes.goals[row, 0]))
        assert labels.rewards[length - 1, row] == (1.0 if left <= THRESHOLD else -left)
        labels.rewards[length - 1, row] = 0.0
    assert not labels.rewards.any()
    assert labels.included.all()
    assert labels.anti_goals is None


def test_the_goal_is_reached_just_at_the_threshold():
    ends = [[THRESHOLD], [np.nextafter(THRESHOLD, 1)]]
    labels = TerminalDistance(distance, THRESHOLD).label(made_episodes([1, 1], ends, [[0.0], [0.0]]))
    assert labels.rewards.tolist() == [[1.0, -np.nextafter(THRESHOLD, 1)]]
    assert labels.measures == {"distance": np.mean([end[0] for end in ends])}


@given(episode_pairs())
def test_by_step_every_change_of_the_distance_is_paid(episodes):
    rewards = TerminalDistance(distance, THRESHOLD, per_step=True).label(episodes).rewards
    for row, length in enumerate(episodes.lengths):
        states = np.array([*episodes.observations["achieved_goal"][:length, row], episodes.ends[row]])
        expected = -np.diff(distance(states, episodes.goals[row]))
        expected[-1] += episodes.successes[row]
        assert rewards[:length, row].tolist() == expected.tolist()
        assert not rewards[length:, row].any()
