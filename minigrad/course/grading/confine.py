"""What a process gives up before it runs a student's code: memory, time, files, other processes, the network.

Limits of the system (rlimits) and, on Linux, a filter of system calls (seccomp). Both hold until the process ends.
"""

from __future__ import annotations

import ctypes
import os
import platform
import signal
import struct
import sys
from collections.abc import Iterable
from typing import Any

# Numbers of system calls that run programs, start processes, open sockets, send signals, reach into other processes, or take
# memory that no limit counts, or what is the user's and not the process's. Last those that a process may use for itself alone, whose
# number is then 0: prlimit64, sched_setparam, sched_setscheduler, sched_setattr.
_FORBIDDEN = {
    "x86_64": (0xC000003E, {
        "fork": 57, "vfork": 58, "execve": 59, "execveat": 322, "socket": 41, "socketpair": 53, "connect": 42, "ptrace": 101,
        "process_vm_readv": 310, "process_vm_writev": 311, "unshare": 272, "setns": 308, "mount": 165, "bpf": 321,
        "io_uring_setup": 425, "keyctl": 250, "add_key": 248, "request_key": 249, "userfaultfd": 323, "perf_event_open": 298,
        "pidfd_open": 434, "pidfd_getfd": 438, "kill": 62, "tkill": 200, "tgkill": 234, "rt_sigqueueinfo": 129,
        "rt_tgsigqueueinfo": 297, "pidfd_send_signal": 424, "shmget": 29, "shmat": 30, "semget": 64, "msgget": 68,
        "mq_open": 240, "memfd_create": 319, "memfd_secret": 447, "setpriority": 141, "ioprio_set": 251,
        "sched_setaffinity": 203, "inotify_init": 253, "inotify_init1": 294, "sync": 162, "syncfs": 306, "fsync": 74,
        "fdatasync": 75, "io_setup": 206,
    }, 56, {"fcntl": 72, "ioctl": 16, "prctl": 157}, (302, 142, 144, 314)),
    "aarch64": (0xC00000B7, {
        "execve": 221, "execveat": 281, "socket": 198, "socketpair": 199, "connect": 203, "ptrace": 117,
        "process_vm_readv": 270, "process_vm_writev": 271, "unshare": 97, "setns": 268, "mount": 40, "bpf": 280,
        "io_uring_setup": 425, "keyctl": 219, "add_key": 217, "request_key": 218, "userfaultfd": 282, "perf_event_open": 241,
        "pidfd_open": 434, "pidfd_getfd": 438, "kill": 129, "tkill": 130, "tgkill": 131, "rt_sigqueueinfo": 138,
        "rt_tgsigqueueinfo": 240, "pidfd_send_signal": 424, "shmget": 194, "shmat": 196, "semget": 190, "msgget": 186,
        "mq_open": 180, "memfd_create": 279, "memfd_secret": 447, "setpriority": 140, "ioprio_set": 30,
        "sched_setaffinity": 122, "inotify_init1": 26, "sync": 81, "syncfs": 267, "fsync": 82, "fdatasync": 83, "io_setup": 0,
    }, 220, {"fcntl": 25, "ioctl": 29, "prctl": 167}, (261, 118, 119, 274)),
}  # fmt: skip
# What a call may not be asked for, by its argument: signals for another process, leases on a file (whoever opens that waits), to
# outlive the grader, and a core of the processor for itself.
_ASKED = {"fcntl": (1, (8, 10, 15, 1024, 1026, 1040)), "ioctl": (1, (0x8901, 0x8902)), "prctl": (0, (1, 62))}
_CLONE3, _CLONE_THREAD = 435, 0x10000
_EPERM, _ENOSYS = 1, 38
_LOAD, _EQUAL, _ANY_BIT, _AT_LEAST, _RETURN = 0x20, 0x15, 0x45, 0x35, 0x06
_ALLOW, _ERRNO, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_SET_NO_NEW_PRIVS, _SET_SECCOMP, _FILTER, _SET_END_SIGNAL, _SET_DUMPABLE = 38, 22, 2, 1, 4


