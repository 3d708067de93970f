"""What a confined process cannot do, tried from inside of one; the same with the filter of system calls alone.

Inputs, outputs and metadata of a model against an environment's spaces.
"""

import json
import subprocess

import pytest

from procgen_bench.baselines.policies.onnx.column import Column
from procgen_bench.baselines.policies.onnx.sandbox.limits import Limits
from procgen_bench.baselines.policies.onnx.sandbox.process import BOOTSTRAP, INTERPRETER, child_settings, variables
from procgen_bench.baselines.policies.onnx.sandbox.signature import (
    Description,
    check_signature,
    read_columns,
    read_description,
    read_texts,
)
from procgen_bench.core.errors import InvalidPolicyError

ATTEMPTS = """
import ctypes, mmap, os, signal, socket, threading
from procgen_bench.baselines.policies.onnx.sandbox import confinement, loaded_model

def confined():
    loaded_model.warm_up()
    return confinement.confine(settings["memory_bytes"], settings["processor_seconds"])

system = ctypes.CDLL(None, use_errno=True)

def call(name, *arguments):
    if getattr(system, name)(*arguments) == -1:
        raise OSError(ctypes.get_errno(), name)

attempts = {
    "read a file": lambda: open("/etc/passwd"),
    "read what the kernel tells": lambda: open("/proc/self/maps"),
    "read by another call": lambda: call("openat", -100, b"/etc/passwd", 0),
    "write a file": lambda: open("/tmp/outside", "w"),
    "list a folder": lambda: os.listdir("/"),
    "ask for a file": lambda: os.stat("/etc/passwd"),
    "remove a file": lambda: os.unlink("/tmp/outside"),
    "make a file of memory": lambda: os.memfd_create("x"),
    "open a socket": lambda: socket.socket(),
    "open a pair of sockets": lambda: socket.socketpair(),
    "make a pipe": lambda: os.pipe(),
    "copy a descriptor": lambda: os.dup(0),
    "fork": os.fork,
    "start a program": lambda: os.execv("/bin/true", ["true"]),
    "start a thread": lambda: threading.Thread(target=print).start(),
    "trace a process": lambda: call("ptrace", 16, os.getppid(), 0, 0),
    "stop a process": lambda: os.kill(os.getppid(), signal.SIGCONT),
    "read another's memory": lambda: call("process_vm_readv", 1, 0, 0, 0, 0, 0),
    "mount": lambda: call("mount", b"none", b"/", b"tmpfs", 0, 0),
    "run code that it wrote": lambda: mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_EXEC),
    "lift its limits": lambda: __import__("resource").setrlimit(7, (100, 100)),
    "ask where it is": os.uname,
    "take much memory": lambda: bytearray(2 * settings["memory_bytes"]),
    "take a little memory": lambda: bytearray(settings["memory_bytes"] // 4),
}
"""
TRIED = """
def tried(attempt):
    try:
        attempt()
    except BaseException as error:
        return type(error).__name__ + ": " + str(error)
    return "done"

import resource
apart = confined()
os.write(1, json.dumps([apart, {name: tried(attempt) for name, attempt in attempts.items()}]).encode())
os._exit(0)
"""
WITHOUT_NAMESPACES = "confinement._leave_the_file_system = lambda: False\nconfinement._drop_privileges = lambda: None\n"
LIMITS = Limits(memory_bytes=2**28)


def run(script, limits=LIMITS):
    """Run a script in a child of the sandbox's kind."""
    arguments = [*INTERPRETER, "-c", BOOTSTRAP + script, json.dumps(child_settings(limits))]
    return subprocess.run(arguments, env=variables(), cwd="/", capture_output=True, timeout=60)


@pytest.fixture(scope="module", params=["", WITHOUT_NAMESPACES], ids=["all layers", "system calls alone"])
def outcomes(request):
    run_ = run(ATTEMPTS + request.param + TRIED)
    assert run_.returncode == 0, run_.stderr.decode()
    apart, outcomes = json.loads(run_.stdout)
    assert not (apart and request.param)
    return outcomes


def test_nothing_but_memory_is_left(outcomes):
    allowed = {name for name, outcome in outcomes.items() if outcome == "done"}
    assert allowed == {"take a little memory"}
    refused = {name: outcome for name, outcome in outcomes.items() if not outcome.startswith("PermissionError")}
    assert refused.keys() - allowed == {"start a thread", "lift its limits", "take much memory"}
    assert refused["take much memory"].startswith("MemoryError")
    assert refused["start a thread"].startswith("RuntimeError: can't start new thread")
    assert refused["lift its limits"].startswith("ValueError: not allowed to raise maximum limit")


def test_processor_time_is_limited():
    endless = ATTEMPTS + "confined()\nwhile True: pass\n"
    assert run(endless, Limits(total_seconds=1)).returncode == -24  # SIGXCPU


