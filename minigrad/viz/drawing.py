"""`draw`: the graph behind tensors, as a picture that every notebook shows."""

from __future__ import annotations

import base64
import re
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import rehearsal, words
from .graph import collect
from .maths import CONSTANT
from .names import Names, variables_of
from .paint import Scene, clean, svg
from .panels import apart, keep, see
from .peek import Node, Tensor, kind_of
from .picture import GAP, GAP_FOR_NUMBERS, paint
from .png import png
from .scripts import image_script
from .style import PAPER, night

VIEWS = ("both", "see", "keep", "slopes")
MAX_NODES = 40


@dataclass(frozen=True, repr=False)
class Drawing:
    """A picture with its words: `.svg`, `.text`, `.alt`. Notebooks show the picture, terminals the text."""

    svg: str
    text: str
    alt: str
    _scene: Scene
    _alts: tuple[str, ...] = field(default=(), kw_only=True)  # of the parts of the scene

    @property
    def html(self) -> str:
        """An `<img>` with the SVG inside: it survives in notebooks that are not trusted. Where there is little room it scrolls
        and keeps its size; two panels go one below the other."""
        return self.markup()

    def markup(self, scripts: bool = True) -> str:
        """The same; without scripts for a page that lets none run."""
        if not self._scene.parts:
            return f'<div style="overflow-x: auto">{image(self.svg, self.alt, scripts=scripts)}</div>'
        parts, look = self._scene.parts, "flex: none; max-width: none"
        pictures = [image(svg(part, alt), alt, look, scripts=scripts) for part, alt in zip(parts, self._alts, strict=True)]
        return beside(pictures, sum(part.width for part in parts))

    def png(self) -> bytes:
        """The picture as PNG. Needs matplotlib."""
        return png(self._scene)

    def save(self, path: str | Path) -> None:
        """Write the picture to a file: .svg, .png, .html or .txt."""
        path = Path(path)
        forms = {
            ".svg": lambda: self.svg,
            ".html": lambda: self.html + "\n",
            ".txt": lambda: self.text + "\n",
        }
        if path.suffix == ".png":
            path.write_bytes(self.png())
        elif path.suffix in forms:
            path.write_text(forms[path.suffix](), encoding="utf-8", newline="\n")
        else:
            raise ValueError(f"A drawing is saved as .svg, .png, .html or .txt, not as {path.name!r}.")

    def __repr__(self) -> str:
        return self.text

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        bundle: dict[str, Any] = {"text/html": self.html, "text/plain": self.text}
        if include and "image/png" in include:
            bundle["image/png"] = self.png()
        return {
            kind: data
            for kind, data in bundle.items()
            if (not include or kind in include) and kind not in (exclude or ())
        }


def image(picture: str, alt: str, look: str = "max-width: none", kind: str = "", scripts: bool = True) -> str:
    """An SVG as an `<img>`, which untrusted notebooks keep.

    Its dark form is for dark pages, whatever the system prefers. JupyterLab does not say that it is dark, so where scripts may run
    the image looks what is behind it; there a click enlarges it, too. Our site says it, and its style sheet goes before what stands
    here.
    """
    data = base64.b64encode(picture.encode()).decode()
    named = f' class="{kind}"' if kind else ""
    words = "&#10;".join(map(clean, alt.splitlines()))
    shown = f'alt="{words}" src="data:image/svg+xml;base64,{data}" style="{look}; color-scheme: light"'
    return f"<img{named} {shown}" + (f' onload="{image_script()}">' if scripts else ">")


def beside(pictures: Sequence[str], width: float, justify: str = "flex-start") -> str:
    """Images on one paper, beside each other where there is room, and else one below the other."""
    row = f"display: flex; flex-wrap: wrap; justify-content: {justify}; align-items: flex-start; overflow-x: auto"
    paper = f"max-width: {width:g}px; background: light-dark({PAPER}, {night(PAPER)})"
    return f'<div data-paper="1" style="{row}; {paper}">{"".join(pictures)}</div>'


