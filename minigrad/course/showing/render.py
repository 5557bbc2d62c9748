"""How verdicts, hints and progress look: HTML in a notebook, text everywhere else.

No script, no style sheet, no ids: an untrusted notebook keeps what is left. A word and a sign stand beside every colour.
"""

from __future__ import annotations

import html
import re
import sys
from typing import Any

from minigrad.course.judging.verdict import ERROR, KNOWN, NOT_ATTEMPTED, PASSED, WRONG, Verdict
from minigrad.course.showing.drawn import graphs
from minigrad.viz.style import BLUE, LINE

_SIGNS = {
    PASSED: ("✓", "passed", "#1a7f37"),
    KNOWN: ("✗", "not yet", "#b35900"),
    WRONG: ("✗", "not yet", "#b35900"),
    ERROR: ("✗", "error in your code", "#b3261e"),
    NOT_ATTEMPTED: ("○", "not attempted", "#57606a"),
}


def show(as_html: str, as_text: str) -> None:
    """Display HTML where a notebook is listening, print text where none is."""
    if in_notebook():
        from IPython.display import display

        display({"text/html": as_html, "text/plain": as_text}, raw=True)
    else:
        say(as_text)


def show_markdown(text: str, as_text: str | None = None) -> None:
    """Display Markdown in a notebook, print it elsewhere; as_text: other words where nothing can be folded."""
    words = _plain(text) if as_text is None else as_text
    if in_notebook():
        from IPython.display import display

        display({"text/markdown": text, "text/plain": words}, raw=True)
    else:
        say(words)


def say(text: str) -> None:
    """Print, also where the terminal has no ✓."""
    try:
        print(text)
    except UnicodeEncodeError:
        encoding = sys.stdout.encoding or "ascii"
        print(text.encode(encoding, "replace").decode(encoding))


