"""`draw`: the graph behind tensors, as a picture that every notebook shows."""

from __future__ import annotations

import base64
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import words
from .graph import collect
from .names import Names, variables_of
from .paint import Scene, clean, svg
from .panels import keep, see
from .peek import Node, Tensor
from .picture import paint
from .png import png

VIEWS = ("both", "see", "keep")
MAX_NODES = 40


@dataclass(frozen=True, repr=False)
class Drawing:
    """A picture with its words: `.svg`, `.text`, `.alt`. Notebooks show the picture, terminals the text."""

    svg: str
    text: str
    alt: str
    _scene: Scene

    @property
    def html(self) -> str:
        """An `<img>` with the SVG inside: it survives in notebooks that are not trusted."""
        data = base64.b64encode(self.svg.encode()).decode()
        return f'<img alt="{clean(self.alt)}" src="data:image/svg+xml;base64,{data}">'

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


def draw(
    *tensors: Tensor,
    view: str = "both",
    names: Mapping[str, Tensor] | None = None,
    mark: Collection[Node | Tensor] = (),
    max_nodes: int = MAX_NODES,
    inputs: Tensor | Sequence[Tensor] = (),
) -> Drawing:
    """Draw the graph behind one or several tensors.

    view="see": what you wrote, tensors and operations. view="keep": what the engine keeps, the backward nodes
    with their saved tensors and the versions of these. view="both": side by side. Names are those of the
    variables where `draw` is called, or names={"loss": L}. `mark` takes nodes and tensors to point out. `inputs`
    lights the paths to these tensors: what `backward(inputs=...)` or `grad` walks. Of a
    graph with more than `max_nodes` nodes the newest are drawn and the rest is folded into one box.

    >>> import minigrad as mg
    >>> from minigrad import viz
    >>> x = mg.tensor(3., requires_grad=True)
    >>> y = x * x
    >>> viz.draw(y, view="keep")
    What the engine keeps
      MulBackward0: y.grad_fn, saved self x version 0, saved other x version 0
        #1 AccumulateGrad: adds to x.grad ()
        → #1 AccumulateGrad
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
    graph = collect(tensors, known, mark, max_nodes, ends)
    seen, box_of = see(graph)
    if view == "see":
        panels = [seen]
    elif view == "keep":
        panels = [keep(graph, None)]
    else:
        panels = [seen, keep(graph, box_of)]
    scene = paint(panels, graph.notes)
    text = "\n\n".join([*map(words.tree, panels), *graph.notes])
    alt = words.alt(graph, view)
    return Drawing(svg(scene, alt), text, alt, scene)


def check_tensors(function: str, tensors: Collection[Tensor], names: Mapping[str, Tensor] | None) -> None:
    """Raise TypeError for anything that is no minigrad tensor."""
    if not tensors:
        raise TypeError(f"{function}() needs a tensor: the result whose graph you want to see")
    if not isinstance(names, (Mapping, type(None))):
        raise TypeError(f'names is a dict of tensors, as {{"loss": L}}, not {kind_of(names)}')
    for tensor in (*tensors, *(names or {}).values()):
        if not isinstance(tensor, Tensor):
            raise TypeError(f"{function}() draws tensors of minigrad, not {kind_of(tensor)}")


def kind_of(value: object) -> str:
    """The type of a value, with its module where that tells more: int, torch.Tensor."""
    return f"{type(value).__module__}.{type(value).__name__}".removeprefix("builtins.")
