"""How a process that runs students' code is started, and how well it is shut in.

Best is bubblewrap: no network, none of this machine's files but Python's own, a memory disk, its own process ids. Without
it, limits and the filter of system calls remain, and the files that the teacher can read can be read.

Where the grader is root, each process becomes a user of its own, to whom nothing belongs, before anything of a student's runs.
"""

from __future__ import annotations

import compileall
import contextlib
import functools
import os
import secrets
import select
import shutil
import signal
import stat
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import minigrad.course
from minigrad.course.grading import cgroups, confine, wire

PACKAGE = Path(minigrad.__file__).parent
FOR_THE_CHILD = ("exercise.py", "judge.py", "record.py", "showing/__init__.py", "showing/expect.py")
ROOMS = ("judging", "helpers")  # what watches an answer, and what lessons show; no answers are in there
OWN = ("__init__", "child", "confine", "engine", "frames", "names", "texts", "wire")
CAPSTONE = ("assemble.py", "child.py", "copies.py", "facts.py", "facts.txt", "friends.py", "moons.py", "runner.py", "troubles.py")
# For an engine that a learner wrote: in the folder `bare` there is no minigrad but these files.
BARE = ("capstone/child.py", "grading/confine.py", "grading/engine.py", "grading/frames.py", "grading/texts.py")
MEMORY = 3 << 30
DISK = 64 << 20
SHARED = 64 << 10  # bytes of /dev/shm: room for a lock
PREFIX = "minigrad-grade-"
# What NPROC is with walls: the fewer threads, the less time they take from others on the machine. Without, all of the user's count.
THREADS = 16
# CORE is a byte: with 0 the kernel still starts the program for core dumps, where one is named.
LIMITS = {"AS": MEMORY, "CPU": 600, "FSIZE": 16 << 20, "NOFILE": 64, "NPROC": 32, "CORE": 1, "RTPRIO": 0, "NICE": 0,
          "SIGPENDING": 64}  # fmt: skip
START_LIMIT = 60.0  # seconds until Python and NumPy are loaded, on a busy machine

COURSE = '''\
"""The course, for notebooks that are graded: its functions are there and do nothing."""

import sys

from minigrad.course.showing.expect import expect_error, expect_warning, show_error


class Result:
    passed, outcome, id = False, "", ""

    def __bool__(self):
        return False


called = []  # the ids and answers that checks were called with, and what all names stood for there


def check(id="", answer=None, **options):
    others = [one for one in called[-200:] if one[0] != str(id) or one[1] is not answer]  # names take room
    called[:] = [*others, (str(id), answer, dict(sys._getframe(1).f_globals))]
    return Result()


def nothing(*args, **options):
    pass


'''


CAPSTONE_STUB = '''\
"""The capstone, for notebooks that are graded: the boards are not shown."""

from minigrad.course import conformance
from minigrad.course.capstone.assemble import assemble
from minigrad.course.capstone.copies import edited

describe = engine_board = examine = moons = conformance
'''


class Lost(Exception):
    """The process is gone, or was ended."""


NO_START = "The sandbox does not start. Is the machine very busy, or may you not run its Python?"


class SandboxError(Exception):
    """No process can be started; that is no student's fault."""


@contextlib.contextmanager
def sandbox(walls: bool = True, plots: bool = False) -> Iterator[Sandbox]:
    """A sandbox, for as long as the block runs. walls=False: without bubblewrap, also where it works.

    plots: find out about the fonts of this machine once, where notebooks want to plot.

    Nothing of it is there or runs after the block. What a run left that was killed itself is removed here.
    """
    _sweep()
    cgroups.sweep()
    folder = Path(tempfile.mkdtemp(prefix=PREFIX))
    lock = os.open(folder / "lock", os.O_CREAT | os.O_RDWR, 0o600)
    try:
        _lock(lock)
        folder.chmod(0o711)  # a user to whom nothing belongs must come to the library, and to its own folder
        _fill(folder / "library", plots)
        made = Sandbox(folder / "library", bubblewrap() if walls else "")
        made.try_out()
        yield made
    finally:
        end_all()
        for _ in range(20):  # a process that was ended just now may still have written something
            _remove(folder)
            if cgroups.sweep(os.getpid()) and not folder.exists():
                break
            time.sleep(0.1)
        os.close(lock)


