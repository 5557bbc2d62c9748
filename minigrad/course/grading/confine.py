"""What a process gives up before it runs a student's code: memory, time, files, other processes, the network.

Limits of the system (rlimits) and, on Linux, a filter of system calls (seccomp). Both hold until the process ends.
"""

from __future__ import annotations

import ctypes
import platform
import struct
import sys
from typing import Any

# Numbers of system calls that run programs, start processes, open sockets, send signals, or reach into other processes.
_FORBIDDEN = {
    "x86_64": (0xC000003E, {
        "fork": 57, "vfork": 58, "execve": 59, "execveat": 322, "socket": 41, "socketpair": 53, "connect": 42, "ptrace": 101,
        "process_vm_readv": 310, "process_vm_writev": 311, "unshare": 272, "setns": 308, "mount": 165, "bpf": 321,
        "io_uring_setup": 425, "keyctl": 250, "add_key": 248, "request_key": 249, "userfaultfd": 323, "perf_event_open": 298,
        "pidfd_open": 434, "pidfd_getfd": 438, "kill": 62, "tkill": 200, "tgkill": 234, "rt_sigqueueinfo": 129,
        "rt_tgsigqueueinfo": 297, "pidfd_send_signal": 424,
    }, 56),
    "aarch64": (0xC00000B7, {
        "execve": 221, "execveat": 281, "socket": 198, "socketpair": 199, "connect": 203, "ptrace": 117,
        "process_vm_readv": 270, "process_vm_writev": 271, "unshare": 97, "setns": 268, "mount": 40, "bpf": 280,
        "io_uring_setup": 425, "keyctl": 219, "add_key": 217, "request_key": 218, "userfaultfd": 282, "perf_event_open": 241,
        "pidfd_open": 434, "pidfd_getfd": 438, "kill": 129, "tkill": 130, "tgkill": 131, "rt_sigqueueinfo": 138,
        "rt_tgsigqueueinfo": 240, "pidfd_send_signal": 424,
    }, 220),
}  # fmt: skip
_CLONE3, _CLONE_THREAD = 435, 0x10000
_EPERM, _ENOSYS = 1, 38
_LOAD, _EQUAL, _ANY_BIT, _AT_LEAST, _RETURN = 0x20, 0x15, 0x45, 0x35, 0x06
_ALLOW, _ERRNO, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_SET_NO_NEW_PRIVS, _SET_SECCOMP, _FILTER = 38, 22, 2


def confine(limits: dict[str, int]) -> dict[str, Any]:
    """Set the limits for good. Returns what was set."""
    return {"limits": _set_limits(limits), "calls": _forbid_calls()}


def _set_limits(limits: dict[str, int]) -> list[str]:
    try:
        import resource
    except ImportError:  # Windows
        return []
    done = []
    for name, value in limits.items():
        kind = getattr(resource, f"RLIMIT_{name}", None)
        try:
            if kind is not None:
                hard = resource.getrlimit(kind)[1]
                value = value if hard == resource.RLIM_INFINITY else min(value, hard)
                resource.setrlimit(kind, (value, value))
                done.append(name)
        except (OSError, ValueError):  # macOS has some of the names and none of the effect
            continue
    return done


def _forbid_calls() -> bool:
    """Whether the filter stands."""
    if sys.platform != "linux" or platform.machine() not in _FORBIDDEN:
        return False
    arch, calls, clone = _FORBIDDEN[platform.machine()]
    program = _filter(arch, sorted(calls.values()), clone)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        return False

    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_char_p)]

    return libc.prctl(_SET_SECCOMP, _FILTER, ctypes.byref(Program(len(program) // 8, program)), 0, 0) == 0


def _filter(arch: int, calls: list[int], clone: int) -> bytes:
    """A program for the kernel: an error for the forbidden calls, and for `clone` unless it makes a thread."""

    def step(code: int, k: int, yes: int = 0, no: int = 0) -> bytes:
        return struct.pack("=HBBI", code, yes, no, k)

    steps = [step(_LOAD, 4), step(_EQUAL, arch, 1, 0), step(_RETURN, _KILL), step(_LOAD, 0)]
    if arch == 0xC000003E:  # the other numbering of the same calls
        steps += [step(_AT_LEAST, 0x40000000, 0, 1), step(_RETURN, _ERRNO | _EPERM)]
    for call in calls:
        steps += [step(_EQUAL, call, 0, 1), step(_RETURN, _ERRNO | _EPERM)]
    steps += [step(_EQUAL, _CLONE3, 0, 1), step(_RETURN, _ERRNO | _ENOSYS)]  # the C library then calls clone
    steps += [step(_EQUAL, clone, 0, 3), step(_LOAD, 16), step(_ANY_BIT, _CLONE_THREAD, 1, 0), step(_RETURN, _ERRNO | _EPERM)]
    return b"".join([*steps, step(_RETURN, _ALLOW)])
