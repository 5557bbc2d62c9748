"""`python -m minigrad.course doctor`: what is missing or wrong on this machine, and what works without it.

It imports only the standard library, so `python minigrad/course/terminal/doctor.py` runs where even NumPy is missing.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

DISTRIBUTION = "minigrad-course"
NEEDED_PYTHON = (3, 11)
ROOT = Path(__file__).resolve().parents[3]

# What still works without a package of the extra `course`.
WITHOUT = {
    "jupyterlab": "Notebooks need another editor, as VS Code, and the package ipykernel.",
    "matplotlib": "The few lesson cells that plot raise an ImportError; graphs, checks and all else work.",
    "graphviz": "Nothing in the course needs it: graphs are drawn without it.",
    "nbval": "Only those who change the course need it, for `make strict`.",
}


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at. `state` is "ok", "missing" (the course works without it) or "wrong"."""

    state: str
    what: str
    advice: str = ""


def python_version() -> Finding:
    have = f"Python {'.'.join(map(str, sys.version_info[:3]))} ({sys.executable})"
    if sys.version_info[:2] < NEEDED_PYTHON:
        return Finding("wrong", have, "The course needs Python 3.11 or newer.")
    own = ROOT / ".venv"
    if own.is_dir() and Path(sys.prefix).resolve() != own.resolve():
        advice = "The course was set up for another. To ask that: .venv/bin/python -m minigrad.course doctor"
        return Finding("missing", have, advice)
    return Finding("ok", have)


def release(version: str) -> tuple[int, ...]:
    """The numbers at the front of a version: "2.4.6rc1" → (2, 4, 6)."""
    return tuple(int(n) for n in re.findall(r"\d+", re.match(r"[\d.]*", version)[0]))  # type: ignore[index]


def requirements() -> list[tuple[str, str, str]] | None:
    """(package, lowest version, extra or "") from pyproject.toml; None when the course is not installed."""
    try:
        lines = metadata.requires(DISTRIBUTION) or []
    except metadata.PackageNotFoundError:
        return None
    found = []
    for line in lines:
        if match := re.match(r'([\w.-]+)>=([\d.]+)(?:.*extra == ["\'](\w+)["\'])?', line):
            found.append((match[1], match[2], match[3] or ""))
    return found


def packages() -> Iterator[Finding]:
    wanted = requirements()
    if wanted is None:
        advice = f'In the folder {ROOT}, run: python -m pip install -e ".[course]"'
        yield Finding("wrong", f"{DISTRIBUTION} is not installed in this Python", advice)
        return
    for name, lowest, extra in wanted:
        if extra in ("", "course"):
            yield package(name, lowest, optional=extra == "course")


def package(name: str, lowest: str, optional: bool) -> Finding:
    install = f'To install it: python -m pip install "{name}>={lowest}"'
    without = WITHOUT.get(name, "The engine does not work without it.")
    try:
        have = metadata.version(name)
    except metadata.PackageNotFoundError:
        return Finding("missing" if optional else "wrong", f"{name} is not installed", f"{without} {install}")
    if release(have) < release(lowest):
        return Finding(
            "wrong", f"{name} {have} is older than {lowest}", install.replace("install it", "renew it")
        )
    return Finding("ok", f"{name} {have}")


def dot() -> Finding:
    if path := shutil.which("dot"):
        return Finding("ok", f"Graphviz's program dot ({path})")
    return Finding("missing", "Graphviz's program dot", WITHOUT["graphviz"])


def torch() -> Finding:
    if importlib.util.find_spec("torch") is None:
        advice = 'Nothing in the course needs it. With it, check(…, reference="torch") asks PyTorch itself.'
        return Finding("missing", "PyTorch", advice)
    return Finding("ok", f"PyTorch {metadata.version('torch')}")


def kernel() -> Finding:
    """Will notebooks run in this Python, where the course is?"""
    if importlib.util.find_spec("ipykernel") is None:
        advice = "No notebook runs in this Python. To install it: python -m pip install ipykernel"
        return Finding("wrong", "ipykernel is not installed", advice)
    try:
        from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel

        argv = KernelSpecManager().get_kernel_spec("python3").argv
    except ImportError:
        return Finding("ok", "the notebook kernel (ipykernel)")
    except NoSuchKernel:
        advice = "To make it: python -m ipykernel install --sys-prefix"
        return Finding("wrong", 'there is no notebook kernel "python3"', advice)
    # Jupyter puts its own interpreter in place of a bare "python".
    if os.path.dirname(argv[0]) not in ("", os.path.dirname(sys.executable)):
        advice = (
            "Notebooks run there, without the course. To mend it: python -m ipykernel install --sys-prefix"
        )
        return Finding("wrong", f'the notebook kernel "python3" is another Python: {argv[0]}', advice)
    return Finding("ok", "the notebook kernel runs in this Python")


def work_folder() -> Finding:
    work = Path(os.environ.get("MINIGRAD_WORK") or ROOT / "work")
    there = next(folder for folder in (work, *work.absolute().parents) if folder.exists())
    try:
        with tempfile.TemporaryFile(dir=there):
            pass
    except OSError as error:
        advice = "Your answers and progress would be kept there. Set MINIGRAD_WORK to another folder."
        return Finding("wrong", f"the folder {work} cannot be written to ({error.strerror})", advice)
    return Finding("ok", f"your answers and your progress are kept in {work}")


def paths_and_letters() -> Finding:
    """Folders may be called as people like; that needs a file system encoding that can spell it."""
    encoding = sys.getfilesystemencoding()
    try:
        str(ROOT).encode(encoding)
    except UnicodeEncodeError:  # Python read bytes that are no text in this encoding
        advice = (
            "Set the environment variable PYTHONUTF8=1, or move the course to a folder with a plain name."
        )
        return Finding(
            "wrong",
            f"the course's folder has letters that {encoding} cannot spell: {ascii(str(ROOT))}",
            advice,
        )
    return Finding("ok", f"names of folders are read as {encoding}")


def findings() -> list[Finding]:
    return [python_version(), *packages(), kernel(), work_folder(), paths_and_letters(), dot(), torch()]


def main() -> int:
    """Print the findings; 1 when something is wrong, 0 when all that is missing can be done without."""
    found = findings()
    for finding in found:
        mark = {"ok": "  ok     ", "missing": "  missing", "wrong": "  WRONG  "}[finding.state]
        print(f"{mark}  {finding.what}")
        if finding.advice:
            print(f"           {finding.advice}")
    wrong = sum(finding.state == "wrong" for finding in found)
    if wrong:
        print(f"\n{wrong} {'thing needs' if wrong == 1 else 'things need'} mending.")
    else:
        print("\nAll that the course needs is here.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
