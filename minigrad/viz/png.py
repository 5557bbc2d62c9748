"""The same shapes as a PNG, drawn by matplotlib when it is there. Nothing in `pyplot` is touched."""

from __future__ import annotations

import io
from typing import Any

from .paint import RUN_GAP, Dot, Path, Polygon, Rect, Scene, Text

_FIT = 0.86  # matplotlib's own DejaVu Sans is wider than the fonts that the widths are for; long runs shrink more


def png(scene: Scene, scale: float = 2.0) -> bytes:
    """PNG bytes, `scale` pixels to a unit."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError(
            "A PNG needs matplotlib (pip install matplotlib); the SVG of the drawing does not."
        ) from None
    figure = Figure(figsize=(scene.width / 72, scene.height / 72), dpi=72 * scale, facecolor="none")
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, scene.width), ylim=(scene.height, 0))
    axes.axis("off")
    for order, shape in enumerate(scene.shapes):
        _add(axes, shape, order)
    out = io.BytesIO()
    FigureCanvasAgg(figure).print_png(out, metadata={"Software": None})
    return out.getvalue()


def _add(axes: Any, shape: Any, order: int) -> None:
    from matplotlib import patches, path
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    match shape:
        case Rect(x, y, w, h, radius, fill, stroke, line, dash):
            box = f"round,pad=0,rounding_size={min(radius, w / 2, h / 2)}" if radius else "square,pad=0"
            style = {"fc": fill, "ec": stroke, "lw": line, "ls": _dashes(dash, line), "zorder": order}
            axes.add_patch(patches.FancyBboxPatch((x, y), w, h, boxstyle=box, **style))
        case Path(steps, stroke, line, dash):
            points, codes = [], []
            for letter, values in steps:
                points += list(zip(values[::2], values[1::2], strict=True))
                codes += {"M": [path.Path.MOVETO], "L": [path.Path.LINETO], "C": [path.Path.CURVE4] * 3}[
                    letter
                ]
            style = {"fc": "none", "ec": stroke, "lw": line, "ls": _dashes(dash, line), "zorder": order}
            axes.add_patch(patches.PathPatch(path.Path(points, codes), **style))
        case Polygon(points, fill):
            axes.add_patch(patches.Polygon(points, closed=True, fc=fill, ec="none", zorder=order))
        case Dot(x, y, radius, fill):
            axes.add_patch(patches.Circle((x, y), radius, fc=fill, ec="none", zorder=order))
        case Text(x, y, runs, middle):
            x -= shape.width / 2 if middle else 0
            for run in runs:
                weight = "bold" if run.style.bold else "normal"
                wide, _, _ = text_to_path.get_text_width_height_descent(
                    run.text, FontProperties(family="DejaVu Sans", size=run.style.size, weight=weight), False
                )
                look = {"fontsize": run.style.size * min(_FIT, run.width / max(wide, 1.0)), "weight": weight}
                axes.text(
                    x,
                    y,
                    run.text,
                    color=run.style.fill,
                    parse_math=False,
                    family="DejaVu Sans",
                    zorder=order,
                    **look,
                )
                x += run.width + RUN_GAP


def _dashes(dash: str, line: float) -> Any:
    return (0, [float(v) / line for v in dash.split()]) if dash else "-"
