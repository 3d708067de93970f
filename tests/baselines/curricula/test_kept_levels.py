"""Levels in flight: forgotten once they have landed, and never too many."""

import numpy as np

from procgen_bench.baselines.curricula.kept_levels import LevelsInFlight, level_arrays, levels_of
from tests.baselines.curricula.students import levels_of as source_of

LEVELS = source_of("gminiwob/test", solvable=False)
TASKS = LEVELS.draw(np.random.default_rng(0), 4)


def test_levels_come_back_from_their_arrays():
    arrays = level_arrays(LEVELS.task_space, TASKS, "kept")
    assert arrays["kept.num_pages"].shape == (4,) and arrays["kept.pages"].shape == (4, 40)
    assert levels_of(LEVELS.task_space, arrays, "kept") == TASKS
    assert levels_of(LEVELS.task_space, level_arrays(LEVELS.task_space, [], "none"), "none") == []


def test_a_level_lands_once():
    flying = LevelsInFlight()
    flying.add(7, TASKS[0])
    assert flying.land(7) == TASKS[0] and flying.land(7) is None
    assert len(flying) == 0


def test_past_the_limit_the_oldest_is_forgotten():
    flying = LevelsInFlight(limit=3)
    for number, task in enumerate(TASKS):
        flying.add(number, task)
    assert len(flying) == 3
    assert flying.land(0) is None and flying.land(3) == TASKS[3]
