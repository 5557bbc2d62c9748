"""nbgrader itself, on the repository: solutions/ is its source, exercises/ its release."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from minigrad.course import bank
from minigrad.course.grading.gradebook import opened, path_with_programs

ROOT = Path(__file__).parents[2]

# What `nbgrader generate_assignment NAME` does, for all of them in one process.
RELEASE = """
import os
from nbgrader.apps import GenerateAssignmentApp
for name in sorted(os.listdir("solutions")):
    GenerateAssignmentApp.clear_instance()
    app = GenerateAssignmentApp.instance()
    app.initialize([name])
    app.start()
"""

PROGRAMS = os.environ | {"PATH": path_with_programs()}

pytestmark = pytest.mark.nbgrader


@pytest.fixture(scope="module", params=[16, pytest.param(1, marks=pytest.mark.weekly)], ids=["some chapters", "all"])
def released(request, tmp_path_factory):
    """nbgrader's release of every so manieth solution, and its gradebook."""
    folder = tmp_path_factory.mktemp("course")
    for chapter in sorted(path.name for path in (ROOT / "solutions").iterdir() if path.is_dir())[:: request.param]:
        shutil.copytree(ROOT / "solutions" / chapter, folder / "solutions" / chapter)
    shutil.copy(ROOT / "nbgrader_config.py", folder)
    done = subprocess.run([sys.executable, "-c", RELEASE], cwd=folder, capture_output=True, text=True, env=PROGRAMS)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def cells(path: Path) -> list[tuple]:
    return [(c.id, c.cell_type, c.source, c.metadata) for c in nbformat.read(path, as_version=4).cells]


def test_the_release_is_what_is_committed(released):
    chapters = {path.name for path in (released / "solutions").iterdir()}
    files = (path.relative_to(ROOT) for path in (ROOT / "exercises").rglob("*") if path.is_file())
    committed = sorted(path for path in files if path.parts[1] in chapters)
    assert sorted(path.relative_to(released) for path in (released / "exercises").rglob("*") if path.is_file()) == committed
    for path in committed:
        read = cells if path.suffix == ".ipynb" else Path.read_bytes
        assert read(released / path) == read(ROOT / path), path


def test_the_release_holds_no_answers(released):
    for path in (released / "exercises").glob("*/*.ipynb"):
        text = path.read_text(encoding="utf-8")
        assert "BEGIN SOLUTION" not in text and "HIDDEN TESTS" not in text and "explanation" not in text


def test_the_gradebook_knows_every_check_with_its_points(released):
    with opened(released / "gradebook.db") as book:
        known = {cell.name: (cell.max_score, cell.cell_type) for a in book.assignments for n in a.notebooks for cell in n.grade_cells}
    exercises = [e for c in bank.chapters() for e in bank.exercises(c).values() if list((released / "exercises").glob(f"{c}-*"))]
    assert known == {f"{e.id.replace('.', '-')}-check": (e.points, "code") for e in exercises}


def test_nbgraders_autograder_leaves_handed_in_files_alone():
    from traitlets.config.loader import PyFileConfigLoader

    kept = PyFileConfigLoader("nbgrader_config.py", str(ROOT)).load_config().Autograde.exclude_overwriting
    files = [path for path in (ROOT / "solutions").glob("*/*") if path.is_file() and path.suffix != ".ipynb"]
    assert kept == {folder: sorted(f.name for f in files if f.parent.name == folder) for folder in {f.parent.name for f in files}}


# --- our grades in nbgrader's gradebook, beside answers that people grade ---


