import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.core.suite_file import checksum
from procgen_bench.tasks.table_push import TablePushTask
from procgen_bench.tasks.table_push.suites import suite_arrays
from procgen_bench.tasks.table_push.table import NUM_DIRECTIONS, TARGET, block_heights, distances_to_box
from procgen_bench.tasks.table_push.tiles import tile_plan
from tests.tasks.table_push.strategies import SPACE, parameters, tasks

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
        ("target: 7.5 22.5", "target: nan 22.5", r"position of target is \[nan, 0.225\], expected a place"),
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


def sampled(seed: int = 0) -> dict:
    return SPACE.sample(np.random.default_rng(seed))


def open_parameters() -> dict:
    """All blocks flat, the cans on tiles 0, 1 and 2."""
    params = sampled()
    params["blocks"][...] = (1, 0, 0)
    params["tiles"][...] = np.eye(24)[:3]
    params["offsets"][...] = 0
    return params


@given(parameters)
def test_decoding_is_the_specification(params):
    """Blocks by the greatest logit; a can on a tile that is not flat, or taken, is absent."""
    task, taken = SPACE.decode(params), set()
    for row, column in np.ndindex(6, 4):
        assert task.blocks[row, column] == list(params["blocks"][row, column]).index(max(params["blocks"][row, column]))
    for can in range(3):
        tile = list(params["tiles"][can]).index(max(params["tiles"][can]))
        row, column = divmod(tile, 4)
        if task.blocks[row, column] == 0 and tile not in taken:
            taken.add(tile)
            middle = np.array([0.15 * row + 0.075, 0.15 * column + 0.075])
            assert np.abs(task.objects[can] - middle - params["offsets"][can]).max() < 1e-6
        else:
            assert np.isnan(task.objects[can]).all()
    assert np.abs(task.goal - params["goal"]).max() < 1e-6
    assert abs(task.goal_range - params["goal_range"][0]) < 1e-6


@settings(max_examples=50)
@given(st.integers(0, 2**32))
def test_mutation_changes_one_thing(seed):
    rng = np.random.default_rng(seed)
    task = SPACE.decode(SPACE.sample(rng))
    mutated = SPACE.mutate(task, rng)
    mutated.validate()
    blocks = int((mutated.blocks != task.blocks).sum())
    cans = int((~np.isclose(mutated.objects, task.objects, equal_nan=True)).any(axis=1).sum())
    others = int((mutated.goal != task.goal).any()) + int(mutated.goal_range != task.goal_range)
    assert blocks + others + (0 if blocks else cans) <= 1
    assert cans <= 1


def test_a_third_of_sampled_targets_is_there():
    """One in three blocks is flat."""
    rng = np.random.default_rng(3)
    present = np.mean([SPACE.decode(SPACE.sample(rng)).present for _ in range(2_000)], axis=0)
    assert 0.30 < present[0] < 0.37
    assert present[2] < present[0]


def test_tasks_without_parameters_say_so():
    task = SPACE.decode(open_parameters())
    fields = {name: getattr(task, name) for name in ("blocks", "objects", "goal", "goal_range", "obstacles")}
    elsewhere = task.objects.copy()
    elsewhere[1] += 0.03
    others = [
        {"blocks": np.zeros((7, 4), np.int8)},
        {"obstacles": np.array([[0.5, 0.5, 0.02, 0.02, 0.0]])},
        {"objects": elsewhere},
        {"objects": np.full((3, 2), np.nan)},
    ]
    for other in others:
        changed = TablePushTask(**fields | other)
        changed.validate()
        for refused in (SPACE.encode, lambda task: SPACE.mutate(task, np.random.default_rng(0))):
            with pytest.raises(InvalidTaskError, match="to have parameters"):
                refused(changed)


TASK = """
    {0}
    {1}
    target: {2}
    can 1: {3}
    can 2: absent
    goal: {4}
    goal range: 10
"""


@pytest.mark.parametrize(
    ("upper", "lower", "target", "other", "goal", "plan"),
    [
        ("......", "......", "7.5 7.5", "absent", "52.5 7.5", [0, 0, 0]),
        ("......", "..#...", "7.5 7.5", "absent", "52.5 7.5", [0, 2, 0, 0, 3]),
        ("......", "..#...", "9.5 7.5", "absent", "58 14", [0, 2, 0, 0]),
        ("......", "......", "7.5 7.5", "absent", "7.5 7.5", [0, 1]),
        ("oooooo", "......", "7.5 7.5", "37.5 7.5", "52.5 7.5", [4, 4, 0, 0, 0]),
        ("oo.ooo", "...ooo", "7.5 7.5", "22.5 7.5", "37.5 7.5", [4, 6, 0, 0]),
        ("oooooo", "...ooo", "7.5 7.5", "22.5 7.5", "37.5 7.5", None),
        ("......", "......", "absent", "22.5 7.5", "37.5 7.5", None),
    ],
)
def test_plans_by_hand(upper, lower, target, other, goal, plan):
    found = tile_plan(TablePushTask.from_text(TASK.format(upper, lower, target, other, goal)))
    assert found is None if plan is None else len(found) == len(plan) and sorted(found) == sorted(plan)


