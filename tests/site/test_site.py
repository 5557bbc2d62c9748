"""The website: built, read by a program, and opened in a real browser.

MINIGRAD_SITE names a site that is built already. MINIGRAD_SITE_ALL=1 looks at every page as closely as at the chosen few.
MINIGRAD_SCREENSHOTS names a folder to keep what the browser showed.
"""

from __future__ import annotations

import functools
import http.server
import importlib.metadata
import importlib.util
import os
import posixpath
import re
import shutil
import subprocess
import sys
import tarfile
import threading
import time
import types
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from bs4 import BeautifulSoup

from tools import website

ROOT = Path(__file__).parents[2]
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
AXE = ("axe-core", "4.14.1", "e6b0ce02b84d892e2e33e403485e7f3d6c29e2be6df65daf44d89ba564139745")
CHOSEN = (
    "index", "lab", "search", "lessons/00-start", "lessons/01-the-graph", "lessons/04-vjps", "exercises/04-vjps",
    "api/autograd", "help/pictures", "help/91-messages",
)  # fmt: skip

pytestmark = pytest.mark.sphinx


@pytest.fixture(scope="session")
def site(tmp_path_factory) -> Path:
    """The folder of the built site. Two workers of one run share it."""
    if "MINIGRAD_SITE" in os.environ:
        return Path(os.environ["MINIGRAD_SITE"]).resolve()
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    out, done, failed = shared / "site", shared / "site.done", shared / "site.failed"
    try:
        (shared / "site.lock").mkdir()
    except FileExistsError:
        while not done.exists() and not failed.exists():
            time.sleep(0.2)
    else:
        env = {k: v for k, v in os.environ.items() if k not in ("MINIGRAD_REPOSITORY", "GITHUB_REPOSITORY")}
        command = [sys.executable, "tools/website.py", "--out", str(out)]
        run = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
        (failed if run.returncode else done).write_text(run.stdout + run.stderr, encoding="utf-8")
    if failed.exists():
        pytest.fail(f"The site was not built:\n{failed.read_text(encoding='utf-8')}")
    return out


def page_files(site: Path) -> list[Path]:
    return sorted(p for p in site.rglob("*.html") if not {"lite", "_static"} & set(p.relative_to(site).parts))


@functools.cache
def soup(path: Path) -> BeautifulSoup:
    # The coloured words of code are most of a page's tags, and no test here asks for a colour.
    return BeautifulSoup(re.sub(r'<span class="\w+">([^<]*)</span>', r"\1", path.read_text(encoding="utf-8")), "html.parser")


@functools.cache
def places(path: Path) -> list[str]:
    """Of all that has an id on a page. Many links lead to one page: it is searched once."""
    return [tag["id"] for tag in soup(path).find_all(id=True)]


def test_parameters_stand_in_a_list() -> None:
    told = ["Draw f.", "", "It is drawn. xs: n numbers,", "in order; None: all. at, to: two places. Raises ValueError", "for others."]
    told += ["", ">>> draw(at: 1)"]
    listed = website.with_parameters(told, ["f", "xs", "at", "to"])
    assert [line for line in listed if line] == [
        "Draw f.", "It is drawn.", "* ``xs``: n numbers, in order; None: all.", "* ``at``, ``to``: two places.",
        "Raises ValueError for others.", ">>> draw(at: 1)",
    ]  # fmt: skip
    plain = ["Nothing: here.", "", "* xs: no"]
    assert [line for line in website.with_parameters(plain, ["xs"]) if line] == [line for line in plain if line]


# --- What a program can see in a page ---


