"""The picture of chapter 17: the files of the engine, and who calls whom."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from minigrad.viz.drawing import Drawing


def files(seen: list[tuple[int, str, str]], words: dict[str, str]) -> Drawing:
    """Draw which file calls which. seen: each call's depth, file and name. words: what a box says below its file, the program first.

    A call of a file that stands earlier in words, or not there, is not drawn.
    """
    from minigrad.viz.drawing import Drawing
    from minigrad.viz.paint import Run, svg
    from minigrad.viz.picture import SMALL, TITLE, Arrow, Box, Panel, Row, paint

    order = list(words)
    stack, ways = order[:1], dict[tuple[str, str], None]()  # each way once, in the order of the calls
    for depth, file, _ in seen:
        declared = file.startswith("ops/") or file.endswith("/rule.py")
        stack[depth + 1 :] = ["rule.py, ops/" if declared else file.rpartition("/")[2]]
        caller, called = stack[depth:]
        if caller in words and called in order[order.index(caller) + 1 :]:
            ways[caller, called] = None
    rows = [[Run(name, TITLE), Run(said, SMALL)] for name, said in words.items()]
    boxes = [Box(tuple(Row((run,)) for run in row if run.text), "node" if ".py" in row[0].text else "constant") for row in rows]
    arrows = [Arrow(order.index(caller), order.index(called), k) for k, (caller, called) in enumerate(ways)]
    alt = f"Who calls whom: {'; '.join(f'{caller} calls {called}' for caller, called in ways)}."
    scene = paint([Panel("Who calls whom", "an arrow points to what is called", boxes, arrows, upward=False)])
    return Drawing(svg(scene, alt), alt, alt, scene)
