"""Digits that a processor may change: what a fact states of its matrices is so, and what is compared has room for it."""

from __future__ import annotations

import json
import math
import re
from typing import Any
from unittest import mock

import numpy as np
import pytest
from facts._executor import HERE, Fact, differences, load, run

import minigrad

FACTS = load()
RECORDED: dict[str, Any] = json.loads((HERE / "recorded.json").read_text(encoding="utf-8"))["facts"]
SOLVES = [name for name, fact in FACTS.items() if re.search(r"linalg\.(inv|solve)", fact.program) or fact.condition]


def _conditions(fact: Fact) -> list[float]:
    """The condition numbers of the matrices that a program solves with or inverts."""
    found: list[float] = []

    def noting(function: Any) -> Any:
        def noted(A: Any, *others: Any) -> Any:
            result = function(A, *others)  # which raises for a singular matrix
            found.append(float(np.max(np.linalg.cond(A))))
            return result
        return noted

    with mock.patch("numpy.linalg.inv", noting(np.linalg.inv)), mock.patch("numpy.linalg.solve", noting(np.linalg.solve)):
        run(fact, minigrad)
    return found


@pytest.mark.parametrize("name", SOLVES)
def test_a_fact_states_the_condition_of_its_matrices(name: str) -> None:
    worst = max(_conditions(FACTS[name]), default=1.0)
    stated = None if worst < 1 + 1e-6 else math.ceil(10 * worst) / 10
    assert FACTS[name].condition == stated


def test_some_facts_solve() -> None:
    assert sum(FACTS[name].condition is not None for name in SOLVES) >= 4


def _number(value: float, **more: Any) -> dict[str, Any]:
    return {"tensors": {"x": {"dtype": "float64", "shape": [], "value": value}}} | more


def test_the_condition_widens_the_bound_of_its_own_fact_only() -> None:
    near, far = 1 + 70 * 2.0**-52, 1 + 90 * 2.0**-52  # 8 roundings are allowed, times the condition
    assert differences(_number(1.0), _number(near))
    assert not differences(_number(1.0, condition=10.0), _number(near, condition=10.0))
    assert differences(_number(1.0, condition=10.0), _number(far, condition=10.0))
    assert differences(_number(1.0, condition=10.0), _number(near)), "what is stated belongs to the program"
