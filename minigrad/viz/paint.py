"""Shapes and how they are written: one list of shapes becomes SVG here and PNG in `png.py`.

The SVG has presentation attributes, and one style sheet for dark pages: it is shown as an image, which keeps that to itself.
There are no ids and no scripts. Text is measured with a fixed table, that of Arial, Helvetica and Liberation Sans, so that the
bytes are the same everywhere.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from html import escape

from .style import FONT, both_themes

# Widths of the characters from space to ~ in thousandths of the font size.
_REGULAR = """
278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556
278 278 584 584 584 556 1015 667 667 722 722 667 611 778 722 278 500 667 556 833 722 778 667 778 722 667
611 722 667 944 667 667 611 278 278 278 469 556 333 556 556 500 556 556 278 556 556 222 222 500 222 833
556 556 556 556 333 500 278 556 500 722 500 500 500 334 260 334 584
"""
_BOLD = """
278 333 474 556 556 889 722 238 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556
333 333 584 584 584 611 975 722 722 722 722 667 611 778 722 278 556 722 611 833 722 778 667 778 722 667
611 722 667 944 667 667 611 333 278 333 584 556 333 556 611 556 611 556 333 611 611 278 278 556 278 889
611 611 611 611 389 556 333 611 556 778 556 556 500 389 280 389 584
"""
_WIDTHS = {
    bold: {chr(32 + i): int(w) for i, w in enumerate(table.split())} | {"·": 278, "×": 584, "²": 333, "…": 1000}
    for bold, table in ((False, _REGULAR), (True, _BOLD))
}


@dataclass(frozen=True, slots=True)
class Style:
    """How a run of text looks."""

    size: float
    fill: str
    bold: bool = False


@dataclass(frozen=True, slots=True)
class Run:
    text: str
    style: Style

    @property
    def width(self) -> float:
        return text_width(self.text, self.style)


@dataclass(frozen=True, slots=True)
class Text:
    """Runs on one line; `x` is their start, or their middle; `y` the baseline."""

    x: float
    y: float
    runs: tuple[Run, ...]
    middle: bool = False

    @property
    def width(self) -> float:
        return line_width(self.runs)


@dataclass(frozen=True, slots=True)
class Rect:
    x: float
    y: float
    w: float
    h: float
    radius: float
    fill: str
    stroke: str
    line: float = 1.2
    dash: str = ""


@dataclass(frozen=True, slots=True)
class Path:
    """A line of straight and cubic pieces: ("M", (x, y)), ("L", (x, y)), ("C", (x1, y1, x2, y2, x, y))."""

    steps: tuple[tuple[str, tuple[float, ...]], ...]
    stroke: str
    line: float = 1.4
    dash: str = ""


@dataclass(frozen=True, slots=True)
class Polygon:
    points: tuple[tuple[float, float], ...]
    fill: str


@dataclass(frozen=True, slots=True)
class Dot:
    x: float
    y: float
    radius: float
    fill: str


Shape = Text | Rect | Path | Polygon | Dot


@dataclass(frozen=True, slots=True)
class Scene:
    """A picture from `left` to `left + width`. `parts`: the same in pieces that may stand beside or below each other."""

    width: float
    height: float
    shapes: tuple[Shape, ...]
    left: float = 0.0
    parts: tuple[Scene, ...] = ()


RUN_GAP = 5.0  # between two runs on a line
# Text is told its width, so that it never leaves its box, whatever the font; only what stands in the middle of a box and is this short
# has room for a font that is a fifth wider.
LONG = 48.0


def text_width(text: str, style: Style) -> float:
    table = _WIDTHS[style.bold]
    return sum(table[ch] if ch in table else _guess(ch) for ch in text) * style.size / 1000


def _guess(ch: str) -> int:
    """The width of a character outside the table, on the safe side."""
    if unicodedata.combining(ch):
        return 0
    return 1000 if unicodedata.east_asian_width(ch) in "WFA" or ord(ch) > 0xFFFF else 780


def line_width(runs: tuple[Run, ...]) -> float:
    return sum(run.width for run in runs) + RUN_GAP * max(len(runs) - 1, 0)


def svg(scene: Scene, title: str) -> str:
    """The scene as an SVG document."""
    w, h = number(scene.width), number(scene.height)
    body = "\n".join(_element(shape) for shape in scene.shapes)
    return both_themes(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{w}" height="{h}" viewBox="{number(scene.left)} 0 {w} {h}" role="img" '
        f'font-family="{FONT}">\n<title>{clean(title)}</title>\n{body}\n</svg>\n'
    )


def _element(shape: Shape) -> str:
    match shape:
        case Rect(x, y, w, h, radius, fill, stroke, line, dash):
            place = f'x="{number(x)}" y="{number(y)}" width="{number(w)}" height="{number(h)}"'
            return f'<rect {place} rx="{number(radius)}" fill="{fill}" {_stroke(stroke, line, dash)}/>'
        case Path(steps, stroke, line, dash):
            d = " ".join(letter + " ".join(map(number, values)) for letter, values in steps)
            return f'<path d="{d}" fill="none" {_stroke(stroke, line, dash)}/>'
        case Polygon(points, fill):
            return (
                f'<polygon points="{" ".join(f"{number(x)},{number(y)}" for x, y in points)}" fill="{fill}"/>'
            )
        case Dot(x, y, radius, fill):
            return f'<circle cx="{number(x)}" cy="{number(y)}" r="{number(radius)}" fill="{fill}"/>'
        case Text(x, y, (run,), True):
            return _text(x, y, run, ' text-anchor="middle"', told=run.width > LONG)
        case Text(x, y, runs, middle):
            x, parts = x - shape.width / 2 if middle else x, []
            for run in runs:
                parts.append(_text(x, y, run))
                x += run.width + RUN_GAP
            return "\n".join(parts)


def _text(x: float, y: float, run: Run, anchor: str = "", told: bool = True) -> str:
    weight = ' font-weight="bold"' if run.style.bold else ""
    look = f'font-size="{number(run.style.size)}"{weight} fill="{run.style.fill}"'
    length = f' textLength="{number(run.width)}" lengthAdjust="spacingAndGlyphs"' if told else ""
    return f'<text x="{number(x)}" y="{number(y)}"{anchor} {look}{length}>{clean(run.text)}</text>'


def _stroke(colour: str, line: float, dash: str) -> str:
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
    return f'stroke="{colour}" stroke-width="{number(line)}"{dashes}'


def clean(text: str) -> str:
    """Text that is safe in XML and HTML, attributes included."""
    return escape("".join(ch if ch.isprintable() else "\N{REPLACEMENT CHARACTER}" for ch in text))


def number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
