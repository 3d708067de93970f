"""What APT-Gen remembers of episodes: the latest steps, drawn with what was seen around them."""

import numpy as np

from procgen_bench.baselines.papers.apt_gen.experience import Experience
from procgen_bench.baselines.training.contracts import EpisodeSteps
from tests.baselines.papers.apt_gen.generated_tasks import episode


def test_only_the_latest_steps_are_kept():
    experience = Experience(limit=12, latest=6)
    for shown in range(5):
        experience.add(episode(shown), np.full(2, shown), float(shown))
    drawn = experience.draw(np.random.default_rng(0), 50, experience.first_latest)
    assert set(drawn.tolist()) == {1, 2} and set(experience.draw(np.random.default_rng(0), 50).tolist()) == {0, 1, 2}
    places = np.arange(len(experience))
    points, values = experience.values(places)
    assert values.tolist() == [2, 3, 4] and points[:, 0].tolist() == [2, 3, 4]
    sample = experience.sample(np.random.default_rng(0), places, 3)
    assert sample.first["seen"][:, 0].tolist() == [2, 3, 4]
    for around in (sample.before, sample.after):
        assert around["seen"][:, 0].tolist() == [2] * 3 + [3] * 3 + [4] * 3


def test_episodes_stay_as_long_as_those_behind_them_have_fewer_steps_than_the_limit():
    experience = Experience(limit=10, latest=5)
    for shown in range(5):
        experience.add(episode(shown), np.zeros(2), float(shown))
    assert experience.values(np.arange(len(experience)))[1].tolist() == [3, 4]
    assert experience.first_latest == 1


def test_steps_are_drawn_with_what_was_seen_around_them():
    experience = Experience(100, 100)
    for first, length in [(0, 4), (10, 1), (20, 7)]:
        seen = np.arange(first, first + length + 1)
        steps = EpisodeSteps({"seen": seen[:, None].astype(np.float32)}, seen[:-1], seen[:-1] / np.float32(10))
        experience.add(steps, np.zeros(2), 0.0)
    sample = experience.sample(np.random.default_rng(0), np.array([2, 0, 1, 2]), 200)
    before = sample.before["seen"][:, 0]
    assert sample.first["seen"][:, 0].tolist() == [20, 0, 10, 20] and sample.lengths.tolist() == [7, 4, 1, 7]
    assert np.array_equal(sample.after["seen"][:, 0], before + 1) and np.array_equal(sample.actions, before)
    np.testing.assert_allclose(sample.rewards, before / 10, rtol=1e-6)
    every = [set(range(20, 27)), set(range(4)), {10}, set(range(20, 27))]
    assert [set(own.tolist()) for own in before.reshape(4, 200)] == every
