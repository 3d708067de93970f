"""APT-Gen in GridWorld, with a solver in the student's place, or one who grows by what it solves."""

import numpy as np
import pytest

from procgen_bench.baselines.training.teacher_table import get_teacher
from procgen_bench.tasks.grid_world import GridWorldTask

pytest.importorskip("torch")

from procgen_bench.baselines.papers.apt_gen.experience import Experience
from tests.baselines.papers.apt_gen.grid_students import SolvingStudent, taught


def nearest(options: str, solvable: bool) -> float:
    """How near the goals of generated tasks come to the target's, in steps along the axes, while these are solved."""
    student, rng = SolvingStudent(0, solvable), np.random.default_rng(0)
    student.learn_with(get_teacher("apt-gen").make(options, student.levels, rng), 14_000)
    return student.nearest()


@pytest.mark.slow
@pytest.mark.parametrize(("solvable", "bound"), [(True, 4), (False, 8)])
def test_solvable_tasks_come_near_the_target(solvable, bound):
    """Nearer, where the generator learns what has no solution."""
    assert nearest("", solvable) < bound


def reached(options: str, seed: int) -> float:
    """How long the tasks become that a growing student solves half of the time, in 16,000 steps."""
    return taught(options, seed)[0].reach


@pytest.mark.slow
def test_tasks_grow_with_a_student_who_grows_by_them():
    assert np.mean([reached("", seed) for seed in range(3)]) > 9


@pytest.mark.slow
@pytest.mark.parametrize("options", ["returns=0", "progress=0"])
def test_without_any_part_of_it_they_do_not(options):
    assert np.mean([reached(options, seed) for seed in range(3)]) < 8.5


def walls_alone(options: str, seed: int) -> float:
    """By how many deviations of uniform tasks target C is more of a target than its objects on an empty map are."""
    student, rng = SolvingStudent(seed, True, "grid-world/target-c"), np.random.default_rng(seed)
    teacher = get_teacher("apt-gen").make(options, student.levels, rng)
    teacher.setup(student.env.observation_space, student.env.action_space)
    networks, target = teacher.networks, student.target
    for task in [*student.levels.draw(rng, 150), *[target] * 60]:
        (networks.targets if task == target else networks.generated).add(student.play(task), np.zeros(1), 0.0)
    for _ in range(1_500):
        networks.discriminate(rng)

    def logits(tasks) -> np.ndarray:
        """Of tasks that are played at random."""
        played = Experience(10**6, 10**6)
        for student.target in tasks:
            played.add(student.play(student.target), np.zeros(1), 0.0)
        return networks.discriminator.logits(played.sample(rng, np.arange(len(tasks)), 1))

    uniform = logits(student.levels.draw(rng, 128))
    bare = GridWorldTask(np.zeros_like(target.tiles), target.objects)
    return float((logits([target] * 64).mean() - logits([bare] * 64).mean()) / uniform.std())


@pytest.mark.slow
@pytest.mark.parametrize(("options", "least", "most"), [("mixtures=true", 2.7, 6.0), ("", -1.0, 2.3)])
def test_the_discriminator_sees_walls_because_it_learns_from_mixtures(options, least, most):
    assert least < np.mean([walls_alone(options, seed) for seed in range(2)]) < most
