"""ALP-GMM: its measure of progress, the mixture that is fitted to it, and that it brings a student further."""

import importlib.util

import numpy as np
import pytest

from procgen_bench.baselines.training.teacher_table import get_teacher
from tests.baselines.curricula.students import levels_of, trained_skill, wanderer

#: It is imported by the tests that need it, not by every process that collects this file: that takes a second.
pytestmark = pytest.mark.skipif(importlib.util.find_spec("sklearn") is None, reason="sklearn is not installed")

LEVELS = levels_of("ant-maze/test", solvable=False)
SMALL = "window=100,most_gaussians=3"


def make(options=SMALL, seed=0, name="alp-gmm"):
    return get_teacher(name).make(options, LEVELS, np.random.default_rng(seed))


def negate_progress(teacher):
    progress = teacher.absolute_progress
    teacher.absolute_progress = lambda points, returns: 1 - progress(points, returns)


def test_it_brings_a_student_further_than_uniform_levels_and_with_negated_progress_it_does_not():
    def skill(teacher):
        student = wanderer(LEVELS)
        student.rate = 0.03
        return trained_skill(teacher, student, 1500)

    uniform = skill(make("", name="uniform"))
    assert skill(make()) > uniform + 2
    sabotaged = make()
    negate_progress(sabotaged)
    assert skill(sabotaged) < uniform + 1


def test_progress_is_the_distance_to_the_return_of_the_nearest_level_played_before():
    teacher = make()
    teacher._points = np.array([[0.0, 0, 0, 0], [1, 0, 0, 0]], np.float32)
    teacher._returns = np.array([0.25, 1.0])
    along = np.array([0.9, 0.8, 0.4, -1.0, 0.3, -0.9, 0.62, 0.6])
    points = np.stack([along, *np.zeros((3, 8))], axis=1)
    progress = teacher.absolute_progress(points, np.array([0.0, 0.5, 0.5, 1.0, 0.75, 0.5, 0.0, 1.0]))
    # The first six of all are compared with nothing. Of those played before, 0.4 lies nearest to 0.3, -1 to -0.9,
    # 0.8 to 0.62, and 0.62 to 0.6.
    assert progress == pytest.approx([0, 0, 0, 0, 0.25, 0.5, 0.5, 1.0])


def test_levels_come_from_where_the_progress_is():
    teacher, rng = make("window=200,most_gaussians=4,random_share=0.25"), np.random.default_rng(0)
    teacher.propose(np.arange(200), 0)
    for _ in range(2):  # the same levels, whose returns change where the first coordinate is great
        for task in [LEVELS.draw(rng, 1)[0] for _ in range(200)]:
            moves = teacher.box.points([task])[0, 0] > 0.5
            teacher._window.append((task, float(moves and rng.random() < 0.5)))
        teacher.learn(wanderer(LEVELS))
    first = teacher.box.points([proposal.task for proposal in teacher.propose(np.arange(1000), 0)])[:, 0]
    assert np.mean(first > 0.4) == pytest.approx(0.75 + 0.25 * 0.3, abs=0.1)
    assert np.abs(first).max() <= 1


def test_before_the_first_fit_levels_are_uniform_and_fits_come_with_their_window():
    teacher, student = make("window=40,most_gaussians=2"), wanderer(LEVELS)
    for _ in range(3):
        assert teacher.learn(student)["gaussians"] == 0
        teacher.observe(student.play_proposals(teacher.propose(np.arange(13), 0)))
    teacher.observe(student.play_proposals(teacher.propose(np.arange(1), 0)))
    assert teacher.learn(student)["gaussians"] == 2


def test_its_memory_is_bounded():
    teacher, student = make("window=20,most_gaussians=2,history=50"), wanderer(LEVELS)
    for _ in range(8):
        teacher.observe(student.play_proposals(teacher.propose(np.arange(20), 0)))
        teacher.learn(student)
    assert len(teacher._points) == len(teacher._returns) == 50
    assert len(teacher._window) == 0 and len(teacher._flying) == 0


def test_episodes_of_a_long_update_all_count_and_the_mixture_is_fitted_to_the_last():
    teacher, student, fitted = make("window=20,most_gaussians=2"), wanderer(LEVELS), []
    fit = teacher._fit
    teacher._fit = lambda samples: fitted.append(samples) or fit(samples)
    teacher.observe(student.play_proposals(teacher.propose(np.arange(50), 0)))
    teacher.learn(student)
    assert len(teacher._points) == 50
    assert np.allclose(fitted[0][:, :-1], teacher._points[-20:], atol=1e-6)


def test_the_mixture_of_the_best_akaike_criterion_is_taken():
    """Three clusters far from each other: two Gaussians do not hold them, and four are no better."""
    teacher, rng = make("window=300,fewest_gaussians=1,most_gaussians=3"), np.random.default_rng(0)
    samples = rng.normal(0, 0.01, (300, 5)) + np.repeat(np.eye(3, 5), 100, axis=0)
    teacher._fit(samples)
    assert len(teacher._means) == 3
    assert np.sort(teacher._means[:, :3].argmax(axis=1)).tolist() == [0, 1, 2]
    teacher._fit(rng.normal(0, 0.01, (300, 5)))
    assert len(teacher._means) == 1


@pytest.mark.parametrize("many_dimensions", [512, 1])
def test_points_spread_as_those_that_a_gaussian_was_fitted_to(many_dimensions, monkeypatch):
    """Along axes of their own where there are many dimensions, and otherwise together."""
    monkeypatch.setattr("procgen_bench.baselines.curricula.alp_gmm._MANY_DIMENSIONS", many_dimensions)
    teacher, rng = make("fewest_gaussians=1,most_gaussians=1"), np.random.default_rng(0)
    mixing = np.array([[0.3, 0, 0, 0, 0], [0.2, 0.1, 0, 0, 0], [0, 0.4, 0.2, 0, 0], [0, 0, 0, 0.05, 0], [0] * 5])
    samples = rng.standard_normal((500, 5)) @ mixing.T
    teacher._fit(samples)
    expected = np.cov(samples[:, :4].T)
    if many_dimensions == 1:
        expected = np.diag(np.diag(expected))
    assert np.cov(teacher._draw(20_000).T) == pytest.approx(expected, abs=0.01)


def test_what_is_remembered_is_the_last():
    teacher, student, played = make("window=20,most_gaussians=2,history=50"), wanderer(LEVELS), []
    for _ in range(4):
        proposals = teacher.propose(np.arange(20), 0)
        outcomes = student.play_proposals(proposals)
        played += zip([own.task for own in proposals], outcomes.return_)
        teacher.observe(outcomes)
        teacher.learn(student)
    tasks, returns = zip(*played[-50:])
    assert np.allclose(teacher._points, teacher.box.points(list(tasks)), atol=1e-6)
    assert teacher._returns.tolist() == list(returns)