def in_notebook() -> bool:
    """Whether this runs in a Jupyter kernel."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and hasattr(shell, "kernel")


def verdict_text(verdict: Verdict, title: str) -> str:
    """The verdict for a terminal."""
    sign, words, _ = _SIGNS[verdict.outcome]
    lines = [f"{sign} {verdict.id} {title}".rstrip() + f": {words}", _plain(verdict.sentence)]
    if verdict.hint:
        lines += [_plain(USUALLY)] * _is_guess(verdict) + [_plain(verdict.hint)]
    lines += [_plain(line) for line in verdict.details if line]
    if verdict.trace:
        lines += ["  " + line for line in verdict.trace.splitlines()]
    if verdict.printed:
        lines += ["Your code printed:", *("  " + line for line in verdict.printed)]
    return "\n".join(line for line in lines if line)


USUALLY = "*What usually causes this, if it is so in your answer:*"


def _is_guess(verdict: Verdict) -> bool:
    """Whether the hint is about what the learner may have written, and nothing has shown it yet."""
    return verdict.outcome == KNOWN and not verdict.certain


def verdict_line(verdict: Verdict, title: str) -> str:
    """The verdict in one line, for a list."""
    sign, words, _ = _SIGNS[verdict.outcome]
    hint = f"{USUALLY} " * _is_guess(verdict) + " ".join(verdict.hint.split("\n\n")[0].split())
    told = hint if verdict.outcome == KNOWN else verdict.sentence
    return f"{sign} {verdict.id} {title}: {words}" + (f". {_plain(told)}" if told and not verdict.passed else "")


def verdict_html(verdict: Verdict, title: str, scripts: bool = True) -> str:
    """The verdict for a notebook; without scripts for a page that lets none run."""
    sign, words, colour = _SIGNS[verdict.outcome]
    # The colour is in the border alone: text keeps the theme's own, and can be read on dark and on white.
    parts = [f"<b>{sign} {html.escape(f'{verdict.id} {title}'.rstrip())}: {words}</b>"]
    if verdict.sentence:
        parts.append(f"<p>{inline(verdict.sentence)}</p>")
    if verdict.hint:
        parts.append(f"<p>{inline(USUALLY)}</p>" * _is_guess(verdict) + markdown(verdict.hint))
    details = [line for line in verdict.details if line]
    if details:
        parts.append("<p>" + "<br>".join(inline(line) for line in details) + "</p>")
    if verdict.graphs and (drawing := graphs(*verdict.graphs)):
        parts.append(drawing.markup(scripts))
    if verdict.trace:
        parts.append(f"<pre>{html.escape(verdict.trace)}</pre>")
    if verdict.printed:
        parts.append("<p>Your code printed:</p><pre>" + html.escape("\n".join(verdict.printed)) + "</pre>")
    return f'<div style="border-left:4px solid {colour};padding:2px 12px">' + "".join(parts) + "</div>"


def _plain(text: str) -> str:
    """Markdown without its marks; code stays as it is."""
    blocks = re.split(r"^```(?:python|text)?\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)
    return "".join(block if k % 2 else _plain_prose(block) for k, block in enumerate(blocks))


def _plain_prose(text: str) -> str:
    pieces = re.split(r"`([^`]+)`", text)
    return "".join(piece if k % 2 else _emphasis(piece, r"\1", r"\1") for k, piece in enumerate(pieces))


def inline(text: str) -> str:
    """`code`, **bold** and *emphasis* of a line of Markdown as HTML."""
    pieces = re.split(r"(`[^`]+`)", text)
    return "".join(
        f"<code>{html.escape(piece[1:-1])}</code>" if piece.startswith("`") and piece.endswith("`") and len(piece) > 2
        else _emphasis(html.escape(piece, quote=False))
        for piece in pieces
    )  # fmt: skip


def _emphasis(text: str, bold: str = r"<b>\1</b>", italic: str = r"<i>\1</i>") -> str:
    text = re.sub(r"\*\*([^*]+)\*\*", bold, text)
    return re.sub(r"(?<![\w*])\*([^*\s][^*]*)\*(?![\w*])", italic, text)


def markdown(text: str) -> str:
    """Paragraphs and code blocks of a hint as HTML."""
    parts = []
    for k, block in enumerate(re.split(r"```(?:python|text)?\n?", text)):
        if k % 2:
            parts.append(f"<pre>{html.escape(block.rstrip())}</pre>")
        else:
            parts += [f"<p>{inline(p.strip())}</p>" for p in block.split("\n\n") if p.strip()]
    return "".join(parts)


def bar(done: int, total: int, width: int = 20) -> str:
    """A progress bar of characters."""
    filled = round(width * done / total) if total else 0
    return "█" * filled + "░" * (width - filled)


def bar_html(done: int, total: int) -> str:
    """The same for a notebook."""
    look = "display:inline-block;height:10px;border-radius:5px;line-height:0;vertical-align:middle"
    full = f'<span style="{look};width:{round(100 * done / total) if total else 0}%;background:{BLUE}"></span>'
    return f'<span role="img" aria-label="{done} of {total}" style="{look};width:160px;background:{LINE}80">{full}</span>'


def progress_text(rows: list[dict[str, Any]]) -> str:
    """Chapters with bars, exercises as marks."""
    lines = []
    for row in rows:
        done = sum(mark == "✓" for mark, _, _ in row["marks"])
        lines.append(f"{row['title']}")
        lines.append(f"  {bar(done, len(row['marks']))} {done} of {len(row['marks'])}")
        lines += [f"  {mark} {id_} {title}" for mark, id_, title in row["marks"]]
    return "\n".join(lines)


def progress_html(rows: list[dict[str, Any]]) -> str:
    """The same as a table."""
    parts = []
    for row in rows:
        done = sum(mark == "✓" for mark, _, _ in row["marks"])
        marks = "<br>".join(f"{mark} {id_} {html.escape(title)}" for mark, id_, title in row["marks"])
        parts.append(
            f'<tr><td style="text-align:left;vertical-align:top"><b>{html.escape(row["title"])}</b><br>'
            f"{bar_html(done, len(row['marks']))} {done} of {len(row['marks'])}</td>"
            f'<td style="text-align:left">{marks}</td></tr>'
        )
    return "<table>" + "".join(parts) + "</table>"
