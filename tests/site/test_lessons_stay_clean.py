"""Lessons in a real JupyterLab: opened, saved by its autosave, run, saved again, closed. Git sees no change.

MINIGRAD_EVERY_LESSON=1 does so with all of them, and not only with the chosen ones.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tools import lab
from tools.try_lab import Server, changes

pytestmark = pytest.mark.browser

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
ROOT = Path(__file__).parents[2]
LESSONS = sorted(path.stem for path in (ROOT / "notebooks").glob("[0-9][0-9]-*.ipynb"))
CHOSEN = LESSONS if os.environ.get("MINIGRAD_EVERY_LESSON") else ["08-autograd-grad"]
AUTOSAVE = 3  # seconds; JupyterLab's own are 120
WAIT = 90  # seconds: the machine may be busy
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync"]


@pytest.fixture(scope="module")
def course(tmp_path_factory) -> Path:
    """What Git tracks of the course, as far as a reader opens it."""
    folder = tmp_path_factory.mktemp("course")
    for part in ("notebooks", "exercises"):
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns(".ipynb_checkpoints"))
    shutil.copy(ROOT / ".gitignore", folder)
    who = ["-c", "user.name=test", "-c", "user.email=test@example.invalid"]
    for command in (["init", "--quiet"], ["add", "--all"], [*who, "commit", "--quiet", "-m", "all"]):
        subprocess.run(["git", *command], cwd=folder, check=True)
    return folder


@pytest.fixture(scope="module")
def server(course: Path, tmp_path_factory) -> Iterator[Server]:
    own = tmp_path_factory.mktemp("jupyter")
    settings = own / "settings" / "@jupyterlab" / "docmanager-extension" / "plugin.jupyterlab-settings"
    settings.parent.mkdir(parents=True)
    settings.write_text(json.dumps({"autosaveInterval": AUTOSAVE}))
    env = os.environ | {f"JUPYTER_{kind}_DIR": str(own / kind) for kind in ("DATA", "CONFIG", "RUNTIME")}
    env |= {"JUPYTERLAB_SETTINGS_DIR": str(own / "settings"), "IPYTHONDIR": str(own / "ipython"), "PYTHONPATH": str(ROOT)}
    env.pop("MINIGRAD_WORK", None)
    (own / "CONFIG").mkdir()  # with what tools/lab.py sets for an environment: this one need not have it
    (own / "CONFIG" / "jupyter_server_config.json").write_text(json.dumps(lab.COPIES))
    server = Server(lambda own: lab.command(["--LabApp.expose_app_in_browser=True", *own]), course, env)
    try:
        server.wait_for_page()
        yield server
        server.stop()
    finally:
        server.kill()


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright  # here, because without the marker's needs this test is left out

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


def wait(condition: Callable[[], object], failure: str) -> None:
    end = time.monotonic() + WAIT
    while not condition():
        assert time.monotonic() < end, failure
        time.sleep(0.2)


def connected(server: Server) -> bool:
    """JupyterLab shows a kernel as idle before it is connected, and then runs nothing."""
    kernels = [session["kernel"] for session in json.loads(server.ask("api/sessions"))]
    return any(kernel["connections"] and kernel["execution_state"] == "idle" for kernel in kernels)


def open_lesson(server: Server, page, name: str) -> None:
    for session in json.loads(server.ask("api/sessions")):
        server.ask(f"api/sessions/{session['id']}", "DELETE")
    page.goto(f"http://{server.address}/lab/tree/notebooks/{name}.ipynb?token={server.token}&reset")
    page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=WAIT * 1000)
    wait(lambda: connected(server), "the kernel is not connected")


def run_all(page) -> None:
    assert page.evaluate("() => window.jupyterapp.commands.execute('notebook:run-all-cells')") is not False


@pytest.mark.parametrize("name", CHOSEN)
def test_a_lesson_is_opened_run_and_saved(server: Server, course: Path, browser, name: str) -> None:
    copy = course / "work" / "lessons" / f"{name}.ipynb"
    page = browser.new_page()
    open_lesson(server, page, name)
    # The autosave notes the kernel's language and version, without a key pressed.
    wait(lambda: b"pygments_lexer" in copy.read_bytes(), "JupyterLab has not saved the lesson")
    assert changes(course) == ""
    before = copy.stat().st_mtime_ns
    run_all(page)
    wait(lambda: copy.stat().st_mtime_ns > before, "JupyterLab has not saved what was run")
    page.close()
    assert changes(course) == ""


@pytest.mark.weekly
def test_lesson_and_exercises_have_tabs_of_different_names(server: Server, course: Path, browser) -> None:
    page = browser.new_page()
    open_lesson(server, page, "00-start")
    run_all(page)
    page.click(".jp-OutputArea a:has-text('01-the-graph')")
    page.locator(".jp-NotebookPanel .jp-Notebook").nth(1).wait_for(timeout=WAIT * 1000)
    page.evaluate("() => window.jupyterapp.commands.execute('docmanager:open', {path: 'notebooks/01-the-graph.ipynb'})")
    tabs = page.locator("#jp-main-dock-panel .lm-TabBar-tabLabel")
    wait(lambda: tabs.count() == 3, "three notebooks are not open")
    names = [tabs.nth(i).inner_text() for i in range(3)]
    assert sorted(names) == ["00-start.ipynb", "01-the-graph-exercises.ipynb", "01-the-graph.ipynb"]
    page.close()
    assert changes(course) == ""
