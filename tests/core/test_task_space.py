"""The checks that TaskSpace gives every family, on a family with every kind of parameter, and on GridWorld."""

from dataclasses import dataclass

import numpy as np
import pytest
from gymnasium import spaces

from procgen_bench.core.errors import InvalidTaskError, UnknownNameError, UnsolvedTaskError
from procgen_bench.core.suites import FamilySuites, SuiteDescriptor
from procgen_bench.core.task import Task
from procgen_bench.core.task_space import TaskSpace
from procgen_bench.core.task_suite import TaskSuite
from procgen_bench.tasks.grid_world import GridWorldTask, GridWorldTaskSpace


@dataclass(frozen=True, eq=False)
class Course(Task):
    hurdles: np.ndarray
    wind: float


def easy_suite(name, arrays):
    return TaskSuite(name, (CourseSpace().decode(good()),), ("only",))


class CourseSpace(TaskSpace):
    """A small real family: heights of hurdles, their kinds, a lane, and the wind."""

    task_type = Course
    suites = FamilySuites(descriptors=(SuiteDescriptor("easy", easy_suite),))
    space = spaces.Dict(
        {
            "heights": spaces.Box(np.array([1, 2, 3]), np.array([4, 5, 6]), dtype=np.int64),
            "kinds": spaces.MultiDiscrete([2, 3], start=[10, 20]),
            "lane": spaces.Discrete(4, start=1),
            "wind": spaces.Box(-1.0, 1.0, (2, 2), np.float32),
        }
    )

    def _decode(self, params):
        numbers = [*params["heights"], *params["kinds"], params["lane"]]
        return Course(np.array(numbers), float(params["wind"].sum()))

    def encode(self, task):
        hurdles = task.hurdles
        wind = np.full((2, 2), task.wind / 4, np.float32)
        return {"heights": hurdles[:3], "kinds": hurdles[3:5], "lane": hurdles[5], "wind": wind}

    def mutate(self, task, rng):
        return Course(task.hurdles, float(rng.uniform(-4, 4)))

    def validate(self, task):
        if abs(task.wind) > 4:
            raise InvalidTaskError("wind", task.wind, "a number in [-4, 4]")


def good() -> dict:
    return {"heights": [1, 5, 6], "kinds": [11, 22], "lane": 4, "wind": [[0.5, -1.0], [1.0, 0.0]]}


COURSES, GRIDS = CourseSpace(), GridWorldTaskSpace()
GRID = GRIDS.sample(np.random.default_rng(0))


def with_entry(name: str, index: tuple, value: float) -> dict:
    changed = {key: array.astype(np.float64) for key, array in GRID.items()}
    changed[name][index] = value
    return changed


def test_parameters_inside_decode():
    assert COURSES.decode(good()) == Course(np.array([1, 5, 6, 11, 22, 4]), 0.5)


