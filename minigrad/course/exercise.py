"""What an exercise is: one entry of the bank, as data. How it is judged is in judge.py."""

from __future__ import annotations

import ast
import functools
import inspect
import json
import re
import sys
import textwrap
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

# The standing observations (judging/standing.py), which `Exercise.without` leaves out with a reason.
VALUES, GRAD, VERSION, FLAG, TRAINING = "values", "grad", "version", "requires_grad", "training"
STATES, RESULTS, DTYPE, AGAIN, BOTH_DTYPES, EDGES = "states", "results", "dtype", "second call", "both dtypes", "edges"
OBSERVATIONS = (VALUES, GRAD, VERSION, FLAG, TRAINING, STATES, RESULTS, DTYPE, AGAIN, BOTH_DTYPES, EDGES)


@dataclass(frozen=True)
class Case:
    """One situation in which an answer is observed: a label for people, and the arguments of the call.

    Where an exercise has parts, the label begins with the part's name and a colon. A known mistake is then recognised
    by the cases of the part that went wrong, whatever the other parts do.
    """

    label: str
    args: tuple[Any, ...]
    edge: bool = False  # one of the special points and sizes
    dtype: str = ""  # where the case comes a second time, with other numbers and in the other dtype: this one

    def __post_init__(self) -> None:
        if not isinstance(self.args, tuple):
            raise TypeError(f"the case {self.label!r}: its arguments are a tuple, as (x,) with a comma")

    @property
    def title(self) -> str:
        """The label, for people."""
        numbers = f", with {self.dtype} numbers" if self.dtype in _dtypes_in(self.args) else ""  # some build theirs themselves
        return self.label + (f" (called again{numbers})" if self.dtype else "")

    @property
    def part(self) -> str:
        """What stands before the colon of the label; the whole label where there is none."""
        return self.label.partition(":")[0]


def _dtypes_in(thing: Any) -> set[str]:
    """The names of the dtypes of all arrays, Tensors and modules in an argument, and of a dtype itself."""
    if hasattr(thing, "parameters") and not isinstance(thing, type):
        thing = list(thing.parameters())
    if isinstance(thing, dict | list | tuple):
        return {name for item in (thing.values() if isinstance(thing, dict) else thing) for name in _dtypes_in(item)}
    return {str(getattr(thing, "dtype", thing)).rpartition(".")[2]}


Build = Callable[[np.random.Generator, Any], list[Case]]


def with_edges(cases: Build, edges: Build | None, rng: np.random.Generator, dtype: Any) -> list[Case]:
    """The cases, and the edge cases: each at the end of the part to which it belongs, and with arrays of its own."""
    found = list(enumerate(cases(rng, dtype)))
    last = {case.part: k for k, case in found}
    for edge in edges(rng, dtype) if edges is not None else []:
        own = tuple(arg.copy() if isinstance(arg, np.ndarray) else arg for arg in edge.args)
        found.append((last.get(edge.part, len(found)), replace(edge, args=own, edge=True)))
    return [case for _, case in sorted(found, key=lambda one: one[0])]


@dataclass(frozen=True)
class Mistake:
    """A wrong (or wasteful) answer that we know, and what to say about it.

    `evidence` looks for the slip in an answer's source, and in what was observed of it, case by case. Where it finds none,
    the hint is not for this answer; where there is no such test, the hint is shown as what usually causes what was seen.
    """

    answer: Callable[..., Any]
    hint: str
    evidence: Callable[[str, list[Any]], bool] | None = None


@dataclass(frozen=True)
class Requirement:
    """A bullet of an exercise's statement, and answers that break what it asks for: a test asks whether they are refused.

    `broken_by` are known mistakes, `attacks` what terminal/attacks.py makes of the reference. Without any the bullet says
    only what is given, or what is advised.
    """

    text: str
    broken_by: tuple[str, ...] = ()
    attacks: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for names in (self.broken_by, self.attacks):
            if isinstance(names, str):
                raise ValueError(f'the requirement {self.text!r}: write ("{names}",), with a comma')


