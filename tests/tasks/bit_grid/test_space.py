import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from procgen_bench.core.errors import InvalidOptionError, InvalidTaskError, UnknownNameError
from procgen_bench.tasks.bit_grid import BitGridTask, BitGridTaskSpace

SPACE = BitGridTaskSpace()
SIDES = (3, 4, 13, 32)


def float32(low: float, high: float):
    return st.floats(low, high, width=32)


@st.composite
def parameters(draw) -> dict[str, np.ndarray]:
    """Anywhere in the space of side 13, its edges and ties included."""
    low = float(SPACE.space["goal"].low.min())
    fill = st.sampled_from([0.0, low, 1.0])
    return {
        "goal": draw(arrays(np.float32, (13, 13), elements=st.one_of(fill, float32(low, 1)), fill=fill)),
        "start": draw(arrays(np.float32, (2,), elements=st.one_of(st.sampled_from([0, 1, 12.5, 13]), float32(0, 13)))),
    }


@given(parameters())
def test_decode_lights_the_positive_and_the_greatest(params):
    task = SPACE.decode(params)
    SPACE.validate(task)
    logits = {(y, x): params["goal"][y, x] for y in range(13) for x in range(13)}
    greatest = max(logits, key=logits.get)  # the first of equals
    for cell, logit in logits.items():
        assert task.goal[cell] == (logit > 0 or cell == greatest)
    assert task.start.tolist() == [min(int(place), 12) for place in params["start"]]


@given(st.data(), st.sampled_from(SIDES), st.integers(0, 2**32))
def test_encode_is_a_right_inverse_and_mutation_changes_one_parameter(data, side, seed):
    space = BitGridTaskSpace(side)
    on = data.draw(st.sets(st.integers(0, side * side - 1), min_size=1, max_size=12))
    goal = np.zeros(side * side, np.int8)
    goal[list(on)] = 1
    start = np.array(data.draw(st.tuples(*[st.integers(0, side - 1)] * 2)), np.int8)
    task = BitGridTask(start, goal.reshape(side, side))
    params = space.encode(task)
    assert space.space.contains(params)
    assert space.decode(params) == task
    assert space.decode(space.unflatten(space.flatten(params))) == task
    neighbour = space.mutate(task, np.random.default_rng(seed))
    space.validate(neighbour)
    changed_bits = int((neighbour.goal != task.goal).sum())
    assert changed_bits == 0 or (changed_bits == 1 and (neighbour.start == task.start).all())
    assert space.mutate(task, np.random.default_rng(seed)) == neighbour


def test_mutation_reaches_start_and_goal():
    task, rng = SPACE.suite("test")["0"], np.random.default_rng(0)
    neighbours = [SPACE.mutate(task, rng) for _ in range(2_000)]
    moved = [neighbour for neighbour in neighbours if (neighbour.start != task.start).any()]
    assert 1 <= len(moved) <= 40 and len({neighbour.goal.tobytes() for neighbour in neighbours}) > 160


@pytest.mark.parametrize("side", SIDES)
def test_uniform_samples_light_eight_bits_in_the_mean(side):
    space, rng = BitGridTaskSpace(side), np.random.default_rng(1)
    tasks = [space.decode(space.sample(rng)) for _ in range(400)]
    for task in tasks:
        space.validate(task)
    assert np.mean([task.goal.sum() for task in tasks]) == pytest.approx(8, abs=0.5)
    assert len({tuple(task.start.tolist()) for task in tasks}) >= min(side * side, 150)


@pytest.mark.parametrize("side", [2, 33, 0, -13, 13.0, "13", None, True])
def test_sides_out_of_range_are_refused(side):
    with pytest.raises(InvalidOptionError) as caught:
        BitGridTaskSpace(side)
    assert str(caught.value) == f"side is {side!r}, expected an integer in [3, 32]"


def test_suites_are_of_the_paper_s_side():
    assert SPACE.suite_names == ("test",)
    small = BitGridTaskSpace(5)
    assert small.suite_names == ()
    with pytest.raises(UnknownNameError, match="unknown suite 'test'; known: none"):
        small.suite("test")
    with pytest.raises(UnknownNameError, match="unknown task 'test/0'; known: none"):
        small.resolve("test/0")
    with pytest.raises(InvalidTaskError, match=r"expected a BitGridTask, or a dict of raw parameters$"):
        small.resolve(5)
    with pytest.raises(InvalidTaskError, match=r"raw parameters, or a name like 'test/0'$"):
        SPACE.resolve(5)