@pytest.mark.parametrize(
    ("space", "params", "parts"),
    [
        (COURSES, good() | {"wnd": 0}, ["parameter name", "'wnd'", "one of ['heights', 'kinds', 'lane', 'wind']"]),
        (COURSES, {k: v for k, v in good().items() if k != "lane"}, ["lane (missing)", "all of"]),
        (COURSES, [1, 2], ["parameters is [1, 2]", "a dict with the keys"]),
        (COURSES, good() | {"lane": 5}, ["lane is 5", "[1, 4]"]),
        (COURSES, good() | {"lane": 0}, ["lane is 0", "[1, 4]"]),
        (COURSES, good() | {"lane": [1]}, ["lane's shape is (1,)", "expected ()"]),
        (COURSES, good() | {"kinds": [12, 20]}, ["kinds[0] is 12", "[10, 11]"]),
        (COURSES, good() | {"kinds": [10, 19]}, ["kinds[1] is 19", "[20, 22]"]),
        (COURSES, good() | {"heights": [1, 6, 3]}, ["heights[1] is 6", "[2, 5]"]),
        (COURSES, good() | {"heights": [1.0, 2.0, 3.0]}, ["heights's dtype", "'float64'", "integers (int64)"]),
        (COURSES, good() | {"heights": [True, True, True]}, ["heights's dtype", "'bool'", "numbers"]),
        (COURSES, good() | {"heights": ["1", "2", "3"]}, ["heights's dtype", "numbers"]),
        (COURSES, good() | {"heights": [[1], [2, 3]]}, ["heights is [[1], [2, 3]]", "an array of shape (3,)"]),
        (COURSES, good() | {"heights": None}, ["heights's dtype", "'object'"]),
        (COURSES, good() | {"heights": np.array([1, 2, 3 + 0j])}, ["heights's dtype", "'complex128'"]),
        (COURSES, good() | {"wind": np.zeros((2, 3))}, ["wind's shape is (2, 3)", "expected (2, 2)"]),
        (COURSES, good() | {"lane": 2**70}, ["lane's dtype", "numbers"]),
        (GRIDS, with_entry("coordinates", (2, 0), np.nan), ["coordinates[2, 0] is nan", "[0.0, 10.0]"]),
        (GRIDS, with_entry("coordinates", (4, 1), np.inf), ["coordinates[4, 1] is inf", "[0.0, 10.0]"]),
        (GRIDS, with_entry("coordinates", (0, 0), -np.inf), ["coordinates[0, 0] is -inf", "[0.0, 10.0]"]),
        (GRIDS, with_entry("coordinates", (1, 1), 10.001), ["coordinates[1, 1] is 10.001", "[0.0, 10.0]"]),
        (GRIDS, with_entry("tiles", (7, 7, 2), np.nan), ["tiles[7, 7, 2] is nan", "[-10.0, 10.0]"]),
        (GRIDS, with_entry("tiles", (0, 3, 1), -10.5), ["tiles[0, 3, 1] is -10.5", "[-10.0, 10.0]"]),
        (GRIDS, GRID | {"tiles": np.zeros((8, 8))}, ["tiles's shape is (8, 8)", "(8, 8, 3)"]),
        (GRIDS, GRID | {"tiles": np.zeros((10, 10, 3))}, ["tiles's shape is (10, 10, 3)", "(8, 8, 3)"]),
    ],
)
def test_parameter_outside_is_named_with_its_value_and_range(space, params, parts):
    with pytest.raises(InvalidTaskError) as caught:
        space.decode(params)
    message = str(caught.value)
    assert all(part in message for part in parts), message
    assert "\n" not in message and len(message) < 300


def test_error_carries_its_parts():
    with pytest.raises(InvalidTaskError) as caught:
        COURSES.decode(good() | {"lane": 9})
    assert (caught.value.parameter, caught.value.value) == ("lane", 9)
    assert caught.value.expected == "a number in [1, 4]"


def test_decode_leaves_the_parameters_alone():
    params = {name: array.copy() for name, array in GRID.items()}
    GRIDS.decode(params)
    assert all(np.array_equal(params[name], GRID[name]) for name in GRID)


@pytest.mark.parametrize("space", [COURSES, GRIDS])
def test_samples_lie_in_the_space_and_repeat(space):
    samples, again = ([space.sample(rng) for _ in range(200)] for rng in map(np.random.default_rng, (3, 3)))
    for one, other in zip(samples, again):
        assert space.space.contains(one), one
        assert all(np.array_equal(one[name], other[name]) for name in one)
        space.decode(one)


def test_samples_reach_every_value_of_discrete_parameters():
    rng = np.random.default_rng(4)
    samples = [COURSES.sample(rng) for _ in range(400)]
    assert {int(sample["lane"]) for sample in samples} == {1, 2, 3, 4}
    assert {int(sample["kinds"][1]) for sample in samples} == {20, 21, 22}
    assert {int(sample["heights"][2]) for sample in samples} == {3, 4, 5, 6}
    wind = np.array([sample["wind"] for sample in samples])
    assert abs(wind.mean()) < 0.05 and wind.min() < -0.98 and wind.max() > 0.98


