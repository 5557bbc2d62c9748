"""How a process that runs students' code is started, and how well it is shut in.

Best is bubblewrap: no network, none of this machine's files but Python's own, a memory disk, its own process ids. Without
it, limits and the filter of system calls remain, and the files that the teacher can read can be read.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import select
import shutil
import site
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import minigrad.course
from minigrad.course.grading import wire

PACKAGE = Path(minigrad.__file__).parent
FOR_THE_CHILD = ("compare", "exercise", "expect", "guard", "judge", "limits", "record", "standing")
OWN = ("__init__", "child", "confine", "engine", "frames", "names", "wire")
CAPSTONE = ("assemble.py", "child.py", "facts.py", "facts.txt", "friends.py", "moons.py", "runner.py", "troubles.py")
# For an engine that a learner wrote: in the folder `bare` there is no minigrad but these files.
BARE = ("capstone/child.py", "grading/confine.py", "grading/engine.py", "grading/frames.py")
MEMORY = 3 << 30
DISK = 64 << 20
LIMITS = {"AS": MEMORY, "CPU": 600, "FSIZE": 16 << 20, "NOFILE": 64, "NPROC": 32, "CORE": 0}
START_LIMIT = 60.0  # seconds until Python and NumPy are loaded, on a busy machine

COURSE = '''\
"""The course, for notebooks that are graded: its functions are there and do nothing."""

from minigrad.course.expect import expect_error, expect_warning, show_error


class Result:
    passed, outcome, id = False, "", ""

    def __bool__(self):
        return False


def check(*args, **options):
    return Result()


def nothing(*args, **options):
    pass


'''


CAPSTONE_STUB = '''\
"""The capstone, for notebooks that are graded: the boards are not shown."""

from minigrad.course import conformance
from minigrad.course.capstone.assemble import assemble

describe = examine = moons = conformance
'''


class Lost(Exception):
    """The process is gone, or was ended."""


@contextlib.contextmanager
def sandbox(walls: bool = True) -> Iterator[Sandbox]:
    """A sandbox, for as long as the block runs. walls=False: without bubblewrap, also where it works."""
    with tempfile.TemporaryDirectory(prefix="minigrad-grade-") as folder:
        library = Path(folder, "library")
        _fill(library)
        yield Sandbox(library, bubblewrap() if walls else "")


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
        python = [sys.executable, "-s", "-B", "-m", f"minigrad.course.grading.{module}"]
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


def _fill(library: Path) -> None:
    """minigrad without its course, the parts of the course that watch an answer, and nothing that knows one."""
    ignore = shutil.ignore_patterns("__pycache__", "course")
    shutil.copytree(PACKAGE, library / "minigrad", ignore=ignore)
    course = library / "minigrad" / "course"
    (course / "grading").mkdir(parents=True)
    (course / "bank").mkdir()
    (course / "bank" / "__init__.py").write_text('"""Empty here."""\n', encoding="utf-8")
    others = sorted(set(minigrad.course.__all__) - {"Result", "check", "expect_error", "expect_warning", "show_error"})
    (course / "__init__.py").write_text(COURSE + f"{' = '.join(others)} = nothing\n", encoding="utf-8")
    for names, source, target in ((FOR_THE_CHILD, PACKAGE / "course", course), (OWN, Path(__file__).parent, course / "grading")):
        for name in names:
            shutil.copy(source / f"{name}.py", target)
    (course / "capstone").mkdir()
    for name in CAPSTONE:
        shutil.copy(PACKAGE / "course" / "capstone" / name, course / "capstone")
    _write(course / "capstone" / "__init__.py", CAPSTONE_STUB)
    for name in BARE:
        for folder in list(Path("minigrad", "course", name).parents)[:-1]:
            _write(library / "bare" / folder / "__init__.py", "")
        shutil.copy(PACKAGE / "course" / name, library / "bare" / "minigrad" / "course" / name)
    # Matplotlib would search all fonts in each process.
    command = [sys.executable, "-c", "import compileall, sys; compileall.compile_dir(sys.argv[1], quiet=2)\n"
               "try:\n import matplotlib.font_manager\nexcept ImportError: pass", str(library)]  # fmt: skip
    env = os.environ | {"MPLCONFIGDIR": str(library / "matplotlib"), "MPLBACKEND": "agg"}
    (library / "matplotlib").mkdir()
    subprocess.run(command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for path in [library, *library.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _walls(library: Path, bare: bool) -> list[str]:
    """The arguments of bubblewrap."""
    walls = ["--unshare-all", "--unshare-user", "--uid", "65534", "--gid", "65534", "--cap-drop", "ALL"]
    walls += ["--die-with-parent", "--new-session", "--hostname", "sandbox"]
    walls += ["--proc", "/proc", "--dev", "/dev", "--size", str(DISK), "--tmpfs", "/tmp"]
    for name in ("/usr", "/etc/ld.so.cache", "/etc/alternatives", "/etc/fonts", "/etc/localtime"):
        walls += ["--ro-bind-try", name, name]
    for name in ("/bin", "/lib", "/lib64", "/lib32"):
        path = Path(name)
        walls += ["--symlink", os.readlink(name), name] if path.is_symlink() else ["--ro-bind-try", name, name]
    prefixes = {str(Path(p).resolve()) for p in (sys.prefix, sys.base_prefix, sys.exec_prefix)} | {sys.prefix, sys.base_prefix}
    for name in sorted(p for p in prefixes if not p.startswith("/usr/")):
        walls += ["--ro-bind", name, name] if name != "/usr" else []
    executable = Path(sys.executable).resolve()
    if not any(executable.is_relative_to(p) for p in prefixes):
        walls += ["--ro-bind", str(executable), str(executable)]
    if bare:
        walls += _numpy_alone()
    # Where minigrad is installed beside NumPy, what knows the answers is covered up.
    for place in {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}:
        if Path(place, "minigrad").is_dir():
            walls += ["--ro-bind", str(library / "minigrad"), str(Path(place, "minigrad"))]
    return [*walls, "--ro-bind", str(library), "/library", "--remount-ro", "/", "--chdir", "/tmp"]


def _numpy_alone() -> list[str]:
    """Cover the folders of packages, so that an engine is not written as `torch.tensor`."""
    numpy = Path(np.__file__).parent
    own = [path for path in (numpy, numpy.with_name("numpy.libs")) if path.is_dir()]
    places = {Path(p) for p in (*site.getsitepackages(), sysconfig.get_path("purelib"), sysconfig.get_path("platlib"))}
    walls = []
    for place in sorted(p for p in places | {numpy.parent} if p.is_dir()):
        walls += ["--size", "65536", "--tmpfs", str(place)]
    for path in own:
        walls += ["--ro-bind", str(path), str(path)]
    return walls


def bubblewrap() -> str:
    """The program, where it is there and works; else empty."""
    program = shutil.which("bwrap") if sys.platform == "linux" else None
    if program is None:
        return ""
    trial = [program, "--unshare-all", "--unshare-user", "--uid", "65534", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev"]
    done = subprocess.run([*trial, "true"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return program if done.returncode == 0 else ""


class Child:
    """One process that runs one notebook."""

    def __init__(self, sandbox: Sandbox, module: str = "child", bare: bool = False):
        self._scratch = tempfile.TemporaryDirectory(prefix="minigrad-answer-")
        command, env, folder = sandbox.command(Path(self._scratch.name), module, bare)
        to_child, self._to = os.pipe()
        self._from, from_child = os.pipe()
        try:
            self._process = subprocess.Popen(
                [*command, str(to_child), str(from_child)],
                env=env,
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=(to_child, from_child),
                start_new_session=True,
            )
        finally:
            os.close(to_child)
            os.close(from_child)
        os.set_blocking(self._to, False)
        self._nonce = b""

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *error: object) -> None:
        self.end()

    def end(self) -> None:
        """End the process and all that it started."""
        if self._process.poll() is None:
            try:
                os.killpg(self._process.pid, 9)  # bubblewrap takes all processes behind its wall with it
            except (AttributeError, ProcessLookupError, PermissionError):
                self._process.kill()
        self._process.wait()
        for fd in (self._to, self._from):
            if fd >= 0:
                os.close(fd)
        self._to = self._from = -1
        self._scratch.cleanup()

    def send(self, header: Any, blobs: bytes = b"", seconds: float = 30.0) -> None:
        """Send a message under a new number; replies must bear it. BadMessage when it is too large."""
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
