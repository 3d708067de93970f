"""The system calls that a confined process keeps: memory, its pipe, time and its own end. All others are refused.

A seccomp filter, that is a program of the kernel's packet filter: it looks at the number of each call, and where
memory is mapped also at whether code is to be run there.
"""

import ctypes
import errno
import platform
import struct

_ARCHITECTURES = {
    # Machine: the kernel's number of it, and its numbers of the calls that are kept.
    "x86_64": (
        0xC000003E,
        {
            "read": 0,
            "write": 1,
            "close": 3,
            "mmap": 9,
            "mprotect": 10,
            "munmap": 11,
            "brk": 12,
            "rt_sigaction": 13,
            "rt_sigprocmask": 14,
            "rt_sigreturn": 15,
            "sched_yield": 24,
            "mremap": 25,
            "madvise": 28,
            "getpid": 39,
            "exit": 60,
            "gettid": 186,
            "futex": 202,
            "restart_syscall": 219,
            "clock_gettime": 228,
            "exit_group": 231,
            "getrandom": 318,
        },
    ),
    "aarch64": (
        0xC00000B7,
        {
            "close": 57,
            "read": 63,
            "write": 64,
            "exit": 93,
            "exit_group": 94,
            "futex": 98,
            "clock_gettime": 113,
            "sched_yield": 124,
            "restart_syscall": 128,
            "rt_sigaction": 134,
            "rt_sigprocmask": 135,
            "rt_sigreturn": 139,
            "getpid": 172,
            "gettid": 178,
            "brk": 214,
            "munmap": 215,
            "mremap": 216,
            "mmap": 222,
            "mprotect": 226,
            "madvise": 233,
            "getrandom": 278,
        },
    ),
}
#: Calls whose third argument says what mapped memory is for, and its bit for code.
_MAPPING, _EXECUTABLE = ("mmap", "mprotect"), 4

_LOAD, _JUMP_EQUAL, _JUMP_BITS, _RETURN = 0x20, 0x15, 0x45, 0x06
_ALLOW, _KILL, _REFUSE = 0x7FFF0000, 0x80000000, 0x00050000 | errno.EPERM
#: Where a call's number, its architecture and the low half of its third argument stand (little-endian machines).
_NUMBER, _ARCHITECTURE, _THIRD_ARGUMENT = 0, 4, 32

_PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP, _FILTER_MODE = 38, 22, 2


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def keep_few_system_calls() -> None:
    """Refuse all other system calls to this process from now on, with the error EPERM.

    Raises:
        OSError: The kernel does not do that, or there is no list of calls for this machine.
    """
    program = _filter(platform.machine())
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    prctl.argtypes = [ctypes.c_int, *[ctypes.c_ulong] * 4]
    filter_ = _Program(len(program) // 8, program)
    for option, first, second in (
        (_PR_SET_NO_NEW_PRIVS, 1, 0),
        (_PR_SET_SECCOMP, _FILTER_MODE, ctypes.addressof(filter_)),
    ):
        if prctl(option, first, second, 0, 0):
            number = ctypes.get_errno()
            raise OSError(number, f"the kernel filters no system calls (prctl {option})")


def _filter(machine: str) -> bytes:
    if machine not in _ARCHITECTURES:
        raise OSError(f"there is no list of system calls for {machine}, expected one of {list(_ARCHITECTURES)}")
    architecture, calls = _ARCHITECTURES[machine]
    program = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_JUMP_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
    ]
    for name, number in calls.items():
        if name in _MAPPING:
            program += [
                (_JUMP_EQUAL, 0, 4, number),
                (_LOAD, 0, 0, _THIRD_ARGUMENT),
                (_JUMP_BITS, 0, 1, _EXECUTABLE),
                (_RETURN, 0, 0, _REFUSE),
                (_RETURN, 0, 0, _ALLOW),
            ]
        else:
            program += [(_JUMP_EQUAL, 0, 1, number), (_RETURN, 0, 0, _ALLOW)]
    program.append((_RETURN, 0, 0, _REFUSE))
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in program)