def troubles(page: BeautifulSoup) -> list[str]:
    """What is wrong with a page on its own."""
    found = []
    article = page.find("article") or page
    levels = [int(h.name[1]) for h in article.find_all(re.compile(r"^h[1-6]$"))]
    if levels.count(1) != 1 or levels[:1] != [1]:
        found.append(f"headings begin {levels[:3]}, with {levels.count(1)} of the first level")
    found += [f"a heading of level {a} is followed by one of {b}" for a, b in zip(levels, levels[1:], strict=False) if b > a + 1]
    for image in page.find_all("img"):
        for_nobody = image.get("alt") == "" and (image.get("height") == "1" or image.get("role") == "presentation")
        if not (image.get("alt") or "").strip() and not for_nobody:
            found.append(f"an image without a description: {str(image)[:90]}")
    ids = [tag["id"] for tag in page.find_all(id=True)]
    found += [f"the id {i} is there {ids.count(i)} times" for i in sorted(set(ids)) if ids.count(i) > 1]
    for tag in page.find_all(["script", "link", "img", "iframe", "source", "video", "audio"]):
        address = tag.get("src") or (tag.get("href") if tag.name == "link" and tag.get("rel") != ["canonical"] else "") or ""
        if re.match(r"(https?:)?//", address):
            found.append(f"asks another host: {address}")
    return found


def dead_links(site: Path, path: Path) -> list[str]:
    """Links and sources inside the site that lead nowhere."""
    found = []
    for tag in soup(path).find_all(["a", "img", "script", "link"]):
        address = tag.get("href") or tag.get("src")
        if not address or re.match(r"[a-z]+:|//", address):
            continue
        parts = urlsplit(address)
        target = path if not parts.path else path.parent / unquote(parts.path)
        target = Path(posixpath.normpath(target.as_posix()))
        target = target / "index.html" if target.is_dir() else target
        if not target.is_file():
            found.append(f"{address}: no such file")
        elif "lite" in target.relative_to(site).parts:
            wanted = parse_qs(parts.query).get("path", [""])[0]
            if wanted and not (site / "lite" / "files" / wanted).is_file():
                found.append(f"{address}: the lab has no {wanted}")
        elif parts.fragment and target.suffix == ".html" and unquote(parts.fragment) not in places(target):
            found.append(f"{address}: no such place")
    return found


WRONG = [
    ("<h1>a</h1><h3>b</h3>", "followed by"),
    ("<h2>a</h2>", "of the first level"),
    ("<h1>a</h1><img src='x.png'>", "without a description"),
    ("<h1>a</h1><img alt=' ' src='x.png'>", "without a description"),
    ("<h1>a</h1><img role='presentation' src='x.png'>", "without a description"),
    ("<h1 id='a'>a</h1><p id='a'>b</p>", "2 times"),
    ("<h1>a</h1><script src='https://cdn.example/x.js'></script>", "another host"),
    ("<h1>a</h1><link rel='stylesheet' href='//fonts.example/x.css'>", "another host"),
]


@pytest.mark.parametrize(("text", "trouble"), WRONG)
def test_a_wrong_page_is_seen(text: str, trouble: str) -> None:
    assert any(trouble in found for found in troubles(BeautifulSoup(text, "html.parser")))


def test_a_dead_link_is_seen(tmp_path: Path) -> None:
    (tmp_path / "lite").mkdir()
    (tmp_path / "lite" / "index.html").write_text("<h1>a</h1>")
    (tmp_path / "page.html").write_text(
        "<a href='gone.html'>a</a><a href='#gone'>b</a><a href='lite/index.html?path=gone.ipynb'>c</a><a href='page.html'>d</a>"
    )
    assert len(dead_links(tmp_path, tmp_path / "page.html")) == 3


def test_pages_are_in_order(site: Path) -> None:
    pages = sorted(page_files(site))[:: 1 if os.environ.get("MINIGRAD_SITE_ALL") else 3]
    found = {f"{path.relative_to(site)}: {what}" for path in pages for what in troubles(soup(path)) + dead_links(site, path)}
    assert sorted(found) == []


def test_every_source_has_its_page_and_the_chapters_follow_each_other(site: Path) -> None:
    expected = {posixpath.splitext(page)[0] + ".html" for page in website.pages().values()}
    assert {p for p in expected if not (site / p).is_file()} == set()
    way, at = [], "lessons/00-start.html"
    while at.startswith(("lessons", "exercises")):
        way.append(at)
        link = soup(site / at).find("a", class_="right-next")
        at = posixpath.normpath(posixpath.join(posixpath.dirname(at), link["href"]))
    chapters = [path.stem for path in website.lessons()]
    with_exercises = {path.stem for path in website.exercises()}
    assert way == [f"{kind}/{name}.html" for name in chapters for kind in ("lessons", "exercises")
                   if kind == "lessons" or name in with_exercises]  # fmt: skip
    for before, after in zip(way, way[1:], strict=False):
        link = soup(site / after).find("a", class_="left-prev")["href"]
        assert posixpath.normpath(posixpath.join(posixpath.dirname(after), link)) == before


