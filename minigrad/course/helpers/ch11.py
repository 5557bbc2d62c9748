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
    from minigrad.viz.style import ALERT, BLUE, INK, MARK, ORANGE

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
    plot = Plot(0.3 + 1.2 * longest, 0.2 + len(told) * (1.0 + 0.25 * top + 0.12 * longest), " ".join(alt))
    every_axes = plot.subplots(len(told), 1, squeeze=False)[:, 0]
    for axes, (title, (lines, versions, written, outcome)) in zip(every_axes, told.items(), strict=True):
        end, now, then = len(lines) - 1, versions[-1], versions[saved_by]
        bad = outcome == "raises" or "wrong" in outcome
        axes.step([*range(end), end], [*versions, now], where="post", color=BLUE, linewidth=3)
        axes.plot([saved_by, end], [then, then], color=ORANGE, linestyle="--", linewidth=1.5)
        axes.plot(saved_by, then, "o", color=ORANGE, markersize=9, zorder=3)
        axes.annotate(f"saved at {then}", (saved_by, then), (0, 9), textcoords="offset points", ha="center", fontsize=9)
        if now != then:
            axes.annotate("", (end, now), (end, then), arrowprops={"arrowstyle": "<->", "color": MARK, "lw": 1.5})
        for k in written:
            axes.plot(k, versions[k], "X", color=INK, markersize=9, zorder=3)
            axes.annotate("written", (k, versions[k]), (9, -12), textcoords="offset points", fontsize=9)
        found = f"{'✗ ' if bad else ''}{outcome}"  # no ✓: that nothing is raised makes no slope right
        axes.set(ylim=(-0.6, top + 0.75), xlim=(-0.5, end + 0.5), yticks=range(top + 1), ylabel=f"version of {watched}")
        axes.set_title(f"{title}: backward finds version {now}\n{found}", loc="left", color=ALERT if bad else INK)
        ticks = [line.replace("; ", "\n").replace(").", ")\n.") for line in lines]
        axes.set_xticks(range(end + 1), ticks, family="monospace")
        axes.grid(axis="y")
    return plot
