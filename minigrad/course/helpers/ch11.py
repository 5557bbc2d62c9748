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


def story(watched: str, lines: list[str]) -> tuple[list[int], str]:
    """The version of a variable after each line of a program, and what came of the last line, its backward."""
    space, versions = _run(TIMELINE_SETUP), []
    for line in lines[:-1]:
        exec(line, space)
        versions.append(space[watched]._version if watched in space else 0)
    try:
        exec(lines[-1], space)
    except RuntimeError:
        return versions, "raises"
    return versions, "w.grad = (" + ", ".join(f"{slope:.1f}" for slope in space["w"].grad.tolist()) + ")"


def timeline(watched: str, saved_by: int, **stories: list[str]) -> Any:
    """Run small programs and draw the version of one variable as steps, the pin of the node that saved it, and the check.

    watched: the variable. saved_by: which line has it saved. stories: title -> lines, the last of which is a backward.
    `viz.timeline` tells what one graph has saved; this one compares whole programs, and tells the gradients.
    """
    from minigrad.viz.figure import Plot
    from minigrad.viz.style import BLUE, MARK, MUTED, ORANGE

    told = {title.replace("_", " "): (lines, *story(watched, lines)) for title, lines in stories.items()}
    alt = [f"Time lines of the version of {watched}."]
    for title, (lines, versions, outcome) in told.items():
        steps = ", ".join(f"{version} after {line}" for line, version in zip(lines, versions, strict=False))
        alt.append(f"{title}: {steps}; saved at version {versions[saved_by]}; backward: {outcome}.")
    longest = max(len(lines) for lines, _, _ in told.values())
    top = max(1, *(max(versions) for _, versions, _ in told.values()))
    plot = Plot(8.2, 0.2 + len(told) * (0.75 + 0.25 * top + 0.12 * longest), " ".join(alt))
    for axes, (title, (lines, versions, outcome)) in zip(plot.subplots(len(told), 1, squeeze=False)[:, 0], told.items(), strict=True):
        end, now, then, bad = len(lines) - 1, versions[-1], versions[saved_by], outcome == "raises"
        axes.step([*range(end), end], [*versions, now], where="post", color=BLUE, linewidth=3)
        axes.plot([saved_by, end], [then, then], color=ORANGE, linestyle="--", linewidth=1.5)
        axes.plot(saved_by, then, "o", color=ORANGE, markersize=9, zorder=3)
        axes.annotate(f"saved at {then}", (saved_by, then), (0, 9), textcoords="offset points", ha="center", fontsize=9)
        if now != then:
            axes.annotate("", (end, now), (end, then), arrowprops={"arrowstyle": "<->", "color": MARK, "lw": 1.5})
        found = f"backward finds version {now}\n{'✗ ' if bad else ''}{outcome}"  # no ✓: that nothing is raised makes no slope right
        axes.annotate(found, (end, now), (8, 0), textcoords="offset points", va="center", fontsize=9, color=MARK if bad else MUTED)
        axes.set(ylim=(-0.35, top + 0.75), xlim=(-0.5, end + 1.25), yticks=range(top + 1))
        axes.set_title(f"{title}: version of {watched}", loc="left")
        axes.set_xticks(range(end + 1), [line.replace("; ", "\n") for line in lines], family="monospace")
        axes.grid(axis="y")
    return plot
