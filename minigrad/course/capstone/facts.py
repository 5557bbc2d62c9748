"""The facts of the capstone: short programs by milestone, and what minigrad shows for them."""

from __future__ import annotations

import difflib
import functools
import re
import types
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.capstone import child

FILE = Path(__file__).with_name("facts.txt")
HOUSE_FILE = Path(__file__).with_name("house.txt")  # of chapter 17, see house.py
MILESTONES = {
    "M1": "scalars",
    "M2": "arrays",
    "M3": "the contract",
    "M4": "modes, detach, hooks",
    "M5": "double backward",
    "M6": "versions and views",
    "M7": "training",
    "M8": "break a friend's engine",
    "M9": "random programs",
}
HOUSE = {
    "H": "what held before",
    "E1": "a new operation",
    "E2": "a walk that counts",
    "E3": "computed again, not kept",
    "E5": "a rounded cotangent",
    "E6": "a write to a slice",
}
AREAS = ("rules", "shapes", "graph", "errors", "modes", "hooks", "second order", "versions", "views", "training")
# What a wrong value is a symptom of, where the fact names no trouble for it. That numbers which are no `.grad` are no gradient
# holds in the first two milestones: later ones show what `grad` returns.
SYMPTOMS = {"forward": "forward", "nothing": "nothing_came"}
UNEXPLAINED = {"", "missing", "not run", "NameError", "NotImplementedError", "SyntaxError", "ImportError"}  # point to no trouble


@dataclass(frozen=True)
class Fact:
    """One program, what it checks, the chapter that explains it, and which troubles a failure points to."""

    id: str
    area: str
    chapter: str
    sentence: str
    program: str
    troubles: tuple[tuple[str, str, str], ...]  # (kind of failure, words in its text, name of the trouble)
    note: bool = False  # red alone, it costs a note and no more

    @property
    def milestone(self) -> str:
        return self.id.partition(".")[0]

    def trouble(self, kind: str, text: str = "", symptom: str = "") -> str | None:
        """The name of the trouble that a failure of this kind, told in this text, points to."""
        kinds = (kind,) if kind in UNEXPLAINED else (kind, symptom, "any")
        named = (name for when, words, name in self.troubles if when in kinds and words in text)
        asked = self.milestone in MILESTONES if symptom == "nothing" else self.milestone in ("M1", "M2")
        return next(named, SYMPTOMS.get(symptom) if asked else None)


@functools.cache
def facts(milestone: str | None = None, file: Path = FILE) -> tuple[Fact, ...]:
    """The facts of a milestone, or all of them, in their order."""
    found = []
    for cell in file.read_text(encoding="utf-8").split("\n%% ")[1:]:
        header, _, body = cell.partition("\n")
        id, area, chapter, sentence = (part.strip() for part in header.split("|"))
        troubles = re.findall(r"^#\? (\w+) ?(.*?): (\w+)$", body, flags=re.MULTILINE)
        program = re.sub(r"^#[?!] .*\n", "", body, flags=re.MULTILINE).strip() + "\n"
        found.append(Fact(id, area, chapter, sentence, program, tuple(troubles), "#! note" in body))
    return tuple(fact for fact in found if milestone in (None, fact.milestone))


class Library:
    """minigrad, or PyTorch, as the facts call it: one module with all the names."""

    def __init__(self, library: Any):
        self.library = library
        self.grad = library.autograd.grad

    def __getattr__(self, name: str) -> Any:
        thing = getattr(self.library, name)
        if isinstance(thing, types.ModuleType):  # an engine is one file: what it is built of is nobody's affair
            raise AttributeError(f"module 'engine' has no attribute {name!r}")
        return thing

    def tensor(self, data: Any, requires_grad: bool = False) -> Any:
        """A tensor as the capstone's: of float64, whatever the numbers were."""
        return self.library.tensor(data, dtype=self.library.float64, requires_grad=requires_grad)

    def fit(self, points: Any, labels: Any, weights: Any, rate: float, steps: int) -> tuple[list[float], list[Any]]:
        """The training of M7."""
        x, target = self.tensor(points), self.tensor(labels).reshape(-1, 1)
        W1, b1, W2, b2 = parameters = [self.tensor(w, requires_grad=True) for w in weights]
        losses = []
        for _ in range(steps):
            loss = (((x @ W1 + b1).tanh() @ W2 + b2 - target) ** 2).mean()
            gradients = self.grad(loss, parameters)
            losses.append(float(loss.item()))
            with self.no_grad():
                for p, g in zip(parameters, gradients, strict=True):
                    p -= rate * g
        return losses, [p.detach().numpy() for p in parameters]


@functools.lru_cache(1024)  # the grader asks with another seed for each student
def expected(fact: Fact, seed: int = 0) -> dict[str, Any]:
    """What minigrad shows."""
    return child.run(fact.id, fact.program, Library(mg), seed)


def describe(id: str, seed: int = 0) -> str:
    """A fact in full: what it checks, its program, and what minigrad shows for it. LookupError when there is none."""
    known = {fact.id: fact for fact in facts()}
    if id not in known:
        near = difflib.get_close_matches(id, known, 3, 0.4) or list(known)[:3]
        raise LookupError(f"There is no fact {id!r}. Did you mean {' or '.join(near)}?")
    fact = known[id]
    shown = "\n".join("  " + words(value) for value in expected(fact, seed)["shown"])
    return f"{fact.id}  {fact.sentence}\nchapter {fact.chapter}\n\n{fact.program}\nminigrad shows:\n{shown}"


def words(value: Any) -> str:
    """A shown value in one short line."""
    if isinstance(value, list):
        text = "[" + ", ".join(map(words, value)) + "]"
    elif isinstance(value, dict):
        array = np.array(value["values"]).reshape(value["shape"])
        text = " ".join(np.array2string(array, precision=4, suppress_small=True, threshold=12, separator=", ").split())
        text = text.replace("[ ", "[") + (f"  of shape {tuple(value['shape'])}" if array.ndim > 1 else "")
    else:
        text = str(value)
    return text if len(text) <= 150 else text[:147] + "…"
