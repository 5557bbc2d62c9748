"""Control groups: all memory of a process counted together, that of its files in memory too. Only where this user may make one."""

from __future__ import annotations

import contextlib
import functools
import os
import secrets
import time
from pathlib import Path

MOUNT = Path("/sys/fs/cgroup")
PREFIX = "minigrad-"
MOST_PROCESSES = 64  # bubblewrap's own and threads among them


@functools.cache
def parents() -> tuple[Path, ...]:
    """The groups below which new ones limit memory and processes: one of version 2, or two of version 1; else none."""
    try:
        own = dict(line.split(":", 2)[1:] for line in Path("/proc/self/cgroup").read_text(encoding="utf-8").splitlines())
    except (OSError, ValueError):
        return ()
    one = [MOUNT / name / own[name].lstrip("/") for name in ("memory", "pids") if name in own]
    if len(one) == 2:
        return tuple(one) if all(_usable(path, file) for path, file in zip(one, _LIMITS, strict=True)) else ()
    here = MOUNT / own.get("", "").lstrip("/")
    for path in (here, *here.parents):  # a group that holds processes gives its own groups no limits, so it may be one further up
        if not path.is_relative_to(MOUNT):
            break
        with contextlib.suppress(OSError):
            given = (path / "cgroup.subtree_control").read_text(encoding="utf-8").split()
            if {"memory", "pids"} <= set(given) and os.access(path / "cgroup.procs", os.W_OK) and _usable(path, "memory.max"):
                return (path,)
    return ()


_LIMITS = ("memory.limit_in_bytes", "pids.max")


def _usable(path: Path, file: str) -> bool:
    """Whether a group can be made there that has this limit."""
    trial = path / f"{PREFIX}{os.getpid()}-{secrets.token_hex(4)}"
    try:
        trial.mkdir()
    except OSError:
        return False
    try:
        return os.access(trial / file, os.W_OK)
    finally:
        with contextlib.suppress(OSError):
            trial.rmdir()


class Group:
    """A group for one process; without any where none can be made."""

    def __init__(self, memory: int):
        name = f"{PREFIX}{os.getpid()}-{secrets.token_hex(4)}"
        self.paths = [parent / name for parent in parents()]
        try:
            for path in self.paths:
                path.mkdir()
                for file, value in (("memory.max", memory), ("memory.swap.max", 0), ("memory.limit_in_bytes", memory),
                                    ("pids.max", MOST_PROCESSES)):  # fmt: skip
                    if (path / file).exists():
                        (path / file).write_text(str(value))
        except OSError:
            self.remove()

    def entering(self, command: list[str]) -> list[str]:
        """The command, run by a shell that goes into the group first."""
        if not self.paths:
            return command
        enter = "".join(f"echo $$ > '{path}/cgroup.procs' || exit 1; " for path in self.paths)
        return ["/bin/sh", "-c", enter + 'exec "$@"', "sh", *command]

    def remove(self) -> None:
        """Remove it. Its processes were ended; the kernel may need a moment for the last."""
        for path in self.paths:
            for _ in range(50):
                try:
                    path.rmdir()
                except FileNotFoundError:
                    break
                except OSError:
                    time.sleep(0.01)
                else:
                    break
        self.paths = []


def sweep(ending: int = 0) -> bool:
    """Remove the groups of processes that are no more, and of one that is ending. Whether none of them is left."""
    left = 0
    for path in (path for parent in parents() for path in parent.glob(f"{PREFIX}*")):
        owner = path.name.removeprefix(PREFIX).partition("-")[0]
        if owner == str(ending) or not Path("/proc", owner).exists():
            try:
                path.rmdir()
            except FileNotFoundError:
                continue
            except OSError:  # the last of its processes is not gone yet
                left += 1
    return not left
