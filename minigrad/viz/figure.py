"""A matplotlib figure that carries its own description. It needs matplotlib: import it inside functions."""

from __future__ import annotations

import base64
import io
import math
import re
import textwrap
from collections import Counter
from itertools import pairwise
from typing import Any
from xml.etree import ElementTree

import numpy as np
from cycler import cycler  # comes with matplotlib, as PIL does
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.collections import PathCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.ticker import LogFormatterMathtext, NullFormatter
from PIL import Image

from . import style
from .drawing import beside, image

_LOOK = {
    "axes.edgecolor": style.LINE, "axes.labelcolor": style.INK, "axes.titlecolor": style.INK, "axes.titlesize": 10,
    "axes.labelsize": 10, "axes.linewidth": 0.9, "axes.facecolor": "none", "axes.spines.top": False, "axes.spines.right": False,
    "axes.prop_cycle": cycler(color=style.COLOURS), "axes.axisbelow": True, "grid.color": style.GRID, "grid.linewidth": 0.6,
    "xtick.color": style.LINE, "ytick.color": style.LINE, "xtick.labelcolor": style.MUTED, "ytick.labelcolor": style.MUTED,
    "xtick.labelsize": 9, "ytick.labelsize": 9, "text.color": style.INK, "lines.linewidth": 2.0, "legend.frameon": False,
}  # fmt: skip
_SHRINK = 0.92  # where there is less room a plot gets as small as this, and then scrolls: its figures have 11 px there
_ALIKE = 0.8  # of the width of the widest panel
_NARROW = 350  # pixels that every phone has: panels that need more together go one below the other there
_MANY = 600  # points; more of them are smaller as a PNG
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_SVG = "{http://www.w3.org/2000/svg}"
_HREF = "{http://www.w3.org/1999/xlink}href"


