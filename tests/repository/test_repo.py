"""The files around the code agree with each other, and hold nothing of the machine that they come from."""

import asyncio
import json
import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import nbformat
import pytest
import yaml

from minigrad.course.bank import exercises
from minigrad.course.bank import minutes as minutes_of
from minigrad.course.capstone.own import CHAPTERS as MILESTONES
from tools import build

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CHAPTERS = sorted(path.stem for path in (ROOT / "chapters").glob("[01][0-9]-*.py"))  # 90 to 99 are pages
PRODUCTS = sorted(p for f in ("notebooks", "exercises", "solutions") for p in (ROOT / f).rglob("*.ipynb"))


def name_and_bound(requirement):
    return tuple(requirement.split(">=")) if ">=" in requirement else (requirement, None)


def relative(path):
    return path.relative_to(ROOT).as_posix()


# --- conda and pip install the same ---


def test_environment_yml_and_pyproject_name_the_same_packages():
    conda = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
    packages = dict(name_and_bound(line) for line in conda["dependencies"] if isinstance(line, str))
    (from_pip,) = (entry["pip"] for entry in conda["dependencies"] if isinstance(entry, dict))
    assert conda["channels"] == ["conda-forge"] and from_pip == ["-e ."]

    assert packages.pop("python") == PROJECT["requires-python"].removeprefix(">=")
    assert "pip" in packages and "graphviz" in packages
    packages.pop("pip")
    packages.pop("graphviz")  # there, this is the C program; the Python package has another name
    packages["graphviz"] = packages.pop("python-graphviz")
    wanted = PROJECT["dependencies"] + PROJECT["optional-dependencies"]["course"]
    assert packages == dict(map(name_and_bound, wanted))


def test_the_engine_needs_only_numpy():
    assert [name_and_bound(line)[0] for line in PROJECT["dependencies"]] == ["numpy"]


# --- What a reader is told ---


