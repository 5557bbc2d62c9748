"""The pictures of chapter 02."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from minigrad.viz.figure import Plot


PLACES = {"a": (0.0, 3.0), "b": (0.0, 2.0), "c": (0.85, 1.0), "d": (0.0, 0.0)}


def firings(*rows: str, slopes: dict[str, list[tuple[str, float]]]) -> Plot:
    """Draw what happens when nodes fire in a given order: one frame before, and one for each firing.

    rows: for each row of frames, the names of the nodes that fire, as "dcba". A node that fires hands on all that has
    arrived at it so far, times the slope of each arrow.
    """
    from minigrad.viz.figure import Plot
    from minigrad.viz.style import BLUE, BLUE_TINT, INK, LINE, MUTED, ORANGE, ORANGE_TINT, PAPER

    frames, told = [], []
    for row in rows:
        arrived = dict.fromkeys(slopes, 0.0) | {"d": 1.0}
        frames.append([("", dict(arrived), {})])
        for name in row:
            sent = {}
            for child, slope in slopes[name]:
                sent[child] = arrived[name] * slope
                arrived[child] += sent[child]
            frames[-1].append((name, dict(arrived), sent))
        said = [f"{n} fires" + "".join(f", {m:g} to {child}" for child, m in sent.items()) for n, _, sent in frames[-1][1:]]
        told.append(f"{'; '.join(['1 stands at d', *said])}. In the end at a: {arrived['a']:g}.")
    columns = max(len(row) for row in frames)
    plot = Plot(1.5 * columns + 0.2, 2.3 * len(frames), "\n".join(["Frames of a walk, a row for each order.", *told]))
    axes = plot.subplots(len(frames), columns, squeeze=False)
    for ax in axes.flat:
        ax.set(xlim=(-0.65, 1.5), ylim=(-0.45, 3.4), aspect="equal")
        ax.axis("off")
    for line, row in zip(axes, frames, strict=True):
        fired: set[str] = set()
        for ax, (name, arrived, sent) in zip(line, row, strict=False):
            fired.add(name)
            ax.set_title(f"{name} fires" if name else "start", fontsize=10, color=INK)
            for node, arrows in slopes.items():
                for child, slope in arrows:
                    hot, (x, y), (u, v) = node == name, PLACES[node], PLACES[child]
                    look = {"color": ORANGE if hot else LINE, "linewidth": 2.2 if hot else 1.0}
                    ax.annotate("", (u, v), (x, y), arrowprops=look | {"arrowstyle": "-|>", "shrinkA": 11, "shrinkB": 11})
                    written = f"+{sent[child]:g}" if hot else "" if name else f"×{slope:g}"
                    look = {"color": INK if hot else MUTED, "ha": "left" if x == u else "center", "va": "center"}
                    if x != u:
                        look["bbox"] = {"facecolor": PAPER, "edgecolor": "none", "pad": 0.6}
                    if written:
                        ax.text((x + u) / 2 + 0.1 * (x == u), (y + v) / 2, written, fontsize=9, **look)
            for node, (x, y) in PLACES.items():
                face = ORANGE_TINT if node == name else BLUE_TINT if node in fired else "#ffffff"
                edge, width = (ORANGE, 2.0) if node == name else (BLUE, 1.2)
                ax.plot(x, y, "o", markersize=21, markerfacecolor=face, markeredgecolor=edge, markeredgewidth=width)
                ax.text(x, y, f"{arrived[node]:g}", ha="center", va="center", fontsize=10, color=INK)
                side, align = (0.36, "left") if x > 0 else (-0.36, "right")
                ax.text(x + side, y, node, ha=align, va="center", fontsize=10, color=MUTED)
    return plot


def bars(prices: dict[str, int]) -> Plot:
    """Draw numbers of multiplications as horizontal bars."""
    from minigrad.viz.figure import Plot
    from minigrad.viz.style import COLOURS

    plot = Plot(3.9, 0.65 + 0.35 * len(prices), "\n".join(["Bars.", *(f"{k}: {n:,}" for k, n in prices.items())]))
    ax = plot.subplots()
    millions = [n / 1e6 for n in prices.values()]
    drawn = ax.barh(list(prices), millions, color=COLOURS[:2], height=0.6)
    ax.bar_label(drawn, [f"{n:,}" for n in prices.values()], fontsize=9, padding=4)
    ax.set_xlim(0, 1.5 * max(millions))
    ax.set_xlabel("multiplications, in millions")
    ax.invert_yaxis()
    return plot
