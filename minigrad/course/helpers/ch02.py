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

    blue, orange, pale, ink, grey = "#3b7fc4", "#f0932b", "#dbe8f5", "#1a1a1a", "#9a9a9a"
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
            ax.set_title(f"{name} fires" if name else "start", fontsize=9, color=ink)
            for node, arrows in slopes.items():
                for child, slope in arrows:
                    hot, (x, y), (u, v) = node == name, PLACES[node], PLACES[child]
                    look = {"color": orange if hot else grey, "linewidth": 2.2 if hot else 1.0}
                    ax.annotate("", (u, v), (x, y), arrowprops=look | {"arrowstyle": "-|>", "shrinkA": 11, "shrinkB": 11})
                    written = f"+{sent[child]:g}" if hot else "" if name else f"×{slope:g}"
                    ax.text((x + u) / 2 + 0.08, (y + v) / 2, written, fontsize=9, color=ink if hot else "#6b6b6b", va="center")
            for node, (x, y) in PLACES.items():
                face = orange if node == name else pale if node in fired else "white"
                edge = orange if node == name else blue
                ax.plot(x, y, "o", markersize=21, markerfacecolor=face, markeredgecolor=edge, markeredgewidth=1.4)
                ax.text(x, y, f"{arrived[node]:g}", ha="center", va="center", fontsize=9, color=ink)
                side, align = (0.36, "left") if x > 0 else (-0.36, "right")
                ax.text(x + side, y, node, ha=align, va="center", fontsize=9, color=ink, style="italic")
    return plot


def bars(prices: dict[str, int]) -> Plot:
    """Draw numbers of multiplications as horizontal bars."""
    from minigrad.viz.figure import Plot

    plot = Plot(6.4, 0.65 + 0.35 * len(prices), "\n".join(["Bars.", *(f"{k}: {n:,}" for k, n in prices.items())]))
    ax = plot.subplots()
    millions = [n / 1e6 for n in prices.values()]
    drawn = ax.barh(list(prices), millions, color=["#3b7fc4", "#f0932b"], height=0.6)
    ax.bar_label(drawn, [f" {n:,}" for n in prices.values()], fontsize=9)
    ax.set_xlim(0, 1.25 * max(millions))
    ax.set_xlabel("multiplications, in millions", fontsize=9)
    ax.invert_yaxis()
    ax.tick_params(labelsize=9)
    ax.spines[["top", "right"]].set_visible(False)
    return plot
