import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.table_push import TablePushTask
from procgen_bench.tasks.table_push.table import block_heights, distances_to_box
from tests.tasks.table_push.strategies import tasks

TEXT = """
    ......
    .o##..
    ......
    ......
    target: 7.5 22.5
    can 1: 68.1234 51
    can 2: absent
    goal: 90 0.0001
    goal range: 10
    obstacle: 40 10 20 1.5 -0.785398
"""


def test_text_reads_as_drawn():
    task = TablePushTask.from_text(TEXT)
    assert task.blocks.shape == (6, 4)
    assert (task.blocks[1, 2], task.blocks[2, 2], task.blocks[3, 2]) == (1, 2, 2) and task.blocks.sum() == 5
    assert task.objects[:2].tolist() == [[0.075, 0.225], [0.681234, 0.51]] and not task.present[2]
    assert task.goal.tolist() == [0.9, 0.000001] and task.goal_range == 0.1
    assert task.obstacles.tolist() == [[0.4, 0.1, 0.2, 0.015, -0.785398]]


@given(tasks())
def test_text_round_trip_of_other_tables(task):
    assert TablePushTask.from_text(task.to_text()) == task
    assert pickle.loads(pickle.dumps(task)) == task


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (".o##..", ".x##..", "symbol of the drawn table is 'x'"),
        (".o##..", ".o##.", "lines of one length"),
        ("target: 7.5 22.5", "target: 7.5", "line of target is '7.5', expected 2 numbers"),
        ("target: 7.5 22.5", "target: 22.5 37.5", "position of target .* a place on a flat block"),
        ("target: 7.5 22.5", "target: 28 35", "position of target"),
        ("target: 7.5 22.5", "target: 28.5 47", "position of target"),
        ("target: 7.5 22.5", "target: 63 50", "position of can 1 .* clear of target"),
        ("target: 7.5 22.5", "target: 40 12", "clear of roadblocks and obstacles"),
        ("target: 7.5 22.5", "target: -3 22.5", "a place on a flat block"),
        (
            "target: 7.5 22.5",
            "target: nan 22.5",
            r"position of target is \[nan, 0.225\], expected a place",
        ),
        ("can 1: 68.1234 51", "can 1: 68 nan", r"position of can 1|a number of objects"),
        ("can 2: absent", "can 3: absent", "name in text is 'can 3'"),
        ("can 2: absent", "", "number of lines of can 2 is 0"),
        ("goal: 90 0.0001", "goal: 90.1 0", "goal is .* a place on the table"),
        ("goal range: 10", "goal range: 9.9", "goal_range is 0.099"),
        ("goal range: 10", "goal range: 61", "goal_range is 0.61"),
        ("obstacle: 40 10 20 1.5", "obstacle: 40 10 20 0", "half sides of obstacle 0"),
        ("obstacle: 40 10 20 1.5", "obstacle: 140 10 20 1", "place of obstacle 0"),
    ],
)
def test_texts_that_are_no_task_are_refused(old, new, message):
    assert old in TEXT
    with pytest.raises(InvalidTaskError, match=message):
        TablePushTask.from_text(TEXT.replace(old, new))


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("blocks", np.zeros((6, 4)), "blocks's type"),
        ("blocks", np.full((6, 4), 3, np.int8), r"blocks\[0, 0\] is 3"),
        ("blocks", np.zeros((13, 4), np.int8), "blocks' shape"),
        ("objects", np.zeros((2, 2)), "objects's shape"),
        ("goal", np.array([0.1234567, 0.1]), "a number of goal"),
        ("goal", np.array([np.inf, 0.1]), "a number of goal|place on the table"),
        ("goal_range", 1, "goal_range's type"),
        ("obstacles", np.zeros((1, 4)), "obstacles's shape"),
    ],
)
def test_fields_out_of_their_range_are_refused(field, value, message):
    with pytest.raises(InvalidTaskError, match=message):
        replace(TablePushTask.from_text(TEXT), **{field: value}).validate()


def test_heights_of_the_table():
    blocks = TablePushTask.from_text(TEXT).blocks
    points = [[0.01, 0.01], [0.2, 0.4], [0.4, 0.4], [-0.01, 0.3], [0.3, 0.61], [0.89, 0.59]]
    assert block_heights(blocks, np.array(points)).tolist() == [0.0, -0.15, 0.1, -0.15, -0.15, 0.0]
    assert block_heights(blocks, np.array([points, points[::-1]])).shape == (2, 6)


def test_distances_to_a_turned_box():
    box = np.array([1.0, 2.0, 0.5, 0.1, np.pi / 2])
    found = distances_to_box(np.array([[1.0, 2.45], [1.0, 2.6], [1.3, 2.0], [1.4, 2.9]]), box)
    assert np.allclose(found, [0.0, 0.1, 0.2, 0.5])
