"""The pictures of chapter 11."""

from __future__ import annotations

from typing import Any

import minigrad as mg

TIMELINE_SETUP = "w = mg.tensor([1.0, 2.0, 3.0], requires_grad=True)\nk = mg.tensor([4.0, 5.0, 6.0])\n"


def _run(source: str) -> dict[str, Any]:
    """The variables that a small program leaves behind."""
    space: dict[str, Any] = {"mg": mg}
    exec(source, space)
    return space


def story(watched: str, lines: list[str]) -> tuple[list[int], list[int], str]:
    """Of a program whose last line is a backward: the version of a variable after each line before it, the lines that
    wrote into the variable's memory, and what came of backward. A gradient is wrong where it is another without the writes."""
    space, versions, written = _run(TIMELINE_SETUP), [], []
    for k, line in enumerate(lines[:-1]):
        before = (array := space[watched].detach().numpy()).copy() if watched in space else None
        exec(line, space)
        versions.append(space[watched]._version if watched in space else 0)
        if before is not None and (array != before).any():
            written.append(k)
    try:
        exec(lines[-1], space)
    except RuntimeError:
        return versions, written, "raises"
    right = _run(TIMELINE_SETUP + "\n".join(line for k, line in enumerate(lines) if k not in written))["w"].grad
    found = "w.grad = (" + ", ".join(f"{slope:.1f}" for slope in space["w"].grad.tolist()) + ")"
    return versions, written, found if mg.equal(space["w"].grad, right) else found + ", wrong"


def timeline(watched: str, saved_by: int, **stories: list[str]) -> Any:
    """Run small programs and draw the version of one variable as steps, the pin of the node that saved it, the writes, and the check.

    watched: the variable. saved_by: which line has it saved. stories: title -> lines, the last of which is a backward.
    `viz.timeline` tells what one graph has saved; this one compares whole programs, and tells the gradients.
    """
    from minigrad.viz.figure import Plot

    blue, orange, grey = "#3b7fc4", "#d9730d", "#767676"
    told = {title.replace("_", " "): (lines, *story(watched, lines)) for title, lines in stories.items()}
    alt = [f"Time lines of the version of {watched}."]
    for title, (lines, versions, written, outcome) in told.items():
        steps = ", ".join(
            f"{version} after {line}{', which wrote' if k in written else ''}"
            for k, (line, version) in enumerate(zip(lines, versions, strict=False))
        )
        alt.append(f"{title}: {steps}; saved at version {versions[saved_by]}; backward: {outcome}.")
    longest = max(len(lines) for lines, *_ in told.values())
    top = max(1, *(max(versions) for _, versions, *_ in told.values()))
    plot = Plot(1.0 + len(told) * (0.4 + 1.05 * longest), 2.6, " ".join(alt))
    every_axes = plot.subplots(1, len(told), squeeze=False)[0]
    for axes, (title, (lines, versions, written, outcome)) in zip(every_axes, told.items(), strict=True):
        end, now, then = len(lines) - 1, versions[-1], versions[saved_by]
        axes.step([*range(end), end], [*versions, now], where="post", color=blue, linewidth=3)
        axes.plot([saved_by, end], [then, then], color=orange, linestyle="--", linewidth=1.5)
        axes.plot(saved_by, then, "o", color=orange, markersize=10, zorder=3)
        axes.annotate(f"saved\nat {then}", (saved_by, then), (0, 11), textcoords="offset points", ha="center", fontsize=9)
        if now != then:
            axes.annotate("", (end, now), (end, then), arrowprops={"arrowstyle": "<->", "color": orange, "lw": 1.5})
        for k in written:
            axes.plot(k, versions[k], "X", color="#1a1a1a", markersize=10, zorder=3)
            axes.annotate("written", (k, versions[k]), (-4, -16), textcoords="offset points", ha="right", fontsize=9)
        found = f"backward finds {now}\n{outcome}"
        axes.annotate(found, (end, now), (0, 9), textcoords="offset points", ha="right", fontsize=9)
        axes.set(title=title, ylim=(-0.4, top + 0.7), xlim=(-0.5, end + 0.35), yticks=range(top + 1))
        axes.set_xticks(range(end + 1), [line.replace("; ", "\n") for line in lines], fontsize=7.5, rotation=20, ha="right")
        axes.set_ylabel(f"version of {watched}")
        axes.title.set_fontsize(10)
        axes.grid(axis="y", color=grey, alpha=0.25)
        axes.spines[["top", "right"]].set_visible(False)
    return plot
