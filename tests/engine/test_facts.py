"""Facts about PyTorch: minigrad agrees with the recording.

`facts/pending.txt` lists the facts that minigrad does not reproduce yet. They are run as well, and must fail:
a fact that comes right has to leave the list (`python tools/record_facts.py --prune`). That PyTorch agrees with
the recording is seen once a week (.github/workflows/long.yml, drift.yml).
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from facts._executor import HERE, Fact, differences, load, run

import minigrad

FACTS = load()
RECORDED: dict[str, Any] = json.loads((HERE / "recorded.json").read_text(encoding="utf-8"))["facts"]
PENDING = {line for line in (HERE / "pending.txt").read_text(encoding="utf-8").splitlines()
           if line and not line.startswith("#")}


TOPICS: dict[str, list[Fact]] = {}  # the first two words of their names
for _fact in FACTS.values():
    TOPICS.setdefault(".".join(_fact.id.split(".")[:2]), []).append(_fact)


def report(fact: Fact) -> str:
    """What is wrong with minigrad about a fact, or an empty text."""
    found = differences(RECORDED[fact.id], run(fact, minigrad))
    if fact.id in PENDING:
        return "" if found else f"{fact.id} is right, and still pending: run tools/record_facts.py --prune"
    rows = [f"  {path}\n    recorded {want!r}\n    minigrad {have!r}" for path, want, have in found]
    return f"{fact.id}\n\n{fact.program}\n" + "\n".join(rows) if found else ""


@pytest.mark.parametrize("topic", TOPICS)
def test_minigrad_does_what_was_recorded(topic: str) -> None:
    wrong = [text for fact in TOPICS[topic] if (text := report(fact))]
    assert not wrong, f"{len(wrong)} of {len(TOPICS[topic])} facts\n\n" + "\n\n".join(wrong)


def test_every_fact_is_recorded_and_nothing_else() -> None:
    assert {name: fact.crc for name, fact in FACTS.items()} == {
        name: outcome["crc"] for name, outcome in RECORDED.items()}, "run tools/record_facts.py"


def test_pending_lists_facts() -> None:
    assert sorted(PENDING - set(FACTS)) == []


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