def draw(
    *tensors: Tensor,
    view: str = "both",
    names: Mapping[str, Tensor] | None = None,
    mark: Collection[Node | Tensor] = (),
    max_nodes: int = MAX_NODES,
    inputs: Tensor | Sequence[Tensor] = (),
    saved: bool = False,
    formulas: bool = True,
) -> Drawing:
    """Draw the graph behind one or several tensors: the formula of each operation, and small the class of its node.

    view="see": what you wrote, from the leaves down to the result, with values and gradients. view="slopes": the same with
    the local slope at each arrow, the number that it hands on and the slope that arrives in each box, as `backward` would
    find them; nothing is changed. view="keep": what the engine keeps, with arrows back up to the leaves. view="both": see
    and keep side by side. saved=True tells in the boxes of the nodes what they saved, and at which version.
    formulas=False leaves only the classes of the nodes, to find the formulas oneself.

    Names are those of the variables where `draw` is called, or names={"loss": L}; what has none is called v1, v2, and so on,
    and a constant that is not drawn "const". Below the title stands the version of what was written in part.
    `mark` takes nodes and tensors to point out. `inputs` lights the paths to these tensors: what `backward(inputs=...)`
    or `grad` walks. Of a graph with more than `max_nodes` nodes the newest are drawn and the rest is folded into one
    box.
    Raises TypeError for what is no tensor, ValueError for inputs to which no path leads, and RuntimeError for slopes where
    `backward` refuses the tensors.

    >>> import minigrad as mg
    >>> from minigrad import viz
    >>> x = mg.tensor(3., requires_grad=True)
    >>> y = x * x
    >>> viz.draw(y, view="keep")
    What the engine keeps
      y = x · x: MulBackward0
        #1 x: AccumulateGrad, adds to x.grad
        → #1 x
    """
    if view not in VIEWS:
        raise ValueError(f"view is one of {', '.join(map(repr, VIEWS))}, not {view!r}")
    check_tensors("draw", tensors, names)
    if max_nodes < 1:
        raise ValueError(f"max_nodes is at least 1, not {max_nodes}")
    ends = (inputs,) if isinstance(inputs, Tensor) else tuple(inputs)
    for what, things, kinds in (("inputs takes tensors", ends, Tensor), ("mark takes nodes and tensors", mark, (Tensor, Node))):
        for thing in things:
            if not isinstance(thing, kinds):
                raise TypeError(f"{what}, not {type(thing).__name__}")
    known = Names(variables_of(sys._getframe(1)) if names is None else names)
    graph = collect(tensors, known, mark, max_nodes, ends, formulas)
    slopes = rehearsal.slopes(tensors, known, graph) if view == "slopes" else None
    seen, box_of = see(graph, slopes, saved and view != "both")
    if view in ("see", "slopes"):
        panels = [seen]
    elif view == "keep":
        panels = [keep(graph, None, saved)]
    else:
        panels = [seen, keep(graph, box_of, saved)]
    text = "\n\n".join([*map(words.tree, panels), *graph.notes])
    alt = words.alt(graph, view)
    alts = [words.alt(graph, part) for part in ("see", "keep")]
    if len(panels) == 1:
        panels = apart(panels[0])
        alts = [alt] + [f"Part {k} of {len(panels)} of this picture" for k in range(2, len(panels) + 1)]
    partly = [t for t in tensors if t._version and any(item.title == "CopySlices" for item in graph.items)]
    written = "".join(f"; {known.of(t) or 'the result'} at version {t._version}" for t in partly)
    for panel in panels:
        panel.caption += written
        framed = [box.rows[0].runs[0].text.partition(" = ")[0] for box in panel.boxes if box.marked]
        panel.caption += f"; framed: {', '.join(framed)}" * (0 < len(framed) < 4)  # more of them would make the picture wide
    unknown = any(re.search(rf"\b{CONSTANT}\b", item.heading) for item in graph.items)
    notes = [*graph.notes, *[f"{CONSTANT}: a constant that is not drawn"] * unknown]
    scene = paint(panels, notes, gap=GAP_FOR_NUMBERS if slopes else GAP)
    return Drawing(svg(scene, alt), text, alt, scene, _alts=tuple(alts))


def check_tensors(function: str, tensors: Collection[Tensor], names: Mapping[str, Tensor] | None) -> None:
    """Raise TypeError for anything that is no minigrad tensor."""
    if not tensors:
        raise TypeError(f"{function}() needs a tensor: the result whose graph you want to see")
    if not isinstance(names, (Mapping, type(None))):
        raise TypeError(f'names is a dict of tensors, as {{"loss": L}}, not {kind_of(names)}')
    for tensor in (*tensors, *(names or {}).values()):
        if not isinstance(tensor, Tensor):
            raise TypeError(f"{function}() draws tensors of minigrad, not {kind_of(tensor)}")
