"""GoalGAN: the network imitates good points; the teacher labels levels by success and brings a student further."""

import numpy as np
import pytest

from procgen_bench.baselines.training.teacher_table import get_teacher
from tests.baselines.curricula.students import levels_of, trained_skill, wanderer

pytest.importorskip("torch")

LEVELS = levels_of("ant-maze/test", solvable=False)
SMALL = "new_levels=30,old_levels=30,steps=30,period=3,learning_rate=0.003"


def make(options=SMALL, seed=0, name="goal-gan"):
    return get_teacher(name).make(options, LEVELS, np.random.default_rng(seed))


def prefer_the_rest(teacher):
    are_good = teacher.are_good
    teacher.are_good = lambda success: ~are_good(success)


def test_it_brings_a_student_further_than_uniform_levels_and_with_the_wrong_labels_it_does_not():
    def skill(teacher):
        student = wanderer(LEVELS)
        student.rate = 0.03
        return trained_skill(teacher, student, 1800)

    uniform = skill(make("", name="uniform"))
    assert skill(make()) > uniform + 1.5
    sabotaged = make()
    prefer_the_rest(sabotaged)
    assert skill(sabotaged) < uniform


@pytest.mark.parametrize("sign", [1, -1])
def test_the_generator_imitates_the_good_and_shuns_the_bad(sign):
    from procgen_bench.baselines.curricula.adversarial import LeastSquaresGAN

    rng = np.random.default_rng(0)
    gan = LeastSquaresGAN(2, noise_size=4, generator_size=32, discriminator_size=32, learning_rate=0.01, seed=0)
    points = rng.uniform(-1, 1, (500, 2))
    gan.train(rng, points, sign * points[:, 0] > 0.4, steps=150, batch=64)
    assert np.mean(sign * gan.points(rng, 200)[:, 0] > 0.3) > 0.8


def test_the_generator_wants_to_be_taken_for_good():
    import torch

    from procgen_bench.baselines.curricula.adversarial import LeastSquaresGAN

    rng = np.random.default_rng(0)
    gan = LeastSquaresGAN(1, noise_size=4, generator_size=32, discriminator_size=32, learning_rate=0.01, seed=0)
    gan._discriminator = torch.nn.Linear(1, 1, bias=False).requires_grad_(False)
    gan._discriminator.weight[:] = 2.0
    gan._step = lambda name, loss, step=gan._step: step(name, loss) if name == "generator" else None
    gan.train(rng, rng.uniform(-1, 1, (100, 1)), np.ones(100, bool), steps=100, batch=64)
    assert gan.points(rng, 100).mean() == pytest.approx(0.5, abs=0.05)


def test_levels_fill_the_middle_half_of_what_the_generator_reaches():
    teacher, tasks = make("noise=0.0"), LEVELS.draw(np.random.default_rng(0), 5)
    learned = []
    teacher.gan.train = lambda rng, points, *rest: learned.append(points)
    teacher._fit(tasks, np.ones(5, bool))
    assert np.allclose(learned[0], teacher.box.points(tasks) / 2)
    teacher.gan.points = lambda rng, count: learned[0]
    assert np.allclose(teacher._generate(5), teacher.box.points(tasks))


def test_networks_learn_from_bad_levels_once_there_were_good_ones():
    teacher, student = make("new_levels=10,steps=1,period=1,episodes=1"), wanderer(LEVELS)
    kept = []
    for good in (False, True, False):
        teacher.are_good = lambda success, good=good: np.full(len(success), good)
        teacher.observe(student.play_proposals(teacher.propose(np.arange(40), 0)))
        kept.append((teacher.learn(student)["fits"], len(teacher._old)))
    assert kept[0] == (0, 0) and kept[1][0] == 1 and kept[2] == (2, kept[1][1])


def test_success_in_between_is_good():
    success = np.array([0.0, 0.09, 0.1, 0.5, 0.9, 0.91, 1.0])
    assert make().are_good(success).tolist() == [False, False, True, True, True, False, False]


def test_old_levels_lie_apart_and_are_bounded():
    teacher, student = make("new_levels=40,steps=1,period=1,old_limit=25,distance=0.2"), wanderer(LEVELS)
    student.skill, student.width, student.rate = 12.0, 8.0, 0.0
    for _ in range(6):
        for _ in range(5):
            teacher.observe(student.play_proposals(teacher.propose(np.arange(50), 0)))
        teacher.learn(student)
        points = teacher.box.points(teacher._old)
        assert 0 < len(points) <= 25
    before, (new, replayed) = set(teacher._old), (teacher._present[:40], teacher._present[40:])
    assert len(new) == 40 and len(replayed) > 0 and set(replayed) <= before


def test_networks_are_fitted_when_levels_were_played_often_enough():
    teacher, student = make("new_levels=20,steps=1,period=2,episodes=3"), wanderer(LEVELS)
    student.skill, student.width = 12.0, 8.0
    first = set(teacher._present)
    for rows in (20, 20):  # both updates are over, but few levels have had three episodes
        teacher.observe(student.play_proposals(teacher.propose(np.arange(rows), 0)))
        assert teacher.learn(student)["fits"] == 0
    teacher.observe(student.play_proposals(teacher.propose(np.arange(60), 0)))
    assert teacher.learn(student)["fits"] == 1
    assert not first & set(teacher._present[:20])


def test_generated_points_have_noise():
    teacher = make("noise=0.2")
    teacher.gan.points = lambda rng, count: np.full((count, 4), 0.25)
    points = teacher._generate(2_000)
    assert points.mean() == pytest.approx(0.5, abs=0.02) and points.std() == pytest.approx(0.2, rel=0.05)


def test_levels_near_an_old_one_are_not_kept_beside_it():
    teacher, tasks = make("distance=0.06"), LEVELS.draw(np.random.default_rng(0), 2)
    points = teacher.box.points(tasks)
    assert teacher._far_from_old(points).tolist() == [True, True]
    teacher._old = [*tasks]
    away = np.array([[0.05, 0, 0, 0], [0, 0, 0, 0.07], [0.05, 0.05, 0, 0], [0, 0, 0, 0]])
    assert teacher._far_from_old(points[0] + away).tolist() == [False, True, True, False]
    teacher.gan.train = lambda *arguments: None
    teacher._fit(tasks, np.ones(2, bool))
    assert teacher._old == tasks


def test_episodes_on_levels_of_before_the_fit_count_no_more():
    teacher, student = make("new_levels=10,old_levels=3,period=1,episodes=1,steps=1"), wanderer(LEVELS)
    teacher.are_good = lambda success: np.ones(len(success), bool)
    late = student.play_proposals(teacher.propose(np.arange(40), 0))
    for fits in (1, 2):
        teacher.observe(student.play_proposals(teacher.propose(np.arange(40), 0)))
        assert teacher.learn(student)["fits"] == fits
        teacher.observe(late)
        assert teacher._episodes.sum() == 0 and len(teacher._present) == 10 + 3
