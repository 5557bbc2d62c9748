"""Every message of the engine is explained, and each explanation's example raises it."""

from __future__ import annotations

import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minigrad as mg
from minigrad import course, errors
from minigrad.course.notebook.explain import (
    AREAS,
    entries,
    find,
    name_of,
    page,
    pattern_of,
    search,
    shown,
    told,
    wording,
)

ROOT = Path(__file__).parents[2]
NAMES = list(errors.messages())


def outcome(program: str) -> tuple[Exception | None, list[str]]:
    """The error that ends a program, and all messages: of that error and of the warnings."""
    ended, said = None, []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            exec(compile(program, "<example>", "exec"), {"mg": mg, "np": np})
        except Exception as error:
            ended = error
            said.append(str(error))
    return ended, said + [str(warning.message) for warning in caught]


def test_every_message_has_an_entry_and_no_entry_is_left_over() -> None:
    listed = [m.name for messages in AREAS.values() for m in messages]
    assert len(listed) == len(set(listed)) and len(NAMES) > 200
    assert set(NAMES) == set(listed)


# Pieces of other messages.
FRAGMENTS = {"MODIFIED_HINT", "MODIFIED_HINT_ANOMALY", "NONLEAF_DETACH"}
ABOUT_GRADIENTS = {m.name for area in list(AREAS)[: list(AREAS).index("gradcheck")] for m in AREAS[area]}


@pytest.mark.parametrize("name", entries())
def test_entry(name: str) -> None:
    """It is complete, its example says the message, and from what was said the way leads back to the entry."""
    message = entries()[name]
    for text in (message.why, message.fix):
        assert text.endswith((".", ".)")) and text.count("`") % 2 == 0, text
    assert message.chapter in {"", *(f"{n:02}" for n in range(1, 17))}

    error, said = outcome(message.example)
    assert any(pattern_of(wording(message)).search(text) for text in said), said
    if name not in FRAGMENTS:
        found = [find(text) for text in said]
        assert name in [m.name for m in found if m], said
    if error is not None and name in ABOUT_GRADIENTS:  # a warning has no notes
        more = error.__notes__[-1]
        assert f'explain("{name_of(str(error))}")' in more
        assert name in more or name in FRAGMENTS or name.startswith("ANOMALY")


def test_an_example_that_raises_another_message_is_noticed() -> None:
    pattern = pattern_of(errors.FREED)
    assert not any(pattern.search(text) for text in outcome(entries()["SCALAR_ONLY"].example)[1])


def test_notes_name_the_entry() -> None:
    x = mg.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError) as caught:
        (x * x).backward()
    more = caught.value.__notes__[-1]
    assert isinstance(more, errors.MoreNote)
    assert more == 'More: from minigrad.course import explain; explain("SCALAR_ONLY")'
    space: dict[str, Any] = {}
    exec(more.removeprefix("More: "), space)
    assert "SCALAR_ONLY" not in str(caught.value)


def test_explain(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def say(*args: Any) -> str:
        course.explain(*args)
        return capsys.readouterr().out

    assert "retain_graph=True" in say("FREED") and "chapter 07" in say("FREED")
    assert say("Trying to backward through the graph a second time (or") == say("FREED")
    assert say(RuntimeError(errors.FREED)) == say("FREED")
    assert "SCALAR_ONLY" in say("implicitly created") and "REAL_ONLY" in say("implicitly created")
    assert "not of minigrad" in say("no such message") and "not of minigrad" in say(KeyError("x"))
    monkeypatch.delattr(sys, "last_value", raising=False)
    assert "No error was shown" in say()
    monkeypatch.setattr(sys, "last_value", RuntimeError(errors.SCALAR_ONLY), raising=False)
    assert "one number" in say()


def test_explain_after_an_error_in_a_notebook() -> None:
    pytest.importorskip("IPython")
    cells = ["import minigrad as mg; from minigrad.course import explain", "mg.ones(2, requires_grad=True).backward()", "explain()"]
    program = (
        "from IPython.core.interactiveshell import InteractiveShell\n"
        "shell = InteractiveShell.instance()\n"
        f"for cell in {cells!r}:\n    shell.run_cell(cell)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT)
    assert 'explain("SCALAR_ONLY")' in done.stdout and "starts from one number" in done.stdout


def test_the_terminal_explains() -> None:
    command = [sys.executable, "-m", "minigrad.course", "explain", "implicitly created only for scalar"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0 and "What to do." in done.stdout


def test_the_page_has_every_message() -> None:
    text = "\n".join(page())
    for message in entries().values():
        assert message.example in text and message.why in text and message.fix in text
    assert text.count("\n### ") == len(entries())


def test_search_needs_words() -> None:
    assert search("") == [] and search("   ") == []
    assert [m.name for m in search("DEGREES of  freedom")] == ["FREEDOM"]


def test_shown_wording_has_no_braces() -> None:
    assert shown(entries()["EXPAND_RANK"]).startswith("expand(…{…}, size=…)")
    assert not [m.name for m in entries().values() if "{}" in shown(m)]
    assert told(entries()["SLICE_STEP"], "").startswith("> step must be greater than zero")
