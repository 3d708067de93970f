"""The compiled drawing of tasks against the specification's wandering agent in plain Python, by their statistics."""

import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from procgen_bench.core.errors import InvalidOptionError, InvalidTaskError, UnknownNameError
from procgen_bench.tasks.bit_grid import BitGridTask, BitGridTaskSpace
from tests.tasks.bit_grid.reference_grid import goal_cells, wandered_goal

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


GOAL = np.eye(13, dtype=np.int8)
START = np.array([12, 0], np.int8)


def test_text_shows_bits_and_start():
    text = """
        ..#.
        .@..
        ##..
        ...."""
    task = BitGridTask.from_text(text)
    assert task.start.tolist() == [1, 1]
    assert task.goal.tolist() == [[0, 0, 1, 0], [0, 0, 0, 0], [1, 1, 0, 0], [0, 0, 0, 0]]
    assert task.to_text().split() == text.split()
    on_a_bit = BitGridTask.from_text(text.replace("@", ".").replace("##", "#&"))
    assert on_a_bit.start.tolist() == [1, 2] and on_a_bit.goal[2].tolist() == [1, 1, 0, 0]


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "text is '', expected as many symbols in every line as there are lines"),
        ("@..\n..#", "expected as many symbols in every line as there are lines"),
        ("@..\n..x\n...", "symbol in line 2 is 'x', expected one of .#@&"),
        ("...\n..#\n...", "number of starts is 0, expected 1"),
        ("@..\n..&\n...", "number of starts is 2, expected 1"),
    ],
)
def test_bad_text_is_refused(text, part):
    with pytest.raises(InvalidTaskError) as caught:
        BitGridTask.from_text(text)
    assert part in str(caught.value) and "\n" not in str(caught.value)


def goal_with(y: int, x: int, value: int) -> np.ndarray:
    goal = GOAL.copy()
    goal[y, x] = value
    return goal


@pytest.mark.parametrize(
    ("start", "goal", "part"),
    [
        (np.array([13, 0], np.int8), GOAL, "start is (13, 0), expected x and y, whole numbers in [0, 12]"),
        (np.array([0, -1], np.int8), GOAL, "start is (0, -1), expected x and y, whole numbers in [0, 12]"),
        (np.zeros(2), GOAL, "start's type is 'float64', expected an array of int8"),
        ((0, 0), GOAL, "start's type is 'tuple', expected an array of int8"),
        (np.zeros(3, np.int8), GOAL, "start's shape is (3,), expected (2,)"),
        (START, np.zeros((13, 13), np.int8), "number of goal bits that are on is 0, expected at least 1"),
        (START, goal_with(3, 4, 2), "goal[3, 4] is 2, expected 0 (off) or 1 (on)"),
        (START, goal_with(12, 0, -1), "goal[12, 0] is -1, expected 0 (off) or 1 (on)"),
        (START, GOAL.astype(bool), "goal's type is 'bool', expected an array of int8"),
        (START, GOAL[:12], "goal's shape is (12, 13), expected (13, 13)"),
        (START, GOAL[np.newaxis], "goal's shape is (1, 13, 13), expected (13, 13)"),
    ],
)
def test_invalid_task_is_refused(start, goal, part):
    with pytest.raises(InvalidTaskError) as caught:
        BitGridTaskSpace().resolve(BitGridTask(start, goal))
    assert part in str(caught.value) and "\n" not in str(caught.value)


DRAWS = 6_000


def drawn_tasks(side: int, seed: int) -> list:
    space, rng = BitGridTaskSpace(side), np.random.default_rng(seed)
    return [space.sample_task(rng) for _ in range(DRAWS)]


def spread(goal: set) -> int:
    columns, lines = zip(*goal)
    return max(max(columns) - min(columns), max(lines) - min(lines))


def largest_gap(found: list[int], expected: list[int]) -> float:
    """Greatest difference between two cumulative distributions (Kolmogorov and Smirnov's statistic)."""
    values = sorted({*found, *expected})
    return max(abs(np.mean(np.array(found) <= value) - np.mean(np.array(expected) <= value)) for value in values)


@pytest.mark.parametrize("side", [3, 5, 13])
def test_goals_are_distributed_as_the_specification_s(side):
    found = [goal_cells(task) for task in drawn_tasks(side, seed=1)]
    rng = random.Random(2)
    expected = [wandered_goal(side, rng) for _ in range(DRAWS)]
    limit = 1.95 * (2 / DRAWS) ** 0.5  # one run in a thousand with equal distributions lies above
    assert largest_gap([len(goal) for goal in found], [len(goal) for goal in expected]) < limit
    assert largest_gap([spread(goal) for goal in found], [spread(goal) for goal in expected]) < limit
    edge = [sum(0 in cell or side - 1 in cell for cell in goal) for goal in found]
    expected_edge = [sum(0 in cell or side - 1 in cell for cell in goal) for goal in expected]
    assert largest_gap(edge, expected_edge) < limit


def test_goals_have_an_even_number_of_bits_up_to_the_eight_toggles():
    sizes = Counter(len(goal_cells(task)) for task in drawn_tasks(13, seed=3))
    assert set(sizes) == {2, 4, 6, 8} and sizes[8] > DRAWS / 4


def test_starts_are_uniform():
    starts = Counter(tuple(task.start.tolist()) for task in drawn_tasks(3, seed=4))
    assert len(starts) == 9
    assert all(abs(count - DRAWS / 9) < 5 * (DRAWS / 9) ** 0.5 for count in starts.values())


def test_one_seed_draws_one_task():
    space = BitGridTaskSpace()
    assert space.sample_task(np.random.default_rng(5)) == space.sample_task(np.random.default_rng(5))
    assert space.sample_task(np.random.default_rng(5)) != space.sample_task(np.random.default_rng(6))
