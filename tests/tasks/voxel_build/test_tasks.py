"""The compiled drawing of tasks against the specification, counted out."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.tasks.voxel_build import VoxelBuildTask, VoxelBuildTaskSpace
from procgen_bench.tasks.voxel_build.task import Rectangle
from tests.tasks.voxel_build.reference_world import every_rectangle

START = np.array([10, 0, 3], np.int8)
RECTANGLE = Rectangle(west=2, north=0, east=5, south=3, height=2, material=2)
GOAL = RECTANGLE.cuboid()
TEXT = (
    """
    10 0 west
    ..PPPP.....
    ..P..P.....
    ..P..P.....
    ..PPPP.....
"""
    + "    ...........\n" * 7
)


def test_a_rectangle_and_its_cuboid_are_one():
    assert GOAL.shape == (11, 11, 3) and GOAL.dtype == np.uint8
    assert {tuple(cell) for cell in np.argwhere(GOAL).tolist()} == {
        (y, x, z) for x in range(2, 6) for y in range(4) for z in (0, 1) if x in (2, 5) or y in (0, 3)
    }
    assert Rectangle.around(GOAL) == RECTANGLE and RECTANGLE.num_blocks == 24


def test_text_shows_start_and_goal():
    task = VoxelBuildTask(START, GOAL)
    task.validate()
    assert task.to_text().split() == TEXT.split()
    assert VoxelBuildTask.from_text(TEXT) == task


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "text is '', expected a line 'X Y HEADING' and 11 lines of 11 symbols or 5 lines"),
        (TEXT.replace("PPPP", "PPP"), "expected a line 'X Y HEADING' and 11 lines of 11 symbols"),
        (TEXT.replace("west", "up"), "start's heading is 'up', expected one of ['north', 'east', 'south', 'west']"),
        (TEXT.replace("10", "-1"), "start's x is '-1', expected a whole number in [0, 10]"),
        (TEXT.replace("10", "11"), "start is (11, 0, 3), expected x, y and heading"),
        (TEXT.replace("PPPP", "PxPP"), "symbol at (3, 0) is 'x', expected one of .spd, or its capital"),
        (TEXT.replace("PPPP", "PSPP"), "goal[0, 3, 0] is 1, expected 2: blocks of one type"),
        (TEXT.replace("P..P", "PPPP"), "goal[1, 3, 0] is 2, expected 0: blocks of one type, the outline"),
        (TEXT.replace("    ..P..P.....\n", "    ...........\n"), "goal[1, 2, 0] is 0, expected 2"),
        (TEXT.replace("P..P", "....").replace("PPPP", "PPP."), "goal's shorter side is 3, expected at least 4"),
        (TEXT.replace("P", "."), "number of goal blocks is 0, expected 1 to 34"),
    ],
)
def test_bad_text_is_refused(text, part):
    with pytest.raises(InvalidTaskError) as caught:
        VoxelBuildTask.from_text(text)
    assert part in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("start", "goal", "part"),
    [
        (np.array([11, 0, 0], np.int8), GOAL, "start is (11, 0, 0), expected x, y and heading, whole numbers in"),
        (np.array([0, 0, 4], np.int8), GOAL, "start is (0, 0, 4), expected x, y and heading, whole numbers in"),
        (np.zeros(3), GOAL, "start's type is 'float64', expected an array of int8"),
        ((0, 0, 0), GOAL, "start's type is 'tuple', expected an array of int8"),
        (np.zeros(2, np.int8), GOAL, "start's shape is (2,), expected (3,)"),
        (START, GOAL.astype(np.int8), "goal's type is 'int8', expected an array of uint8"),
        (START, GOAL[:10], "goal's shape is (10, 11, 3), expected (11, 11, 3)"),
        (START, GOAL * 2, "goal[0, 2, 0] is 4, expected 0 (empty) to 3"),
        (START, np.roll(GOAL, 1, axis=2), "goal[0, 2, 0] is 0, expected 2: blocks of one type, the outline"),
    ],
)
def test_invalid_task_is_refused(start, goal, part):
    with pytest.raises(InvalidTaskError) as caught:
        VoxelBuildTaskSpace().resolve(VoxelBuildTask(start, goal))
    assert part in str(caught.value) and "\n" not in str(caught.value)


SPACE = VoxelBuildTaskSpace()


def float32(low: float, high: float):
    return st.floats(low, high, width=32)


@st.composite
def parameters(draw) -> dict[str, np.ndarray]:
    """Anywhere in the space, its edges and ties included."""
    return {
        "corners": draw(
            arrays(np.float32, (2, 2), elements=st.one_of(st.sampled_from([0, 1, 10, 11]), float32(0, 11)))
        ),
        "height": draw(arrays(np.float32, (2,), elements=float32(-1, 1))),
        "material": draw(arrays(np.float32, (3,), elements=float32(-1, 1))),
        "start": np.array([draw(float32(0, 11)), draw(float32(0, 11)), draw(float32(0, 4))], np.float32),
    }


@given(parameters())
def test_decode_builds_the_rectangle_between_the_corners(params):
    task = SPACE.decode(params)
    SPACE.validate(task)
    found = Rectangle.around(task.goal)
    assert found.material == 1 + list(params["material"]).index(max(params["material"]))  # the first of equals
    assert found.height == 1 + list(params["height"]).index(max(params["height"]))
    corners = [[min(int(place), 10) for place in corner] for corner in params["corners"]]
    (x_1, y_1), (x_2, y_2) = corners
    ends = {"x": (x_1, x_2, found.west, found.east), "y": (y_1, y_2, found.north, found.south)}
    asked = [values for values in ends.values() if abs(values[0] - values[1]) >= 3]
    short = {axis for axis, (one, other, _, _) in ends.items() if abs(one - other) < 3}
    sides = {axis: max(abs(one - other), 3) + 1 for axis, (one, other, _, _) in ends.items()}
    for axis, (one, _, low, high) in ends.items():
        assert one in (low, high), "the first corner is kept"
        assert axis not in short or high - low == 3, "and short sides lengthened no more than needed"
    if 2 * (sides["x"] + sides["y"] - 2) * found.height <= 34:
        assert all({low, high} == {one, other} for one, other, low, high in asked)
    else:  # cut, and no more than needed
        assert 2 * (found.east - found.west + found.south - found.north + 1) * found.height > 34
        assert all(min(one, other) <= low and high <= max(one, other) for one, other, low, high in asked)
    expected = [min(int(place), most) for place, most in zip(params["start"], (10, 10, 3))]
    assert task.start.tolist() == expected


def test_the_second_corner_gives_way_to_what_is_too_large_or_too_small():
    params = {"height": [1, 0], "material": [0, 1, 0], "start": [5, 5, 0]}
    params = {name: np.array(value, np.float32) for name, value in params.items()}
    for corners, expected in [
        ([[0, 0], [10, 10]], (0, 0, 8, 9)),
        ([[10, 10], [0, 0]], (2, 1, 10, 10)),
        ([[0, 0], [10, 2]], (0, 0, 10, 3)),
        ([[9, 1], [9, 0]], (6, 1, 9, 4)),
    ]:
        task = SPACE.decode(params | {"corners": np.array(corners, np.float32)})
        assert Rectangle.around(task.goal)[:4] == expected


@given(
    st.sampled_from(every_rectangle()),
    st.integers(1, 3),
    st.tuples(st.integers(0, 10), st.integers(0, 10), st.integers(0, 3)),
    st.integers(0, 2**32),
)
def test_encode_is_a_right_inverse_and_mutation_changes_one_parameter(rectangle, material, start, seed):
    task = VoxelBuildTask(np.array(start, np.int8), Rectangle(*rectangle, material).cuboid())
    params = SPACE.encode(task)
    assert SPACE.space.contains(params)
    assert SPACE.decode(params) == task
    assert SPACE.decode(SPACE.unflatten(SPACE.flatten(params))) == task
    neighbour = SPACE.mutate(task, np.random.default_rng(seed))
    SPACE.validate(neighbour)
    one, other = Rectangle.around(task.goal), Rectangle.around(neighbour.goal)
    along_x = (one.west, one.east) != (other.west, other.east)
    along_y = (one.north, one.south) != (other.north, other.south)
    changes = [along_x, along_y, one.height != other.height, one.material != other.material]
    changes.append(not np.array_equal(task.start, neighbour.start))
    assert sum(changes) <= 1
    assert SPACE.mutate(task, np.random.default_rng(seed)) == neighbour


def test_mutation_reaches_everything():
    goal, rng = Rectangle(3, 3, 6, 7, 1, 1).cuboid(), np.random.default_rng(0)
    task = VoxelBuildTask(np.array([5, 5, 0], np.int8), goal)
    neighbours = [SPACE.mutate(task, rng) for _ in range(600)]
    rectangles = [Rectangle.around(neighbour.goal) for neighbour in neighbours]
    for measure in range(6):
        assert len({rectangle[measure] for rectangle in rectangles}) > 1, Rectangle._fields[measure]
    assert len({tuple(neighbour.start.tolist()) for neighbour in neighbours}) > 20


DRAWS = 6_000


def drawn_tasks(seed: int) -> list:
    space, rng = VoxelBuildTaskSpace(), np.random.default_rng(seed)
    return [space.sample_task(rng) for _ in range(DRAWS)]


def spans() -> Counter:
    """How many of the 121 pairs of ends give each length of at least 4 along a side."""
    return Counter(abs(one - other) + 1 for one in range(11) for other in range(11) if abs(one - other) >= 3)


def expected_sizes() -> dict[int, float]:
    """Probability of each number of blocks: two corners and a height, uniform among outlines of at most 34 blocks."""
    weights: Counter = Counter()
    for length, ways in spans().items():
        for other, other_ways in spans().items():
            for height in (1, 2):
                blocks = 2 * (length + other - 2) * height
                if blocks <= 34:
                    weights[blocks] += ways * other_ways
    return {size: weight / weights.total() for size, weight in weights.items()}


def test_goals_are_distributed_as_the_specification_s():
    tasks = drawn_tasks(seed=1)
    sizes = np.array([np.count_nonzero(task.goal) for task in tasks])
    expected = expected_sizes()
    assert set(sizes.tolist()) == set(expected) and sizes.min() == 12 and sizes.max() == 34
    gap = max(
        abs(np.mean(sizes <= limit) - sum(p for size, p in expected.items() if size <= limit)) for limit in expected
    )
    assert gap < 1.95 / DRAWS**0.5  # Kolmogorov and Smirnov's: one run in a thousand lies above
    for task in tasks[:500]:
        task.validate()


def test_every_edge_height_and_type_is_reached():
    rectangles = [Rectangle.around(task.goal) for task in drawn_tasks(seed=2)]
    assert {rectangle.material for rectangle in rectangles} == {1, 2, 3}
    assert {rectangle.height for rectangle in rectangles} == {1, 2}
    for name, end in (("west", 0), ("north", 0), ("east", 10), ("south", 10)):
        assert {getattr(rectangle, name) for rectangle in rectangles} == {abs(end - place) for place in range(8)}
        assert Counter(getattr(rectangle, name) for rectangle in rectangles)[end] > DRAWS / 10
    counts = Counter(rectangle.material for rectangle in rectangles)
    assert all(abs(count - DRAWS / 3) < 5 * (DRAWS * 2 / 9) ** 0.5 for count in counts.values())


def test_all_4806_goals_and_no_others_are_drawn_equally_often():
    counts = Counter(task.goal.tobytes() for task in drawn_tasks(seed=4))
    goals = {
        Rectangle(*rectangle, material).cuboid().tobytes() for rectangle in every_rectangle() for material in (1, 2, 3)
    }
    assert len(goals) == 4_806 and set(counts) <= goals
    mean = DRAWS / 4_806
    statistic = sum((counts[goal] - mean) ** 2 / mean for goal in goals)
    assert abs(statistic - 4_805) < 4 * (2 * 4_805) ** 0.5  # chi squared: its mean and deviation


def test_starts_are_the_centre_with_any_heading():
    starts = Counter(tuple(task.start.tolist()) for task in drawn_tasks(seed=3))
    assert set(starts) == {(5, 5, heading) for heading in range(4)}
    assert all(abs(count - DRAWS / 4) < 5 * (DRAWS * 3 / 16) ** 0.5 for count in starts.values())


def test_one_seed_draws_one_task():
    space = VoxelBuildTaskSpace()
    assert space.sample_task(np.random.default_rng(5)) == space.sample_task(np.random.default_rng(5))
    assert space.sample_task(np.random.default_rng(5)) != space.sample_task(np.random.default_rng(6))