def chapter_rows(path):
    """Number → the cells of the row, in a file's table of chapters."""
    rows = re.findall(
        r"^(?:# )?\| (\d\d) \| (.*) \|$", (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE
    )
    return {number: rest.split(" | ") for number, rest in rows}


@pytest.mark.parametrize("path", ["README.md", "chapters/00-start.py"])
def test_tables_of_chapters(path):
    """Every chapter that is here is linked, and no other."""
    rows = chapter_rows(path)
    assert list(rows) == [f"{n:02}" for n in range(1, 18)]
    assert [n for n, row in rows.items() if row[0].startswith("[")] == [name[:2] for name in CHAPTERS if name[:2] != "00"]
    in_lessons = sum(exercises("16")[f"16.{name[1]}"].minutes for name in MILESTONES)
    for name in (name for name in CHAPTERS if name[:2] != "00"):
        minutes = minutes_of(name[:2]) - (in_lessons if name[:2] == "16" else 0)
        assert f"+ {minutes} min" in rows[name[:2]][1], "the minutes of the exercises, as the bank has them"


@pytest.mark.parametrize("path", ["README.md", "chapters/00-start.py"])
def test_the_tables_tell_how_long_each_milestone_takes(path):
    told = {number: re.findall(r"(M\d): (\d+) min", " ".join(row)) for number, row in chapter_rows(path).items()}
    for name, chapters in MILESTONES.items():
        found = [int(minutes) for chapter in chapters.split(", ") for milestone, minutes in told[chapter] if milestone == name]
        assert len(found) == len(chapters.split(", ")) and sum(found) == exercises("16")[f"16.{name[1]}"].minutes
    for number, row in told.items():  # and the lesson says the same
        (lesson,) = (ROOT / "chapters").glob(f"{number}-*.py")
        (time,) = re.findall(r"^# \| \*\*Time\*\* \| (.*) \|$", lesson.read_text(encoding="utf-8"), re.MULTILINE)
        assert [(name, minutes) for minutes, name in re.findall(r"(\d+) minutes for your engine, (M\d)", time)] == row
        if number < "16":
            assert f"{minutes_of(number)} minutes of exercises" in time


def test_start_page_links_to_lessons_that_are_here():
    links = re.findall(
        r"\]\(([^)]+\.ipynb)\)", (ROOT / "chapters" / "00-start.py").read_text(encoding="utf-8")
    )
    assert links and all((ROOT / "chapters" / link).with_suffix(".py").exists() for link in links)


def test_links_of_the_readme_lead_somewhere():
    for target in re.findall(r"\]\(([^)#]+)\)", (ROOT / "README.md").read_text(encoding="utf-8")):
        assert (ROOT / target).exists(), target


def test_example_of_the_readme(capsys):
    (program,) = re.findall(
        r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL
    )
    exec(program, {})
    promised = re.findall(r"print\(.*?\) *# (.*)", program)
    printed = re.sub(r"0x[0-9a-f]+", "0x...", capsys.readouterr().out).splitlines()
    assert promised and printed == promised


@pytest.mark.skipif(os.name == "nt", reason="the commands need a POSIX shell")
def test_old_python_gets_one_clear_sentence(tmp_path):
    for file in ("pyproject.toml", "Makefile"):
        shutil.copy(ROOT / file, tmp_path)
    (tmp_path / "tools").mkdir()
    shutil.copy(ROOT / "tools" / "setup.sh", tmp_path / "tools")
    old = tmp_path / "bin" / "python3"
    old.parent.mkdir()
    old.write_text('#!/bin/sh\n[ "$1" = --version ] && echo Python 3.9.2 && exit\nexit 1\n')
    old.chmod(0o755)
    for tool in ("make", "sh", "dirname", "cat", "cksum"):
        (old.parent / tool).symlink_to(shutil.which(tool))
    done = subprocess.run(
        [old.parent / "make", "lab"],
        cwd=tmp_path,
        env={"PATH": str(old.parent)},
        capture_output=True,
        text=True,
    )
    assert done.returncode != 0
    assert "needs Python 3.11 or newer, and found Python 3.9.2" in done.stderr.splitlines()[0]
    assert not (tmp_path / ".venv").exists()


# --- Nothing of a machine ---

# Spelled in two halves, so that this file does not match itself.
FORBIDDEN = re.compile(
    "|".join(
        [
            r"/ro" r"ot/",
            r"/ho" r"me/(?!k)",
            r"/Us" r"ers/\w",
            r"/wo" r"rk/main",
            r"/op" r"t/\w",
            r"pypi\.or" r"g",
            r"pythonhosted\.or" r"g",
            r"npmjs\.or" r"g",
            r"deb\.debian\.or" r"g",
        ]
    )
)


def committed_files():
    if not (ROOT / ".git").exists() or not shutil.which("git"):
        pytest.skip("this is no clone, or there is no git")
    command = ["git", "ls-files", "-z"]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout.decode().split("\0")
    return [ROOT / name for name in names if name and (ROOT / name).is_file()]


def test_no_addresses_and_no_paths_of_a_machine():
    found = []
    for path in committed_files():
        text = path.read_bytes().decode("utf-8", errors="ignore")
        found += [f"{relative(path)}: {match[0]}" for match in FORBIDDEN.finditer(text)]
    assert found == []


# --- The notebooks ---


def test_there_are_notebooks():
    assert relative(ROOT / "notebooks" / "00-start.ipynb") in [relative(p) for p in PRODUCTS]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("path", PRODUCTS, ids=relative)
def test_notebook_was_executed_and_not_edited(path):
    nb = nbformat.read(path, as_version=4)
    assert build.executed(nb), "nbval passes a notebook that never ran"
    assert not build.edited(nb)
    assert not [o for c in nb.cells for o in c.get("outputs", []) if o.output_type == "error"]
    assert not re.search(r"(?<![\w/+])0x[0-9a-f]{6,16}(?![\w/+=])", path.read_text(encoding="utf-8"))


RECORD = """
import minigrad.course as course
def recording(id, answer, real=course.check, **how):
    result = real(id, answer, **how)
    course.outcomes.append((result.id, result.outcome))
    return result
course.check, course.outcomes = recording, []"""


def run_all(path):
    """Run a notebook from top to bottom as it stands; the outcome of each check, by id."""
    nb = nbformat.read(path, as_version=4)
    nb.cells.insert(0, nbformat.v4.new_code_cell(RECORD))
    nb.cells.append(nbformat.v4.new_code_cell("import json; print(json.dumps(course.outcomes))"))
    text = asyncio.run(build.execute(ROOT, relative(path), nb))
    return dict(json.loads(nbformat.reads(text, as_version=4).cells[-1].outputs[0].text))


@pytest.mark.full
@pytest.mark.sampled(32, weekly=17)
@pytest.mark.parametrize("name", [name for name in CHAPTERS if name[:2] != "00"])
def test_untouched_exercises_raise_nothing_and_pass_nothing_and_solutions_pass_all(name):
    ids = list(exercises(name[:2]))
    for folder, outcome in (("exercises", "not attempted"), ("solutions", "passed")):
        assert run_all(ROOT / folder / name / f"{name}.ipynb") == dict.fromkeys(ids, outcome)
