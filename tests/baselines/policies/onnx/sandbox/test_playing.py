"""What the sandbox plays: observations in, actions out, state from step to step, noise of each episode."""

import os

import numpy as np
import pytest
from gymnasium import spaces

from procgen_bench.baselines.policies.onnx.sandbox.limits import Limits
from procgen_bench.baselines.policies.onnx.sandbox.policy import SandboxedPolicy, policy_file_hash, read_policy_file
from procgen_bench.baselines.policies.onnx.sandbox.process import ModelProcess
from procgen_bench.core.errors import InvalidPolicyError, PolicyStoppedError
from tests.baselines.policies.onnx.sandbox.models import (
    ACTIONS,
    INT64,
    OBSERVATIONS,
    WEIGHTS,
    constant,
    make_model,
    node,
    rows,
    value,
)


def play(model, observation_space=OBSERVATIONS, action_space=ACTIONS):
    return SandboxedPolicy(ModelProcess(model.SerializeToString(), Limits()), observation_space, action_space)


def starts(count, *beginning):
    return np.isin(np.arange(count), beginning)


def test_rows_are_played_as_the_graph_says():
    with play(make_model()) as policy:
        for count in (1, 7, 256, 3):
            seen = rows(count)
            actions = policy.act(seen, starts(count))
            assert actions.dtype == np.float32
            assert np.allclose(actions, np.tanh(seen["seen"] @ WEIGHTS), atol=1e-6)
        assert policy.act(rows(0), starts(0)).shape == (0, 2)


def remembering():
    """Its action is the sum of what it saw since the episode began, and the number of steps."""
    nodes = [
        node("MatMul", "seen weights", "product"),
        node("Add", "product state_in_sum", "state_out_sum"),
        node("Add", "state_in_steps hundredth", "state_out_steps"),
        node("Add", "state_out_sum state_out_steps", "all"),
        node("Tanh", "all", "action"),
    ]
    inputs = [value("state_in_sum", ["N", 2]), value("seen", ["N", 4]), value("state_in_steps", ["N", 1])]
    outputs = [value("state_out_steps", ["N", 1]), value("action", ["N", 2]), value("state_out_sum", ["N", 2])]
    return make_model(nodes, inputs, outputs, [constant("hundredth", np.float32([[0.01]]))])


def test_state_goes_on_and_is_cleared_where_an_episode_begins():
    rng, total, steps = np.random.default_rng(1), np.zeros((5, 2), np.float32), np.zeros((5, 1), np.float32)
    with play(remembering()) as policy:
        for beginning in ([0, 1, 2, 3, 4], [], [2], [], [0, 2, 4]):
            seen = rng.normal(size=(5, 4)).astype(np.float32)
            begins = starts(5, *beginning)
            total[begins], steps[begins] = 0, 0
            total, steps = total + seen @ WEIGHTS, steps + np.float32(0.01)
            assert np.allclose(policy.act({"seen": seen}, begins), np.tanh(total + steps), atol=1e-5)
        fewer = policy.act(rows(2), starts(2))
        assert np.allclose(fewer, np.tanh(rows(2)["seen"] @ WEIGHTS + 0.01), atol=1e-6)


def drawing():
    """Its action is its noise."""
    nodes = [
        node("MatMul", "seen weights", "product"),
        node("Mul", "product zero", "nothing"),
        node("Add", "noise nothing", "action"),
    ]
    inputs = [value("seen", ["N", 4]), value("noise", ["N", 2])]
    return make_model(nodes, inputs, constants=[constant("zero", np.float32(0))])


def test_noise_belongs_to_the_episode_and_not_to_its_row():
    with play(drawing()) as policy:

        def draw(seeds, steps=3):
            for row, seed in enumerate(seeds):
                policy.begin_noise(row, seed)
            count = len(seeds)
            return np.stack([policy.act(rows(count), starts(count)) for _ in range(steps)], axis=1)

        together = draw([11, 12, 13, 14])
        assert np.array_equal(draw([13])[0], together[2])
        assert np.array_equal(draw([14, 11, 14])[:2], together[[3, 0]])
        assert len(np.unique(together)) == together.size
        assert np.all((together >= 0) & (together < 1))
        policy.seed(3)
        first = policy.act(rows(2), starts(2))
        policy.seed(3)
        assert np.array_equal(policy.act(rows(2), starts(2)), first)