def test_start_page_has_the_paths_with_their_minutes(site: Path) -> None:
    text = soup(site / "index.html").find("article").get_text(" ")
    for words in ("Essentials", "Researcher", "Engine builder", "25 + 40 min"):
        assert words in text
    assert len(re.findall(r"\d+ h \d\d", text)) >= 3
    links = {a["href"] for a in soup(site / "index.html").find("article").find_all("a", href=True)}
    assert {f"lessons/{path.stem}.html" for path in website.lessons()[1:]} <= links
    assert {"api/index.html", "lab.html"} <= links
    cards = soup(site / "index.html").select(".cards a")
    assert [card["href"] for card in cards] == [f"lessons/{p.stem}.html" for p in website.lessons() if "00" < p.stem[:2] < "90"]
    for card in cards:
        assert card.find("img"), card["href"]
        assert all((site / picture["src"]).stat().st_size > 500 for picture in card.find_all("img"))
    assert cards[0]["data-exercises"].split() == [f"01.{k}" for k in range(1, 7)] and not cards[-1]["data-exercises"]
    ways = soup(site / "index.html").find("section", id="three-ways-to-begin")
    ways = {a["href"] for a in ways.find_all("a", class_="reference")}
    assert ways == {"lessons/00-start.html", "lessons/01-the-graph.html", "lab.html"}


def test_each_notebook_has_its_button_and_says_before_what_is_downloaded(site: Path) -> None:
    for path in [*website.lessons(), *website.exercises()]:
        source = path.relative_to(ROOT).as_posix()
        page = soup(site / website.pages()[source].replace(".ipynb", ".html"))
        (bar,) = page.find_all(class_="open-bar")
        (button,) = bar.find_all("a", class_="open-lab")
        assert button["href"].endswith(f"lite/lab/index.html?path={source}")
        assert re.search(r"about \d+ MB are downloaded", bar.get_text())
        beside = [p for p in path.parent.iterdir() if p.suffix == ".py" and path.parent.name != "notebooks"]
        assert all((site / "lite" / "files" / p.relative_to(ROOT)).is_file() for p in beside)
        lab = website.read(site / "lite" / "files" / source)
        assert "piplite.install" in lab.cells[1].source
        assert [c.source for i, c in enumerate(lab.cells) if i != 1] == [c.source for c in website.read(path).cells]


def test_each_solution_is_one_click_away_and_not_before(site: Path) -> None:
    for path in website.exercises():
        page = soup(site / "exercises" / f"{path.stem}.html")
        checks = [c.id.removesuffix("-check").replace("-", ".") for c in website.read(path).cells if c.id.endswith("-check")]
        folded = page.find_all("details", class_="solution")
        assert [d.summary.get_text() for d in folded] == [f"Solution of {id}" for id in checks] and checks
        assert all(not d.has_attr("open") and d.find("pre") and d.find_all("p") for d in folded)
        assert "BEGIN SOLUTION" not in page.get_text() and "HIDDEN TESTS" not in page.get_text()


def test_the_reference_has_every_public_name(site: Path) -> None:
    import minigrad

    ids = {tag["id"] for path in (site / "api").glob("*.html") for tag in soup(path).find_all("dt", id=True)}
    names = {
        f"minigrad.{n}" for n, thing in vars(minigrad).items()
        if not n.startswith("_") and callable(thing) and getattr(thing, "__module__", "").startswith("minigrad")
        and not isinstance(thing, types.ModuleType) and not isinstance(thing, minigrad.dtype)
    }  # fmt: skip
    names |= {"minigrad.autograd.grad", "minigrad.nn.Linear", "minigrad.nn.functional.conv2d", "minigrad.optim.Adam",
              "minigrad.viz.steps", "minigrad.course.check", "minigrad.Tensor.backward"}  # fmt: skip
    assert sorted(names - ids - {"minigrad.Any"}) == []
    text = soup(site / "api" / "autograd.html")
    place = text.find("dt", id="minigrad.autograd.grad").parent
    assert any("../lessons/08-autograd-grad.html" in a["href"] for a in place.find_all("a", href=True))


