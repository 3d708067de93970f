"""The Teacher contract and the uniform teacher."""

import numpy as np
import pytest

from procgen_bench.baselines.teachers import UniformTeacher
from procgen_bench.core.registrations import environment_type

SPACE = environment_type("GridWorld-v0").task_space


def make(solvable, seed=0):
    return UniformTeacher(SPACE, np.random.default_rng(seed), solvable)


@pytest.mark.parametrize("solvable", [True, False])
def test_proposals_lie_in_the_space(solvable):
    for parameters in make(solvable).propose(50):
        assert SPACE.space.contains(parameters)
        solution = SPACE.solve(SPACE.decode(parameters))
        assert not solvable or solution is not None


def test_without_the_filter_most_tasks_are_unsolvable():
    unsolvable = sum(SPACE.solve(SPACE.decode(p)) is None for p in make(solvable=False).propose(400))
    assert 340 < unsolvable < 400  # 94.6 % over 20,000 draws


def test_solvable_lengths_are_distributed_as_by_rejection():
    direct = [len(SPACE.solve(SPACE.decode(p))) for p in make(solvable=True).propose(3_000)]
    rng = np.random.default_rng(2)
    rejected = [len(SPACE.solve(SPACE.decode(p))) for p in super(type(SPACE), SPACE).sample_solvable(rng, 300)]
    for length in (1, 2, 3):
        assert np.mean(np.array(direct) == length) == pytest.approx(np.mean(np.array(rejected) == length), abs=0.09)


def same(left, right):
    return all(np.array_equal(a[key], b[key]) for a, b in zip(left, right, strict=True) for key in a)


@pytest.mark.parametrize("solvable", [True, False])
def test_a_restored_teacher_goes_on_alike(solvable):
    teacher, other = make(solvable), make(solvable, seed=9)
    teacher.propose(5)
    other.restore(teacher.state())
    assert same(teacher.propose(5), other.propose(5))
    assert not same(teacher.propose(5), make(solvable).propose(5))
