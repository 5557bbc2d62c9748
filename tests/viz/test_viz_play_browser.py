"""`viz.play` where it is used: in JupyterLab and on pages, by mouse and by keyboard, on a phone and on a desk, dark and light."""

from __future__ import annotations

import io
import math
import subprocess
import sys
from pathlib import Path
from unittest import mock

import nbformat
import numpy as np
import pytest
from nbformat import v4
from test_viz_browser import ROOT, WAIT, Lab, browser, look, wait  # noqa: F401

import minigrad as mg
from minigrad import viz
from minigrad.viz import scalars

pytestmark = pytest.mark.browser

SOURCE = """\
import minigrad as mg
from minigrad import viz
a, b, c = (mg.tensor(value, requires_grad=True) for value in (5.0, 3.0, 4.0))
d = a * b
e = b + c
L = d + e
"""
PLAYER = "[data-play] .play"


def engine(a: float, b: float, c: float) -> dict[str, tuple[float, float]]:
    """Value and slope of each tensor."""
    made = {name: mg.tensor(float(value), requires_grad=True) for name, value in zip("abc", (a, b, c), strict=True)}
    made["d"] = made["a"] * made["b"]
    made["e"] = made["b"] + made["c"]
    made["L"] = made["d"] + made["e"]
    for tensor in made.values():
        tensor.retain_grad()
    made["L"].backward()
    return {name: (tensor.item(), tensor.grad.item()) for name, tensor in made.items()}


def shown(page) -> dict[str, tuple[float, float]]:
    found = {}
    for box in page.locator(f"{PLAYER} .box").all():
        name, value, slope = (box.locator(part).text_content() for part in (".name", ".value", ".slope"))
        found[name.split(" = ")[0]] = (float(value), float(slope.removeprefix("slope ")))
    return found


def agree(page, *inputs: float) -> None:
    numbers, right = shown(page), engine(*inputs)
    assert numbers.keys() == right.keys()
    for name, pair in right.items():
        assert numbers[name] == pytest.approx(pair, rel=1e-3), name


def drive(page) -> None:
    """Sliders, buttons and keys."""
    page.wait_for_selector(PLAYER, timeout=WAIT)
    assert page.locator("img[alt^='The expression behind L']:visible").count() == 0
    agree(page, 5, 3, 4)
    page.locator(f"{PLAYER} .sliders input").nth(0).fill("-2.4")
    agree(page, -2.4, 3, 4)
    assert "a = -2.4, b = 3, c = 4: L = -0.2." in page.inner_text(f"{PLAYER} .says")
    # by mouse: a slider, then the buttons
    slider = page.locator(f"{PLAYER} .sliders input").nth(1)
    slider.scroll_into_view_if_needed()
    at = slider.bounding_box()
    page.mouse.click(at["x"] + at["width"] * 0.25, at["y"] + at["height"] / 2)
    b = float(slider.input_value())
    assert b < 0 and page.locator(f"{PLAYER} output").nth(1).inner_text() == f"{b:.4g}"
    agree(page, -2.4, b, 4)
    page.locator(f"{PLAYER} .sliders input").nth(0).fill("5")
    slider.fill("3")
    page.click(f"{PLAYER} [aria-label='To the beginning']")
    assert page.inner_text(f"{PLAYER} .count") == "0 / 7"
    texts = page.locator(f"{PLAYER} .box .value").all_text_contents()
    assert sorted(texts) == ["", "", "", "3", "4", "5"]  # the inputs alone
    page.click(f"{PLAYER} [aria-label='One step on']")
    assert page.inner_text(f"{PLAYER} .says") == "Step 1 of 7. d = a · b = 5 · 3 = 15."
    # by keyboard
    page.focus(PLAYER)
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    assert page.inner_text(f"{PLAYER} .says") == "Step 6 of 7. e hands on 1 × 1 = 1 to b, and 1 × 1 = 1 to c."
    box = page.locator(f"{PLAYER} .box.leaf").nth(1)
    assert (box.locator(".sum").text_content(), box.locator(".slope").text_content()) == ("", "slope 1")
    page.keyboard.press("ArrowRight")
    says = page.inner_text(f"{PLAYER} .says")
    assert says == "Step 7 of 7. d hands on 1 × 3 = 3 to a, and 1 × 5 = 5 to b. b was used twice: its slopes add, 1 + 5 = 6."
    assert (box.locator(".sum").text_content(), box.locator(".slope").text_content()) == ("1 + 5", "slope 6")
    page.keyboard.press("Home")
    assert page.inner_text(f"{PLAYER} .count") == "0 / 7"
    page.keyboard.press("Space")
    wait(lambda: page.inner_text(f"{PLAYER} .count")[0] >= "2", "it does not play")
    page.keyboard.press("Space")
    assert page.get_attribute(f"{PLAYER} .bar button:nth-child(3)", "aria-label") == "Play"  # it waits
    page.keyboard.press("End")
    agree(page, 5, 3, 4)
    # Tab goes through sliders, buttons and steps, in the order in which they are seen.
    labels = []
    page.focus(PLAYER)
    for _ in range(9):
        page.keyboard.press("Tab")
        labels.append(page.evaluate("() => document.querySelector('[data-play]').shadowRoot.activeElement.getAttribute('aria-label')"))
    assert labels == ["a", "b", "c", "To the beginning", "One step back", "Play", "One step on", "To the end", "Step"]
    page.focus(f"{PLAYER} .sliders input >> nth=2")
    before = float(page.input_value(f"{PLAYER} .sliders input >> nth=2"))
    page.keyboard.press("ArrowRight")
    after = float(page.input_value(f"{PLAYER} .sliders input >> nth=2"))
    assert after > before
    agree(page, 5, 3, after)
    assert page.get_attribute(f"{PLAYER} .says", "aria-live") == "polite"
    assert "b: 3, slope 6" in page.get_attribute(f"{PLAYER} svg[role=img]", "aria-label")


