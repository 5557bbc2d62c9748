"""Every picture of the notebooks on contact sheets, in light and in dark, on a phone and on two screens: to be looked at.

    python tools/contact.py            into build/contact
    python tools/contact.py FOLDER 04  there, and only what has this in its name

Each sheet is a PNG, called after the theme and the width. What a program can see is printed: text that is smaller than 11
pixels where it is shown, and text that leaves its picture or its box in the font that the browser falls back to. Wants Chromium
and playwright.
"""

from __future__ import annotations

import argparse
import html
import io
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
from PIL import Image, ImageChops

ROOT = Path(__file__).resolve().parent.parent
WIDTHS, THEMES = (390, 900, 1280), {"light": "#ffffff", "dark": "#111111"}
LEAST = 10.99  # pixels: the smallest text
SHEET = 1640, 2000  # pixels
_FLAGS = ("--no-sandbox", "--disable-gpu")
_STYLE = """
body { margin: 0; font: 14px/1.4 sans-serif; color: %s; background: %s }
section { padding: 8px 10px; overflow: hidden } h6 { margin: 0 0 4px; font: 11px monospace; opacity: .75 }
"""
# For each text of an SVG: how far it leaves the picture, and how far the box in which it begins.
_TROUBLES = """least => {
const found = [];
for (const section of document.querySelectorAll("section")) {
  const where = section.querySelector("h6").textContent, said = words => found.push(where + ": " + words);
  const small = (text, size) => size < least && said(JSON.stringify(text.slice(0, 40)) + " has " + size.toFixed(1) + " px");
  const shown = e => e.getClientRects().length;
  for (const img of section.querySelectorAll("img[src^='data:image/svg']")) {
    if (!shown(img)) continue;
    const holder = document.body.appendChild(document.createElement("div"));
    holder.style = "position:absolute;visibility:hidden";
    holder.innerHTML = new TextDecoder().decode(Uint8Array.from(atob(img.src.split(",")[1]), c => c.charCodeAt(0)));
    const svg = holder.firstElementChild, view = svg.viewBox.baseVal, scale = img.width / view.width;
    const boxes = [...svg.querySelectorAll("rect:not([stroke=none], defs rect)")].map(e => e.getBBox());
    for (const text of svg.querySelectorAll("text")) {
      const style = [...text.querySelectorAll("tspan"), text].map(e => parseFloat(getComputedStyle(e).fontSize));
      if (!text.closest("defs")) small(text.textContent, scale * style[0]);
      if (text.hasAttribute("transform") || text.closest("[transform]")) continue;
      const b = text.getBBox();
      const out = Math.max(view.x - b.x, b.x + b.width - view.x - view.width);
      if (out > 0.5) said(JSON.stringify(text.textContent) + " leaves the picture by " + out.toFixed(1));
      const around = boxes.filter(r => r.x <= b.x + b.width / 2 && r.x + r.width >= b.x + b.width / 2 && r.y <= b.y + b.height / 2
        && r.y + r.height >= b.y + b.height / 2).sort((r, s) => r.width * r.height - s.width * s.height)[0];
      const over = around ? Math.max(around.x - b.x, b.x + b.width - around.x - around.width) : 0;
      if (over > 0.5 && out <= 0.5) said(JSON.stringify(text.textContent) + " leaves its box by " + over.toFixed(1));
    }
    holder.remove();
  }
  const roots = [section, ...[...section.querySelectorAll("*")].filter(e => e.shadowRoot).map(e => e.shadowRoot)];
  for (const e of roots.flatMap(r => [...r.querySelectorAll("*")])) {
    const own = [...e.childNodes].filter(n => n.nodeType === 3 && n.textContent.trim());
    if (!own.length || !shown(e) || e.tagName === "STYLE") continue;
    const svg = e.closest("svg"), scale = svg ? svg.getBoundingClientRect().width / svg.viewBox.baseVal.width : 1;
    if (e.tagName !== "H6") small(e.textContent, scale * parseFloat(getComputedStyle(e).fontSize));
  }
}
return [...new Set(found)];
}"""


