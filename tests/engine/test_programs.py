"""Programs of the kinds that people run: each prints with minigrad what it printed with PyTorch, from the same seed."""

from __future__ import annotations

import json

import pytest
from programs._record import RECORDED, output, programs, same

OUTPUTS = json.loads(RECORDED.read_text("utf-8"))


def test_there_are_forty_and_all_are_recorded() -> None:
    assert len(programs()) >= 40
    assert sorted(OUTPUTS) == programs()


@pytest.mark.sampled(8)
@pytest.mark.parametrize("name", programs())
def test_prints_what_pytorch_prints(name: str) -> None:
    found = output(name, "minigrad")
    assert same(found, OUTPUTS[name]), f"minigrad:\n{found}\nrecorded:\n{OUTPUTS[name]}"


@pytest.mark.torch
@pytest.mark.sampled(1, weekly=8)
@pytest.mark.parametrize("name", programs())
def test_pytorch_prints_what_was_recorded(name: str) -> None:
    found = output(name, "torch")
    assert same(found, OUTPUTS[name]), f"torch:\n{found}\nrecorded:\n{OUTPUTS[name]}"


def test_another_number_is_noticed() -> None:
    text = OUTPUTS["linear_regression"]
    digit = text.index("loss ") + 5
    changed = text[:digit] + ("1" if text[digit] != "1" else "2") + text[digit + 1 :]
    assert not same(text, changed) and not same(text, text.replace("epoch", "epochs"))
