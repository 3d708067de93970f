"""What holds between a space's raw parameters and its tasks."""

import json

import numpy as np
import pytest
from gymnasium import spaces

from procgen_bench import Task, TaskSpace
from procgen_bench.core.errors import InvalidTaskError
from procgen_bench.core.task_space import Parameters
from tests.tasks.conformance.cases import Case

#: What the error says of a valid task that no parameters decode to.
WITHOUT_PARAMETERS = "to have parameters"


def encoded(case: Case, task: Task) -> Parameters | None:
    """The task's parameters; ``None`` where the family says that it has none."""
    try:
        return case.space.encode(task)
    except InvalidTaskError as error:
        assert WITHOUT_PARAMETERS in str(error)
        return None


def assert_equal(one: Parameters, other: Parameters) -> None:
    assert list(one) == list(other)
    for name in one:
        np.testing.assert_array_equal(one[name], other[name], err_msg=name)


def check_samples_repeat(case: Case) -> None:
    """Samples lie in the space, follow from the generator alone and differ with it."""
    samples, again = ([case.space.sample(rng) for _ in range(3)] for rng in map(np.random.default_rng, (7, 7)))
    for one, other in zip(samples, again):
        assert case.space.space.contains(one)
        assert_equal(one, other)
    tasks = {case.space.decode(params) for params in [*samples, case.space.sample(np.random.default_rng(8))]}
    assert len(tasks) == 4, "samples do not vary"


def check_samples_decode(case: Case, count: int) -> None:
    """Every sample is a valid task of the family, the same each time; decoding leaves the parameters alone."""
    rng = np.random.default_rng(0)
    for _ in range(count):
        params = case.space.sample(rng)
        kept = {name: np.array(value) for name, value in params.items()}
        task = case.space.decode(params)
        assert isinstance(task, case.space.task_type)
        case.space.validate(task)
        assert_equal(params, kept)
        assert case.space.decode({name: value.tolist() for name, value in kept.items()}) == task
        assert encoded(case, task) is not None, "what was decoded has no parameters"


def check_encode_is_undone(case: Case, count: int) -> None:
    """``decode(encode(task)) == task``; the parameters lie in the space, and are the caller's to change."""
    of_these = 0
    for task in case.tasks(count):
        params, fingerprint = encoded(case, task), task.fingerprint()
        if params is None:
            continue
        of_these += 1
        assert case.space.space.contains(params)
        assert case.space.decode(params) == task
        assert_equal(case.space.encode(task), params)
        for name, value in params.items():
            if isinstance(value, np.ndarray):
                assert value.flags.writeable, f"{name} cannot be changed"
                value[...] = 0
        assert task.fingerprint() == fingerprint, "the task changed with its parameters"
    assert of_these >= count


def check_json(case: Case, count: int) -> None:
    """Parameters come back from JSON bit for bit, in the space's dtypes; what JSON holds is taken as a task, too."""
    rng = np.random.default_rng(9)
    samples = [case.space.sample(rng) for _ in range(count)]
    for params in [*samples, *filter(None, (encoded(case, task) for task in case.published(1)))]:
        text = case.space.to_json(params)
        read = case.space.from_json(text)
        assert "\n" not in text and case.space.space.contains(read)
        for name, leaf in case.space.space.items():
            assert read[name].dtype == leaf.dtype and read[name].tobytes() == np.asarray(params[name]).tobytes(), name
        assert case.space.resolve(json.loads(text)) == case.space.decode(params)
    for wrong in ("", "{", "[]", "null", "[" * 100_000, '{"unheard_of": 0}', text[:-1]):
        with pytest.raises(InvalidTaskError) as caught:
            case.space.from_json(wrong)
        assert "\n" not in str(caught.value)
    with pytest.raises(InvalidTaskError, match="unheard_of"):
        case.space.to_json(samples[0] | {"unheard_of": 0})


def check_every_parameter_tells(case: Case) -> None:
    """No parameter is ignored: a uniform one in its place makes another task, or none, at some time."""
    rng = np.random.default_rng(1)
    pairs = [(case.space.sample(rng), TaskSpace.sample(case.space, rng)) for _ in range(12)]
    for name in case.space.space:
        changed = 0
        for one, other in pairs:
            try:
                changed += case.space.decode(one | {name: other[name]}) != case.space.decode(one)
            except InvalidTaskError:
                changed += 1
        assert changed >= 1, f"{name} changes nothing"


