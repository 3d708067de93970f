"""The generator draws the published tables again."""

import numpy as np
import pytest

from procgen_bench.core.registrations import make_task_space
from procgen_bench.envs.table_push.generate import generate, graded_task, random_task

SPACE = make_task_space("TablePush-v0")


@pytest.mark.parametrize(("name", "draw", "number"), [("graded", graded_task, 20), ("random", random_task, 35)])
def test_a_table_is_drawn_the_same_again(name, draw, number):
    suite, (task, plan) = SPACE.suite(name), draw(number)
    assert task == suite.tasks[number]
    recorded = suite.records["plan"][number]
    assert ([] if plan is None else plan.tolist()) == recorded[recorded >= 0].tolist()


@pytest.mark.slow
def test_generating_gives_the_published(tmp_path):
    assert generate(tmp_path, workers=2) == {name: SPACE.suites[name].checksum for name in ("graded", "random")}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["graded", "random"])
def test_every_table_is_solved_at_exactly_its_recorded_length(name):
    suite = SPACE.suite(name)
    lengths = np.array([-1 if plan is None else len(plan) for plan in map(SPACE.solve, suite)])
    assert np.array_equal(lengths, suite.records["length"])