@pytest.mark.parametrize("name", ["A", "B", "C"])
def test_targets_take_as_many_pushes_on_tiles_as_in_physics(name):
    assert len(tile_plan(SPACE.suite("targets")[name])) == (SPACE.suite("targets").records["length"]["ABC".index(name)])


def test_uniform_tables_are_guessed_right_but_for_a_few():
    suite = SPACE.suite("random")
    guessed = np.array([-1 if plan is None else len(plan) for plan in map(tile_plan, suite)])
    assert (guessed != suite.records["length"]).mean() < 0.01


SUITE = SPACE.suite("targets")


def test_targets_are_valid_and_rise_in_difficulty():
    for task in SUITE:
        task.validate()
    assert SUITE.task_names == ("A", "B", "C", "out-of-space")
    lengths = SUITE.records["length"]
    assert 0 < lengths[0] < lengths[1] < lengths[2] <= 15 and 0 < lengths[3] <= 15


def test_plans_are_as_long_as_recorded():
    for plan, length in zip(SUITE.records["plan"], SUITE.records["length"]):
        assert (plan[:length] >= 0).all() and (plan[length:] == -1).all()


def test_only_the_last_target_is_out_of_the_space():
    for name in ("A", "B", "C"):
        assert SPACE.decode(SPACE.encode(SUITE[name])) == SUITE[name]
    with pytest.raises(InvalidTaskError, match="to have parameters"):
        SPACE.encode(SUITE["out-of-space"])


def test_only_c_and_out_of_space_push_other_cans():
    moved = {name: set((plan[plan >= 0] // 4).tolist()) for name, plan in zip(SUITE.task_names, SUITE.records["plan"])}
    assert moved["A"] == moved["B"] == {0} and moved["C"] == moved["out-of-space"] == {0, 1}


def test_graded_tables_are_of_all_lengths_alike():
    suite = SPACE.suite("graded")
    assert (np.diff(suite.records["length"]) >= 0).all()
    assert sorted(np.bincount(suite.records["length"]).tolist()) == [0] + 4 * [16] + 8 * [17]
    pushes_others = (suite.records["plan"] // NUM_DIRECTIONS > TARGET).any(axis=1)
    assert 0.5 < pushes_others.mean() < 0.8


def test_random_tables_are_mostly_infeasible():
    suite = SPACE.suite("random")
    solvable = suite.records["length"] > 0
    assert np.bincount(suite.records["length"][solvable]).tolist() == [0, 15, 18, 7, 3, 2, 1]
    assert all(map(SPACE.may_be_solvable, (task for task, is_solvable in zip(suite, solvable) if is_solvable)))
    assert 0.28 < np.mean([SPACE.may_be_solvable(task) for task in suite]) < 0.38


@pytest.mark.parametrize("name", ["graded", "random"])
def test_files_keep_tasks_and_plans_as_they_are(name):
    suite = SPACE.suite(name)
    assert all(SPACE.decode(SPACE.encode(task)) == task for task in suite.tasks[::20])
    plans = [plan[:length] if length > 0 else None for plan, length in zip(*map(suite.records.get, ("plan", "length")))]
    assert checksum(suite_arrays(suite.tasks, plans)) == SPACE.suites[name].checksum


def test_shares_tell_what_tasks_have_of_a_single_target():
    target = SUITE["C"]
    assert SPACE.shares([target], {target}) == {"kept_blocks": 1.0, "kept_cans": 1.0}
    flat, moved = np.zeros_like(target.blocks), target.objects.copy()
    moved[0] += 0.1  # 14 cm
    moved[1] += 0.11  # 16 cm
    others = [replace(target, blocks=flat), replace(target, objects=moved)]
    assert target.present.tolist() == [True, True, False]
    assert SPACE.shares(others, {target}) == {"kept_blocks": 0.5, "kept_cans": 0.75}
    assert np.isnan([*SPACE.shares([], {target}).values()]).all()
    assert SPACE.shares(others, {target, others[0]}) == SPACE.shares(others, {SUITE["out-of-space"]}) == {}
