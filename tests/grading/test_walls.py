"""What SECURITY.md promises of the walls: each promise is tried here from the inside, and the processes are looked for afterwards."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import grading_class as klass
import pytest

from minigrad.course.grading import assignment, cgroups, confine, grade, sandbox

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="walls of Linux")
needs_walls = [pytest.mark.bwrap, pytest.mark.skipif(not sandbox.bubblewrap(), reason="bubblewrap is not installed or does not work")]

SET_UP = "import os, sys, ctypes, errno\nimport numpy as np\nimport minigrad as mg\nsaid = {}"
TELL = "raise OSError(repr(said))"

# Each looks for a way out, and writes down what it found.
PROBES = """\
def look(name, thing):
    try:
        said[name] = repr(thing())[:300]
    except BaseException as error:
        said[name] = type(error).__name__ + " " + str(getattr(error, "errno", ""))

libc = ctypes.CDLL(None, use_errno=True)
def call(number, *args):
    ctypes.set_errno(0)
    return libc.syscall(number, *args), ctypes.get_errno()
def write(path, text="x"):
    with open(path, "w") as file:
        return file.write(text)
"""


class Weak:
    """Without bubblewrap; where the grader is root and nobody else could run its Python, there is no such sandbox."""

    def __enter__(self):
        self.stack = contextlib.ExitStack()
        try:
            return self.stack.enter_context(sandbox.sandbox(walls=False))
        except sandbox.SandboxError as error:
            assert os.getuid() == 0 and "You are root" in str(error)
            return None

    def __exit__(self, *error):
        self.stack.close()


@pytest.fixture(scope="module", params=[pytest.param(True, marks=needs_walls, id="walls"), pytest.param(False, id="weak")])
def box(request):
    with sandbox.sandbox() if request.param else Weak() as made:
        yield made


def inside(box, *cells: str) -> dict[str, str]:
    """What the cells wrote down."""
    if box is None:  # refused, as it should be
        return {}
    got = grade.grade(klass.as_submission("eve", klass.notebook(SET_UP, PROBES, *cells, TELL)), assignment.load("04"), box, "s")
    (told,) = [problem for problem in got.problems if "OSError: {" in problem]
    return eval(told[told.index("{") :]) if told.endswith("}") else {}


def ask(box, **looks: str) -> dict[str, str]:
    """Ask a few at a time: a sentence for the teacher has 500 characters."""
    return inside(box, *(f"look({name!r}, lambda: {code})" for name, code in looks.items()))


X86 = sys.platform == "linux" and os.uname().machine == "x86_64"


def test_calls_that_are_forbidden(box):
    if not X86 or box is None:
        return
    numbers = dict(confine._FORBIDDEN["x86_64"][1])
    for name in ("kill", "tkill", "tgkill"):  # a wrong filter would end the test
        numbers.pop(name)
    code = f"[number for number in {sorted(numbers.values())} if call(number, 0, 0, 0, 0, 0, 0) != (-1, 1)]"
    asked = "[*[call(72, 0, n, 1) for n in (8, 10, 15, 1024, 1026, 1040)], call(157, 1, 0), call(16, 0, 0x8901, 0)]"
    own = confine._FORBIDDEN["x86_64"][4]  # for itself alone: even its own number might be another's
    others = f"([call(number, os.getpid(), 0, 0, 0, 0, 0) for number in {own}], call({own[0]}, 0, 7, 0, 0))"
    said = ask(box, forbidden=code, asked=asked, others=others, fork="os.fork()", kill="os.kill(os.getpid(), 0)")
    assert said["forbidden"] == "[]" and said["asked"] == repr([(-1, 1)] * 8) and said["others"] == repr(([(-1, 1)] * 4, (0, 0)))
    assert said["fork"] == said["kill"] == "PermissionError 1"


def test_the_filter_of_bubblewraps_own_process():
    """It waits behind the walls where the grader is root. Tried in a process that sets it, which stays an ordinary Python."""
    if not X86:
        return
    known = confine._FORBIDDEN["x86_64"][1]  # with a wrong filter others would end the process, or make two of it
    numbers = [known[name] for name in ("socket", "socketpair", "unshare", "keyctl", "shmget", "memfd_create", "pidfd_open")]
    code = (
        "import ctypes\nfrom minigrad.course.grading import confine\n"
        "confine._filter = lambda *a, program=confine.for_a_reaper(): program\nassert confine._forbid_calls()\n"
        "libc = ctypes.CDLL(None, use_errno=True)\n"
        f"for n in {numbers}:\n    ctypes.set_errno(0)\n    "
        "if (libc.syscall(n, 0, 0, 0, 0, 0, 0), ctypes.get_errno()) != (-1, 1): print(n)"
    )
    env = os.environ | {"PYTHONPATH": str(klass.ROOT)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env, timeout=60)
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr


def test_limits_hold(box):
    said = ask(
        box, memory="np.ones(1 << 29).nbytes", limit="__import__('resource').getrlimit(__import__('resource').RLIMIT_AS)",
        more="__import__('resource').setrlimit(__import__('resource').RLIMIT_AS, (-1, -1))", file="write('big', 'x' * (17 << 20))",
    )  # fmt: skip
    if box is not None:
        assert said["memory"] == "MemoryError " or said["memory"].startswith("_ArrayMemoryError")
        assert said["limit"] == repr((sandbox.MEMORY,) * 2) and "ValueError" in said["more"] and said["file"] == "OSError 27"


def test_nobody_is_root(box):
    said = ask(
        box, who="(os.getuid(), os.geteuid(), os.getgroups(), open('/proc/self/status').read().count('CapEff:\\t0000000000000000'))"
    )
    if box is not None:
        uid, effective, groups, none = eval(said["who"])
        assert uid == effective != 0 and none == 1
        assert os.getuid() != 0 or groups == [] and uid > 60_000


def test_the_groups_of_root_are_given_away():
    if os.geteuid() != 0:  # then there are none to give away, and the user stays who it is
        assert confine.become(0) == os.getuid()
        return
    code = "import os\nfrom minigrad.course.grading import confine\nos.setgroups([4711])\nconfine.become(61000)\nprint(os.getgroups())"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=os.environ | {"PYTHONPATH": str(klass.ROOT)}, timeout=60
    )
    assert done.stdout == "[]\n", done.stderr


@pytest.mark.parametrize("box", [pytest.param(True, marks=needs_walls)], indirect=True)
class TestWithBubblewrap:
    """What only walls give."""

    def test_files_that_are_there(self, box, tmp_path):
        (tmp_path / "other.ipynb").write_text("mine")
        exchange = Path("/usr/local/share/nbgrader/exchange")
        said = ask(
            box, root="sorted(os.listdir('/'))", usr="sorted(os.listdir('/usr'))", local=f"os.listdir({str(exchange.parents[1])!r})",
            mine=f"open({str(tmp_path / 'other.ipynb')!r}).read()", repo=f"os.listdir({str(klass.ROOT / 'solutions')!r})",
            home="[name for name in ('/home', '/root', '/var', '/srv', '/mnt', '/opt') if os.path.isdir(name) and "
                 "[x for x in os.listdir(name) if x != '.pyenv']]", etc="sorted(os.listdir('/etc'))",
        )  # fmt: skip
        assert set(eval(said["usr"])) <= {"lib", "lib64", "lib32", "share", "local", "bin"} and said["local"].startswith(
            "FileNotFound"
        )
        assert said["mine"].startswith("FileNotFound") and said["repo"].startswith("FileNotFound") and said["home"] == "[]"
        assert set(eval(said["etc"])) <= {"ld.so.cache", "alternatives", "localtime"}

    def test_nothing_can_be_written_but_64_mb(self, box):
        said = ask(
            box, dev="write('/dev/x')", top="write('/x')", library="write('/library/x')", python="write(os.__file__)",
            shm="write('/dev/shm/x', 'x' * (1 << 20))", proc="write('/proc/sys/kernel/hostname')",
            full="[write(f'/tmp/{k}', 'x' * (15 << 20)) for k in range(6)]", memory="write('/proc/self/mem')",
            terminal="os.openpty()",
        )  # fmt: skip
        assert said.pop("terminal") == "FileNotFoundError 2"
        assert said.pop("full") == "OSError 28" and said.pop("shm") == "OSError 28"
        assert all(re.match(r"(OSError|PermissionError) (30|13|1|5)$", answer) for answer in said.values()), said

    def test_no_other_process_is_there(self, box):
        """Bubblewrap's own could be written to. Where it must be there, for root, it is somebody else's, and has the filter too."""
        said = ask(
            box, pids="[p for p in os.listdir('/proc') if p.isdigit()]", me="os.getpid()", sys="os.listdir('/sys')",
            net="[line.split(':')[0].strip() for line in open('/proc/net/dev') if ':' in line]",
            filters="[open(f'/proc/{p}/status').read().split('Seccomp:')[1].split()[0] for p in os.listdir('/proc') if p.isdigit()]",
            first="open('/proc/1/mem', 'r+b')", environ="open('/proc/1/environ').read()", root="os.listdir('/proc/1/root')",
        )  # fmt: skip
        pids = eval(said["pids"])
        assert pids in (["1"], ["1", "2"]) and said["me"] == pids[-1]
        assert said["sys"].startswith("FileNotFound") and said["net"] == "['lo']"
        assert eval(said["filters"]) == ["2"] * len(pids)
        if len(pids) == 2:
            assert os.getuid() == 0 and all(said[name].startswith("PermissionError") for name in ("first", "environ", "root"))

    def test_memory_of_all_kinds_is_counted_together(self, box):
        """Where this machine gives control groups. Where it does not, the command says so."""
        if not cgroups.parents():
            assert cgroups.Group(1).entering(["python"]) == ["python"]
            return
        with sandbox.Child(box) as child:
            child.send({"exercises": [], "cells": [], "files": {}, "cell_limit": 1.0})
            assert "confined" in child.receive(60)[0]
            limits = {name: (path / name).read_text().strip() for path in child._group.paths for name in os.listdir(path)
                      if name in ("memory.max", "memory.limit_in_bytes", "pids.max")}  # fmt: skip
            inside = [(path / "cgroup.procs").read_text().split() for path in child._group.paths]
            paths = child._group.paths
        assert set(limits.values()) == {str(sandbox.MEMORY), str(cgroups.MOST_PROCESSES)} and all(inside)
        assert not any(path.exists() for path in paths)


# --- after the run ---

FOREVER = "import ctypes\nctypes.CDLL(None).prctl(1, 0)\nimport threading\nwhile True: pass"


def processes(of: Path) -> dict[int, str]:
    """The command lines of all processes that a run with its files in this folder has started, whoever they belong to now."""
    found = {}
    for path in Path("/proc").glob("[0-9]*"):
        about = b""
        for name in ("cmdline", "environ", "mountinfo"):  # the last: of a process behind walls, whence its library comes
            with contextlib.suppress(OSError):
                about += (path / name).read_bytes().replace(b"\0", b" ") + b"\n"
        if os.fsencode(of) in about:
            found[int(path.name)] = about.partition(b"\n")[0].decode("utf-8", "replace")
    return found


def started(folder: Path, jobs: int, walls: bool) -> subprocess.Popen:
    """A run over three notebooks that never end, in a folder of its own for what is temporary."""
    place, scratch = folder / "submitted", folder / "scratch"
    for path in (place, scratch):
        path.mkdir(exist_ok=True)
    for name in ("ada", "bob", "cleo"):
        (place / f"{name}.ipynb").write_text(json.dumps(klass.notebook("import minigrad as mg", FOREVER)))
    code = f"from minigrad.course.grading import sandbox\nif not {walls}: sandbox.bubblewrap = lambda: ''\n"
    code += "import sys\nfrom minigrad.course.__main__ import main\nif __name__ == '__main__': sys.exit(main(sys.argv[1:]))"
    (folder / "run.py").write_text(code)
    command = [sys.executable, str(folder / "run.py"), "grade", str(place), "--assignment", "04", "--jobs", str(jobs),
               "--weak-isolation", "--output", str(folder / "out")]  # fmt: skip
    env = os.environ | {"PYTHONPATH": str(klass.ROOT), "TMPDIR": str(scratch)}
    return subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True, text=True)


def wait_for(condition, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.1)
    return False


@pytest.mark.parametrize("walls", [pytest.param(True, marks=needs_walls, id="walls"), pytest.param(False, id="weak")])
@pytest.mark.parametrize(
    ("number", "jobs"),
    [
        (signal.SIGTERM, 2),
        (signal.SIGKILL, 2),
        *(pytest.param(n, 1, marks=pytest.mark.full) for n in (signal.SIGTERM, signal.SIGKILL)),
    ],
)
@pytest.mark.full
@pytest.mark.sampled(1, weekly=3)
def test_nothing_is_left_after_a_signal(tmp_path, walls, number, jobs):
    def mine() -> dict[int, str]:
        return processes(tmp_path)

    def submissions() -> int:
        return sum("grading.child" in command and "bwrap" not in command for command in mine().values())

    run = started(tmp_path, jobs, walls)
    try:
        if not wait_for(lambda: submissions() >= jobs or run.poll() is not None, 120) or run.poll() is not None:
            told = run.communicate(timeout=60)[0]
            assert not walls and os.getuid() == 0 and "You are root" in told
            return
        os.kill(run.pid, number)
        run.communicate(timeout=60)
        assert wait_for(lambda: not mine(), 8), mine()  # an answer's own time is longer
        left = list((tmp_path / "scratch").iterdir())
        if number == signal.SIGTERM:
            assert run.returncode == 130 and not left and not [path for path in groups() if not _owner(path).exists()]
        else:  # nobody could; the next run does
            assert all(path.name.startswith(sandbox.PREFIX) for path in left)
            before_dir, tempfile.tempdir = tempfile.tempdir, str(tmp_path / "scratch")
            try:
                sandbox._sweep()
            finally:
                tempfile.tempdir = before_dir
            assert not list((tmp_path / "scratch").iterdir())
        assert not [path for path in groups() if not _lives(path)]
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(run.pid, signal.SIGKILL)


def groups() -> list[Path]:
    return [path for parent in cgroups.parents() for path in parent.glob(f"{cgroups.PREFIX}*")]


def _lives(path: Path) -> bool:
    """Whether the group is of a run that goes on; those of killed ones are swept."""
    cgroups.sweep()
    return not path.exists() or _owner(path).exists()


def _owner(path: Path) -> Path:
    """The process that made the group: other tests run beside this one."""
    return Path("/proc", path.name.removeprefix(cgroups.PREFIX).partition("-")[0])


def test_no_control_group_stays_whose_last_process_takes_its_time(tmp_path, monkeypatch):
    """As after Ctrl-C, when the processes that graded have just been ended."""
    if not cgroups.parents():
        return
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    made = []
    with sandbox.sandbox():
        for owner in (os.getpid(), 2**22 + 1):  # this run, and one that is no more
            monkeypatch.setattr(cgroups.os, "getpid", lambda owner=owner: owner)
            group = cgroups.Group(1 << 30)
            monkeypatch.undo()
            made += group.paths
            subprocess.Popen(group.entering(["sleep", "0.5"])).poll()
            assert wait_for(lambda paths=group.paths: all((path / "cgroup.procs").read_text() for path in paths), 5)
    assert len(made) in (2, 4) and not any(path.exists() for path in made)


def test_a_package_for_reading_alone_is_copied(tmp_path):
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "x.py").touch(0o444)
    for folder in ("a/b", "a"):
        (tmp_path / folder).chmod(0o555)
    sandbox._copy(tmp_path / "a", tmp_path / "c")
    assert [(tmp_path / name).stat().st_mode & 0o777 for name in ("c", "c/b", "c/b/x.py")] == [0o755, 0o755, 0o644]


def test_a_folder_keeps_its_lock_until_all_else_is_gone(tmp_path, monkeypatch):
    """Killed while it removes, a run leaves something: the next one must see that nobody holds it."""
    folder, real, seen = tmp_path / "run", sandbox.shutil.rmtree, []
    for name in ("answer-1", "library/minigrad", ".hidden"):
        (folder / name).mkdir(parents=True)
    (folder / "lock").touch()
    monkeypatch.setattr(sandbox.shutil, "rmtree", lambda path, **how: (seen.append(path), real(path, **how)))
    sandbox._remove(folder)
    assert seen.pop() == folder and set(seen) == {folder / name for name in ("answer-1", "library", ".hidden")} and not folder.exists()


def test_folders_of_runs_that_go_on_stay(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with sandbox.sandbox() as one:
        sandbox._sweep()
        assert one.library.is_dir()
    assert not list(tmp_path.iterdir())
    (tmp_path / f"{sandbox.PREFIX}link").symlink_to(klass.ROOT)
    (tmp_path / f"{sandbox.PREFIX}new").mkdir()  # it may be just made
    sandbox._sweep()
    assert len(list(tmp_path.iterdir())) == 2 and klass.ROOT.is_dir()


# --- an engine of a student's own ---

IMPORTS = {
    "another place on the path": "import sys\nsys.path[:0] = {places!r}\nimport minigrad.autograd",
    "without the gate": "import sys\nsys.meta_path[:] = [f for f in sys.meta_path if type(f).__name__ != 'Gate']\n"
    "sys.path[:0] = {places!r}\n"
                        "name = 'mat' + 'plotlib'\n__import__(name)",
    "a loader of its own": "import importlib.machinery as m, sys\nfound = [p for p in {places!r}]\n"
                           "loader = m.SourceFileLoader('random', found[0] + '/matplotlib/__init__.py')\nloader.load_module()",
    "reads the source": "text = open({places!r}[0] + '/matplotlib/__init__.py').read()",
    "by a number": "import os\nos.open({places!r}[0] + '/matplotlib/__init__.py', 0)",
    "finds the hook": "import gc\ngc.get_objects()",
    "with ctypes": "import ctypes\nctypes.CDLL({places!r}[0] + '/x.so')",
    "patches the hook's words": "import builtins, sys, os\nmain = sys.modules['__main__']\nmain.child.ALLOWED = {{'matplotlib'}}\n"
                                "builtins.type = lambda *a: str\nbuiltins.isinstance = lambda *a: True\n"
    "os.path.realpath = lambda p: '/dev/null'\n"
                                "open({places!r}[0] + '/matplotlib/__init__.py')",
    "through a link": "import os\nos.symlink({places!r}[0], 'here')\nopen('here/matplotlib/__init__.py')",
    "through the root of a process": "open('/proc/self/root' + {places!r}[0] + '/matplotlib/__init__.py')",
    "through a thread's root": "import os\nopen(f'/proc/{{os.getpid()}}/root' + {places!r}[0] + '/matplotlib/__init__.py')",
    "with dots": "import os\nup = os.path.dirname(os.__file__) + '/..' * 9\nopen(up + {places!r}[0] + '/matplotlib/__init__.py')",
    "by what calls itself a number": "class int(str): pass\nopen(int({places!r}[0] + '/matplotlib/__init__.py'))",
    "by a reader in C": "import readline\nreadline.read_history_file({places!r}[0] + '/matplotlib/__init__.py')",
    "compiled, in its own folder": "import importlib.util as u, os, shutil, numpy.random as r\n"
                                   "copy = shutil.copy(r.mtrand.__file__, os.path.abspath(os.path.dirname(__file__)))\n"
                                   "u.module_from_spec(u.spec_from_file_location('engine.mtrand', copy))",
    "through a path object": "import pathlib, os\nos.open(pathlib.Path({places!r}[0], 'matplotlib/__init__.py'), 0)",
}  # fmt: skip


@pytest.mark.parametrize("name", IMPORTS)
@pytest.mark.sampled(5)
def test_an_engine_gets_numpy_and_the_standard_library(tmp_path, name):
    """In a process like the sandbox's, without walls, so that only the refusal is tried: the files are there to be read."""
    import matplotlib

    places = [str(Path(matplotlib.__file__).parents[1])]
    engine = tmp_path / "my_engine.py"
    engine.write_text(IMPORTS[name].format(places=places))
    code = (
        "import sys, pathlib, numpy\nfrom minigrad.course.grading import engine\nfrom minigrad.course.capstone import child\n"
        "for name in [n for n in sys.modules if n.startswith('minigrad.autograd')]: del sys.modules[name]\n"
        f"path = pathlib.Path({str(engine)!r})\nmake = child.maker(str(path))\nengine.only_numpy(path)\n"
        "try:\n    make()\nexcept (ImportError, PermissionError) as error:\n    print('refused', error)\nelse:\n    print('had it')"
    )
    env = os.environ | {"PYTHONPATH": str(klass.ROOT)}
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=env, capture_output=True, text=True)
    assert done.stdout.startswith("refused"), done.stdout + done.stderr


def test_an_engine_has_what_it_may(tmp_path):
    engine = tmp_path / "my_engine.py"
    engine.write_text("import math, json, dataclasses, collections.abc, functools, weakref, decimal, http.client\n"
                      "import numpy as np\n"
                      "import numpy.linalg, numpy.random, numpy.testing\nnp.linalg.inv(np.eye(2))\n"
        "x = np.random.default_rng(0).normal(size=3)")  # fmt: skip
    code = (
        "import pathlib\nfrom minigrad.course.grading import engine\nfrom minigrad.course.capstone import child\n"
        f"path = pathlib.Path({str(engine)!r})\nmake = child.maker(str(path))\nengine.only_numpy(path)\nprint(make().x.shape)"
    )
    env = os.environ | {"PYTHONPATH": str(klass.ROOT)}
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=env, capture_output=True, text=True)
    assert done.stdout == "(3,)\n", done.stderr