def test_the_site_is_not_made_of_this_machine(site: Path) -> None:
    for path in page_files(site):
        text = path.read_text(encoding="utf-8")
        assert str(ROOT) not in text and not re.search(r"(?<![\w/+])0x[0-9a-f]{6,16}(?![\w/+=])", text), path


# --- What a reader sees ---


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    class Quiet(http.server.SimpleHTTPRequestHandler):
        extensions_map = http.server.SimpleHTTPRequestHandler.extensions_map | {".mjs": "text/javascript", ".wasm": "application/wasm"}

        def log_message(self, *args) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=site))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright

    flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync"]
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=flags)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def axe() -> str:
    try:
        archive = website.npm_package(*AXE)
    except website.SiteError as error:
        pytest.skip(str(error))
    with tarfile.open(archive) as package:
        return package.extractfile("package/axe.min.js").read().decode()


def wanted(site: Path) -> list[str]:
    every = [path.relative_to(site).with_suffix("").as_posix() for path in page_files(site)]
    return every if os.environ.get("MINIGRAD_SITE_ALL") else [name for name in CHOSEN if name in every]


class Watch:
    """A page whose errors and requests are written down."""

    def __init__(self, context, address: str):
        self.page, self.address, self.wrong = context.new_page(), address, []
        self.bytes = 0
        self.page.on("console", lambda m: self.wrong.append(f"console: {m.text}") if m.type == "error" else None)
        self.page.on("pageerror", lambda error: self.wrong.append(f"script: {error}"))
        self.page.on("requestfailed", lambda r: self.wrong.append(f"failed: {r.url}"))
        self.page.on("response", lambda r: self.wrong.append(f"{r.status}: {r.url}") if r.status >= 400 else None)
        self.page.on(
            "request", lambda r: None if r.url.startswith((address, "data:", "blob:")) else self.wrong.append(f"asks {r.url}")
        )

    def open(self, name: str) -> None:
        self.page.goto(f"{self.address}{name}.html")
        self.page.evaluate("() => window.MathJax && window.MathJax.startup ? window.MathJax.startup.promise.then(() => 1) : 1")


SEEN = """() => {
  const here = [...document.querySelectorAll('article img')].filter(i => i.offsetParent !== null);
  for (const i of here) i.loading = 'eager';
  return {
    math: document.querySelectorAll('.math').length, typeset: document.querySelectorAll('article mjx-container').length,
    errors: document.querySelectorAll('mjx-merror').length,
    blank: here.filter(i => !(i.complete && i.naturalWidth > 0)).map(i => i.alt),
  }}"""
WIDTH = """() => {
  const wide = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= wide && document.body.scrollWidth <= wide) return [];
  return [...document.querySelectorAll('body *')].filter(e => e.getBoundingClientRect().right > wide + 1)
    .slice(0, 5).map(e => e.tagName + '.' + e.className);
}"""

BROKEN = """() => {
  const found = [], range = document.createRange();
  for (const cell of document.querySelectorAll('article :is(th, td)')) {
    const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    for (let text; (text = texts.nextNode());) {
      if (text.parentElement.closest('code')) continue;
      for (const word of text.data.matchAll(/\\p{L}+/gu)) {
        range.setStart(text, word.index);
        range.setEnd(text, word.index + word[0].length);
        if (new Set([...range.getClientRects()].map(r => r.top)).size > 1) found.push(word[0]);
      }
    }
  }
  return found.slice(0, 5);
}"""


