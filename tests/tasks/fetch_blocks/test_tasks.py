"""The starts of section D.1, and goals, against their intended distributions."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.fetch_blocks import FetchBlocksStart, FetchBlocksTask, FetchBlocksTaskSpace
from procgen_bench.tasks.fetch_blocks.draws import draw_goal, draw_start, draw_task
from procgen_bench.tasks.fetch_blocks.start import HELD
from procgen_bench.tasks.programs.zones import REACH_HIGH, REACH_LOW

#: Block 1 stands on block 0, block 2 is in the gripper, block 3 stands alone.
START = FetchBlocksStart(
    np.array([[1.2, 0.5], [1.2, 0.5], [1.3, 0.75], [1.4, 1.0]]),
    np.array([0, 1, -1, 0], np.int8),
    np.array([1.3, 0.75, 0.5]),
)
TASK = FetchBlocksTask(START, 2, START.positions + np.array([[0, 0, 0], [0, 0, 0], [0.05, 0.1, 0.0], [0, 0, 0]]))
TEXT = """gripper 1.3 0.75 0.5
block 1.2 0.5 0
block 1.2 0.5 1
block held
block 1.4 1.0 0
first 2
goal 1.2 0.5 0.425
goal 1.2 0.5 0.475
goal 1.35 0.85 0.5
goal 1.4 1.0 0.425"""


def with_places(changes: dict[int, tuple[float, float]], levels=(0, 1, -1, 0)) -> FetchBlocksStart:
    places = START.places.copy()
    for block, place in changes.items():
        places[block] = place
    return replace(START, places=places, levels=np.array(levels, np.int8))


def test_positions_follow_from_places_and_levels():
    expected = [[1.2, 0.5, 0.425], [1.2, 0.5, 0.475], [1.3, 0.75, 0.5], [1.4, 1.0, 0.425]]
    np.testing.assert_allclose(START.positions, expected, atol=1e-15)
    assert START.num_blocks == 4 and START.held == 2
    assert with_places({}, (0, 1, 0, 0)).held is None


def test_text_is_readable():
    assert TASK.to_text() == TEXT
    TASK.validate()


@pytest.mark.parametrize(
    ("old", "new", "part"),
    [
        ("first 2\n", "", "number of lines 'first INDEX' is 0, expected 1"),
        ("first 2", "first 4", "first is 4, expected the index of a block, 0 to 3"),
        ("first 2", "first 0.5", "first is 0.5"),
        ("gripper 1.3", "gripper x", "line of the gripper is 'gripper x 0.75 0.5', expected 'gripper' and 3 numbers"),
        ("block 1.4 1.0 0", "block 1.4 1.0", "expected 'block' and 3 numbers"),
        ("block 1.4 1.0 0", "block 1.4 1.0 7", "level of block 3 is 7.0, expected 0 to 5"),
        ("block 1.4 1.0 0", "block 1.4 1.0 0.5", "level of block 3 is 0.5"),
        ("goal 1.4 1.0 0.425", "", "number of goals is 3, expected 4, one for each block"),
        ("goal 1.4", "gaol 1.4", "expected 'goal' and 3 numbers"),
    ],
)
def test_bad_text_is_refused(old, new, part):
    assert old in TEXT
    with pytest.raises(InvalidTaskError) as caught:
        FetchBlocksTask.from_text(TEXT.replace(old, new))
    assert part in str(caught.value)


@pytest.mark.parametrize(
    ("start", "part"),
    [
        (with_places({3: (1.46, 1.0)}), "x of block 3 is 1.46, expected a number in [1.15, 1.45], what"),
        (with_places({0: (1.2, 0.4), 1: (1.2, 0.4)}), "y of block 0 is 0.4, expected a number in [0.45, 1.05]"),
        (with_places({3: (np.nan, 1.0)}), "x of block 3 is nan"),
        (with_places({3: (1.25, 0.55)}), "a place 0.058 along x or 0.085 along y from block 3's, or the same place on"),
        (with_places({}, (0, 0, -1, 0)), "block 0 is (1.2, 0.5, 0), expected a place"),
        (with_places({}, (0, 2, -1, 0)), "levels[1] is 2, expected a level with a block beneath it, or 0"),
        (with_places({}, (1, 2, -1, 0)), "levels[0] is 1"),
        (with_places({}, (0, 1, -1, -2)), "levels[3] is -2, expected 0 to 3, or -1 (held)"),
        (with_places({}, (0, 1, -1, 4)), "levels[3] is 4"),
        (with_places({}, (0, 1, -1, -1)), "levels is [0, 1, -1, -1], expected at most one -1 (held)"),
        (with_places({2: (1.31, 0.75)}), "block 2, which is held, is (1.31, 0.75), expected the gripper's place"),
        (replace(START, gripper=np.array([1.5, 0.75, 0.5])), "x of gripper is 1.5"),
        (replace(START, gripper=np.array([1.3, 0.75, 0.44])), "z of gripper is 0.44, expected a number in [0.45, 0.7"),
        (replace(START, gripper=np.array([1.3, 0.75, np.nan])), "z of gripper is nan"),
        (
            with_places({3: (1.31, 0.8)}, (0, 1, -1, 0)),
            "z of gripper is 0.5, expected a number in [0.48, 0.75], above the blocks near it",
        ),
        (replace(START, places=START.places[:1]), "number of blocks is 1, expected 2 to 6, a place (x, y) each"),
        (replace(START, places=np.zeros((7, 2))), "number of blocks is 7"),
        (replace(START, places=START.places.astype(np.float32)), "places's type is 'float32'"),
        (replace(START, levels=START.levels.astype(np.int64)), "levels's type is 'int64', expected an array of int8"),
        (replace(START, levels=START.levels[:3]), "levels's shape is (3,), expected (4,)"),
    ],
)
def test_starts_that_cannot_be_are_refused(start, part):
    if part.startswith("z of gripper is 0.5,"):
        start = replace(start, gripper=np.array([1.3, 0.75, 0.47]))
        part = part.replace("is 0.5,", "is 0.47,")
    with pytest.raises(InvalidTaskError) as caught:
        replace(TASK, start=start).validate()
    assert part in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "part"),
    [
        ({"first": 4}, "first is 4, expected the index of a block, 0 to 3"),
        ({"first": -1}, "first is -1"),
        ({"first": True}, "first is True"),
        ({"goal": np.zeros((3, 3))}, "goal's shape is (3, 3), expected (4, 3)"),
        ({"goal": np.full((4, 3), np.inf)}, "expected finite numbers"),
        ({"goal": [[0.0] * 3] * 4}, "goal's type is 'list'"),
        ({"start": None}, "start is None, expected a FetchBlocksStart"),
    ],
)
def test_other_parts_that_cannot_be_are_refused(changes, part):
    with pytest.raises(InvalidTaskError) as caught:
        replace(TASK, **changes).validate()
    assert part in str(caught.value)


SPACE = FetchBlocksTaskSpace()


@pytest.mark.parametrize("num_blocks", range(2, 7))
def test_blocks_are_held_and_stacked_as_parameters_say(num_blocks):
    space, rng = FetchBlocksTaskSpace(num_blocks), np.random.default_rng(num_blocks)
    stacked = held = 0
    for _ in range(200):
        params = space.sample(rng)
        task = space.decode(params)
        assert task.first == params["first"].argmax() and (task.start.held is not None) == (params["held"][0] > 0)
        stacked += (task.start.levels > 0).any()
        held += task.start.held is not None
    assert 60 < held < 140
    assert stacked > 2 * num_blocks


def test_blocks_without_room_stack_in_the_order_of_their_heights():
    params = SPACE.encode(TASK) | {
        "places": np.array([[1.2, 0.5], [1.21, 0.52], [1.4, 0.9], [1.19, 0.5]]),
        "heights": np.array([0.9, 0.2, 0.5, 0.2]),
        "held": np.array([-1.0]),
        "gripper": np.array([1.25, 0.55, 0.45]),
    }
    start = SPACE.decode(params).start
    assert start.levels.tolist() == [2, 0, 0, 1]
    assert start.places.tolist() == [[1.21, 0.52], [1.21, 0.52], [1.4, 0.9], [1.21, 0.52]]
    assert start.gripper.tolist() == [1.25, 0.55, 0.4 + 3 * 0.05 + 0.03], "the gripper is above the stack"


def test_mutation_changes_one_part():
    rng, changed = np.random.default_rng(2), {"start.places": 0, "start.gripper": 0, "goal": 0}
    for _ in range(300):
        task = SPACE.sample_task(rng, randomness=1.0)
        other = SPACE.mutate(task, rng)
        assert other.first == task.first
        if not np.array_equal(other.goal, task.goal):
            assert other.start == task.start
            changed["goal"] += 1
        elif not np.array_equal(other.start.places, task.start.places):
            assert (other.start.places != task.start.places).any(axis=1).sum() <= 2
            changed["start.places"] += 1
        else:
            changed["start.gripper"] += 1
    assert min(changed.values()) > 60


def test_tasks_without_parameters_say_so():
    for task in (replace(TASK, goal=TASK.goal + 1.0), replace(TASK, first=0)):
        SPACE.validate(task)
        with pytest.raises(InvalidTaskError, match="to have parameters"):
            SPACE.encode(task)


def test_tasks_of_other_numbers_of_blocks_are_refused():
    with pytest.raises(InvalidTaskError, match=r"number of blocks is 4, expected 3 \(num_blocks\)"):
        FetchBlocksTaskSpace(3).resolve(TASK)


def test_suite_is_of_the_papers_distribution():
    suite = SPACE.suite("test")
    assert 70 < sum(task.start.held is not None for task in suite) < 130
    assert START not in [task.start for task in suite]


DRAWS, LEAST_P = 1_500, 1e-3


def starts(num_blocks=4, count=DRAWS, **options):
    rng = np.random.default_rng(1)
    return [draw_start(rng, num_blocks, first=0, **options) for _ in range(count)]


def share_is(found: list[bool], expected: float) -> bool:
    return stats.binomtest(sum(found), len(found), expected).pvalue > LEAST_P


@pytest.mark.parametrize("randomness", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("num_blocks", [2, 4, 6])
def test_blocks_start_where_the_paper_has_them(num_blocks, randomness):
    drawn, shaped = starts(num_blocks, randomness=randomness), 1.0 - randomness
    for start in drawn:
        start.validate()
    under = [s.held is None and np.array_equal(s.places[0], s.gripper[:2]) for s in drawn]
    assert share_is([s.held == 0 for s in drawn], 0.2 * shaped)
    assert share_is(under, 0.4 * shaped)
    # The first to be placed of the others has none to stand on but the block to act on.
    on_top = [(s.levels > 0).sum() for s in drawn]
    assert sum(on_top) / len(drawn) / max(num_blocks - 2, 1) == pytest.approx(
        0.4 * shaped if num_blocks > 2 else 0, abs=0.02
    )
    assert all(s.held in (None, 0) for s in drawn)


def test_nothing_is_put_on_the_block_to_act_on():
    for start in starts():
        assert start.held == 0 or not (start.places[1:] == start.places[0]).all(axis=1).any()


def test_blocks_beside_each_other_leave_room_for_fingers():
    for start in starts(6, 300):
        for one, other in combinations(np.unique(start.places, axis=0), 2):
            assert abs(one[0] - other[0]) >= 0.058 or abs(one[1] - other[1]) >= 0.085


def test_free_places_and_grippers_are_uniform():
    drawn = starts(2, randomness=1.0)
    for points in ([s.places[0] for s in drawn], [s.gripper[:2] for s in drawn]):
        units = (np.array(points) - REACH_LOW) / (REACH_HIGH - REACH_LOW)
        assert min(stats.kstest(units[:, axis], "uniform").pvalue for axis in range(2)) > LEAST_P
    assert np.array([s.gripper[2] for s in drawn]).min() >= 0.45


def test_any_block_is_to_be_acted_on():
    rng = np.random.default_rng(1)
    counts = np.bincount([draw_task(rng, 4).first for _ in range(DRAWS)], minlength=4)
    assert stats.chisquare(counts).pvalue > LEAST_P
    held = np.bincount([s.held for s in (draw_start(rng, 4) for _ in range(DRAWS)) if s.held is not None])
    assert stats.chisquare(held).pvalue > LEAST_P


def test_goals_move_the_first_block_alone():
    rng, in_air, stacked = np.random.default_rng(2), [], 0
    for start in starts(count=500):
        for first in (0, 2):
            goal = draw_goal(rng, start, first)
            others = np.arange(4) != first
            assert np.array_equal(goal[others], start.positions[others])
            place, lying = goal[first], others & (start.levels != HELD)
            assert (place[:2] >= REACH_LOW).all() and (place[:2] <= REACH_HIGH).all()
            levels = (place[2] - 0.425) / 0.05
            on_ground = abs(levels - round(levels)) < 1e-9
            in_air.append(not on_ground)
            assert 0.425 <= place[2] <= 0.7
            if on_ground and round(levels):
                stacked += 1
                assert (start.places[lying] == place[:2]).all(axis=1).any()
    assert share_is(in_air, 0.5)
    assert stacked > 25