class Plot(Figure):
    """A figure with alt text, shown in a notebook as an SVG that is dark on dark pages, and as a PNG where it is a cloud of points.

    It gives the same bytes with and without pyplot. Its text form is the alt text: what a screen reader
    reads, what a terminal shows, and what a test compares.
    """

    justify = "safe center"  # of the panels where they take several rows

    def __init__(self, width: float, height: float, alt: str) -> None:
        layout = ConstrainedLayoutEngine(w_pad=0.08, h_pad=0.08)  # inches
        super().__init__(figsize=(width, height), dpi=144, facecolor=style.PAPER, layout=layout)
        self.alt = alt

    def add_subplot(self, *args: Any, **kwargs: Any) -> Any:
        with rc_context(_LOOK):  # type: ignore[arg-type]
            return super().add_subplot(*args, **kwargs)

    def name_lines(self, *only: Axes, width: int = 22) -> None:
        """Write the label of each line at its right end, in its colour, in place of a legend.

        only: the axes that want it; without any all do. Call it when the lines are drawn and the limits set. width: of a
        label, in characters; longer ones take several rows.
        """
        for ax in only or self.axes:
            _name_lines(ax, width)

    @property
    def crowded(self) -> bool:
        """Whether a PNG is the better form."""
        clouds = (cloud for ax in self.axes for cloud in ax.collections if isinstance(cloud, PathCollection))
        return any(np.shape(cloud.get_offsets())[0] > _MANY for cloud in clouds)

    def png(self) -> bytes:
        """64 colours are enough for flat drawings, and take a third of the space."""
        self._settle()
        canvas = FigureCanvasAgg(self)
        canvas.draw()
        self.set_layout_engine("none")  # the layout is found; a second search would shift it by a pixel
        pixels = Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB")
        file = io.BytesIO()
        pixels.quantize(64, dither=Image.Dither.NONE).save(file, "PNG", optimize=True)
        return file.getvalue()

    def svg(self) -> str:
        """The figure in the form of all our drawings: plain attributes, text as text, and a dark form of each colour."""
        return _plain(self._drawn(), (0, 0, self._width, round(96 * self.get_figheight())))

    def _drawn(self) -> str:
        self._settle()
        for picture in (picture for ax in self.axes for picture in ax.images):
            picture.set_interpolation("none")  # as it is, and the reader's browser makes it large
        file = io.StringIO()
        with rc_context({"svg.fonttype": "none", "svg.hashsalt": "", "path.simplify_threshold": 0.2}):
            FigureCanvasSVG(self).print_svg(file, metadata=dict.fromkeys(("Creator", "Date", "Format", "Type")))
        self.set_layout_engine("none")
        return file.getvalue()

    def _tiles(self) -> list[tuple[tuple[int, int, int, int], set[str]]]:
        """The figure in pieces that a phone has room for, row by row: left, top, width and height in pixels, and which axes."""
        width, height = self._width, round(96 * self.get_figheight())
        whole = [((0, 0, width, height), {f"axes_{k}" for k in range(1, len(self.axes) + 1)})]
        if self.texts or self.legends:  # they belong to no panel
            return whole
        renderer = FigureCanvasAgg(self).get_renderer()
        boxes = [self.transFigure.inverted().transform_bbox(box) for ax in self.axes if (box := ax.get_tightbbox(renderer))]
        rows = _cut([(height * (1 - box.y1), height * (1 - box.y0)) for box in boxes], height, 0)
        found = []
        for top, bottom in pairwise(rows):
            inside = [k for k, box in enumerate(boxes) if top < height * (1 - (box.y0 + box.y1) / 2) < bottom]
            columns = _cut([(width * boxes[k].x0, width * boxes[k].x1) for k in inside], width, _NARROW)
            for left, right in pairwise(columns):
                axes = {f"axes_{k + 1}" for k in inside if left < width * (boxes[k].x0 + boxes[k].x1) / 2 < right}
                found.append(((left, top, right - left, bottom - top), axes))
        return found if len(found) > len(rows) - 1 else whole

    def _settle(self) -> None:
        """Powers of ten with raised figures of the font in place of matplotlib's mathematics, and titles no larger than labels."""
        for ax in self.axes:
            for title in (ax.title, ax._left_title):  # type: ignore[attr-defined]
                title.set_fontsize(10)
            if not len(ax.get_xticks()) and not len(ax.get_yticks()):
                ax.spines[:].set_visible(bool(ax.images))  # an image has an edge
        for axis in (axis for ax in self.axes for axis in (ax.xaxis, ax.yaxis)):
            if isinstance(axis.get_major_formatter(), LogFormatterMathtext):
                low, high = sorted(axis.get_view_interval())
                first, last = math.ceil(math.log10(low)), math.floor(math.log10(high))
                few = high < 12 * low or last <= first
                # One kind of number on an axis.
                axis.set_major_formatter("{x:g}" if few or (first >= -2 and last <= 3) else _power)
                axis.set_minor_formatter(_every_second if few else NullFormatter())

    def __repr__(self) -> str:
        return self.alt

    __str__ = __repr__

    @property
    def html(self) -> str:
        """The SVG in an `<img>`, which shrinks a little where there is less room, and then scrolls. Several panels are images beside
        each other, so that they go one below the other there; those of about one width have one width, so that all have one scale."""
        drawn, tiles, pictures = self._drawn(), self._tiles(), []
        wide, rows = max(box[2] for box, _ in tiles), Counter[int]()
        for k, ((left, top, width, height), axes) in enumerate(tiles, 1):
            room = wide if width > _ALIKE * wide else width
            box, least = (left - (room - width) // 2, top, room, height), round(_SHRINK * room)
            rows[top] += room
            look = f"flex: {room} {least}px; width: {room}px; max-width: {room}px; min-width: {least}px"
            alt = self.alt if k == 1 else f"Part {k} of {len(tiles)} of this picture"
            pictures.append(image(_plain(drawn, box, axes), alt, look, "plot"))
        return beside(pictures, max(rows.values()), self.justify)

    @property
    def _width(self) -> int:
        return round(96 * self.get_figwidth())  # in CSS pixels; the PNG has 1.5 times as many, for sharp screens

    def _ipython_display_(self) -> None:
        # This method goes before the formatter that pyplot registers for every Figure: that one drops alt.
        from IPython.display import display

        if self.crowded:
            data = {"image/png": base64.b64encode(self.png()).decode(), "text/plain": self.alt}
            display(data, metadata={"image/png": {"alt": self.alt, "width": self._width}}, raw=True)
        else:
            display({"text/html": self.html, "text/plain": self.alt}, raw=True)


def _cut(spans: list[tuple[float, float]], length: int, least: int) -> list[int]:
    """Places from 0 to length, between the spans. Pieces that are together no longer than `least` stay together."""
    between, places, ordered = [], [0], sorted(spans)
    reach = ordered[0][1]
    for low, high in ordered[1:]:
        if low >= reach:
            between.append(round((reach + low) / 2))
        reach = max(reach, high)
    for place, following in pairwise([*between, length]):
        if following - places[-1] > least:
            places.append(place)
    return [*places, length]


def _power(value: float, _: float = 0) -> str:
    """Of ten, where it is one."""
    exponent = math.log10(value)
    return f"{value:g}" if abs(exponent - round(exponent)) > 1e-6 else "10" + str(round(exponent)).translate(_RAISED)


def _every_second(value: float, _: float = 0) -> str:
    """A number between powers of ten, of which every second is enough."""
    return f"{value:g}" if f"{value:e}"[0] in "246" else ""


def _name_lines(ax: Axes, width: int) -> None:
    figure = ax.get_figure(root=True)
    assert figure is not None
    ax.get_xlim(), ax.get_ylim()  # now the limits are those of the lines
    lefts, heights, texts, colours = [], [], [], []
    for line in ax.get_lines():
        label, xs, ys = str(line.get_label()), np.asarray(line.get_xdata(), float), np.asarray(line.get_ydata(), float)
        known = np.flatnonzero(np.isfinite(ys))
        if not label or label.startswith("_") or not len(known):
            continue
        at = ax.transAxes.inverted().transform(ax.transData.transform((xs[known[-1]], ys[known[-1]])))
        early = at[0] < 0.5 and xs[known[-1]] == xs[known].max()  # it runs to the right, ends early, and is named there
        lefts.append(float(at[0]) if early else 1.0)
        heights.append(min(1.0, max(0.0, float(at[1]))))
        texts.append(textwrap.fill(label.replace(" = ", "\xa0=\xa0"), width).replace("\xa0", " "))
        colours.append(to_hex(line.get_color()))
    height = 72 * figure.get_figheight() * ax.get_position().height
    rows = [1.3 * 9 * (1 + text.count("\n")) / height for text in texts]
    order = sorted((k for k, left in enumerate(lefts) if left == 1.0), key=lambda k: heights[k])
    for _ in range(50):  # push neighbours apart, half of the way each
        for low, high in zip(order, order[1:], strict=False):
            lack = (rows[low] + rows[high]) / 2 - (heights[high] - heights[low])
            if lack > 1e-9:
                heights[low] -= lack / 2
                heights[high] += lack / 2
    for x, y, text, colour in zip(lefts, heights, texts, colours, strict=True):
        ax.annotate(
            text, (x, y), (6, 0), "axes fraction", textcoords="offset points", va="center", fontsize=9, linespacing=1.15,
            color=colour if style.readable(colour) else style.INK, annotation_clip=False,
        )  # fmt: skip


# --- matplotlib's SVG made small and plain


def _plain(text: str, box: tuple[int, int, int, int], kept: set[str] | None = None) -> str:
    """What lies in the box, in pixels; of the axes those that are kept."""
    root = ElementTree.fromstring(text)
    defined = {e.get("id"): e for defs in root.iter(f"{_SVG}defs") for e in defs}  # and a style sheet, whose words stand below
    for parent in list(root.iter()):
        for child in list(parent):
            name = child.get("id", "")
            if child.tag == f"{_SVG}defs" or (kept is not None and name.startswith("axes_") and name not in kept):
                parent.remove(child)
    used = re.findall(r'(?:href="|url\()#([\w-]+)', ElementTree.tostring(root, "unicode"))
    names = {name: f"i{k}" for k, name in enumerate(dict.fromkeys(used))}
    definitions = ElementTree.SubElement(root, f"{_SVG}defs")
    definitions.extend(defined[name] for name in names)
    for element in root.iter():
        _attributes(element, names)
    body = "".join(_written(child) for child in root)
    view = " ".join(_short(0.75 * v) for v in box)  # matplotlib writes points
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="{box[2]}" '
        f'height="{box[3]}" viewBox="{view}" role="img" font-family="{style.FONT}" stroke-linejoin="round">'
    )
    return style.both_themes(f"{head}{body}</svg>\n")


