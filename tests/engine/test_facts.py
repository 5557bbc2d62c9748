"""Facts about PyTorch: minigrad agrees with the recording, and the recording with PyTorch where it is there.

`facts/pending.txt` lists the facts that minigrad does not reproduce yet. They are run as well, and must fail:
a fact that comes right has to leave the list (`python tools/record_facts.py --prune`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from facts._executor import HERE, Fact, differences, load, run, settled

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
    with settled(module):
        yield module


@pytest.mark.parametrize("name", FACTS)
def test_pytorch_does_what_was_recorded(name: str, torch: Any) -> None:
    fact, expected = FACTS[name], RECORDED[name]
    got = run(fact, torch)
    assert not differences(expected, got), _report(fact, expected, got, "torch")


def _vector(dtype: str, *values: Any) -> dict[str, Any]:
    return {"dtype": dtype, "shape": [len(values)], "value": list(values)}


@pytest.mark.parametrize(("expected", "got"), [
    (_vector("float32", 0.1, 2.0), _vector("float32", 0.10000001, 2.0000002)),
    (_vector("float64", 1.0), _vector("float64", 1.0000000000000002)),
    (_vector("float32", "nan", "inf", 1.0), _vector("float32", "nan", "inf", 1.0)),
    (_vector("complex64", "(1+2j)"), _vector("complex64", "(1+2.0000002j)")),
])
def test_a_few_units_in_the_last_place_do_not_count(expected: dict[str, Any], got: dict[str, Any]) -> None:
    assert not differences({"x": expected}, {"x": got})


@pytest.mark.parametrize(("expected", "got", "path"), [
    (_vector("float32", 0.1, 2.0), _vector("float32", 0.1, 2.00001), "x.value"),
    (_vector("float64", 1.0), _vector("float64", 1.00000001), "x.value"),
    (_vector("int64", 1), _vector("int64", 2), "x.value"),
    (_vector("float32", 1.0), _vector("float64", 1.0), "x.dtype"),
    (_vector("float32", 1.0), _vector("float32", 1.0, 1.0), "x.shape"),
    (_vector("float32", "nan", 1.0), _vector("float32", 1.0, "nan"), "x.value"),
    (_vector("float32", "inf"), _vector("float32", "-inf"), "x.value"),
    (_vector("complex64", "(1+2j)"), _vector("complex64", "(1-2j)"), "x.value"),
    (_vector("float32", 1.0) | {"_version": 1}, _vector("float32", 1.0), "x._version"),
    (_vector("float32", 1.0), _vector("float32", 1.0) | {"grad": _vector("float32", 0.0)}, "x.grad"),
])
def test_everything_else_counts(expected: dict[str, Any], got: dict[str, Any], path: str) -> None:
    assert path in [where for where, _, _ in differences({"x": expected}, {"x": got})]