def _lock(fd: int) -> bool:
    """Whether the file is now ours alone, until this process ends."""
    try:
        import fcntl

        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (ImportError, OSError):
        return False
    return True


def _sweep() -> None:
    """Remove the folders of runs that were killed: nobody holds their lock."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        try:
            info = folder.lstat()
            if not stat.S_ISDIR(info.st_mode) or info.st_uid != os.getuid():
                continue
            try:
                lock = os.open(folder / "lock", os.O_RDWR | os.O_NOFOLLOW)
            except FileNotFoundError:
                if time.time() - info.st_mtime > 3600:  # else it may be just made
                    _remove(folder)
                continue
            try:
                if _lock(lock):
                    _remove(folder)
            finally:
                os.close(lock)
        except (OSError, AttributeError):
            continue


def _remove(folder: Path) -> None:
    """A folder and all in it. An answer may have taken away the right to look into its own."""
    for root, folders, _ in os.walk(folder):
        for name in folders:
            path = os.path.join(root, name)
            if not os.path.islink(path):
                with contextlib.suppress(OSError):
                    os.chmod(path, 0o700)
    for place in (*folder.glob("*/"), folder):  # the lock goes last: without it the next run would take it for one just made
        shutil.rmtree(place, ignore_errors=True)


@dataclass(frozen=True)
class Sandbox:
    """What the processes may see, and the way in which they are started: bubblewrap, or nothing."""

    library: Path
    way: str

    def command(self, scratch: Path, module: str, bare: bool) -> tuple[list[str], dict[str, str], str]:
        """The command line up to the script's arguments, the environment, and the folder to start in.

        bare: without minigrad and, behind walls, without any package but NumPy.
        """
        # No -I: it would leave out PYTHONPATH. -S is not possible: NumPy is in site-packages.
        python = [os.path.normpath(sys.executable), "-s", "-B", "-m", f"minigrad.course.grading.{module}"]
        inside = "/tmp" if self.way else str(scratch)
        source = self.library / "bare" if bare else self.library
        library = "/library" if self.way else str(source)
        env = {
            "PATH": "/usr/bin:/bin", "HOME": inside, "TMPDIR": inside, "LANG": "C.UTF-8", "PYTHONPATH": library, "PYTHONHASHSEED": "0",
            "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "MPLBACKEND": "agg",
            "SOURCE_DATE_EPOCH": "0",
        }  # fmt: skip
        if not self.way:
            return python, env, inside
        return [self.way, *_walls(source, bare), "--", *python], env, "/"

    def try_out(self) -> None:
        """SandboxError where no process starts, or where the grader is root and a user without rights cannot run here."""
        try:
            with Child(self, "engine", bare=True) as child:
                child.send({"friend": "", "todo": []})
                told, _ = child.receive(START_LIMIT)
        except (Lost, wire.BadMessage, OSError):
            told = {}
        done = told.get("confined", {}) if isinstance(told, dict) else {}
        if not done and not _is_root():
            raise SandboxError(NO_START)
        if _is_root() and not (done.get("user") and done.get("reads")):
            raise SandboxError(
                "You are root, and here nobody else can run this Python, so submissions would run as root. Grade as an ordinary "
                "user, or let others read the folder in which Python is."
            )


def _is_root() -> bool:
    return hasattr(os, "getuid") and os.getuid() == 0


def _nobody() -> int:
    """The number of a user whom nobody is: another one for each process, so that they cannot harm each other. 0 when not root."""
    if not _is_root():
        return 0
    try:
        spans = [tuple(map(int, line.split())) for line in Path("/proc/self/uid_map").read_text(encoding="utf-8").splitlines()]
    except (OSError, ValueError):
        spans = []
    end = max((start + count for start, _, count in spans), default=65536)
    first, count = (2_000_000_000, 100_000_000) if end > 2_100_000_000 else (min(60_100, end - 500), 400)
    return first + secrets.randbelow(count)


def _fill(library: Path, plots: bool) -> None:
    """minigrad without its course, the parts of the course that watch an answer, and nothing that knows one."""
    _copy(PACKAGE, library / "minigrad", shutil.ignore_patterns("course"))  # what was compiled fits the copies too
    course = library / "minigrad" / "course"
    (course / "grading").mkdir(parents=True)
    (course / "bank").mkdir()
    (course / "bank" / "__init__.py").write_text('"""Empty here."""\n', encoding="utf-8")
    others = sorted(set(minigrad.course.__all__) - {"Result", "check", "expect_error", "expect_warning", "show_error"})
    (course / "__init__.py").write_text(COURSE + f"{' = '.join(others)} = nothing\n", encoding="utf-8")
    (course / "showing").mkdir()
    for name in (*FOR_THE_CHILD, *(f"grading/{name}.py" for name in OWN)):
        shutil.copy(PACKAGE / "course" / name, course / name)
    for room in ROOMS:
        _copy(PACKAGE / "course" / room, course / room)
    (course / "capstone").mkdir()
    for name in CAPSTONE:
        shutil.copy(PACKAGE / "course" / "capstone" / name, course / "capstone")
    _write(course / "capstone" / "__init__.py", CAPSTONE_STUB)
    for name in BARE:
        for folder in list(Path("minigrad", "course", name).parents)[:-1]:
            _write(library / "bare" / folder / "__init__.py", "")
        shutil.copy(PACKAGE / "course" / name, library / "bare" / "minigrad" / "course" / name)
    compileall.compile_dir(library, quiet=2)
    if plots:  # Matplotlib would search all fonts in each process
        (library / "matplotlib").mkdir()
        env = os.environ | {"MPLCONFIGDIR": str(library / "matplotlib"), "MPLBACKEND": "agg"}
        quiet: Any = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        subprocess.run([sys.executable, "-P", "-c", "import matplotlib.font_manager"], env=env, **quiet)
    _open(library)


def _copy(source: Path, target: Path, ignore: Any = None) -> None:
    """Copy a folder. What is installed may be for reading alone; the copy is written to."""
    shutil.copytree(source, target, ignore=ignore)
    _open(target)


def _open(folder: Path) -> None:
    """All may read a folder and what is in it, and its owner may write."""
    for path in [folder, *folder.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


@functools.cache  # the same for each process of a run
def _walls(library: Path, bare: bool) -> tuple[str, ...]:
    """The arguments of bubblewrap."""
    walls = ["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try", "--cap-drop", "ALL"]
    if _is_root():
        # The process becomes somebody else, as its first deed. From then on bubblewrap cannot end it, except by its first
        # process behind the walls, with which all others end; that one stays root without rights, out of reach.
        walls += ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    else:  # bubblewrap's own process would belong to the same user, who could write to its memory: there is none
        walls += ["--unshare-user", "--uid", "65534", "--gid", "65534", "--as-pid-1"]
    walls += ["--die-with-parent", "--new-session", "--hostname", "sandbox", "--proc", "/proc", "--dev", "/dev"]
    # No terminals: their echo is computed by the kernel, on any processor and outside of all limits.
    walls += ["--perms", "0555", "--size", "4096", "--tmpfs", "/dev/pts", "--remount-ro", "/dev/pts"]
    walls += ["--perms", "1777", "--size", str(SHARED), "--tmpfs", "/dev/shm", "--remount-ro", "/dev"]
    walls += ["--perms", "1777", "--size", str(DISK), "--tmpfs", "/tmp"]
    binds = {str(path): str(path) for path in _needed()}
    packages = [place for lib in binds if Path(lib).is_dir() for place in _package_folders(Path(lib))]
    covers = packages if bare else []
    if bare:  # an engine is not written as `torch.tensor`
        numpy = Path(np.__file__).parent
        binds |= {str(path): str(path) for path in (numpy, numpy.with_name("numpy.libs")) if path.is_dir()}
    # Where minigrad is installed, beside NumPy or in the Python below, what knows the answers is covered up.
    for place in {*(Path(sysconfig.get_path(name)) for name in ("purelib", "platlib")), *packages} - set(covers):
        if (place / "minigrad").is_dir():
            binds[str(place / "minigrad")] = str(library / "minigrad")
    for name in ("/lib", "/lib64", "/lib32"):
        path = Path(name)
        if path.is_symlink():
            walls += ["--symlink", os.readlink(name), name]
        elif path.is_dir():
            binds[name] = name
    parents = {str(parent) for path in [*binds, *map(str, covers)] for parent in Path(path).parents} - {"/"}
    for parent in sorted(parents):
        if not any(Path(parent).is_relative_to(place) for place in binds):
            walls += ["--perms", "0755", "--dir", parent]
    mounts = [(path, ["--ro-bind", source, path]) for path, source in binds.items()]
    mounts += [(str(path), ["--perms", "0755", "--size", "65536", "--tmpfs", str(path)]) for path in covers]
    for _, mount in sorted(mounts, key=lambda m: len(Path(m[0]).parts)):
        walls += mount
    return (*walls, "--ro-bind", str(library), "/library", "--remount-ro", "/", "--chdir", "/tmp")


def _needed() -> list[Path]:
    """What a process must read to be a Python with its packages, and nothing else of this machine."""
    names = ["/usr/lib", "/usr/lib64", "/usr/lib32", "/usr/share/fonts", "/usr/share/zoneinfo", "/etc/ld.so.cache",
             "/etc/alternatives", "/etc/localtime"]  # fmt: skip
    for prefix in {sys.prefix, sys.base_prefix, sys.exec_prefix, str(Path(sys.base_prefix).resolve())}:
        names += [f"{prefix}/lib", f"{prefix}/lib64", f"{prefix}/pyvenv.cfg"]
    executable = Path(sys.executable)
    while executable.is_symlink():  # an environment's python is a link to a link to a Python
        names.append(str(executable))
        executable = executable.parent / os.readlink(executable)
    names += [str(executable), str(Path(sys.executable).resolve())]
    names += [sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    there = {Path(os.path.normpath(name)) for name in names if os.path.exists(name)}
    return sorted(path for path in there if not any(other != path and path.is_relative_to(other) for other in there))


def _package_folders(lib: Path) -> list[Path]:
    """The folders of packages in a folder of libraries."""
    found = {place for name in ("site-packages", "dist-packages") for depth in ("", "*/", "*/*/") for place in lib.glob(depth + name)}
    found |= {lib} if lib.name in ("site-packages", "dist-packages") else set()  # where Debian's own Python has its packages
    return sorted(place for place in found if place.is_dir() and not place.is_symlink())


def bubblewrap() -> str:
    """The program, where it is there and works; else empty."""
    program = shutil.which("bwrap") if sys.platform == "linux" else None
    if program is None:
        return ""
    ways = [] if _is_root() else ["--unshare-user", "--uid", "65534"]
    trial = [program, "--unshare-pid", "--unshare-net", "--unshare-ipc", *ways, "--as-pid-1", "--ro-bind", "/", "/",
             "--proc", "/proc", "--dev", "/dev"]  # fmt: skip
    done = subprocess.run([*trial, "true"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return program if done.returncode == 0 else ""


_alive: set[Child] = set()
_changing = threading.RLock()


def end_all() -> None:
    """End all processes that this one has started."""
    for child in list(_alive):
        child.end()


class Child:
    """One process that runs one notebook."""

    def __init__(self, sandbox: Sandbox, module: str = "child", bare: bool = False):
        self._user = _nobody()
        self._scratch = None if sandbox.way else Path(tempfile.mkdtemp(prefix="answer-", dir=sandbox.library.parent))
        if self._scratch is not None and self._user:
            os.chown(self._scratch, self._user, self._user)
        command, env, folder = sandbox.command(self._scratch or Path("/tmp"), module, bare)
        self._group = cgroups.Group(MEMORY)
        to_child, self._to = os.pipe()
        self._from, from_child = os.pipe()
        self._ended = False
        given = [to_child, from_child]
        if sandbox.way and self._user:  # for bubblewrap's own process behind the walls
            calls, filling = os.pipe()
            os.write(filling, confine.for_a_reaper())
            os.close(filling)
            given.append(calls)
            command[1:1] = ["--seccomp", str(calls)]
        try:
            with _changing:
                self._process = subprocess.Popen(
                    self._group.entering([*command, str(to_child), str(from_child)]),
                    env=env,
                    cwd=folder,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    pass_fds=given,
                    start_new_session=True,
                )
                _alive.add(self)
        except OSError as error:  # there is no process left for it
            os.close(self._to)
            os.close(self._from)
            self._group.remove()
            raise SandboxError(NO_START) from error
        finally:
            for fd in given:
                os.close(fd)
        os.set_blocking(self._to, False)
        self._nonce = b""

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *error: object) -> None:
        self.end()

    def end(self) -> None:
        """End the process, wait until nothing of it runs, and remove what it wrote."""
        with _changing:
            if self._ended:
                return
            if self._process.poll() is None:
                try:
                    os.killpg(self._process.pid, signal.SIGKILL)  # the process behind bubblewrap's walls ends with it
                except (AttributeError, ProcessLookupError, PermissionError):
                    self._process.kill()
            self._process.wait()
            self._wait_for_silence()
            for fd in (self._to, self._from):
                os.close(fd)
            if self._scratch is not None:
                _remove(self._scratch)
            self._group.remove()
            self._ended = True
            _alive.discard(self)

    def _wait_for_silence(self, seconds: float = 5.0) -> None:
        """Until nobody holds the other end of the pipe: then the process behind the walls has gone too."""
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0 and select.select([self._from], [], [], left)[0]:
            if not os.read(self._from, 1 << 20):
                return

    def send(self, header: Any, blobs: bytes = b"", seconds: float = 30.0) -> None:
        """Send a message under a new number; replies must bear it. BadMessage when it is too large.

        header: an order, when it is the first; who is to become of the process is told with it.
        """
        if not self._nonce:
            header = header | {"limits": LIMITS | ({"NPROC": THREADS} if self._scratch is None else {}), "user": self._user}
        self._nonce = secrets.token_bytes(wire.NONCE)
        view = memoryview(wire.pack(self._nonce, header, blobs))
        deadline = time.monotonic() + seconds
        while view:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([], [self._to], [], left)[1]:
                raise Lost("it no longer listens")
            try:
                view = view[os.write(self._to, view[: 1 << 16]) :]
            except BlockingIOError:
                continue
            except OSError as error:
                raise Lost("it ended") from error

    def receive(self, seconds: float) -> tuple[Any, bytes]:
        """The next message. Lost when the process ended, was too slow, or said something that is no message."""
        deadline = time.monotonic() + seconds

        def read(n: int) -> bytes:
            parts = bytearray()
            while len(parts) < n:
                left = deadline - time.monotonic()
                if left <= 0 or not select.select([self._from], [], [], left)[0]:
                    raise TimeoutError
                piece = os.read(self._from, min(n - len(parts), 1 << 20))
                if not piece:
                    raise EOFError
                parts += piece
            return bytes(parts)

        try:
            _, header, blobs = wire.receive(read, self._nonce)
        except TimeoutError:
            raise Lost("time") from None
        except EOFError:
            raise Lost("ended") from None
        except wire.BadMessage as error:
            raise Lost(f"forged: {error}") from None
        return header, blobs