def watched(page) -> list[str]:
    """What goes wrong on a page: messages in the console, and requests that leave it."""
    wrong: list[str] = []
    page.on("console", lambda message: wrong.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    return wrong


def graph() -> viz.Play:
    space: dict = {}
    exec(SOURCE, space)
    return viz.play(space["L"], names={name: space[name] for name in "abcdeL"})


@pytest.mark.sampled(1, weekly=4)  # the narrow light page; the others every week
@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_on_a_page(browser, look, tmp_path: Path, width: int, theme: str) -> None:  # noqa: F811
    paper = "#fff; color: #111" if theme == "light" else "#121212; color: #ddd"
    head = f"<!doctype html><html lang=en><meta charset=utf-8><title>t</title><body style='background: {paper}'>"
    (tmp_path / "page.html").write_text(head + graph().html, encoding="utf-8")
    context = browser.new_context(viewport={"width": width, "height": 800})
    page = context.new_page()
    wrong, asked = watched(page), []
    page.on("request", lambda request: asked.append(request.url) if not request.url.startswith(("file:", "data:")) else None)
    page.goto((tmp_path / "page.html").as_uri())
    drive(page)
    assert not wrong and not asked
    assert page.locator(f"{PLAYER}.dark").count() == (theme == "dark")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    sizes = page.evaluate("""() => [...document.querySelector('[data-play]').shadowRoot.querySelectorAll('svg text')].map(t =>
        parseFloat(getComputedStyle(t).fontSize) * t.getScreenCTM().a)""")
    assert min(sizes) >= 10.99  # pixels
    out = page.evaluate("""() => [...document.querySelector('[data-play]').shadowRoot.querySelectorAll('.box')].flatMap(box => {
        const room = box.querySelector('rect').getBoundingClientRect();
        return [...box.querySelectorAll('.name,.value,.sum,.slope')].map(t => [t.getBoundingClientRect(), t.textContent])
            .filter(([r, text]) => text && (r.left < room.left || r.right > room.right || r.bottom > room.bottom))
            .map(([, text]) => text);
    })""")
    assert not out
    look(page, f"play-{width}-{theme}")
    context.close()


def test_without_script_the_still_picture_stays(browser, tmp_path: Path) -> None:  # noqa: F811
    (tmp_path / "page.html").write_text("<!doctype html><meta charset=utf-8>" + graph().html, encoding="utf-8")
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((tmp_path / "page.html").as_uri())
    assert page.locator("img[alt^='The expression behind L']:visible").count() == 1
    context.close()


@pytest.mark.sampled(1, weekly=3)
@pytest.mark.parametrize("system", ["light", "dark"])
@pytest.mark.parametrize(("page_style", "dark"), [
    ("background: #111", True), ("background: #fff", False), ("background: rgba(0, 0, 0, 0)", False),
    ("color-scheme: dark; background: rgb(17, 17, 17)", True),
])  # fmt: skip
def test_pictures_and_plots_are_dark_on_dark_pages(browser, system: str, page_style: str, dark: bool) -> None:  # noqa: F811
    from PIL import Image

    x = mg.tensor(2.0, requires_grad=True)
    plot = viz.losses({"a": [1.0, 2.0]})
    with mock.patch("IPython.display.display") as display:
        plot._ipython_display_()
    page = browser.new_page(color_scheme=system)
    for html in (viz.draw(x * x, view="see").html, display.call_args.args[0]["text/html"]):
        page.set_content(f'<html><body style="{page_style}">{html}</body></html>')
        page.wait_for_function("document.images[0].complete")
        with Image.open(io.BytesIO(page.locator("img").screenshot())) as image:
            paper = image.convert("L").getpixel((image.width // 2, 4))
        assert (paper < 60) if dark else (paper > 240)
    y = x * x + x
    page.set_content(f'<html><body style="{page_style}"><div>{viz.steps(y).html}</div></body></html>')
    title = page.locator("[data-steps] svg text[font-size='14']").first
    ink = title.evaluate("e => getComputedStyle(e).fill.match(/\\d+/g).map(Number)")
    assert (min(ink) > 200) if dark else (max(ink) < 60)  # the player takes the picture out of its <img>
    page.close()


def test_reduced_motion(browser, tmp_path: Path) -> None:  # noqa: F811
    (tmp_path / "page.html").write_text("<!doctype html><meta charset=utf-8>" + graph().html, encoding="utf-8")
    for motion, balls in (("no-preference", 2), ("reduce", 0)):
        context = browser.new_context(reduced_motion=motion)
        page = context.new_page()
        page.goto((tmp_path / "page.html").as_uri())
        page.wait_for_selector(PLAYER, timeout=WAIT)
        count = page.evaluate("""() => { const r = document.querySelector('[data-play]').shadowRoot;
            r.querySelector("[aria-label='To the beginning']").click();
            r.querySelector("[aria-label='One step on']").click();
            return r.querySelectorAll('.ball').length; }""")
        assert count == balls
        context.close()


def test_script_computes_what_the_table_says(browser) -> None:  # noqa: F811
    """Each formula in JavaScript and in Python, at random numbers and at the edges."""
    rng = np.random.default_rng(0)
    jobs = []
    for name, entry in scalars.TABLE.items():
        for formula in (entry.value, *entry.slopes.values()):
            reads = scalars.reads(formula)
            for numbers in (*rng.uniform(-3, 3, (6, 8)), *rng.uniform(0.1, 0.9, (6, 8)), [0.0] * 8, [1.0] * 8):
                values = {word: float(v) for word, v in zip(reads, numbers, strict=False)}
                with np.errstate(all="ignore"):
                    expected = float(scalars.compute(formula, values, np.dtype(float)))
                jobs.append((name, formula, values, expected))
    operations = ",".join(map(scalars.script, scalars.TABLE))
    page = browser.new_page()
    found = page.evaluate(
        "jobs => {" + scalars.SCRIPT_CALLS + f"const OPS={{{operations}}};" + """
        const formula = (op, which) => which < 0 ? op.value : Object.values(op.slopes)[which];
        return jobs.map(([name, which, values]) => String(formula(OPS[name], which)(values)));
        }""",
        [(name, [scalars.TABLE[name].value, *scalars.TABLE[name].slopes.values()].index(f) - 1, v) for name, f, v, _ in jobs],
    )
    for (name, formula, values, expected), text in zip(jobs, found, strict=True):
        got = float(text.replace("Infinity", "inf"))
        assert got == pytest.approx(expected, rel=1e-12, abs=1e-14, nan_ok=True), (name, formula, values)
    assert sum(math.isfinite(expected) for *_, expected in jobs) > 0.8 * len(jobs)
    page.close()


def test_in_jupyterlab(tmp_path: Path, browser, look) -> None:  # noqa: F811
    lab = Lab(tmp_path)
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    cells = [v4.new_code_cell(SOURCE + "viz.play(L)")]
    nbformat.write(v4.new_notebook(cells=cells, metadata={"kernelspec": kernel}), lab.folder / "page.ipynb")
    page = browser.new_page(viewport={"width": 1100, "height": 1000})
    try:
        lab.open(page, "page.ipynb")
        page.click("text=Run >> nth=0")
        page.click("text=Run All Cells >> nth=0")
        drive(page)
        assert page.locator(".jp-Cell").count() == 1  # no key of ours went to the notebook
        look(page, "play-lab")
        page.locator(".jp-Cell .cm-content").first.click()
        page.keyboard.press("Control+s")
        stored = lab.folder / "page.ipynb"
        wait(lambda: "A graph to play with" in stored.read_text(encoding="utf-8"), "the notebook is not saved")
        assert "data-play=" not in stored.read_text(encoding="utf-8")
        notebook = nbformat.read(stored, as_version=4)
        notebook.cells[0].source += "\n# from somewhere else"  # so its signature is that of nobody here
        nbformat.write(notebook, lab.folder / "copy.ipynb")
        lab.open(page, "copy.ipynb")
        page.wait_for_selector("img[alt^='The expression behind L']", timeout=WAIT)
        assert page.locator(PLAYER).count() == 0 and page.locator(".jp-OutputArea-output [onload]").count() == 0
        look(page, "play-untrusted")
    finally:
        page.close()
        lab.close()


@pytest.mark.weekly
def test_in_a_notebook_page(browser, look, tmp_path: Path) -> None:  # noqa: F811
    told = graph()
    output = v4.new_output("execute_result", told._repr_mimebundle_(), execution_count=1)
    cell = v4.new_code_cell("viz.play(L)", execution_count=1, outputs=[output])
    nbformat.write(v4.new_notebook(cells=[cell]), tmp_path / "page.ipynb")
    command = [sys.executable, "-m", "nbconvert", "--to", "html", str(tmp_path / "page.ipynb")]
    subprocess.run(command, check=True, capture_output=True)
    context = browser.new_context(viewport={"width": 900, "height": 900})
    context.route("http*://**", lambda route: route.abort())  # what nbconvert's page would fetch is not what is tested
    page = context.new_page()
    page.goto((tmp_path / "page.html").as_uri())
    drive(page)
    look(page, "play-nbconvert")
    context.close()


def test_the_point_on_a_function_is_dragged(browser) -> None:  # noqa: F811
    picture = viz.tangent(lambda x: x**3, mg.linspace(0.0, 0.8, 81), at=0.4, step=0.3, both=True)
    page = browser.new_page(viewport={"width": 390, "height": 700})
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.set_content(picture.html)
    main = "[data-tangent] .play"
    page.wait_for_selector(main, timeout=WAIT)
    said = lambda: page.locator(f"{main} .says span").all_inner_texts()  # noqa: E731
    assert [line.rstrip(".") for line in said()] == picture.text.splitlines()
    names = page.locator(f"{main} .middle").evaluate_all("all => all.map(e => [e.textContent, e.getAttribute('visibility')])")
    assert sorted(names) == [[name, "visible"] for name in ("both sides", "one side", "tangent")]
    assert page.locator("img[alt^='At x']:visible").count() == 0
    plot = page.locator(f"{main} > svg").bounding_box()
    page.mouse.move(plot["x"] + plot["width"] / 2, plot["y"] + 60)
    page.mouse.down()
    page.mouse.move(plot["x"] + plot["width"], plot["y"] + 60)  # further than a step from the end: the point stops before
    page.mouse.up()
    assert said()[0] == "At x = 0.5 f is 0.125 and the slope of the tangent 0.75."
    page.mouse.move(plot["x"] + 50, plot["y"] + 60)  # not held any more
    assert "x = 0.5 " in said()[0]
    page.focus(f"{main} input >> nth=1")
    page.keyboard.press("Home")
    assert said()[1] == "The dashed secant with a step of 0.01 has the slope 0.7651."
    page.focus(f"{main} input >> nth=0")
    page.keyboard.press("ArrowLeft")
    assert said()[0].startswith("At x = 0.49 ") and page.locator(f"{main} > svg").get_attribute("aria-label") == " ".join(said())
    assert page.evaluate("document.documentElement.scrollWidth") == 390 and not errors
    page.close()