def test_spaces_of_all_kinds_are_described_and_read():
    """Nested names, bits, small integers, reals of 64 bits, pictures; actions of several categories."""
    observed = spaces.Dict(
        {
            "a": spaces.Dict({"bits": spaces.MultiBinary(3), "far": spaces.Box(-1, 1, (2,), np.float64)}),
            "choice": spaces.Discrete(5),
            "picture": spaces.Box(0, 255, (2, 2, 3), np.uint8),
        }
    )
    inputs = [
        value("a/bits", ["N", 3], 3),
        value("a/far", ["N", 2], 11),
        value("choice", ["N"], INT64),
        value("picture", ["N", 2, 2, 3], 2),
    ]
    nodes = [
        node("Cast", "a/bits", "bits", to=INT64),
        node("ReduceSum", "bits axis", "first", keepdims=1),
        node("Unsqueeze", "choice axis", "second"),
        node("Concat", "first second", "action", axis=1),
    ]
    model = make_model(nodes, inputs, [value("action", ["N", 2], INT64)], [constant("axis", np.int64([1]))])
    seen = {
        "a": {"bits": np.array([[1, 1, 0], [0, 0, 1]], np.int8), "far": np.zeros((2, 2))},
        "choice": np.array([4, 2]),
        "picture": np.zeros((2, 2, 2, 3), np.uint8),
    }
    with play(model, observed, spaces.MultiDiscrete([4, 5])) as policy:
        assert policy.act(seen, starts(2)).tolist() == [[2, 4], [1, 2]]


def test_observations_without_names_and_single_numbers_as_actions():
    nodes = [node("MatMul", "observation weights", "product"), node("ArgMax", "product", "action", axis=1, keepdims=0)]
    model = make_model(nodes, [value("observation", ["N", 4])], [value("action", ["N"], INT64)])
    with play(model, OBSERVATIONS["seen"], spaces.Discrete(2)) as policy:
        seen = rows(9)["seen"]
        assert policy.act(seen, starts(9)).tolist() == (seen @ WEIGHTS).argmax(axis=1).tolist()


def grid_world(metadata, action=1):
    """A policy of GridWorld-v0 that always does the same."""
    inputs = [value("objects", ["N", 10]), value("position", ["N", 2]), value("view", ["N", 7, 7])]
    nodes = [
        node("ReduceSum", "position axis", "sum", keepdims=0),
        node("Mul", "sum zero", "nothing"),
        node("Cast", "nothing", "integer", to=INT64),
        node("Add", "integer chosen", "action"),
    ]
    constants = [constant("axis", np.int64([1])), constant("zero", np.float32(0)), constant("chosen", np.int64(action))]
    return make_model(nodes, inputs, [value("action", ["N"], INT64)], constants, metadata=metadata)


def test_a_file_is_played_in_the_environment_that_it_names(tmp_path):
    path = tmp_path / "policy.onnx"
    metadata = {"environment": "GridWorld-v0", "environment_options": "{}", "method": "mine", "training_steps": "12"}
    path.write_bytes(grid_world(metadata).SerializeToString())
    with SandboxedPolicy.from_file(path, "GridWorld-v0") as policy:
        description = policy.description
        assert (description.method, description.training_steps, policy.environment_options) == ("mine", 12, {})
        seen = {name: np.zeros((3, *shape), np.float32) for name, shape in SHAPES.items()}
        assert policy.act(seen, starts(3)).tolist() == [1, 1, 1]
    assert policy_file_hash(read_policy_file(path)) == policy_file_hash(path.read_bytes())


SHAPES = {"objects": (10,), "position": (2,), "view": (7, 7)}


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        ({"environment": "BitGrid-v0"}, "plays 'BitGrid-v0', expected one that plays 'GridWorld-v0'"),
        ({"environment_options": '{"colour": 3}'}, "takes no option 'colour'"),
        ({"training_steps": "-1"}, "training_steps is '-1', expected a number of steps"),
    ],
)
def test_what_a_file_tells_of_itself_is_checked(metadata, message):
    with pytest.raises(ValueError, match=message) as caught:
        SandboxedPolicy.from_bytes(grid_world(metadata).SerializeToString(), "GridWorld-v0")
    assert "\n" not in str(caught.value)


def test_the_process_ends_with_the_policy():
    policy = play(make_model())
    child = policy._process._child
    assert child.poll() is None
    with policy:
        policy.act(rows(1), starts(1))
    assert child.poll() is not None
    with pytest.raises(PolicyStoppedError, match="it has ended before"):
        policy.act(rows(1), starts(1))


def test_files_are_read_within_bounds(tmp_path):
    path = tmp_path / "policy.onnx"
    for make, message in (
        (lambda: None, "there is no file to read"),
        (path.mkdir, "expected a regular file and no link"),
        (lambda: (path.rmdir(), os.mkfifo(path)), "expected a regular file and no link"),
        (lambda: (path.unlink(), path.touch(), os.truncate(path, 10**11)), "has 100000000000 bytes"),
    ):
        make()
        with pytest.raises(InvalidPolicyError, match=message):
            read_policy_file(path)
