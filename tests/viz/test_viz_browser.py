"""Pictures where they are read: JupyterLab and nbconvert's HTML, in a real browser, with scripts and without.

Set MINIGRAD_SCREENSHOTS to a folder to keep what the browser showed.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from nbformat import v4

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
ROOT = Path(__file__).parents[2]
CELLS = (
    "import minigrad as mg\nfrom minigrad import viz\na = mg.tensor(2., requires_grad=True)\n"
    "b = mg.tensor(3., requires_grad=True)\nd = a * b\ne = b + 1\nL = d + e",
    "viz.steps(L)",
    "viz.draw(L, view='keep')",
    "L.backward()\nL.backward()",
)
WAIT = 60_000  # milliseconds: the machine may be busy
PLAYER = "[data-steps] .play"
TITLE = f"{PLAYER} .says .title"

pytestmark = pytest.mark.browser


class Lab:
    """A JupyterLab server of its own, on a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.token = folder / "notebooks", secrets.token_hex(8)
        self.folder.mkdir()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        own = {f"JUPYTER_{kind}_DIR": str(folder / kind) for kind in ("DATA", "CONFIG", "RUNTIME")}
        command = [
            sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", f"--port={self.port}", "--LabApp.news_url=None",
            f"--IdentityProvider.token={self.token}", f"--ServerApp.root_dir={self.folder}",
        ]  # fmt: skip
        env = os.environ | own | {"PYTHONPATH": str(ROOT), "IPYTHONDIR": str(folder / "ipython")}
        self.server = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait(lambda: self.ask("status") is not None, "the server does not answer")

    def ask(self, what: str, method: str = "GET"):
        address = f"http://127.0.0.1:{self.port}/api/{what}?token={self.token}"
        try:
            with urllib.request.urlopen(urllib.request.Request(address, method=method), timeout=5) as answer:
                return json.loads(answer.read() or "null")
        except OSError:
            return None

    def close(self) -> None:
        self.server.terminate()
        try:
            self.server.wait(20)
        except subprocess.TimeoutExpired:  # it waits for its kernels, sometimes without end; they are not what is looked at
            self.server.kill()

    def open(self, page, name: str) -> None:
        """Open a notebook, and wait until its kernel is connected: Lab shows it as idle before."""
        for session in self.ask("sessions") or []:
            self.ask(f"sessions/{session['id']}", "DELETE")
        page.goto(f"http://127.0.0.1:{self.port}/lab/tree/{name}?token={self.token}&reset")
        page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=WAIT)
        wait(self._connected, "the kernel is not connected")

    def _connected(self) -> bool:
        kernels = [session["kernel"] for session in self.ask("sessions") or []]
        return any(kernel["connections"] and kernel["execution_state"] == "idle" for kernel in kernels)


def wait(condition, failure: str) -> None:
    end = time.monotonic() + WAIT / 1000
    while not condition():
        assert time.monotonic() < end, failure
        time.sleep(0.2)


@pytest.fixture(scope="module")
def lab(tmp_path_factory) -> Iterator[Lab]:
    lab = Lab(tmp_path_factory.mktemp("lab"))
    cells = [v4.new_markdown_cell("Words.\n" * 5) for _ in range(40)]  # Lab opens a long page otherwise than a short one
    cells += map(v4.new_code_cell, CELLS)
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    nbformat.write(v4.new_notebook(cells=cells, metadata={"kernelspec": kernel}), lab.folder / "page.ipynb")
    yield lab
    lab.close()


@pytest.fixture(scope="module")
def browser():
    flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync"]
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=flags)
        yield browser
        browser.close()


@pytest.fixture
def look(tmp_path):
    folder = Path(os.environ.get("MINIGRAD_SCREENSHOTS", tmp_path))
    folder.mkdir(parents=True, exist_ok=True)
    return lambda page, name: page.screenshot(path=folder / f"{name}.png", full_page=True)