@pytest.mark.browser
def test_every_page_in_a_browser_wide_and_narrow(browser, address: str, site: Path) -> None:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    watch, found = Watch(context, address), []
    for path in sorted(page_files(site))[:: 1 if os.environ.get("MINIGRAD_SITE_ALL") else 20]:
        name = path.relative_to(site).with_suffix("").as_posix()
        watch.open(name)
        watch.page.wait_for_load_state("load")
        seen = watch.page.evaluate(SEEN)
        if seen["math"] != seen["typeset"] or seen["errors"] or seen["blank"]:
            found.append(f"{name}: {seen}")
        for width in (1280, 375):
            watch.page.set_viewport_size({"width": width, "height": 900})
            too_wide = watch.page.evaluate(WIDTH)
            found += [f"{name} at {width}: {what} is wider than the screen" for what in too_wide]
            found += [f"{name} at {width}: a table breaks the word {word}" for word in watch.page.evaluate(BROKEN)]
        watch.page.set_viewport_size({"width": 1280, "height": 900})
        found += [f"{name}: {what}" for what in watch.wrong]
        watch.wrong.clear()
    context.close()
    assert found == []


# While a colour fades from one theme to the other, its contrast is that of neither.
AT_REST = """async () => {
    await document.fonts.ready;
    await new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    const ending = document.getAnimations().filter(a => a.effect.getComputedTiming().endTime !== Infinity);
    await Promise.allSettled(ending.map(a => a.finished));
}"""


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.weekly)])
@pytest.mark.browser
def test_no_serious_barrier(browser, address: str, site: Path, axe: str, scheme: str) -> None:
    context = browser.new_context(viewport={"width": 1280, "height": 900}, color_scheme=scheme)
    watch, found = Watch(context, address), []
    for name in wanted(site)[:: 1 if os.environ.get("MINIGRAD_SITE_ALL") else 4]:
        watch.open(name)
        watch.page.wait_for_load_state("load")
        watch.page.evaluate(AT_REST)
        watch.page.evaluate(axe)
        result = watch.page.evaluate("() => axe.run(document, {resultTypes: ['violations']})")
        for violation in result["violations"]:
            if violation["impact"] in ("serious", "critical"):
                nodes = [node["html"][:120] for node in violation["nodes"][:3]]
                found.append(f"{name}: {violation['id']} ({len(violation['nodes'])}): {nodes}")
    context.close()
    assert found == []


@pytest.mark.browser
def test_axe_sees_a_barrier(browser, axe: str) -> None:
    page = browser.new_page()
    page.set_content("<html lang=en><title>t</title><main><h1>t</h1><p style='color:#ddd;background:#fff'>grey</p><img src=x></main>")
    page.evaluate(axe)
    found = {v["id"] for v in page.evaluate("() => axe.run()")["violations"]}
    page.close()
    assert {"color-contrast", "image-alt"} <= found