def check_flat_vectors(case: Case, count: int) -> None:
    """A vector is its parameters, in any floating type that holds it, and within the Box's bounds."""
    flat = case.space.flat_space
    assert isinstance(flat, spaces.Box) and len(flat.shape) == 1
    for task in case.tasks(count):
        params = encoded(case, task)
        if params is None:
            continue
        vector = case.space.flatten(params)
        assert vector.shape == flat.shape and vector.dtype == flat.dtype and flat.contains(vector)
        for given in (vector, vector.astype(np.float64), vector.astype(np.float64).tolist()):
            assert_equal(case.space.unflatten(given), {name: params[name] for name in case.space.space})
        assert case.space.decode(case.space.unflatten(vector.astype(np.float64))) == task
    for wrong in (np.zeros(flat.shape[0] + 1), np.zeros((1, *flat.shape)), np.zeros(0)):
        with pytest.raises(InvalidTaskError, match="flat parameters' shape"):
            case.space.unflatten(wrong)


def check_corners_of_the_box(case: Case) -> None:
    """Where all parameters are real numbers, the least, the greatest and all between make valid tasks, and back."""
    if not all(np.issubdtype(leaf.dtype, np.floating) for leaf in case.space.space.values()):
        return
    low, high, rng = (
        case.space.flat_space.low.astype(np.float64),
        case.space.flat_space.high.astype(np.float64),
        np.random.default_rng(2),
    )
    vectors = [low, high, *(np.where(rng.random(low.shape) < 0.5, low, high) for _ in range(20))]
    vectors += [rng.uniform(low, high) for _ in range(20)]
    for vector in vectors:
        task = case.space.decode(case.space.unflatten(vector))
        case.space.validate(task)
        assert case.space.decode(case.space.encode(task)) == task


def check_bad_parameters_are_refused(case: Case) -> None:
    """Each bad parameter alone is refused, by its name, in one short line."""
    params = case.space.sample(np.random.default_rng(3))
    for bad in (None, 3, "parameters", [1, 2]):
        assert_refused(case, bad, "parameters")
    assert_refused(case, params | {"unheard_of": 0}, "unheard_of")
    for name, leaf in case.space.space.items():
        assert_refused(case, {key: value for key, value in params.items() if key != name}, f"{name} (missing)")
        for bad in _bad_values(leaf, np.asarray(params[name])):
            assert_refused(case, params | {name: bad}, name)


def _bad_values(leaf: spaces.Space, value: np.ndarray):
    """Values of other shapes and types, and ones that are in one place too small, too great or no number."""
    yield from (value[np.newaxis], np.stack([value, value]), value.astype(str), value.astype(bool), None)
    yield value.astype(np.complex128)
    low, high = (np.broadcast_to(bound, value.shape) for bound in bounds(leaf))
    beyond = [np.inf, -np.inf, np.nan] if np.issubdtype(leaf.dtype, np.floating) else []
    if not beyond:
        yield value + 0.5
    for place in {(0,) * value.ndim, tuple(side - 1 for side in value.shape)}:
        step = np.spacing(max(abs(float(low[place])), abs(float(high[place])))) if beyond else 1
        for number in (low[place] - step, high[place] + step, *beyond):
            bad = value.astype(np.float64 if beyond else np.int64)
            bad[place] = number
            yield bad


def bounds(leaf: spaces.Space) -> tuple[np.ndarray, np.ndarray]:
    """The least and the greatest values of a parameter."""
    match leaf:
        case spaces.Box():
            kind = np.float64 if np.issubdtype(leaf.dtype, np.floating) else np.int64
            return leaf.low.astype(kind), leaf.high.astype(kind)
        case spaces.MultiDiscrete():
            return leaf.start, leaf.start + leaf.nvec - 1
        case _:
            return np.array(leaf.start), np.array(leaf.start + leaf.n - 1)


def assert_refused(case: Case, params: object, name: str) -> None:
    """Decoding raises, and the error names what is wrong."""
    with pytest.raises(InvalidTaskError) as caught:
        case.space.decode(params)
    message = str(caught.value)
    assert name in message and "\n" not in message and len(message) < 400, message
