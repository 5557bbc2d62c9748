"""A reader's copies of the lessons: made when a lesson is opened, and nothing of the reader's is lost when it changes."""

from __future__ import annotations

import asyncio
import json
import sys
import types
from pathlib import Path
from typing import Any

import pytest
from jupyter_server.services.contents.filemanager import AsyncFileContentsManager, FileContentsManager

from minigrad.course.notebook import lessons
from tools import lab

NAME = "notebooks/04-vjps.ipynb"


def notebook(*sources: str, version: str | None = "one") -> dict[str, Any]:
    cells = [{"cell_type": "markdown", "id": f"c{n}", "metadata": {}, "source": [source]} for n, source in enumerate(sources)]
    made = {} if version is None else {"minigrad": {"checksum": version}}
    return {"cells": cells, "metadata": made, "nbformat": 4, "nbformat_minor": 5}


def store(path: Path, content: dict[str, Any]) -> bytes:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content))
    return path.read_bytes()


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("MINIGRAD_WORK")
    (tmp_path / "exercises").mkdir()
    store(tmp_path / NAME, notebook("# A lesson"))
    return tmp_path


@pytest.fixture(params=[FileContentsManager, AsyncFileContentsManager])
def manager(request, course: Path):
    manager = request.param(root_dir=str(course))
    lessons._load_jupyter_server_extension(types.SimpleNamespace(contents_manager=manager, log=manager.log))
    return manager


def ask(answer: Any) -> Any:
    return asyncio.run(answer) if asyncio.iscoroutine(answer) else answer


def texts(content: dict[str, Any]) -> list[str]:
    return ["".join(cell["source"]) for cell in content["cells"]]


def write(manager, sources: list[str], path: str = NAME) -> None:
    """As JupyterLab saves: with what it read, and other cells."""
    content = ask(manager.get(path))["content"]
    content["cells"] = [{"cell_type": "markdown", "id": f"c{n}", "metadata": {}, "source": s} for n, s in enumerate(sources)]
    ask(manager.save({"type": "notebook", "format": "json", "content": content}, path))


def test_what_is_saved_goes_into_the_copy(course: Path, manager) -> None:
    before = (course / NAME).read_bytes()
    model = ask(manager.get(NAME))
    assert (model["path"], model["writable"], texts(model["content"])) == (NAME, True, ["# A lesson"])
    write(manager, ["# A lesson", "my note"])
    assert (course / NAME).read_bytes() == before
    assert texts(ask(manager.get(NAME))["content"]) == ["# A lesson", "my note"]
    assert texts(json.loads((course / "work/lessons/04-vjps.ipynb").read_text())) == ["# A lesson", "my note"]


def test_saving_without_reading_first_goes_into_the_copy_too(course: Path, manager) -> None:
    before = (course / NAME).read_bytes()
    ask(manager.save({"type": "notebook", "format": "json", "content": notebook("mine")}, path=NAME))
    assert (course / NAME).read_bytes() == before
    assert (course / "work/lessons/04-vjps.ipynb").exists()


def test_looking_into_the_folder_makes_no_copies(course: Path, manager) -> None:
    assert [entry["name"] for entry in ask(manager.get("notebooks"))["content"]] == ["04-vjps.ipynb"]
    assert not (course / "work").exists()


def test_a_newer_lesson_takes_the_place_of_a_copy_with_nothing_written_in_it(course: Path, manager) -> None:
    content = ask(manager.get(NAME))["content"]
    content["metadata"]["language_info"] = {"name": "python", "version": "3"}
    ask(manager.save({"type": "notebook", "format": "json", "content": content}, NAME))
    store(course / NAME, notebook("# A better lesson", version="two"))
    assert texts(ask(manager.get(NAME))["content"]) == ["# A better lesson"]
    assert [path.name for path in (course / "work/lessons").iterdir()] == ["04-vjps.ipynb"]


