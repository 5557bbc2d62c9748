"""One look for all pictures: colours by what they mean, type, and the dark form of each colour.

Two hues and their tints. Blue is what a program computes: values, leaves, the first line of a plot. Orange is what the backward
pass brings: cotangents, slopes, backward nodes, the second line. Red orange is wrong, grey is freed or on the side. Words, dashes
or marks say the same as each colour.
"""

from __future__ import annotations

import math
import re
from typing import Any

FONT = "Helvetica, Arial, 'Liberation Sans', sans-serif"
MONO = "'DejaVu Sans Mono', Menlo, Consolas, monospace"

INK, MUTED, FAINT, LINE, GRID = "#1b2733", "#55626f", "#696969", "#9aa7b4", "#e3e7ea"
PAPER, RIM, PLAIN_BOX = "#fcfcfa", "#dfe3e6", "#f4f6f8"
VALUE, BLUE, BLUE_TINT = "#00588a", "#0072b2", "#dcebf8"
SLOPE, ORANGE, ORANGE_TINT = "#8a4b00", "#c77f00", "#fdeed3"
ALERT, MARK, MARK_TINT = "#b34700", "#d55e00", "#fdeade"
ARROW_DOWN, ARROW_UP = "#5b6b7d", "#a66900"
OUTLINE, DASHED, FREED, FREED_RIM, FOLDED = "#6b7b8c", "#8a8a8a", "#f0f0f0", "#a8a8a8", "#f6f6f4"

# The lines of a plot, in this order; each comes with a dash and a marker of its own.
COLOURS = (BLUE, "#b85c00", OUTLINE, INK, "#e0a030", "#5aa9dc")
DASHES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1, 1.3)), (0, (5, 1.5, 1, 1.5)), (0, (8, 2)), (0, (3, 1, 1, 1, 1, 1)))
MARKERS = "os^Dvp"

# What the rule in `night` would make too pale or too loud.
_NIGHT = {
    "#ffffff": "#20272f", PAPER: "#1b2129", RIM: "#333c46", PLAIN_BOX: "#262e37", FOLDED: "#242b33", GRID: "#2e3740",
    INK: "#e9eef3", MUTED: "#aab6c2", FAINT: "#b2b2b2", LINE: "#6d7b89", FREED: "#2a2f35", FREED_RIM: "#6a7078",
    VALUE: "#8ccbf5", BLUE_TINT: "#1c3a52", BLUE: "#4fa8e0", SLOPE: "#f5b95f", ORANGE_TINT: "#4a3510", ORANGE: "#e0a040",
    MARK_TINT: "#4a2a14", MARK: "#f0803c", ALERT: "#ff9a5c", ARROW_DOWN: "#93a3b5", ARROW_UP: "#d69a3c", "#b85c00": "#e8923e",
    "#5aa9dc": "#2f7fb5", "#e0a030": "#b98420", OUTLINE: "#95a5b6",
    "#d5dade": "#4a525b", "#e6e9ec": "#39414a", "#e9e9e9": "#3a424b",
}  # fmt: skip


def night(colour: str) -> str:
    """The colour, "#rrggbb", that says the same on dark paper: the same hue, dark for light and light for dark."""
    if colour in _NIGHT:
        return _NIGHT[colour]
    lightness, a, b = _oklab(colour)
    other = min(0.93, max(0.26, 1.16 - lightness))
    rich = min(1.0, 0.45 + 0.85 * other)  # a dark colour cannot be as rich as a light one
    if 0.5 < lightness <= 0.7 and math.hypot(a, b) > 0.04:  # between BLUE and ORANGE: as light there as they are
        other, rich = 0.72, 1.0
    if lightness > 0.7:  # A tint, as behind a number in a table: the more colour, the larger the number. All of them would be
        # nearly black on dark paper. So there more colour means more light, but never so much that pale text cannot be read.
        other, rich = min(0.52, max(other, 0.31 + 1.4 * math.hypot(a, b))), 1.0
    return _hex(other, rich * a, rich * b)


def variables() -> str:
    """The colours as the style sheets of the pictures that move call them, for light and for dark."""
    named = {
        "value": VALUE, "slope": SLOPE, "ink": INK, "muted": MUTED, "line": LINE, "box": PLAIN_BOX, "leaf": BLUE_TINT,
        "glow": ORANGE_TINT, "rim": ORANGE, "on": "#ffffff", "alert": ALERT,
    }  # fmt: skip
    light, dark = ("".join(f"--{name}:{form(c)};" for name, c in named.items()) for form in (str, night))
    return f".play{{{light}}}.play.dark{{{dark}}}\n"


def readable(colour: str) -> bool:
    """Whether text of this colour can be read on light paper."""
    return _oklab(colour)[0] < 0.62


def mix(one: str, other: str, share: float) -> str:
    """The colour that has this share of the other in it."""
    pairs = zip(_bytes(one), _bytes(other), strict=True)
    return "#" + "".join(f"{round(a + share * (b - a)):02x}" for a, b in pairs)


PALE_BLUE, PALE_ORANGE = "#6aa5de", "#f5a54a"  # of cells, under dark words


def signed(value: float, limit: float) -> str:
    """The colour of a number in a table whose numbers reach from -limit to limit: blue below 0, orange above."""
    share = min(1.0, abs(value) / limit) if value == value else 0.0
    return mix("#ffffff", PALE_BLUE if value < 0 else PALE_ORANGE, share)


def both_themes(svg: str) -> str:
    """The same SVG, with a rule for every colour in it where the reader prefers a dark page."""
    used = dict.fromkeys(re.findall(r'\b(fill|stroke)="(#[0-9a-f]{6})"', svg))
    rules = "".join(f'[{what}="{colour}"]{{{what}:{night(colour)}}}' for what, colour in sorted(used))
    if "<image" in svg and 'class="photo"' not in svg:  # a bitmap is turned round as a whole; its hues are turned back
        rules += "image{filter:invert(.88) hue-rotate(180deg)}"
    sheet = f"<style>@media (prefers-color-scheme:dark){{{rules}}}</style>"
    head = svg.index(">", svg.index("<svg")) + 1
    return svg[:head] + sheet + svg[head:]


def _bytes(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


# Björn Ottosson's OKLab: equal steps of its lightness look equal.


def _oklab(colour: str) -> tuple[float, float, float]:
    red, green, blue = ((v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4) for v in (n / 255 for n in _bytes(colour)))
    l = (0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue) ** (1 / 3)  # noqa: E741
    m = (0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue) ** (1 / 3)
    s = (0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue) ** (1 / 3)
    return (
        0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
        1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
        0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s,
    )


def _hex(lightness: float, a: float, b: float) -> str:
    l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3  # noqa: E741
    m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    s = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    linear = (
        4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
        -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
        -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s,
    )
    bounded = (min(1.0, max(0.0, v)) for v in linear)
    return "#" + "".join(f"{round(255 * (12.92 * v if v <= 0.0031308 else 1.055 * v ** (1 / 2.4) - 0.055)):02x}" for v in bounded)