def move(page, step: int) -> None:
    """Move the slider with the keyboard, as a reader without a mouse does."""
    page.focus(f"{PLAYER} input[type=range]")
    page.keyboard.press("Home")
    for _ in range(step - 1):
        page.keyboard.press("ArrowRight")


def slides(page) -> None:
    """The player: slider, buttons and keys, three columns, and what lights up under the mouse."""
    page.wait_for_selector(PLAYER, timeout=WAIT)
    assert page.inner_text(TITLE).startswith("Step 1 of 5")
    assert page.locator("details:visible").count() == 0 and page.get_attribute(f"{PLAYER} input", "aria-label") == "Step"
    move(page, 3)
    assert page.inner_text(TITLE) == "Step 3 of 5: MulBackward0 of d fires"
    assert page.locator(f"{PLAYER} .code li").all_inner_texts() == ["d = a * b", "e = b + 1", "L = d + e"]
    assert page.inner_text(f"{PLAYER} .code .now") == "d = a * b"
    assert "goes out: 2.0 to AccumulateGrad of b (2 of 2 arrived, the sum is 3.0)" in page.inner_text(f"{PLAYER} .says")
    words = page.locator(f"{PLAYER} .scroll svg text").all_text_contents()
    assert "d = a · b" in words and "6.0" in words
    assert words.count("× 3.0") == words.count("= 3.0") == 1  # the slope along a, and what went there
    page.click(f"{PLAYER} [aria-label='One step on']")
    assert page.inner_text(TITLE) == "Step 4 of 5: AccumulateGrad of a fires" and page.locator(f"{PLAYER} .code .now").count() == 0
    assert page.locator(f"{PLAYER} .says li").count() == 5 and page.locator(f"{PLAYER} .says p").count() > 1
    words, graph = (page.locator(f"{PLAYER} {part}").bounding_box() for part in (".says", ".scroll"))
    assert words["y"] + words["height"] <= graph["y"] + graph["height"]  # of the other steps no more than there is room for
    page.click(f"{PLAYER} .says button >> nth=1")
    assert page.inner_text(TITLE).startswith("Step 2 of 5") and page.inner_text(f"{PLAYER} .live").startswith("Step 2 of 5")
    page.click(f"{PLAYER} [aria-label='To the end']")
    assert page.inner_text(f"{PLAYER} .count") == "5 / 5"
    page.focus(PLAYER)
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    assert page.inner_text(TITLE).startswith("Step 3 of 5")
    page.hover(f"{PLAYER} .code li >> nth=1")  # e = b + 1: its node, with the arrows from and to it
    assert (page.locator(f"{PLAYER} .box.near").count(), page.locator(f"{PLAYER} .edge.near").count()) == (1, 2)
    page.hover(f"{PLAYER} .box >> nth=0")
    assert page.locator(f"{PLAYER} .code .near").all_inner_texts() == ["L = d + e"]
    page.keyboard.press("Home")
    page.keyboard.press("Space")
    wait(lambda: page.inner_text(f"{PLAYER} .count") == "2 / 5", "it does not play")
    page.keyboard.press("Space")
    move(page, 3)


def opens_one_by_one(page) -> None:
    page.wait_for_selector("details", timeout=WAIT)
    assert page.locator(PLAYER).count() == 0
    assert page.locator("details:visible").count() == 5 and page.locator("details[open]").count() == 1
    page.locator("summary").nth(2).click()
    assert page.locator("details[open]").count() == 2
    page.wait_for_function("() => document.querySelectorAll('details[open] img')[1].naturalWidth > 100", timeout=WAIT)