@dataclass(eq=False)  # one is itself and no other, so that it can be the key of a table
class Exercise:
    """One entry of the bank. A function exercise has `cases`; a value exercise (a prediction) has `draws`.

    `cases(rng, dtype)` is called anew for every answer that is observed, and must build everything that it
    returns: no tensor of the module's, none shared by two cases. `dtype` is one of `mg`'s, as `mg.float64`.
    """

    id: str
    title: str
    difficulty: int
    minutes: int
    reference: Callable[..., Any]
    hints: tuple[str, str, str]  # concept, picture, skeleton
    explanation: str  # markdown: why the answer is right
    points: int | None = None  # default: the difficulty
    requirements: tuple[Requirement, ...] = ()  # stand where the chapter's text says `{requirements}`
    extra: bool = False  # beside what the chapter asks of everybody: not in its minutes, nor among its tables

    # A function exercise: the answer is a function with the reference's name and signature.
    cases: Build | None = None
    edges: Build | None = None  # more cases: the special points and sizes
    observe: Callable[..., Any] | None = None  # (answer, *args) -> tree; default {"returns": ...}

    # A value exercise: the answer is a dict that predicts what a program does. The reference, alternatives
    # and mistakes are functions draw -> dict.
    draws: Callable[[np.random.Generator], Any] | None = None
    program: Callable[[Any], str] | None = None  # the source that the learner sees
    name: str = ""  # the variable that holds the answer; a function exercise takes the reference's

    words: tuple[str, ...] = ()  # where each value of the dict is one of a few words: these

    starter: str | None = None  # source text; default: made from the reference, or a dict of `...`
    # Right, in another style: one that is shown after a pass, and those whose price is not the reference's.
    alternatives: dict[str, Callable[..., Any]] = field(default_factory=dict)
    wasteful: dict[str, Mistake] = field(default_factory=dict)  # right, at a cost: passes with a note
    mistakes: dict[str, Mistake] = field(default_factory=dict)
    accept: Callable[[Case, Any, Any], str | None] | None = None  # (case, seen, expected): None is right

    may_change_inputs: bool = False  # over a whole case; what each call of the answer changes is told by `without`
    musts: dict[str, str] = field(default_factory=dict)  # a cost that may not be higher than the reference's: what is asked for
    without: dict[str, str] = field(default_factory=dict)  # a standing observation that is not made: the reason
    compare_dtype: bool = False  # else only values and shapes count
    tolerance: float = 1e-9  # of the largest expected value, in float64; at least 1e-4 in float32
    time_limit: float = 10.0  # seconds for all cases together
    space: dict[str, Any] = field(default_factory=dict, repr=False)  # the globals of its task and its answer
    package: str = ""  # the folder with its files; empty where it stands in one file with others

    def __post_init__(self) -> None:
        def need(condition: bool, what: str) -> None:
            if not condition:
                raise ValueError(f"exercise {self.id}: {what}")

        need(re.fullmatch(r"\d\d\.\d+", self.id) is not None, 'the id must look like "04.2"')
        need(1 <= self.difficulty <= 5, "the difficulty must be 1 to 5")
        need((self.cases is None) != (self.draws is None), "give either cases or draws, and not both")
        need(not isinstance(self.hints, str) and len(self.hints) == 3, "give three hints: the idea, a picture and a skeleton")
        need(all(isinstance(one, Requirement) for one in self.requirements), 'a requirement is Requirement("…", …)')
        if self.draws is not None:
            need(self.program is not None and bool(self.name), "a value exercise needs program and name, the variable for the dict")
        self.name = self.name or self.reference.__name__
        unknown = self.without.keys() - set(OBSERVATIONS)
        need(not unknown, f"there is no standing observation {unknown}")
        self.points = self.difficulty if self.points is None else self.points

    @property
    def chapter(self) -> str:
        return self.id.split(".")[0]

    @property
    def is_value(self) -> bool:
        """Is the answer a dict of predictions, not a function?"""
        return self.draws is not None

    @property
    def names_a_file(self) -> bool:
        """Is the answer a function that gives the name of a file, in which the work is?"""
        return False

    @property
    def mg(self) -> Any:
        """The tensor library that its files call mg: minigrad, or torch."""
        return self.space.get("mg", np)

    def rng(self, seed: int = 0) -> np.random.Generator:
        """The source of random numbers for a seed. Seed 0 is what everybody sees in the notebook."""
        return np.random.default_rng([zlib.crc32(self.id.encode()), seed])

    def draw(self, seed: int = 0) -> Any:
        """The program's parameters in a value exercise; draw 0 is the one in the notebook."""
        assert self.draws is not None, "only a value exercise has draws"
        return self.draws(self.rng(seed))

    def fresh_cases(self, seed: int = 0, dtype: str = "float64", count: int | None = None) -> list[Case]:
        """New cases, all or so many; two calls with one seed give equal cases that share nothing.

        Each comes twice: when all have been answered, an answer is asked again, with other numbers and in float32.
        What it kept from the first time, or made for one dtype alone, shows then. The work in a file is looked at once:
        it runs in a process of its own each time.
        """
        if self.cases is None:
            return [Case("your prediction", (self.draw(seed),))]
        first = self._round(self.rng(seed), dtype)[:count]
        if self.names_a_file or AGAIN in self.without or len(first) == count:
            return first
        other = dtype if BOTH_DTYPES in self.without else "float32"
        numbers = np.random.default_rng([zlib.crc32(self.id.encode()), seed, 1])
        return [*first, *(replace(case, dtype=other) for case in self._round(numbers, other))][:count]

    def _round(self, rng: np.random.Generator, dtype: str) -> list[Case]:
        assert self.cases is not None, "only a function exercise has cases"
        return with_edges(self.cases, self.edges, rng, getattr(self.mg, dtype))

    def observation(self, answer: Any, case: Case) -> Any:
        """What an answer does on a case, as a tree of plain values."""
        if self.is_value:
            return answer(*case.args) if callable(answer) else answer
        if self.observe is not None:
            return self.observe(answer, *case.args)
        return {"returns": answer(*case.args)}

    def starter_source(self) -> str:
        """The code that the learner finds in the cell."""
        if self.starter is not None:
            return self.starter.strip("\n")
        if self.is_value:
            lines = [f"    {json.dumps(key)}: ...," for key in self.reference(self.draw())]
            return "\n".join([f"{self.name} = {{", *lines, "}"])
        source = self.reference_source()
        tree = ast.parse(source).body[0]
        if not isinstance(tree, ast.FunctionDef) or ast.get_docstring(tree) is None:
            raise ValueError(f"exercise {self.id}: give a starter, or a reference function with a docstring")
        lines = source.splitlines()[tree.lineno - 1 : tree.body[0].end_lineno]
        return "\n".join([*lines, "    ..."])

    @functools.cached_property
    def starter_made(self) -> Any:
        """The function or class that the starter's code makes."""
        space = dict(self.space)
        exec(compile(self.starter_source(), "starter", "exec", dont_inherit=True), space)
        return space[self.name]

    def reference_source(self) -> str:
        """The reference as the learner sees it in the solution."""
        return textwrap.dedent(inspect.getsource(self.reference)).rstrip()


class Part(dict[str, Any]):
    """Some fields of an exercise, by name: what one of its files says."""


def register(exercise: Exercise) -> Exercise:
    """Add an exercise to the module that calls this, as `EXERCISES[id]`: a teacher's own exercises may stand in one file."""
    space = sys._getframe(1).f_globals
    entries = space.setdefault("EXERCISES", {})
    if exercise.id in entries:
        raise ValueError(f"exercise {exercise.id} is registered twice")
    exercise.space = space
    entries[exercise.id] = exercise
    return exercise
