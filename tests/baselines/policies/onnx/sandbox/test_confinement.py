"""What a confined process cannot do, tried from inside of one; the same with the filter of system calls alone."""

import json
import subprocess

import pytest

from procgen_bench.baselines.policies.onnx.sandbox.limits import Limits
from procgen_bench.baselines.policies.onnx.sandbox.process import (
    BOOTSTRAP,
    INTERPRETER,
    child_settings,
    variables,
)

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