def test_a_process_with_threads_is_not_confined():
    threads = "import threading\nthreading.Thread(target=threading.Event().wait, daemon=True).start()\n"
    failed = run(ATTEMPTS + threads + "confined()\n")
    assert b"a library has started threads" in failed.stderr


OBSERVED, ACTION = [Column("seen", "float32", (4,))], Column("action", "int64", ())
SEEN, NOISE = Column("seen", "float32", (4,)), Column("noise", "float32", (4_096,))
STATE = Column("state_in_x", "float32", (3, 2))


@pytest.mark.parametrize(
    ("inputs", "outputs"),
    [
        ([SEEN], {"action": "int64"}),
        ([NOISE, SEEN], {"action": "int64"}),
        ([STATE, SEEN], {"state_out_x": "float32", "action": "int64"}),
    ],
)
def test_what_the_form_says_is_taken(inputs, outputs):
    check_signature(inputs, outputs, OBSERVED, ACTION)


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ([], "inputs are none, expected 'seen'"),
        ([Column("looked", "float32", (4,))], "inputs are 'looked', expected 'seen'"),
        ([SEEN, Column("task", "float32", (1,))], "inputs are 'seen', 'task', expected 'seen'"),
        ([Column("seen", "float64", (4,))], r"input 'seen' is float64 \(N, 4\), expected float32 \(N, 4\)"),
        ([Column("seen", "float32", (4, 1))], r"input 'seen' is float32 \(N, 4, 1\), expected float32 \(N, 4\)"),
        ([SEEN, Column("noise", "float32", (4_097,))], r"noise is float32 \(N, 4097\), expected float32 \(N, K\)"),
        ([SEEN, Column("noise", "float32", (0,))], r"noise is float32 \(N, 0\)"),
        ([SEEN, Column("noise", "float32", (2, 2))], r"noise is float32 \(N, 2, 2\)"),
        ([SEEN, Column("noise", "float64", (2,))], r"noise is float64 \(N, 2\)"),
        ([SEEN, Column("state_in_x", "int64", (2,))], r"'state_in_x' is int64 \(N, 2\), expected float32"),
        ([SEEN, STATE], r"outputs are 'action' \(int64\), expected 'action' \(int64\), 'state_out_x' \(float32\)"),
    ],
)
def test_other_inputs_are_refused(inputs, message):
    with pytest.raises(InvalidPolicyError, match=message):
        check_signature(inputs, {"action": "int64"}, OBSERVED, ACTION)


@pytest.mark.parametrize(
    ("outputs", "message"),
    [
        ({}, "outputs are none, expected 'action'"),
        ({"action": "float32"}, r"outputs are 'action' \(float32\), expected 'action' \(int64\)"),
        ({"logits": "float32"}, "outputs are 'logits'"),
        ({"action": "int64", "value": "float32"}, "outputs are 'action' .*, 'value'"),
    ],
)
def test_other_outputs_are_refused(outputs, message):
    with pytest.raises(InvalidPolicyError, match=message):
        check_signature([SEEN], outputs, OBSERVED, ACTION)


def test_metadata_are_read():
    assert read_description({"something": "else"}) == Description()
    said = {"method": "mine", "environment": "Mine-v0", "training_steps": "12", "environment_options": '{"side": 3}'}
    assert read_description(said) == Description("mine", "Mine-v0", 12, {"side": 3})


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        ({"environment_options": "[" * 9_000}, r"environment_options are '\[+\.\.\.', expected a JSON object"),
        ({"environment_options": "3"}, "environment_options are '3', expected a JSON object"),
        ({"method": "a\nb"}, "method is 'a b', expected 1 to 100 characters"),
        ({"method": ""}, "method is '', expected 1 to 100 characters"),
        ({"environment": "x" * 101}, "environment is 'x+', expected 1 to 100 characters"),
        ({"training_steps": "-1"}, "training_steps is '-1', expected a number of steps"),
        ({"training_steps": "9" * 16}, "training_steps is '9+', expected a number of steps"),
    ],
)
def test_other_metadata_are_refused(metadata, message):
    with pytest.raises(InvalidPolicyError, match=message) as caught:
        read_description(metadata)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "described",
    [
        None,
        3,
        {},
        [None],
        [["seen", "float32"]],
        [["seen", "float32", 4]],
        [["seen", "float32", [True]]],
        [["seen", "float32", [-4]]],
        [["seen", 3, [4]]],
        [["seen", "float32", [4], "more"]],
    ],
)
def test_inputs_that_a_child_makes_up_are_refused(described):
    with pytest.raises(InvalidPolicyError, match="expected names and shapes"):
        read_columns(described)


@pytest.mark.parametrize("described", [None, [], {"action": 3}, {"action": None}])
def test_texts_that_a_child_makes_up_are_refused(described):
    with pytest.raises(InvalidPolicyError, match=r"outputs are .*, expected texts by name"):
        read_texts(described, "outputs")