@pytest.mark.weekly
def test_in_jupyterlab(lab: Lab, browser, look) -> None:
    page = browser.new_page(viewport={"width": 1100, "height": 1300})
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    lab.open(page, "page.ipynb")
    page.click("text=Run >> nth=0")
    page.click("text=Run All Cells >> nth=0")
    slides(page)
    alive = ".jp-Cell:nth-last-of-type(2) .jp-OutputArea-output img[aria-label^='Enlarge: The backward graph']"
    page.wait_for_selector(alive, timeout=WAIT)
    failed = ".jp-Cell:nth-last-of-type(1) .jp-OutputArea-child"  # the traceback, and below it the graph, in its own size
    page.wait_for_selector(f"{failed}:nth-of-type(2) img[alt*='freed']", timeout=WAIT)
    assert "L.backward()" in page.inner_text(f"{failed}:nth-of-type(1)") and page.locator(failed).count() == 2
    image = page.locator(f"{failed}:nth-of-type(2) img")
    assert image.evaluate("i => i.width === i.naturalWidth") and image.evaluate("i => i.style.maxWidth") == "none"
    look(page, "lab-run")
    page.locator(".jp-CodeCell .cm-content").first.click()  # away from the slider, which keeps the keys to itself
    page.keyboard.press("Control+s")
    stored = lab.folder / "page.ipynb"
    wait(lambda: "Step 3 of 5" in stored.read_text(encoding="utf-8"), "the notebook is not saved")
    assert "data-steps=" not in stored.read_text(encoding="utf-8")  # what the script made is not what is stored
    for open_again in (lambda: lab.open(page, "page.ipynb"), page.reload):
        open_again()
        slides(page)
        page.wait_for_selector(alive, timeout=WAIT)
    assert not errors
    look(page, "lab-reloaded")
    notebook = nbformat.read(stored, as_version=4)
    notebook.cells[0].source += "\n# from somewhere else"  # so its signature is that of nobody here
    nbformat.write(notebook, lab.folder / "copy.ipynb")
    lab.open(page, "copy.ipynb")
    opens_one_by_one(page)
    assert page.locator(".jp-OutputArea-output [onload]").count() == 0
    look(page, "lab-untrusted")
    page.close()


@pytest.mark.weekly
@pytest.mark.parametrize("scripts", [True, False])
def test_in_html_pages(browser, look, tmp_path: Path, scripts: bool) -> None:
    sys.path.insert(0, str(ROOT))
    import minigrad as mg
    from minigrad import viz

    a, b = mg.tensor(2.0, requires_grad=True), mg.tensor(3.0, requires_grad=True)
    d = a * b
    e = b + 1
    L = d + e
    told = viz.steps(L)
    output = v4.new_output("execute_result", told._repr_mimebundle_(), execution_count=1)
    cell = v4.new_code_cell("viz.steps(L)", execution_count=1, outputs=[output])
    nbformat.write(v4.new_notebook(cells=[cell]), tmp_path / "page.ipynb")
    command = [sys.executable, "-m", "nbconvert", "--to", "html", str(tmp_path / "page.ipynb")]
    subprocess.run(command, check=True, capture_output=True)
    context = browser.new_context(java_script_enabled=scripts, viewport={"width": 900, "height": 900})
    context.route("http*://**", lambda route: route.abort())  # what the page would fetch is not what is tested
    page = context.new_page()
    page.goto((tmp_path / "page.html").as_uri())
    if scripts:
        slides(page)
        page.set_viewport_size({"width": 390, "height": 900})  # on a phone the buttons stand between the graph and its words
        graph, buttons, words = (page.locator(f"{PLAYER} {part}").bounding_box() for part in (".scroll", ".bar", ".says"))
        assert graph["y"] + graph["height"] <= buttons["y"] and buttons["y"] + buttons["height"] <= words["y"]
        heights = set()
        for step in range(1, 6):
            move(page, step)
            heights.add(page.locator(PLAYER).bounding_box()["height"])
        assert len(heights) == 1  # what follows below stands still
        page.set_viewport_size({"width": 900, "height": 900})
    else:
        assert page.locator("details").count() == 5 and page.locator(PLAYER).count() == 0
        page.locator("summary").nth(2).click()
        assert page.locator("details[open]").count() == 2
    look(page, f"nbconvert-{'with' if scripts else 'without'}-scripts")
    context.close()
