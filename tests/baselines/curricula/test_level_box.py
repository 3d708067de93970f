"""Levels as points and back, for every kind of parameter."""

import numpy as np
import pytest
from gymnasium import spaces

from procgen_bench.baselines.curricula.level_box import LevelBox
from procgen_bench.baselines.training.level_source import parameters_of
from tests.baselines.curricula.students import levels_of

SPACE = spaces.Dict(
    {
        "choice": spaces.Discrete(3, start=1),
        "choices": spaces.MultiDiscrete([2, 3]),
        "numbers": spaces.Box(-2.0, 5.0, (2, 2), np.float32),
        "whole": spaces.Box(0, 9, (1,), np.int16),
    }
)


def test_parameters_come_back_from_their_vectors():
    SPACE.seed(0)
    samples = [SPACE.sample() for _ in range(50)]
    vectors = np.stack([spaces.flatten(SPACE, sample) for sample in samples])
    for sample, back in zip(samples, parameters_of(SPACE, vectors), strict=True):
        assert all(np.array_equal(sample[name], back[name]) for name in SPACE)


def test_any_vector_is_read_as_parameters_of_the_space():
    vectors = np.random.default_rng(0).normal(0, 10, (50, spaces.flatdim(SPACE)))
    vectors[0] = [0.1, 0.3, 0.2, 0.5, 0.4, 0.1, 0.2, 0.9, -7, 0.5, 6, 5, 3.7]
    read = list(parameters_of(SPACE, vectors))
    assert all(SPACE.contains(parameters) for parameters in read)
    assert read[0]["choice"] == 2 and read[0]["choices"].tolist() == [0, 2]
    assert read[0]["numbers"].tolist() == [[-2, 0.5], [5, 5]] and read[0]["whole"] == 4


@pytest.mark.parametrize("benchmark_id", ["grid-world/graded", "bit-grid/test", "gminiwob/test"])
def test_levels_come_back_from_their_points_and_any_point_is_one_that_may_be_proposed_or_is_held_out(benchmark_id):
    levels, rng = levels_of(benchmark_id, solvable=False), np.random.default_rng(0)
    box, tasks = LevelBox(levels, rng), levels.draw(np.random.default_rng(1), 20)
    points = box.points(tasks)
    assert box.tasks(points) == tasks
    anywhere = rng.uniform(-1, 1, points.shape)
    of_points = levels.from_vectors(box._low + (anywhere + 1) / 2 * (box._high - box._low))
    proposed = box.tasks(anywhere)
    assert proposed == [task for task in of_points if not levels.benchmark.holds_out(task)]
    assert len(proposed) > 10


def test_drawn_levels_fill_the_box():
    levels = levels_of("grid-world/graded", solvable=False)
    points = LevelBox(levels, np.random.default_rng(0)).points(levels.draw(np.random.default_rng(1), 50))
    assert np.abs(points).max() == 1
    assert points.std(axis=0).min() > 0.3  # logits of encoded tasks are 0 and 1, in bounds of -10 and 10


def test_points_of_unsolvable_levels_give_none():
    levels = levels_of("grid-world/graded", solvable=True)
    box, unsolvable = LevelBox(levels, np.random.default_rng(0)), levels_of("grid-world/graded", solvable=False)
    tasks = unsolvable.draw(np.random.default_rng(1), 100)
    solvable = [task for task in tasks if levels.task_space.is_solvable(task)]
    assert box.tasks(box.points(tasks)) == solvable
    assert len(solvable) < 20
    assert box.take_missing_share() == {}
    few = box.tasks_from(lambda count: box.points(tasks[:count]), 10)
    assert set(few) <= set(solvable)
    assert box.take_missing_share() == {"uniform_share": 1 - len(few) / 10}
    assert box.take_missing_share() == {}


def test_points_that_are_no_levels_are_drawn_again_in_four_rounds(monkeypatch):
    levels, asked = levels_of("grid-world/graded", solvable=False), []
    box = LevelBox(levels, np.random.default_rng(0))
    monkeypatch.setattr(box, "tasks", lambda points: [*points][: len(points) // 2])
    found = box.tasks_from(lambda count: asked.append(count) or np.zeros((count, 1)), 16)
    assert asked == [16, 8, 4, 2] and len(found) == 15
    assert box.take_missing_share() == {"uniform_share": 1 / 16}
