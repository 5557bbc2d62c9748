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
    """Run small programs and draw the version of one variable beside their lines, the pin of the node that saved it, the writes, and
    the check.

    watched: the variable. saved_by: which line has it saved. stories: title -> lines, the last of which is a backward.
    `viz.timeline` tells what one graph has saved; this one compares whole programs, and tells the gradients.
    """
    from minigrad.viz.figure import Plot
    from minigrad.viz.style import ALERT, BLUE, INK, LINE, MARK, MUTED, PAPER

    told = {title.replace("_", " "): (lines, *story(watched, lines)) for title, lines in stories.items()}
    alt = [f"Time lines of the version of {watched}."]
    for title, (lines, versions, written, outcome) in told.items():
        steps = ", ".join(
            f"{version} after {line}{', which wrote' if k in written else ''}"
            for k, (line, version) in enumerate(zip(lines, versions, strict=False))
        )
        alt.append(f"{title}: {steps}; saved at version {versions[saved_by]}; backward: {outcome}.")
    top = max(1, *(max(versions) for _, versions, *_ in told.values()))
    rows = 0.7 + sum(1.5 + len(lines) for lines, *_ in told.values())
    plot = Plot(3.9, 0.25 * rows + 0.3, " ".join(alt))
    axes = plot.subplots()
    axes.set(xlim=(0, _RIGHT), ylim=(rows + 0.2, -0.2))
    axes.axis("off")

    def text(x: float, y: float, words: str, **look: Any) -> None:
        axes.text(x, y, words, **{"va": "center", "fontsize": 9, "color": INK} | look)

    text(_LEFT - 0.3, 0, f"version of {watched}", ha="right", color=MUTED)
    for version in range(top + 1):
        text(_LEFT + _STEP * version, 0, str(version), ha="center", color=MUTED)
    y = 1.0
    for title, (lines, versions, written, outcome) in told.items():
        end, now, then = len(lines) - 1, versions[-1], versions[saved_by]
        bad, colour = outcome == "raises" or "wrong" in outcome, BLUE if now == then else MARK  # the check sees versions only
        at = [_LEFT + _STEP * version for version in [*versions, now]]
        found = f"{title}: {'✗ ' if bad else ''}{outcome}"  # no ✓: that nothing is raised makes no slope right
        text(0, y, found, color=ALERT if bad else INK, fontsize=10)
        for version in range(top + 1):
            axes.plot([_LEFT + _STEP * version] * 2, [y + 0.7, y + end + 1.3], color=LINE, linewidth=0.7)
        for k, line in enumerate(lines):
            counted = k in written and versions[k] > versions[k - 1]
            word = f"written, {'' if counted else 'not '}counted" if k in written else ""
            text(0.1, y + k + 1, line, family="monospace")
            text(_LEFT + _STEP * top + 0.5, y + k + 1, word)
            if k == saved_by:
                text(_LEFT + _STEP * top + 0.5, y + k + 1, f"saved at {then}", color=colour)
            if k == end:
                text(_LEFT + _STEP * top + 0.5, y + k + 1, f"now {now}")
        axes.step(at, [y + k + 1 for k in range(end + 1)], where="pre", color=INK, linewidth=2.4)
        pin = at[saved_by] - 0.16
        axes.plot([pin, pin], [y + saved_by + 1, y + end + 1], color=colour, linestyle=":", linewidth=1.8)
        axes.plot(pin, y + saved_by + 1, "o", color=colour, markersize=9, zorder=3)
        if now != then:
            axes.annotate("", (at[-1], y + end + 1), (pin, y + end + 1), arrowprops={"arrowstyle": "<->", "color": MARK, "lw": 1.5})
        axes.plot([at[k] for k in written], [y + k + 1 for k in written], "X", color=INK, mec=PAPER, markersize=11, zorder=3)
        y += end + 2.5
    return plot


_LEFT, _STEP, _RIGHT = 4.4, 0.7, 8.6  # where version 0 stands, how far apart versions are, and where the picture ends
