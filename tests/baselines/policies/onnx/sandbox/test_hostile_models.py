"""Models that are well formed and mean harm, or fail: stopped with one line, in bounded time."""

import resource
import signal
import sys
from dataclasses import replace

import numpy as np
import pytest
from gymnasium import spaces

from procgen_bench.baselines.policies.onnx.sandbox import process as sandbox_process
from procgen_bench.baselines.policies.onnx.sandbox.limits import Limits
from procgen_bench.baselines.policies.onnx.sandbox.policy import SandboxedPolicy
from procgen_bench.baselines.policies.onnx.sandbox.process import ModelProcess
from procgen_bench.core.errors import InvalidPolicyError, MissingExtraError, NoSandboxError, PolicyStoppedError
from tests.baselines.policies.onnx.sandbox.models import (
    ACTIONS,
    INT64,
    OBSERVATIONS,
    constant,
    honest_nodes,
    make_model,
    node,
    rows,
    value,
)

#: The memory is twice what an honest model takes; the times are those in which a refusal must come.
LIMITS = Limits(memory_bytes=2**29, start_seconds=20, step_seconds=2, total_seconds=8)
#: For steps that never end, which are waited for.
SHORT = replace(LIMITS, step_seconds=1)


def taken_by_children() -> float:
    """Seconds of the processor, however busy it is."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def stopped(model, error, message, limits=LIMITS, action_space=ACTIONS):
    """The policy is loaded and played for a step, and the error is one line."""
    begun = taken_by_children()
    file = model if isinstance(model, bytes) else model.SerializeToString()
    with (
        pytest.raises(error, match=message) as caught,
        SandboxedPolicy(ModelProcess(file, limits), OBSERVATIONS, action_space) as policy,
    ):
        policy.act(rows(3), np.zeros(3, np.bool_))
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 500
    assert taken_by_children() - begun < 15


def with_more(*nodes, constants=()):
    """The honest model, and more whose result, ``more``, is added to the action."""
    action = [*honest_nodes()[:1], *nodes, node("Add", "product more", "action")]
    return make_model(action, constants=constants)


def filling(operator):
    """160 GB of zeros."""
    shape = constant("shape", np.int64([200_000, 200_000]))
    match operator:
        case "ConstantOfShape":
            grown = [node("ConstantOfShape", "shape", "grown")]
        case "Expand":
            grown = [node("ReduceMax", "product", "one", keepdims=0), node("Expand", "one shape", "grown")]
        case "Tile":
            grown = [node("ReduceMax", "product", "one"), node("Tile", "one shape", "grown")]
    return with_more(*grown, node("ReduceMax", "grown", "more", keepdims=0), constants=[shape])


@pytest.mark.parametrize("operator", ["ConstantOfShape", "Expand", "Tile"])
def test_memory_is_limited(operator):
    own_limit = "exceeds the supported maximum of 4294967296 bytes"  # onnxruntime's, of a Tile
    stopped(filling(operator), PolicyStoppedError, rf"it asked for 160\.0 GB of memory, of 0\.5 GB|{own_limit}")


def test_memory_of_the_file_itself_is_limited():
    """16 MB of empty operators, each of which takes a hundred bytes once it is read."""
    nodes = b"\x0a\x00" * 2**23
    length = b"\x80\x80\x80\x08"
    stopped(b"\x3a" + length + nodes, PolicyStoppedError, "it asked for more memory than it is given, of 0.5 GB")


def endless():
    """Products of matrices that take hours."""
    size = constant("size", np.int64([3_000, 3_000]))
    grown = [node("ReduceMax", "product", "one", keepdims=0), node("Expand", "one size", "m0")]
    products = [node("MatMul", f"m{k} m0", f"m{k + 1}") for k in range(2_000)]
    return with_more(*grown, *products, node("ReduceMax", "m2000", "more", keepdims=0), constants=[size])


def test_time_of_a_step_is_limited():
    stopped(endless(), PolicyStoppedError, "no answer in 1 s of the processor$", SHORT)


def test_time_in_all_is_limited():
    limits = Limits(memory_bytes=2**29, start_seconds=20, step_seconds=60, total_seconds=3)
    stopped(
        endless(),
        PolicyStoppedError,
        "it took more than 3 s of the processor",
        limits,
    )


def test_a_large_file_is_not_even_sent():
    stopped(bytes(100_000_000), InvalidPolicyError, "has 100000000 bytes, expected at most 67108864")


@pytest.mark.parametrize(
    ("nodes", "outputs", "error", "message"),
    [
        (
            [
                node("Mul", "seen zero", "none"),
                node("Div", "none zero", "nan"),
                node("MatMul", "nan weights", "action"),
            ],
            None,
            PolicyStoppedError,
            r"action of row 0 is \[nan, nan\], expected a member of Box",
        ),
        ([*honest_nodes()[:1], node("Add", "product one", "action")], None, PolicyStoppedError, "action of row"),
        (
            [node("Identity", "seen", "action")],
            None,
            PolicyStoppedError,
            r"float32 \(3, 4\) for 3 rows, expected float32",
        ),
        (
            [*honest_nodes()[:1], node("ReduceMax", "product", "action")],
            [value("action", [1, 1])],
            PolicyStoppedError,
            r"output action is float32 \(1, 1\) for 3 rows",
        ),
        (
            [*honest_nodes()[:1], node("Cast", "product", "action", to=INT64)],
            [value("action", ["N", 2], INT64)],
            InvalidPolicyError,
            r"outputs are 'action' \(int64\), expected 'action' \(float32\)",
        ),
        ([*honest_nodes()[:1], node("Cast", "product", "action", to=INT64)], None, InvalidPolicyError, "refused: "),
        (
            [*honest_nodes()[:1], node("Tanh", "product", "deed")],
            [value("deed", ["N", 2])],
            InvalidPolicyError,
            "outputs are 'deed'",
        ),
        ([node("MatMul", "absent weights", "action")], None, InvalidPolicyError, "the ONNX file is refused"),
        ([node("MatMul", "weights seen", "action")], None, PolicyStoppedError, "dimension mismatch"),
        (
            [*honest_nodes()[:1], node("Gather", "product far", "more"), node("Add", "product more", "action")],
            None,
            (InvalidPolicyError, PolicyStoppedError),
            "indices element out of data bounds",
        ),
    ],
)
def test_actions_that_are_none_stop_the_policy(nodes, outputs, error, message):
    constants = [
        constant("zero", np.zeros(4, np.float32)),
        constant("one", np.float32([9, 9])),
        constant("far", np.int64([10**6])),
    ]
    stopped(make_model(nodes, outputs=outputs, constants=constants), error, message)


def test_actions_outside_of_a_discrete_space_stop_the_policy():
    nodes = [
        *honest_nodes()[:1],
        node("ArgMax", "product", "best", axis=1, keepdims=0),
        node("Sub", "best five", "action"),
    ]
    model = make_model(nodes, outputs=[value("action", ["N"], INT64)], constants=[constant("five", np.int64(5))])
    stopped(
        model,
        PolicyStoppedError,
        r"action of row 0 is -[45], expected a member of Discrete\(2\)",
        LIMITS,
        spaces.Discrete(2),
    )


@pytest.mark.parametrize("name", ["SIGKILL", "SIGSEGV", "SIGSTOP"])
def test_a_child_that_dies_or_sleeps_is_noticed(name):
    process = ModelProcess(make_model().SerializeToString(), replace(LIMITS, step_seconds=0.1))
    with SandboxedPolicy(process, OBSERVATIONS, ACTIONS) as policy:
        policy.act(rows(3), np.zeros(3, np.bool_))
        process._child.send_signal(getattr(signal, name))
        expected = "no answer in 0.1 s" if name == "SIGSTOP" else f"ended by {name}"
        with pytest.raises(PolicyStoppedError, match=expected):
            policy.act(rows(3), np.zeros(3, np.bool_))
        assert process._child.poll() is not None


class LyingProcess(ModelProcess):
    """Says what a child would say that has been taken over."""

    def __init__(self, description):
        self.description = description

    def close(self):
        pass


@pytest.mark.parametrize(
    "description",
    [
        None,
        [],
        {},
        {"inputs": [["seen", "float32", [4]]], "outputs": {"action": "float32"}, "metadata": {"method": [3]}},
    ],
)
def test_a_child_that_lies_is_refused(description):
    with pytest.raises(InvalidPolicyError):
        SandboxedPolicy(LyingProcess(description), OBSERVATIONS, ACTIONS)


def test_answers_are_bounded(monkeypatch):
    """A child that says too much, or what it should not, is over."""
    for script, message in (
        (
            "os.write(1, bytes([0, 1, 0]) + (10**9).to_bytes(8, 'little')); time.sleep(60)",
            "describes itself by 1000000000",
        ),
        (
            "os.write(1, bytes([0, 1, 0, 2, 0, 0, 0, 0, 0, 0, 0]) + b'[['); time.sleep(60)",
            "describes itself by no JSON",
        ),
        ("os.write(1, bytes([9, 255, 0, 0, 0, 0, 0, 0, 0]) + b'\\xff\\n' * 300); time.sleep(60)", "stopped: "),
        (
            "os.write(1, bytes([3, 2, 0, 0, 0, 0, 0, 0, 0]) + b'no'); time.sleep(60)",
            "cannot be confined here.*: no; use",
        ),
        ("sys.exit(5)", "its process ended with exit code 5"),
        ("os.close(1); os.close(0); time.sleep(60)", "it has closed its pipe"),
    ):
        monkeypatch.setattr(sandbox_process, "_START", f"import os, sys, time\n{script}\n")
        monkeypatch.setattr(sandbox_process, "_ENDING_SECONDS", 0.5)
        with pytest.raises((PolicyStoppedError, NoSandboxError), match=message) as caught:
            ModelProcess(make_model().SerializeToString(), LIMITS)
        assert "\n" not in str(caught.value)


def test_elsewhere_than_on_linux_nothing_is_played(monkeypatch):
    monkeypatch.setattr("sys.platform", "darwin")
    with pytest.raises(NoSandboxError, match="this is darwin, and policies of others are confined by Linux alone"):
        ModelProcess(make_model().SerializeToString(), LIMITS)


def test_a_missing_package_names_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(MissingExtraError, match=r"procgen-bench\[rerun\]"):
        ModelProcess(make_model().SerializeToString(), LIMITS)
