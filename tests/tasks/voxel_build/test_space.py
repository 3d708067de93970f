import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from procgen_bench.tasks.voxel_build import VoxelBuildTask, VoxelBuildTaskSpace
from procgen_bench.tasks.voxel_build.task import Rectangle
from tests.tasks.voxel_build.reference_world import every_rectangle

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