@pytest.mark.parametrize("space", [COURSES, GRIDS])
def test_flatten_and_unflatten_are_inverse(space):
    rng = np.random.default_rng(5)
    for _ in range(20):
        params = space.sample(rng)
        vector = space.flatten(params)
        assert space.flat_space.contains(vector)
        back = space.unflatten(vector)
        assert set(back) == set(params)
        for name in params:
            np.testing.assert_array_equal(back[name], params[name])
        assert space.decode(back) == space.decode(params)


def test_unflatten_refuses_another_length():
    with pytest.raises(InvalidTaskError, match=r"flat parameters' shape is \(3,\), expected \(202,\)"):
        GRIDS.unflatten(np.zeros(3))


def test_resolve_takes_a_task_a_name_and_parameters():
    task = GRIDS.suite("targets")["A"]
    assert GRIDS.resolve(task) is task
    assert GRIDS.resolve("targets/A") == task
    assert GRIDS.resolve(GRIDS.encode(task)) == task


@pytest.mark.parametrize(
    ("given", "error", "parts"),
    [
        ("targets/D", UnknownNameError, ["'D'", "suite 'targets'", "A, B, C"]),
        ("graded/200", UnknownNameError, ["'200'", "suite 'graded'", "(200 in all)"]),
        ("target/A", UnknownNameError, ["unknown task 'target/A'", "targets/A|B|C", "graded/...", "random/..."]),
        ("targets", UnknownNameError, ["unknown task 'targets'"]),
        ("", UnknownNameError, ["unknown task ''"]),
        (7, InvalidTaskError, ["task is 7", "GridWorldTask", "dict of raw parameters", "'targets/A'"]),
        (Course(np.zeros(6), 0.0), InvalidTaskError, ["task is 'Course'", "a GridWorldTask"]),
    ],
)
def test_resolve_refuses_everything_else(given, error, parts):
    with pytest.raises(error) as caught:
        GRIDS.resolve(given)
    message = str(caught.value)
    assert all(part in message for part in parts), message
    assert "\n" not in message


def test_resolve_validates_tasks():
    with pytest.raises(InvalidTaskError, match=r"wind is 9.0, expected a number in \[-4, 4\]"):
        COURSES.resolve(Course(np.zeros(6), 9.0))


def test_resolve_many():
    graded = GRIDS.suite("graded")
    assert GRIDS.resolve_many("graded") == graded.tasks
    assert GRIDS.resolve_many(graded) == graded.tasks
    assert GRIDS.resolve_many("graded/3") == (graded["3"],)
    assert GRIDS.resolve_many(graded["3"]) == (graded["3"],)
    assert GRIDS.resolve_many(["graded/3", GRIDS.encode(graded["4"])]) == (graded["3"], graded["4"])
    with pytest.raises(InvalidTaskError, match="at least one task"):
        GRIDS.resolve_many([])
    with pytest.raises(UnknownNameError, match="unknown task 'hard'"):
        GRIDS.resolve_many("hard")


def test_suites_are_read_once_and_unknown_ones_listed():
    assert GRIDS.suite("graded") is GRIDS.suite("graded")
    with pytest.raises(UnknownNameError, match="unknown suite 'easy'; known: targets, graded, random"):
        GRIDS.suite("easy")
    assert all(isinstance(task, GridWorldTask) for task in GRIDS.suite("targets"))


def test_a_solver_that_is_handed_over_solves_valid_tasks():
    def solve(task: Course) -> np.ndarray | None:
        if task.wind > 1:
            raise UnsolvedTaskError("too much wind")
        return None if task.wind < 0 else np.array([1, 2])

    space = CourseSpace(solver=solve)
    calm, storm, against = (Course(np.zeros(6), wind) for wind in (0.0, 2.0, -1.0))
    assert space.solve(calm).tolist() == [1, 2] and space.solve(against) is None
    assert [space.is_solvable(task) for task in (calm, storm, against)] == [True, False, False]
    with pytest.raises(UnsolvedTaskError, match="too much wind"):
        space.solve(storm)
    with pytest.raises(InvalidTaskError, match="wind is -9"):
        space.solve(Course(np.zeros(6), -9.0))


def test_family_without_solver_says_so():
    with pytest.raises(NotImplementedError, match="CourseSpace has no solver"):
        COURSES.solve(COURSES.decode(good()))