def _attributes(element: ElementTree.Element, names: dict[str, str]) -> None:
    """What stands in style="…" as attributes, ids that are short and the same everywhere, and rounded numbers."""
    for item in element.attrib.pop("style", "").split(";"):
        key, _, value = (part.strip() for part in item.partition(":"))
        if key == "font":  # style weight size family
            words = value.partition("px")[0].split()
            element.set("font-size", words[-1])
            element.attrib |= {"font-style": "italic"} if "italic" in words else {}
            element.attrib |= {"font-weight": "bold"} if "bold" in words or "700" in words else {}
            element.attrib |= {"font-family": style.MONO} if "Mono" in value else {}
        elif key:
            element.set(key, value.removesuffix("px"))
    if "Mono" in element.get("font-family", ""):
        element.set("font-family", style.MONO)
    else:
        element.attrib.pop("font-family", None)
    if element.get("transform", "").startswith("rotate(-0 "):
        del element.attrib["transform"]
    name = element.attrib.pop("id", None)
    if name in names:
        element.set("id", names[name])
    if element.get(_HREF, "").startswith("#"):
        element.set(_HREF, "#" + names[element.attrib[_HREF][1:]])
    if "clip-path" in element.attrib:
        element.set("clip-path", re.sub(r"#([\w-]+)", lambda found: "#" + names[found[1]], element.attrib["clip-path"]))
    if name == "photo":  # as imshow(…, gid="photo") has it: it is no drawing, and stays as it is on a dark page
        element.set("class", name)
    if element.tag == _SVG + "image":
        element.set("image-rendering", "pixelated")
        element.set(_HREF, element.attrib[_HREF].replace("\n", ""))
    if element.tag == _SVG + "text" and "fill" not in element.attrib:
        element.set("fill", "#000000")  # where a rule for dark pages finds it
    for key, value in element.attrib.items():
        if key in ("d", "x", "y", "transform", "stroke-width", "stroke-dasharray", "width", "height", "points", "font-size"):
            element.set(key, re.sub(r"-?\d+\.\d+(?:e-?\d+)?", lambda found: _short(float(found[0])), value))
    if "d" in element.attrib:
        element.set("d", re.sub(r"\s*([A-Za-z])\s*", r"\1", element.attrib["d"]).strip())


def _short(number: float) -> str:
    return f"{number + 0.0:.1f}".removesuffix(".0") if abs(number) >= 0.05 else "0"


def _written(element: ElementTree.Element) -> str:
    tag = element.tag.removeprefix(_SVG)
    if tag == "path" and element.get("fill") == "none" and "stroke" not in element.attrib:
        return ""  # the paper of axes that have none
    inside = (element.text or "").strip() if tag not in ("text", "tspan") else (element.text or "").strip("\n")
    inside = re.sub(r"&(?!\w+;|#)", "&amp;", inside).replace("<", "&lt;")
    inside += "".join(_written(child) for child in element)
    attributes = "".join(
        f' {"xlink:href" if key == _HREF else key}="{str(value).replace("&", "&amp;").replace(chr(34), "&quot;")}"'
        for key, value in element.attrib.items()
    )
    if tag == "g" and not attributes:
        return inside
    return f"<{tag}{attributes}>{inside}</{tag}>" if inside else f"<{tag}{attributes}/>"
