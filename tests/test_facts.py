"""Facts about PyTorch: minigrad agrees with the recording, and the recording with PyTorch where it is installed.

`facts/pending.txt` lists the facts that minigrad does not reproduce yet. They are run as well, and must fail:
a fact that comes right has to leave the list (`python tools/record_facts.py --prune`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from facts._executor import HERE, Fact, differences, load, run, settle

import minigrad

FACTS = load()
RECORDED: dict[str, Any] = json.loads((HERE / "recorded.json").read_text(encoding="utf-8"))["facts"]
PENDING = {line for line in (HERE / "pending.txt").read_text(encoding="utf-8").splitlines()
           if line and not line.startswith("#")}


def _report(fact: Fact, expected: dict[str, Any], got: dict[str, Any], who: str) -> str:
    rows = [f"  {path}\n    recorded {want!r}\n    {who:8} {have!r}"
            for path, want, have in differences(expected, got)]
    return f"{fact.id}\n\n{fact.program}\n" + "\n".join(rows)


@pytest.mark.parametrize("name", [
    pytest.param(name, marks=pytest.mark.xfail(strict=True, reason="pending")) if name in PENDING else name
    for name in FACTS])
def test_minigrad_does_what_was_recorded(name: str) -> None:
    fact, expected = FACTS[name], RECORDED[name]
    got = run(fact, minigrad)
    assert not differences(expected, got), _report(fact, expected, got, "minigrad")


def test_every_fact_is_recorded_and_nothing_else() -> None:
    assert {name: fact.crc for name, fact in FACTS.items()} == {
        name: outcome["crc"] for name, outcome in RECORDED.items()}, "run tools/record_facts.py"


def test_pending_lists_facts() -> None:
    assert sorted(PENDING - set(FACTS)) == []


@pytest.fixture(scope="module")
def torch() -> Iterator[Any]:
    module = pytest.importorskip("torch", reason="PyTorch is not installed")
    if module.__version__.partition("+")[0] != "2.13.0":
        pytest.skip("facts are recorded from PyTorch 2.13.0")
    always = module.is_warn_always_enabled()
    settle(module)
    yield module
    module.set_warn_always(always)


@pytest.mark.parametrize("name", FACTS)
def test_pytorch_does_what_was_recorded(name: str, torch: Any) -> None:
    fact, expected = FACTS[name], RECORDED[name]
    got = run(fact, torch)
    assert not differences(expected, got), _report(fact, expected, got, "torch")
