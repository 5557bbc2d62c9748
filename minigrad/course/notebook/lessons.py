"""Lessons stay as they came: what a reader opens in Jupyter is a copy in work/lessons/.

JupyterLab writes a notebook back soon after it was opened, without a key pressed: it notes the kernel's version, and its own
words for what is folded. The lessons in notebooks/ belong to Git, and the next `git pull` would meet local changes. So this
extension of Jupyter's server lets notebooks/04-vjps.ipynb mean work/lessons/04-vjps.ipynb. The lesson keeps its address and its
folder, so links in it and around it lead where they did.

tools/lab.py switches it on for the environment that it runs in, so that plain `jupyter lab` has it too from then on. It looks at
nothing but files notebooks/NN-name.ipynb that tools/build.py has made, beside a folder exercises/.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from pathlib import Path
from typing import Any

from minigrad.course import record
from minigrad.course.notebook.start import free_name

NEWER = """\
**This lesson has changed since you wrote in yours.** This is the new one. Yours is kept, as it was: [{name}]({address}).
(You can delete this cell.)"""


def copy_of(lesson: Path) -> Path | None:
    """Where a reader's copy of this lesson is, or will be. None when the file is no lesson of a course."""
    course = lesson.parent.parent
    if lesson.parent.name != "notebooks" or not re.fullmatch(r"\d\d-[a-z0-9-]+\.ipynb", lesson.name):
        return None
    return record.work(course) / "lessons" / lesson.name if (course / "exercises").is_dir() else None


def prepare(lesson: Path) -> None:
    """Make the reader's copy of a lesson, and a new one when the lesson has changed.

    A copy in which the reader has changed nothing but outputs makes way for the new one. Any other is kept under another name,
    and the new one begins by saying so. OSError where no copy can be made.
    """
    copy = copy_of(lesson)
    new = _read(lesson)
    if copy is None or new is None or "checksum" not in _marks(new):  # a stranger's notebook has none
        return
    if copy.exists():
        mine = _read(copy)
        if mine is None or _marks(mine).get("checksum") == _marks(new)["checksum"]:
            return
        if _marks(mine).get("text") != text_of(mine):
            kept = copy.rename(free_name(copy))
            address = Path(os.path.relpath(kept, lesson.parent)).as_posix()
            words = NEWER.format(name=kept.name, address=address)
            new["cells"].insert(0, {"cell_type": "markdown", "id": "newer", "metadata": {}, "source": words.splitlines(True)})
    _marks(new)["text"] = text_of(new)
    copy.parent.mkdir(parents=True, exist_ok=True)
    half = copy.with_suffix(f".{os.getpid()}")
    half.write_text(json.dumps(new, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    os.replace(half, copy)


def _read(path: Path) -> dict[str, Any] | None:
    """A notebook; None when it is damaged, or Jupyter writes it at this moment: then it is left to Jupyter."""
    try:
        notebook = json.loads(path.read_bytes())
        text_of(notebook), _marks(notebook)
    except (FileNotFoundError, ValueError, LookupError, TypeError, AttributeError):
        return None
    return notebook


def _marks(notebook: dict[str, Any]) -> dict[str, str]:
    """What the builder and this module note in a notebook: which version of the lesson it is, and its text when it was copied."""
    return notebook["metadata"].get("minigrad", {})


def text_of(notebook: dict[str, Any]) -> str:
    """A digest of what a person writes in a notebook: its cells without their outputs."""
    cells = [(cell["cell_type"], "".join(cell["source"])) for cell in notebook["cells"]]
    return hashlib.sha256(json.dumps(cells).encode()).hexdigest()


# --- What Jupyter's server calls ---


def _jupyter_server_extension_points() -> list[dict[str, str]]:
    return [{"module": "minigrad.course.notebook.lessons"}]


def _load_jupyter_server_extension(app: Any) -> None:
    """Let the server's manager of files find copies in the place of lessons."""
    manager = app.contents_manager
    if not hasattr(manager, "_get_os_path"):  # it keeps its files elsewhere than on this disk
        return
    plainly = manager._get_os_path

    def place(path: str) -> str:
        found = plainly(path)
        copy = copy_of(Path(found))
        return str(copy) if copy is not None and copy.exists() else found

    def ready(path: str, missing_only: bool = False) -> None:
        lesson = Path(plainly(path))
        copy = copy_of(lesson)
        if copy is not None and not (missing_only and copy.exists()):
            try:
                prepare(lesson)
            except OSError as error:
                app.log.warning("%s is opened where it is: no copy of it can be made (%s)", lesson, error)

    plain_get, plain_save = manager.get, manager.save

    # Also where these are coroutines: what they return is passed on.
    def get(path: str, content: bool = True, *rest: Any, **options: Any) -> Any:
        if content:
            ready(path)
        return plain_get(path, content, *rest, **options)

    def save(model: Any, path: str = "", *rest: Any, **options: Any) -> Any:
        ready(path, missing_only=True)
        return plain_save(model, path, *rest, **options)

    manager._get_os_path, manager.get, manager.save = place, get, save
