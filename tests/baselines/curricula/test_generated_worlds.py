"""APT-Gen in GridWorld, with a solver in the student's place, or one who grows by what it solves."""

import numpy as np
import pytest

from procgen_bench.baselines.training.teacher_table import get_teacher

pytest.importorskip("torch")

from tests.baselines.curricula.grid_students import SolvingStudent, taught


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
    assert np.mean([reached("", seed) for seed in range(3)]) > 10


@pytest.mark.slow
@pytest.mark.parametrize("options", ["returns=0", "progress=0"])
def test_without_any_part_of_it_they_do_not(options):
    assert np.mean([reached(options, seed) for seed in range(3)]) < 8.5
