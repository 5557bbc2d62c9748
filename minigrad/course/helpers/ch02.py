"""The pictures of chapter 02."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from minigrad.viz.figure import Plot


PLACES = {"a": (0.0, 3.0), "b": (0.0, 2.0), "c": (1.0, 1.0), "d": (0.0, 0.0)}
Walk = list[tuple[str, dict[str, float], dict[str, float]]]


def walk(row: str, slopes: dict[str, list[tuple[str, float]]]) -> Walk:
    """Each firing: who fires, what has arrived everywhere by then, and what was sent. The first entry is the start."""
    arrived = dict.fromkeys(slopes, 0.0) | {"d": 1.0}
    frames: Walk = [("", dict(arrived), {})]
    for name in row:
        sent = {child: arrived[name] * slope for child, slope in slopes[name]}
        arrived |= {child: arrived[child] + message for child, message in sent.items()}
        frames.append((name, dict(arrived), sent))
    return frames


def firings(*rows: str, slopes: dict[str, list[tuple[str, float]]]) -> Plot:
    """Draw what happens when nodes fire in a given order: one frame before, and one for each firing.

    rows: for each row of frames, the names of the nodes that fire, as "dcba". A node that fires hands on all that has
    arrived at it so far, times the slope of each arrow. slopes: of each node, in an order that is right.
    """
    from minigrad.viz.figure import Plot
    from minigrad.viz.style import ALERT, BLUE, FREED, FREED_RIM, INK, LINE, MARK, MARK_TINT, MUTED, ORANGE, ORANGE_TINT

    right, told = walk("".join(slopes), slopes)[-1][1]["a"], []
    columns = max(map(len, rows)) + 1
    plot = Plot(1.17 * columns + 0.05, 2.3 * len(rows), "")
    plot.justify = "flex-start"  # frames stand below frames
    axes = plot.subplots(len(rows), columns, squeeze=False)
    for ax in axes.flat:
        ax.set(xlim=(-0.8, 1.6), ylim=(-0.45, 4.5), aspect="equal")
        ax.axis("off")
    for line, row in zip(axes, rows, strict=True):
        frames = walk(row, slopes)
        found = frames[-1][1]["a"]
        said = [f"{n} fires" + "".join(f", {m:g} to {child}" for child, m in sent.items()) for n, _, sent in frames[1:]]
        told.append(f"{'; '.join(['1 stands at d', *said])}. In the end at a: {found:g}.")
        verdict = "right" if found == right else f"wrong ({right:g} is right)"
        heading = f"{', '.join(row)}: {found:g} at a, {verdict}"
        look = {"fontsize": 10, "weight": "bold", "color": INK if found == right else ALERT}
        line[0].text(-0.7, 4.32, heading, **look).set_in_layout(False)  # it may reach over the next frames
        fired: set[str] = set()
        for k, (ax, (name, arrived, sent)) in enumerate(zip(line, frames, strict=False)):
            fired.add(name)
            bad = "a" if found != right and arrived is frames[-1][1] else ""
            lost = [m for child, m in sent.items() if slopes[child] and child not in row[k:]]  # nobody will hand it on
            words = f"{name} fires" + "".join(f":\n{m:g} is lost" for m in lost)
            look = {"ha": "center", "va": "bottom", "linespacing": 1.1, "fontsize": 10, "color": ALERT if lost else INK}
            ax.text(0, 3.4 if lost else 3.5, words if name else "start", **look).set_in_layout(False)
            for node, arrows in slopes.items():
                for child, slope in arrows:
                    hot, (x, y), (u, v) = node == name, PLACES[node], PLACES[child]
                    look = {"color": ORANGE if hot else LINE, "linewidth": 2.2 if hot else 1.0}
                    ax.annotate("", (u, v), (x, y), arrowprops=look | {"arrowstyle": "-|>", "shrinkA": 11, "shrinkB": 11})
                    written = f"+{sent[child]:g}" if hot else "" if name else f"×{slope:g}"
                    if written:  # beside its arrow
                        high = "center" if x == u else "bottom" if x > u else "top"
                        side, apart = ("right", -0.1) if v - y > 1 else ("left", 0.12)  # on the other side of the long arrow stands c
                        look = {"fontsize": 9, "va": high, "ha": side, "color": INK if hot else MUTED}
                        ax.text((x + u) / 2 + apart, (y + v) / 2, written, **look)
            for node, (x, y) in PLACES.items():
                calm = (FREED, FREED_RIM, 1.2) if node in fired else ("#ffffff", BLUE, 1.2)
                face, edge, width = (MARK_TINT, MARK, 2.4) if node == bad else (ORANGE_TINT, ORANGE, 2.0) if node == name else calm
                ax.plot(x, y, "o", markersize=21, markerfacecolor=face, markeredgecolor=edge, markeredgewidth=width)
                ax.text(x, y, f"{arrived[node]:g}", ha="center", va="center", fontsize=10, color=ALERT if node == bad else INK)
                side, align = (0.4, "left") if x > 0 else (-0.4, "right")
                ax.text(x + side, y, node, ha=align, va="center", fontsize=10, color=MUTED)
    plot.alt = "\n".join(["Frames of a walk, a row for each order.", *told])
    return plot


def bars(prices: dict[str, int]) -> Plot:
    """Draw two numbers of multiplications as horizontal bars."""
    from minigrad.viz.figure import Plot
    from minigrad.viz.style import COLOURS

    plot = Plot(3.9, 0.65 + 0.35 * len(prices), "\n".join(["Bars.", *(f"{k}: {n:,}" for k, n in prices.items())]))
    ax = plot.subplots()
    drawn = ax.barh(list(prices), list(prices.values()), color=COLOURS[:2], height=0.6)
    ax.bar_label(drawn, [f"{n:,}" for n in prices.values()], fontsize=9, padding=4)
    few, many = sorted(prices.values())
    ax.set(xlim=(0, 1.3 * many), xticks=[], xlabel=f"multiplications: {many / few:.0f} times as many")
    ax.spines["bottom"].set_visible(False)
    ax.invert_yaxis()
    return plot
