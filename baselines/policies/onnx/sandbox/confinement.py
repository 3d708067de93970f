"""What a process gives up for good before it reads untrusted data: files, network, processes, memory, time."""

import contextlib
import ctypes
import os
import resource
import sys

from procgen_bench.baselines.policies.onnx.sandbox.system_calls import keep_few_system_calls

_NEW_MOUNTS, _NEW_NAMES, _NEW_MESSAGES, _NEW_USERS, _NEW_NETWORK = 0x20000, 0x4000000, 0x8000000, 0x10000000, 0x40000000
_PRIVATE, _RECURSIVE, _READ_ONLY, _NO_SUID, _NO_DEVICES, _NO_PROGRAMS = 1 << 18, 1 << 14, 1, 2, 4, 8
_NOBODY = 65_534
#: A folder that every Linux has; an empty one is laid over it.
_ROOM = b"/proc"


def confine(memory_bytes: int, processor_seconds: int) -> bool:
    """Keep this process from everything but the pipes that it holds, within limits.

    Namespaces are taken where the kernel gives them (inside of some containers it does not); limits and the filter of
    system calls always.

    Args:
        memory_bytes: What may be allocated from now on.
        processor_seconds: Time on a processor, of the whole process.

    Returns:
        Whether the process has namespaces of its own, too.

    Raises:
        OSError: This cannot be done here.
    """
    if not sys.platform.startswith("linux"):
        raise OSError(f"policies are confined by Linux alone, and this is {sys.platform}")
    if len(os.listdir("/proc/self/task")) > 1:
        raise OSError("a library has started threads, which would not be confined")
    with open("/proc/self/statm", encoding="utf-8") as file:
        pages = int(file.read().split()[0])
    apart = _leave_the_file_system()
    _drop_privileges()
    for kind, most in (
        (resource.RLIMIT_AS, pages * resource.getpagesize() + memory_bytes),
        (resource.RLIMIT_NOFILE, 0),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_NPROC, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(kind, (most, most))
    resource.setrlimit(resource.RLIMIT_CPU, (processor_seconds, processor_seconds + 1))
    keep_few_system_calls()
    return apart


def _leave_the_file_system() -> bool:
    """Move to an empty root, without network, if the kernel lets us."""
    system = ctypes.CDLL(None, use_errno=True)
    namespaces = _NEW_MOUNTS | _NEW_NAMES | _NEW_MESSAGES | _NEW_NETWORK
    if system.unshare(namespaces | (0 if os.geteuid() == 0 else _NEW_USERS)):
        return False
    empty = _READ_ONLY | _NO_SUID | _NO_DEVICES | _NO_PROGRAMS
    if system.mount(b"none", b"/", None, ctypes.c_ulong(_PRIVATE | _RECURSIVE), None):
        return False
    if system.mount(b"none", _ROOM, b"tmpfs", ctypes.c_ulong(empty), b"size=4k"):
        return False
    os.chroot(_ROOM)
    os.chdir("/")
    return True


def _drop_privileges() -> None:
    if os.geteuid() == 0:
        with contextlib.suppress(OSError):  # a root of few users may be no one else; it can do nothing anyway
            os.setgroups([])
            os.setresgid(_NOBODY, _NOBODY, _NOBODY)
            os.setresuid(_NOBODY, _NOBODY, _NOBODY)