def test_a_newer_lesson_leaves_what_was_written(course: Path, manager) -> None:
    for version in ("one", "two", "three"):
        store(course / NAME, notebook(f"# Lesson {version}", version=version))
        write(manager, [f"# Lesson {version}", "my note"])
    model = ask(manager.get(NAME))  # of the same version: it stays
    assert texts(model["content"]) == ["# Lesson three", "my note"]
    kept = {path.name: texts(json.loads(path.read_text())) for path in (course / "work/lessons").glob("*-old-*")}
    assert kept == {
        "04-vjps-old-1.ipynb": ["# Lesson one", "my note"],
        "04-vjps-old-2.ipynb": ["# Lesson two", "my note"],
    }


def test_the_newer_lesson_says_where_the_other_is(course: Path, manager) -> None:
    write(manager, ["my note"])
    store(course / NAME, notebook("# A better lesson", version="two"))
    first, second = texts(ask(manager.get(NAME))["content"])
    assert "[04-vjps-old-1.ipynb](../work/lessons/04-vjps-old-1.ipynb)" in first and second == "# A better lesson"
    assert (course / "notebooks" / "../work/lessons/04-vjps-old-1.ipynb").exists()
    store(course / NAME, notebook("# The best lesson", version="three"))  # what was said is nothing that the reader wrote
    assert texts(ask(manager.get(NAME))["content"]) == ["# The best lesson"]
    assert len(list((course / "work/lessons").iterdir())) == 2


@pytest.mark.parametrize("damage", ["", "<<<<<<< half a notebook", "[]", '{"cells": 3, "metadata": {}}', '{"cells": []}'])
def test_what_cannot_be_read_is_left_alone(course: Path, damage: str) -> None:
    """It may be a copy that Jupyter writes at this moment."""
    copy = course / "work/lessons/04-vjps.ipynb"
    copy.parent.mkdir(parents=True)
    copy.write_text(damage)
    lessons.prepare(course / NAME)
    assert copy.read_text() == damage and len(list(copy.parent.iterdir())) == 1


def test_a_copy_whose_marks_are_gone_is_kept(course: Path) -> None:
    copy = course / "work/lessons/04-vjps.ipynb"
    store(copy, notebook("mine", version=None))
    lessons.prepare(course / NAME)
    assert texts(json.loads(copy.with_stem("04-vjps-old-1").read_text())) == ["mine"]
    assert texts(json.loads(copy.read_text()))[1:] == ["# A lesson"]


@pytest.mark.parametrize(
    "path", ["notebooks/mine.ipynb", "notebooks/04-vjps-Copy1.ipynb", "exercises/04-vjps/04-vjps.ipynb", "other/04-vjps.ipynb"]
)
def test_other_files_are_what_they_are(course: Path, manager, path: str) -> None:
    store(course / path, notebook("mine"))
    write(manager, ["changed"], path)
    assert texts(json.loads((course / path).read_text())) == ["changed"]
    assert not (course / "work").exists()


def test_a_notebook_that_is_not_of_the_course_is_what_it_is(course: Path, manager) -> None:
    store(course / NAME, notebook("a stranger's", version=None))
    write(manager, ["changed"])
    assert texts(json.loads((course / NAME).read_text())) == ["changed"]


def test_where_no_copy_can_be_made_the_lesson_opens_all_the_same(course: Path, manager) -> None:
    (course / "work").write_text("in the way")
    assert texts(ask(manager.get(NAME))["content"]) == ["# A lesson"]


def test_the_chosen_work_folder_holds_the_copies(course: Path, manager, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINIGRAD_WORK", str(course / "elsewhere"))
    write(manager, ["my note"])
    assert (course / "elsewhere/lessons/04-vjps.ipynb").exists() and not (course / "work").exists()


def test_the_lab_switches_copies_on_and_leaves_settings_that_are_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    lab.settle_all()
    (setting,) = tmp_path.rglob("minigrad-course.json")
    assert setting.parent == tmp_path / "etc/jupyter/jupyter_server_config.d"
    assert json.loads(setting.read_text()) == {"ServerApp": {"jpserver_extensions": {lessons.__name__: True}}}
    setting.write_text("{}")
    lab.settle_all()
    assert setting.read_text() == "{}" and not capsys.readouterr().out
    monkeypatch.setattr(sys, "prefix", str(setting))  # a file: nothing can be kept in it
    lab.settle_all()
    assert "ServerApp is not set" in capsys.readouterr().out
