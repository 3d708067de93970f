"""The learned buffer: projections onto the simplex, where the ascent ends, and what it takes in."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from procgen_bench.baselines.curricula import learned_buffer
from procgen_bench.baselines.curricula.learned_buffer import LearnedLevelBuffer, project_onto_simplex
from procgen_bench.baselines.curricula.level_buffer import Candidate
from tests.baselines.curricula.students import levels_of

LEVELS = levels_of("grid-world/graded", solvable=True)
TASKS = LEVELS.draw(np.random.default_rng(0), 12)
POINTS = arrays(np.float64, st.integers(1, 30), elements=st.floats(-5, 5))


def filled(scores, capacity=0, step_size=0.1, entropy=0.1, floor=1e-5) -> LearnedLevelBuffer:
    buffer = LearnedLevelBuffer(capacity or len(scores), step_size, entropy, floor)
    buffer.offer([Candidate(100 + i, TASKS[i], score, max_return=score) for i, score in enumerate(scores)])
    return buffer


def softmax(logits) -> np.ndarray:
    weights = np.exp(logits)
    return weights / weights.sum()


@given(POINTS, st.floats(0, 1))
def test_a_projection_is_the_nearest_distribution_above_the_floor(point, share):
    floor = share / len(point)
    found = project_onto_simplex(point, floor)
    assert found.min() >= floor and found.sum() == pytest.approx(1)
    # Optimality (Karush, Kuhn, Tucker): what is above the floor gave up the same; what is on it gave up no more.
    given_up = point - found
    free = found > floor + 1e-9
    if free.any():
        assert np.ptp(given_up[free]) < 1e-9
        assert (given_up[~free] <= given_up[free].max() + 1e-9).all()


@given(POINTS)
def test_a_distribution_is_its_own_projection(point):
    found = project_onto_simplex(point)
    assert project_onto_simplex(found) == pytest.approx(found, abs=1e-12)


def test_a_projection_by_hand():
    assert project_onto_simplex(np.array([0.9, 0.5, -3.0])) == pytest.approx([0.7, 0.3, 0.0])
    assert project_onto_simplex(np.array([0.9, 0.5, -3.0]), 0.1) == pytest.approx([0.65, 0.25, 0.1])


def test_the_ascent_ends_at_the_softmax_of_the_scores():
    scores = np.array([0.25, 0.16, 0.0])
    buffer = filled(scores)
    for _ in range(500):
        buffer.ascend()
    assert buffer.replay_distribution() == pytest.approx(softmax(scores / 0.1), abs=1e-6)
    assert buffer.effective_levels == pytest.approx(2.185, abs=0.001)


def descends(monkeypatch):
    ascend = LearnedLevelBuffer.ascend

    def down(buffer):
        buffer.step_size = -abs(buffer.step_size)
        ascend(buffer)

    monkeypatch.setattr(LearnedLevelBuffer, "ascend", down)


def projects_nothing(monkeypatch):
    monkeypatch.setattr(learned_buffer, "project_onto_simplex", lambda point, floor: point.clip(floor))


def has_no_entropy(monkeypatch):
    ascend = LearnedLevelBuffer.ascend

    def without(buffer):
        buffer.entropy = 0.0
        ascend(buffer)

    monkeypatch.setattr(LearnedLevelBuffer, "ascend", without)


@pytest.mark.parametrize("sabotage", [descends, projects_nothing, has_no_entropy])
def test_a_sabotaged_ascent_ends_elsewhere(sabotage, monkeypatch):
    sabotage(monkeypatch)
    with pytest.raises(AssertionError):
        test_the_ascent_ends_at_the_softmax_of_the_scores()


def test_with_little_entropy_the_most_learnable_level_is_all_but_certain():
    buffer = filled([0.1, 0.25, 0.2], entropy=1e-4)
    for _ in range(500):
        buffer.ascend()
    assert buffer.replay_distribution() == pytest.approx([1e-5, 1 - 2e-5, 1e-5])


def test_a_step_divides_the_centred_gradient_by_the_power_of_its_squares():
    """Of two slots both have the same steps, one up, one down."""
    buffer, squares = filled([0.2, 0.0], step_size=0.01, entropy=0.1), 0.1
    for _ in range(2):
        y = buffer.replay_distribution()
        gradient = (0.2 - 0.1 * np.log(y[0] / y[1])) / 2
        squares += gradient**2
        step = 0.01 * gradient / squares**0.4
        buffer.ascend()
        assert buffer.replay_distribution() == pytest.approx([y[0] + step, y[1] - step], abs=1e-7)


def test_levels_of_an_empty_buffer_are_equally_likely_and_a_later_one_as_the_mean_of_the_others():
    buffer = filled([0.2, 0.0, 0.1], capacity=4)
    assert buffer.replay_distribution() == pytest.approx(1 / 3)
    for _ in range(20):
        buffer.ascend()
    before = buffer.replay_distribution()
    buffer.offer([Candidate(7, TASKS[10], 0.0, 0.0)])
    assert buffer.replay_distribution() == pytest.approx([*(before * 0.75), 0.25])


def test_the_lowest_score_gives_way_to_higher_ones_alone_and_leaves_its_probability():
    buffer = filled([0.2, 0.0, 0.1])
    for _ in range(20):
        buffer.ascend()
    before = buffer.replay_distribution()
    offered = [Candidate(7, TASKS[9], 0.0, 0.0), Candidate(8, TASKS[10], 0.15, 0.0), Candidate(9, TASKS[11], 0.1, 0.0)]
    assert buffer.offer(offered) == 1
    assert buffer.scores.tolist() == [0.2, 0.15, 0.1] and buffer.slot(8) == 1
    assert np.array_equal(buffer.replay_distribution(), before)


def test_a_restored_buffer_ascends_in_the_same_way():
    buffer, other = filled([0.2, 0.0, 0.1], capacity=5), filled([], capacity=5)
    for _ in range(3):
        buffer.ascend()
    other.restore(LEVELS.task_space, buffer.state(LEVELS.task_space))
    for one in (buffer, other):
        one.offer([Candidate(7, TASKS[10], 0.25, 0.0)])
        one.ascend()
    assert np.array_equal(buffer.replay_distribution(), other.replay_distribution())


def test_an_empty_buffer_ascends_nowhere():
    buffer = filled([], capacity=3)
    buffer.ascend()
    assert buffer.replay_distribution().size == 0 and buffer.effective_levels == 0