def pictures(wanted: str = "") -> Iterator[tuple[str, str]]:
    """Where each picture stands, and the HTML that a notebook shows of it."""
    for path in sorted([*ROOT.glob("notebooks/*.ipynb"), *ROOT.glob("docs/*.ipynb"), *ROOT.glob("solutions/*/*.ipynb")]):
        outputs = [output for cell in nbformat.read(path, as_version=4).cells for output in cell.get("outputs", [])]
        shown = [text for output in outputs if "<img" in (text := _html(output))]
        for number, text in enumerate(shown, 1):
            if wanted in (where := f"{path.parent.relative_to(ROOT).parts[0]}/{path.stem} {number}"):
                yield where, text


def _html(output: Any) -> str:
    data = output.get("data", {})
    if "image/png" not in data:
        return data.get("text/html", "")
    about = output.metadata.get("image/png", {})
    source = "".join(data["image/png"].split())
    return f'<img alt="{html.escape(about.get("alt", ""))}" width="{about.get("width", "")}" src="data:image/png;base64,{source}">'


def open_page(browser: Any, found: list[tuple[str, str]], theme: str, width: int, scripts: bool = True) -> Any:
    """A page with the pictures as a notebook shows them."""
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=theme, java_script_enabled=scripts)
    opened = ((where, re.sub(r"\A<details>", "<details open>", text)) for where, text in found)
    sections = "".join(f"<section><h6>{where}</h6>{text}</section>" for where, text in opened)
    dressed = _STYLE % ("#eee" if theme == "dark" else "#111", THEMES[theme])
    page.set_content(f"<!doctype html><style>{dressed}</style>{sections}")
    page.wait_for_timeout(500)
    return page


def troubles(page: Any) -> list[str]:
    return page.evaluate(_TROUBLES, LEAST)


def sheets(page: Any) -> Iterator[Image.Image]:
    """The sections of a page without the empty room beside them, row by row, on as many sheets as that takes."""
    sheet, x, y, depth = None, 0, 0, 0
    for section in page.query_selector_all("section"):
        shot = Image.open(io.BytesIO(section.screenshot())).convert("RGB")
        paper = Image.new("RGB", shot.size, shot.getpixel((0, 0)))
        _, _, right, _ = ImageChops.difference(shot, paper).getbbox() or (0, 0, *shot.size)
        shot = shot.crop((0, 0, min(right + 10, shot.width), shot.height))
        if x and x + shot.width > SHEET[0]:
            x, y, depth = 0, y + depth, 0
        if sheet is not None and y and y + shot.height > SHEET[1]:
            yield sheet
            sheet = None
        if sheet is None:
            sheet, x, y, depth = Image.new("RGB", SHEET, "#808080"), 0, 0, 0
        sheet.paste(shot, (x, y))
        x, depth = x + shot.width + 4, max(depth, shot.height + 4)
    if sheet is not None:
        yield sheet


def main() -> int:
    parser = argparse.ArgumentParser(description="Every picture of the notebooks on contact sheets.")
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "build" / "contact", help="where the sheets go")
    parser.add_argument("name", nargs="?", default="", help="only pictures that have this in their name, as 04")
    given = parser.parse_args()
    out, found = given.folder, list(pictures(given.name))
    from playwright.sync_api import sync_playwright

    out.mkdir(parents=True, exist_ok=True)
    seen: set[str] = set()
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium") or None, args=list(_FLAGS))
        for width in WIDTHS:
            for theme in THEMES:
                page = open_page(browser, found, theme, width)
                seen |= {f"{re.sub(r':', f', {width} wide:', line, count=1)}" for line in troubles(page) if theme == "light"}
                for number, sheet in enumerate(sheets(page), 1):
                    sheet.save(out / f"{theme}-{width}-{number:02}.png", optimize=True)
                page.close()
        browser.close()
    print("\n".join([*sorted(seen), f"{len(found)} pictures are in {out}."]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