@pytest.mark.browser
@pytest.mark.sampled(1, weekly=5)  # the first and the last
@pytest.mark.parametrize("width", [390, 900, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_first_page_computes(browser, address: str, site: Path, width: int, scheme: str) -> None:
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    watch = Watch(context, address)
    watch.open("index")
    page, player = watch.page, watch.page.locator("[data-play] .play")
    player.locator(".sliders input").nth(0).fill("7")
    boxes = {name.split(" = ")[0]: k for k, name in enumerate(player.locator(".box .name").all_text_contents())}
    values, slopes = (player.locator(f".box .{part}").all_text_contents() for part in ("value", "slope"))
    assert (values[boxes["L"]], slopes[boxes["b"]]) == ("28", "slope 8")  # 7 · 3 + (3 + 4), and 7 + 1
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert player.evaluate("e => e.classList.contains('dark')") == (scheme == "dark")
    assert watch.wrong == []
    context.close()


@pytest.mark.browser
def test_a_stepper_moves_by_keyboard_and_by_mouse(browser, address: str, site: Path) -> None:
    name = next(p for p in page_files(site) if p.parent.name == "lessons" and "Step 1 of" in p.read_text(encoding="utf-8"))
    context = browser.new_context(viewport={"width": 1100, "height": 900})
    watch = Watch(context, address)
    watch.open(f"lessons/{name.stem}")
    page = watch.page
    box = page.locator("[data-steps] .play").first
    slider, shown = box.locator("input[type=range]"), box.locator(".says .title")
    slider.scroll_into_view_if_needed()
    assert shown.inner_text().startswith("Step 1 of")
    slider.focus()
    page.keyboard.press("ArrowRight")
    assert shown.inner_text().startswith("Step 2 of")
    picture = box.locator(".scroll svg")
    assert picture.bounding_box()["width"] > 100 and len(picture.get_attribute("aria-label")) > 10
    at = slider.bounding_box()
    page.mouse.click(at["x"] + at["width"] - 3, at["y"] + at["height"] / 2)
    last = int(slider.get_attribute("max"))
    assert shown.inner_text().startswith(f"Step {last} of {last}")
    assert watch.wrong == []
    context.close()


@pytest.mark.browser
def test_a_pasted_message_is_found(browser, address: str) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 900})
    watch = Watch(context, address)
    watch.open("help/91-messages")
    page, box = watch.page, watch.page.get_by_label("Paste your message, or some words of it")
    shown = lambda: [text.removesuffix("#") for text in page.locator("article h3:visible").all_inner_texts()]  # noqa: E731
    every = shown()
    trace = 'Traceback (most recent call last):\n  File "a.py", line 3, in <module>\n'
    wrong = "Mismatch in shape: grad_output[0] has a shape of torch.Size([3]) and output[0] has a shape of torch.Size([2])."
    box.fill(trace + "RuntimeError: " + wrong)
    assert [text[:32] for text in shown()] == ["Mismatch in shape: grad_output[…"]
    assert page.get_by_role("status").inner_text().startswith("1 of ")
    box.fill("grad can be implicitly created only for scalar outputs")
    assert shown() == ["grad can be implicitly created only for scalar outputs"]
    box.fill("scalar implicitly")
    assert len(shown()) == 2 and page.get_by_role("status").inner_text().endswith("have these words.")
    box.fill("RuntimeError: graph freed, trying to backward a second time (saved tensors) directly access")
    assert any("backward through the graph a second time" in text for text in shown()) and len(shown()) < 4
    box.fill("xylophone")
    assert shown() == [] and page.get_by_role("status").inner_text() == "None fits. Take fewer words."
    box.fill("")
    assert shown() == every and len(every) > 100 and watch.wrong == []
    context.close()


@pytest.mark.browser
def test_a_picture_is_enlarged_by_click_and_by_key(browser, address: str) -> None:
    context = browser.new_context(viewport={"width": 900, "height": 900})
    watch = Watch(context, address)
    watch.open("lessons/01-the-graph")
    page, picture = watch.page, watch.page.locator("article img[role=button]:visible").first
    small, dialog = picture.bounding_box()["width"], page.locator("dialog.enlarged")
    picture.click()
    assert dialog.locator("img").bounding_box()["width"] > 1.5 * small
    assert dialog.get_attribute("aria-label") == picture.get_attribute("alt")
    page.keyboard.press("Escape")
    dialog.wait_for(state="hidden", timeout=10_000)
    picture.focus()
    page.keyboard.press("Enter")
    assert dialog.is_visible()
    dialog.click()
    dialog.wait_for(state="hidden", timeout=10_000)
    assert watch.wrong == []
    context.close()


@pytest.mark.browser
def test_without_scripts_everything_can_be_read(browser, address: str) -> None:
    context = browser.new_context(java_script_enabled=False, viewport={"width": 900, "height": 900})
    page = context.new_page()
    page.goto(f"{address}exercises/04-vjps.html")
    first = page.locator("details.solution").first
    assert not first.locator("pre").is_visible()
    first.locator("summary").click()
    assert first.locator("pre").is_visible()
    context.close()


@pytest.mark.browser
def test_what_is_printed_is_dark_on_white(browser, address: str) -> None:
    context = browser.new_context(color_scheme="dark")
    page = context.new_page()
    page.goto(f"{address}lessons/01-the-graph.html")
    ink = "() => getComputedStyle(document.querySelector('article p')).color.match(/\\d+/g).slice(0, 3).map(Number)"
    assert min(page.evaluate(ink)) > 150
    page.evaluate("() => dispatchEvent(new Event('beforeprint'))")
    assert max(page.evaluate(ink)) < 100
    page.evaluate("() => dispatchEvent(new Event('afterprint'))")
    assert min(page.evaluate(ink)) > 150
    context.close()