@pytest.mark.weekly
def test_written_answers_stay_for_people(tmp_path):
    import json

    from minigrad.course.__main__ import main

    name = "06-accumulation"
    shutil.copytree(ROOT / "solutions" / name, tmp_path / "solutions" / name)
    shutil.copy(ROOT / "nbgrader_config.py", tmp_path)
    source = tmp_path / "solutions" / name / f"{name}.ipynb"
    nb = nbformat.read(source, as_version=4)
    marks = {"grade": True, "grade_id": "why", "locked": False, "points": 5, "schema_version": 3, "solution": True, "task": False}
    nb.cells.append(nbformat.v4.new_markdown_cell("Since gradients add up.", id="why", metadata={"nbgrader": marks}))
    nbformat.write(nb, source)
    done = subprocess.run([sys.executable, "-c", RELEASE], cwd=tmp_path, capture_output=True, text=True, env=PROGRAMS)
    assert done.returncode == 0, done.stderr
    released = nbformat.read(tmp_path / "exercises" / name / f"{name}.ipynb", as_version=4)
    assert "add up" not in released.cells[-1].source

    handed_in = tmp_path / "submitted" / "ada" / name
    handed_in.mkdir(parents=True)
    released.cells[-1].source = "Because they do."
    (handed_in / f"{name}.ipynb").write_text(json.dumps(released))
    (handed_in / "submission_secret.txt").write_text("a receipt")
    (handed_in / "helper.py").write_text("x = 3")
    book = tmp_path / "gradebook.db"
    command = ["grade", str(tmp_path / "submitted"), "--assignment", "06", "--weak-isolation", "--gradebook", str(book)]
    assert main([*command, "--output", str(tmp_path / "out")]) == 0
    with opened(book) as gradebook:
        why = gradebook.find_grade("why", name, name, "ada")
        assert why.needs_manual_grade and why.auto_score is None
        assert not gradebook.find_grade("06-1-check", name, name, "ada").needs_manual_grade
    shown = nbformat.read(tmp_path / "autograded" / "ada" / name / f"{name}.ipynb", as_version=4)
    written = shown.cells[-1]
    assert written.source == "Because they do." and written.metadata.nbgrader.solution and written.metadata.nbgrader.points == 5
    beside = tmp_path / "autograded" / "ada" / name
    assert [(beside / file).read_text() for file in ("submission_secret.txt", "helper.py")] == ["a receipt", "x = 3"]
    page = [sys.executable, "-m", "nbgrader", "generate_feedback", name]
    done = subprocess.run(page, cwd=tmp_path, capture_output=True, text=True, env=PROGRAMS)
    assert done.returncode == 0, done.stderr
    assert "not attempted" in (tmp_path / "feedback" / "ada" / name / f"{name}.html").read_text(encoding="utf-8")


# --- from the release to formgrader in a browser ---

# nbgrader's commands in one process: each argument is one of them, as `submit 04-vjps`.
COMMANDS = """
import sys
from nbgrader.apps import nbgraderapp
for line in sys.argv[1:]:
    name, *words = line.split()
    app = nbgraderapp.NbGraderApp.subcommands[name][0].instance()
    app.initialize(words)
    app.start()
    app.clear_instance()
"""
HOSTILE = "javascript:window.hacked=1"
ACTIVE = [
    "<script>window.hacked=1</script>", f"[x]({HOSTILE})", f"<{HOSTILE}>", "<img src=x onerror=window.hacked=1>",
    "![](http://hostile.invalid/y.png)", "<svg onload=window.hacked=1>", f"$\\href{{{HOSTILE}}}{{x}}$",
    "a ``` b <iframe src=http://hostile.invalid></iframe>", "<details open ontoggle=window.hacked=1>x</details>",
    "````\n</pre><script>window.hacked=1</script>", "<style>@import 'http://hostile.invalid/z.css'</style>",
    f"[x]: {HOSTILE}\n\n[x]", f"<form action={HOSTILE}><button autofocus onfocus=window.hacked=1>x</button></form>",
    "$$\\require{html}\\style{background:url(http://hostile.invalid/m)}{x}$$", "<base href=http://hostile.invalid/>",
]  # fmt: skip
EVE = "<img src=x onerror=window.hacked=1>"


def run_nbgrader(folder: Path, env: dict[str, str], *lines: str) -> None:
    done = subprocess.run([sys.executable, "-c", COMMANDS, *lines], cwd=folder, capture_output=True, text=True, env=env)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.browser