def confine(limits: dict[str, int], user: int = 0) -> dict[str, Any]:
    """Set the limits for good. Returns what was set.

    user: the number of the user to become, where the grader is root. `reads` then says whether it can read its Python.
    """
    done = {"user": become(user), "limits": _set_limits(limits)}
    if sys.platform == "linux":  # to end with the grader, whatever ends that; it counts from the last change of user
        ctypes.CDLL(None).prctl(_SET_END_SIGNAL, signal.SIGKILL, 0, 0, 0)
    return done | {"calls": _forbid_calls(), "reads": user == 0 or os.access(os.__file__, os.R_OK)}


def close() -> None:
    """Close what this process has under /proc (memory, open files, settings) to other processes of the same user; Linux only."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SET_DUMPABLE, 0, 0, 0, 0)


def become(user: int) -> int:
    """Be this user for good, with no groups and none of root's rights; 0: stay who this is. Returns who this is."""
    if user:
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
    return os.getuid() if hasattr(os, "getuid") else 0


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
    program = _filter(*_FORBIDDEN[platform.machine()])
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        return False

    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_char_p)]

    return libc.prctl(_SET_SECCOMP, _FILTER, ctypes.byref(Program(len(program) // 8, program)), 0, 0) == 0


def for_a_reaper() -> bytes:
    """The filter for a process that only waits for another to end; it is set before that one's program is run."""
    if platform.machine() not in _FORBIDDEN:
        return struct.pack("=HBBI", _RETURN, 0, 0, _ALLOW)
    arch, calls, clone, asked, own = _FORBIDDEN[platform.machine()]
    calls = {name: n for name, n in calls.items() if name not in ("execve", "execveat")}
    return _filter(arch, calls, clone, asked, own, ("fcntl", "ioctl"))


def _filter(
    arch: int, calls: dict[str, int], clone: int, asked: dict[str, int], own: Iterable[int], held: Iterable[str] = _ASKED
) -> bytes:
    """A program for the kernel: an error for the forbidden calls, and for `clone` unless it makes a thread."""

    def step(code: int, k: int, yes: int = 0, no: int = 0) -> bytes:
        return struct.pack("=HBBI", code, yes, no, k)

    steps = [step(_LOAD, 4), step(_EQUAL, arch, 1, 0), step(_RETURN, _KILL), step(_LOAD, 0)]
    if arch == 0xC000003E:  # the other numbering of the same calls
        steps += [step(_AT_LEAST, 0x40000000, 0, 1), step(_RETURN, _ERRNO | _EPERM)]
    for call in sorted(calls.values()):
        steps += [step(_EQUAL, call, 0, 1), step(_RETURN, _ERRNO | _EPERM)]
    for call in own:
        steps += [step(_EQUAL, call, 0, 4), step(_LOAD, 16), step(_EQUAL, 0, 1, 0)]
        steps += [step(_RETURN, _ERRNO | _EPERM), step(_RETURN, _ALLOW)]
    for name in held:
        place, values = _ASKED[name]
        tests = [part for v in values for part in (step(_EQUAL, v, 0, 1), step(_RETURN, _ERRNO | _EPERM))]
        steps += [step(_EQUAL, asked[name], 0, len(tests) + 2), step(_LOAD, 16 + 8 * place), *tests, step(_RETURN, _ALLOW)]
    steps += [step(_EQUAL, _CLONE3, 0, 1), step(_RETURN, _ERRNO | _ENOSYS)]  # the C library then calls clone
    steps += [step(_EQUAL, clone, 0, 3), step(_LOAD, 16), step(_ANY_BIT, _CLONE_THREAD, 1, 0), step(_RETURN, _ERRNO | _EPERM)]
    return b"".join([*steps, step(_RETURN, _ALLOW)])
