"""The uniform teacher, and the levels that teachers begin from."""

import numpy as np
import pytest

from procgen_bench.baselines.training.level_source import LevelSource
from procgen_bench.baselines.training.teacher_table import get_teacher
from procgen_bench.core.benchmarks import get_benchmark
from procgen_bench.core.registrations import make_task_space
from procgen_bench.core.task_space import TaskSpace

SPACE = make_task_space("GridWorld-v0")


def lengths_of(tasks):
    return np.array([len(SPACE.solve(task)) for task in tasks])


def proposed(benchmark_id, count, solvable=True, seed=0):
    levels = LevelSource(get_benchmark(benchmark_id), solvable)
    teacher = get_teacher("uniform").make("", levels, np.random.default_rng(seed))
    return [proposal.task for proposal in teacher.propose(np.arange(count), 0)]


def test_without_the_filter_most_grid_worlds_are_unsolvable():
    unsolvable = sum(SPACE.solve(task) is None for task in proposed("grid-world/graded", 400, solvable=False))
    assert 340 < unsolvable < 400  # 94.6 % over 20,000 draws
    assert all(SPACE.solve(task) is not None for task in proposed("grid-world/graded", 50))


def test_solvable_lengths_are_distributed_as_by_rejection():
    direct = lengths_of(proposed("grid-world/graded", 3_000))
    rejected = lengths_of(TaskSpace.draw_solvable(SPACE, np.random.default_rng(2), 300))
    for length in (1, 2, 3):
        assert np.mean(direct == length) == pytest.approx(np.mean(rejected == length), abs=0.09)


def test_goal_environments_train_on_levels_as_they_draw_their_own_levels():
    benchmark, tasks = get_benchmark("point-maze/test"), proposed("point-maze/test", 50)
    space = make_task_space(benchmark.environment_id)
    ours, theirs = (
        np.mean([space.flatten(space.encode(task)) for task in some], axis=0)
        for some in (tasks, benchmark.task_suite())
    )
    assert np.abs(ours - theirs).mean() < 0.01, "of levels from anywhere in the space it is about 1"


def test_one_fixed_maze_varies_by_other_starts_and_goals():
    benchmark = get_benchmark("point-maze/u-4")
    suite = benchmark.task_suite().tasks
    for task in proposed(benchmark.id, 20):
        assert not benchmark.holds_out(task)
        assert type(task) is type(suite[0])


def test_levels_that_are_held_out_are_drawn_again():
    levels = LevelSource(get_benchmark("voxel-build/test"), solvable=True)
    rng = np.random.default_rng(0)
    assert not any(levels.benchmark.holds_out(task) for task in levels.draw(rng, 300))
    held_out = levels.benchmark.task_suite().tasks[0]
    assert not levels.admits(held_out)


def test_a_mutant_lies_so_many_mutations_away(monkeypatch):
    levels = LevelSource(get_benchmark("grid-world/graded"), solvable=True)
    path = levels.draw(np.random.default_rng(0), 4)
    monkeypatch.setattr(levels.task_space, "mutate", lambda task, rng: path[path.index(task) + 1])
    assert [levels.mutate(path[0], np.random.default_rng(0), edits) for edits in range(4)] == path
    path[3] = levels.benchmark.task_suite().tasks[0]
    assert levels.mutate(path[0], np.random.default_rng(0), 3) is None, "it is held out"