@pytest.mark.weekly
def test_from_the_release_to_formgrader(tmp_path, capsys):
    """Released, fetched, submitted, collected, graded, looked at: nothing that a student wrote runs in the teacher's browser."""
    from playwright.sync_api import sync_playwright

    from minigrad.course.__main__ import main
    from tools.try_lab import Server

    name, teacher, home = "04-vjps", tmp_path / "course", tmp_path / "home"
    shutil.copytree(ROOT / "solutions" / name, teacher / "solutions" / name)
    (tmp_path / "exchange").mkdir()
    (tmp_path / "exchange").chmod(0o777)
    home.mkdir()
    settings = (ROOT / "nbgrader_config.py").read_text(encoding="utf-8") + f"\nc.Exchange.root = {str(tmp_path / 'exchange')!r}\n"
    for folder in (teacher, home):
        (folder / "nbgrader_config.py").write_text(settings, encoding="utf-8")
    env = PROGRAMS | {f"JUPYTER_{kind}_DIR": str(tmp_path / kind) for kind in ("DATA", "CONFIG", "RUNTIME")}
    env |= {"IPYTHONDIR": str(tmp_path / "ipython"), "PYTHONPATH": str(ROOT)}
    run_nbgrader(teacher, env, f"generate_assignment {name}", f"release_assignment {name}")
    run_nbgrader(home, env, f"fetch_assignment {name}")
    path = home / name / f"{name}.ipynb"
    nb = nbformat.read(path, as_version=4)
    (first,) = [cell for cell in nb.cells if cell.id == "04-1-answer"]
    first.source = "def spell_out(y, v):\n    return (v * y).sum()  # </script><script>window.hacked=1</script>"
    html = "".join(ACTIVE)
    lies = f"lie = {html!r}\nprint(lie)\ndef row(f, x, i):\n    raise ValueError(lie)\nraise ValueError(lie)"
    nb.cells.append(nbformat.v4.new_code_cell(lies))
    nb.cells[-1].outputs = [nbformat.v4.new_output("display_data", {"text/html": html, "application/javascript": "window.hacked=1"})]
    nb.cells += [nbformat.v4.new_markdown_cell(text) for text in ACTIVE] + [nbformat.v4.new_raw_cell(html)]
    nbformat.write(nb, path)
    run_nbgrader(home, env, f"submit {name}")
    run_nbgrader(teacher, env, f"collect {name}")
    (ada,) = [folder.name for folder in (teacher / "submitted").iterdir()]
    shutil.copytree(teacher / "submitted" / ada, teacher / "submitted" / EVE)  # whose name is not of the platform's making

    book = teacher / "gradebook.db"
    command = ["grade", str(teacher / "submitted"), "--assignment", "04", "--weak-isolation", "--gradebook", str(book)]
    assert main([*command, "--output", str(tmp_path / "out")]) == 0
    assert f"{EVE}: not written" in capsys.readouterr().out
    with opened(book) as gradebook:
        assert {s["student"]: s["score"] > 0 for s in gradebook.submission_dicts(name)} == {ada: True}
        ids = [s.id for s in gradebook.notebook_submissions(name, name)]
    run_nbgrader(teacher, env, f"generate_feedback {name}")

    server = Server(lambda own: [sys.executable, "-m", "jupyterlab", "--allow-root", *own], teacher, env)
    pages = [f"http://{server.address}/formgrader/{page}?token={server.token}" for page in (
        "", f"gradebook/{name}", f"gradebook/{name}/{name}", "manage_students", f"manage_submissions/{name}",
        *(f"submissions/{id}/" for id in ids),
    )]  # fmt: skip
    pages += [f"file://{page}" for page in sorted([*(tmp_path / "out").rglob("*.html"), *(teacher / "feedback").rglob("*.html")])]
    asked: list[str] = []
    active = f"[href*='{HOSTILE}'], [action*='{HOSTILE}'], [src*=hostile], svg[onload], base"
    try:
        server.wait_for("formgrader")
        with sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"])
            page = browser.new_page()
            page.on("request", lambda request: asked.append(request.url))
            for address in pages:
                page.goto(address, wait_until="load")
                page.wait_for_timeout(500)
                assert page.evaluate("window.hacked") is None, address
                assert page.locator(active).count() == 0, address
                if "/submissions/" in address:
                    text = page.inner_text("body")
                    assert "spell_out" in text and "window.hacked=1" in text and "04.1" in text, address
            browser.close()
    finally:
        server.kill()
    assert len(ids) == 1 and len(pages) > 9 and not [url for url in asked if "hostile" in url.partition("?")[0]]