@pytest.mark.browser
def test_search_finds_a_lesson(browser, address: str) -> None:
    context = browser.new_context()
    watch = Watch(context, address)
    watch.page.goto(f"{address}search.html?q=retain_graph")
    watch.page.wait_for_selector("#search-results li a[href*='07-retain-graph']", timeout=30_000)
    assert watch.wrong == []
    context.close()


@pytest.mark.browser
def test_the_lab_opens_its_notebook_from_this_site(browser, address: str) -> None:
    """JupyterLite shows the notebook; that its kernel starts needs Pyodide, which only the published site can show."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page, others = context.new_page(), set()
    context.route(
        re.compile(rf"^https?://(?!{re.escape(urlsplit(address).netloc)})"), lambda r: (others.add(r.request.url), r.abort())
    )
    page.goto(f"{address}lessons/01-the-graph.html")
    page.click("a.open-lab")
    page.wait_for_selector(".jp-Notebook h1:has-text('01 · The graph')", timeout=60_000)
    page.wait_for_selector(".jp-Notebook .jp-CodeCell:has-text('piplite.install')", timeout=60_000)  # cells are drawn one by one
    assert {urlsplit(url).netloc for url in others} <= {"cdn.jsdelivr.net"}
    banner = page.get_by_role("alert").filter(has_text="Python cannot be fetched")  # nobody gets it here
    banner.wait_for(timeout=30_000)
    assert "cdn.jsdelivr.net" in banner.inner_text() and banner.get_by_role("link").get_attribute("href") == "../../lab.html"
    banner.get_by_role("button").click()
    assert page.locator("#no-python").count() == 0
    context.close()


@pytest.mark.browser
def test_cards_tell_what_was_solved_in_the_lab(browser, address: str) -> None:
    """The record is put where the lab's own file manager puts it: how JupyterLite keeps files is its business."""
    context = browser.new_context()

    def with_app(route) -> None:
        settings = (answer := route.fetch()).json()
        settings["jupyter-config-data"]["exposeAppInBrowser"] = True
        route.fulfill(response=answer, json=settings)

    context.route("**/jupyter-lite.json*", with_app)
    page = context.new_page()
    page.goto(address)
    assert page.locator(".cards .solved").count() == 0
    page.goto(f"{address}lite/lab/index.html")
    page.wait_for_function("window.jupyterapp?.serviceManager?.contents", timeout=60_000)
    record = {"exercises": {"01.1": {"passed": True}, "01.2": {"passed": False}, "03.4": {"passed": True}, "03.5": {"passed": True}}}
    page.evaluate(
        """async record => {
          const files = jupyterapp.serviceManager.contents, folder = await files.newUntitled({path: "", type: "directory"});
          await files.rename(folder.path, "work");
          await files.save("work/.progress.json", {type: "file", format: "text", content: JSON.stringify(record)});
        }""",
        record,
    )
    page.goto(address)
    page.wait_for_selector(".cards .solved")
    assert page.locator(".cards .solved").all_inner_texts() == ["1 of 6 solved", "2 of 6 solved"]
    context.close()


# --- Colab ---


def test_first_cell_for_colab_installs_once_and_says_so(monkeypatch, capsys) -> None:
    cell = website.COLAB_FIRST_CELL.format(wheel="https://example.org/minigrad_course-0.1.0-py3-none-any.whl")
    ran: list[list[str]] = []
    find, version = importlib.util.find_spec, importlib.metadata.version
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: find(name) if name != "minigrad" or ran else None)
    monkeypatch.setattr(importlib.metadata, "version", lambda name: "0.1.0" if name == "minigrad-course" else version(name))
    monkeypatch.setattr(subprocess, "run", lambda command, **how: ran.append(command))
    exec(cell, {})
    assert "Installed minigrad-course 0.1.0 with pip" in capsys.readouterr().out
    exec(cell, {})
    assert "nothing was changed" in capsys.readouterr().out
    assert len(ran) == 1 and ran[0][2:4] == ["pip", "install"] and ran[0][-1].endswith(".whl")
