"""The judge: what an answer does is observed, and compared with what the reference does and what known mistakes do.

Nothing is shown or recorded here: `check` does that for learners, the tests and the grader use `judge` as it is.
"""

from __future__ import annotations

import ast
import inspect
import linecache
import textwrap
import traceback
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from minigrad.course import bank
from minigrad.course.compare import MISSING, Difference, Raised, as_array, costs, differences, same, show
from minigrad.course.exercise import Case, Exercise
from minigrad.course.guard import guarded
from minigrad.course.limits import TimeLimit, run_limited

NOT_ATTEMPTED, ERROR, KNOWN, WRONG, PASSED = "not attempted", "error", "known mistake", "wrong", "passed"
_HERE = __file__.rpartition("judge.py")[0]


@dataclass
class Verdict:
    """What is said about an answer: one of five outcomes, a sentence, and what helps."""

    id: str
    outcome: str
    sentence: str = ""
    details: list[str] = field(default_factory=list)  # plain lines: case, got, expected
    hint: str = ""  # markdown
    trace: str = ""  # the learner's frames
    printed: list[str] = field(default_factory=list)
    case: str = ""
    mistake: str = ""  # the name of the known mistake
    seed: int = 0

    @property
    def passed(self) -> bool:
        return self.outcome == PASSED


def judge(
    exercise: Exercise, answer: Any, *, seed: int = 0, dtype: str = "float64", reference: str | None = None
) -> Verdict:
    """The verdict on an answer. Never raises, and changes nothing outside."""
    verdict = Verdict(exercise.id, WRONG, seed=seed)
    if not attempted(exercise, answer):
        verdict.outcome = NOT_ATTEMPTED
        verdict.sentence = f"`{exercise.name}` is still as it was given. Write your answer and run its cell."
        return verdict
    complaint = _wrong_kind(exercise, answer)
    if complaint:
        verdict.sentence = complaint
        return verdict
    model = exercise if reference is None else bank.exercises(exercise.chapter, reference)[exercise.id]
    tolerance = exercise.tolerance if dtype == "float64" else max(1e-4, exercise.tolerance)
    with guarded() as printed:
        seen = _Observed(exercise, answer, seed, dtype)
    verdict.printed = printed.getvalue().splitlines()[:5]
    name = None
    with guarded():
        expected = _Observed(model, model.reference, seed, dtype)
        wrong = _first_wrong(exercise, seen, expected, tolerance)
        if wrong is None:
            return _pass(verdict, exercise, seen, expected, seed, dtype)
        index, found = wrong
        case, got = seen.cases[index], seen.results[index]
        verdict.case = case.label
        name = _recognise(exercise, seen, index, found, seed, dtype, tolerance)
        if name is not None:
            verdict.outcome, verdict.mistake, verdict.hint = KNOWN, name, exercise.mistakes[name].hint
        want, changed = expected.results[index], index in seen.changed
        verdict.sentence, verdict.details = _explain(exercise, case, got, want, found, changed)
    if isinstance(got, Raised):
        verdict.trace = learner_trace(got.error)
        if name is None:
            verdict.outcome = ERROR
    elif name is None and exercise.accept is not None and not changed:
        verdict.details.insert(1, exercise.accept(case, got, want) or "")
    return verdict


class _Observed:
    """What an answer does on every case, up to the time limit."""

    def __init__(self, exercise: Exercise, answer: Any, seed: int, dtype: str):
        self.cases = exercise.fresh_cases(seed, dtype)
        self.results: list[Any] = []
        self.changed: set[int] = set()
        try:
            run_limited(lambda: self._run(exercise, answer), exercise.time_limit)
        except TimeLimit as error:
            self.results = [*self.results[: len(self.cases) - 1], Raised(error)]

    def _run(self, exercise: Exercise, answer: Any) -> None:
        for index, case in enumerate(self.cases):
            before = None if exercise.may_change_inputs else _fingerprint(case.args)
            try:
                self.results.append(exercise.observation(answer, case))
            except TimeLimit:
                raise
            except BaseException as error:  # also SystemExit and an answer's own KeyboardInterrupt
                self.results.append(Raised(error))
            if before is not None and _fingerprint(case.args) != before:
                self.changed.add(index)


def _fingerprint(args: Any) -> Any:
    """The values of the arrays and tensors among the arguments."""
    if isinstance(args, dict):
        return [(str(key), _fingerprint(value)) for key, value in args.items()]
    if isinstance(args, (list, tuple)):
        return [_fingerprint(item) for item in args]
    array = as_array(args) if isinstance(args, np.ndarray) or hasattr(args, "detach") else None
    return None if array is None else (array.shape, array.tobytes(), bool(getattr(args, "requires_grad", False)))


def _first_wrong(
    exercise: Exercise, seen: _Observed, expected: _Observed, tolerance: float
) -> tuple[int, list[Difference]] | None:
    """The first case that is wrong, and its differences."""
    for index, want in enumerate(expected.results):
        if index >= len(seen.results):
            return index - 1, []
        got, case = seen.results[index], seen.cases[index]
        if isinstance(want, Raised) or isinstance(got, Raised):
            if not same(got, want, tolerance):
                return index, []
            continue
        if exercise.accept is not None:
            if exercise.accept(case, got, want) is not None:
                return index, differences(got, want, tolerance)
        else:
            found = differences(got, want, tolerance, exercise.compare_dtype)
            if found:
                return index, found
        if index in seen.changed and index not in expected.changed:
            return index, []
    return None


def _pass(verdict: Verdict, exercise: Exercise, seen: _Observed, expected: _Observed, seed: int, dtype: str) -> Verdict:
    """Right; and a note where the price is that of a wasteful answer."""
    verdict.outcome, verdict.sentence = PASSED, "Right."
    price = [costs(result) for result in seen.results]
    if exercise.wasteful and price != [costs(result) for result in expected.results]:
        for mistake in exercise.wasteful.values():
            other = _Observed(exercise, mistake.answer, seed, dtype)
            if price == [costs(result) for result in other.results]:
                verdict.sentence, verdict.hint = "Right, but there is a cheaper way.", mistake.hint
                break
    return verdict


def _recognise(
    exercise: Exercise,
    seen: _Observed,
    index: int,
    found: list[Difference],
    seed: int,
    dtype: str,
    tolerance: float,
) -> str | None:
    """The name of the known mistake that does what the answer does, if there is one."""
    if exercise.is_value:
        return _recognise_belief(exercise, found, seed, dtype)
    group = seen.cases[index].label.partition(":")[0] if ":" in seen.cases[index].label else None
    places = [k for k, case in enumerate(seen.cases) if group is None or case.label.partition(":")[0] == group]
    raised = isinstance(seen.results[index], Raised)
    best: tuple[int, str] | None = None
    for name, mistake in exercise.mistakes.items():
        other = _Observed(exercise, mistake.answer, seed, dtype)
        agree = [
            k < len(seen.results) and k < len(other.results) and (k in seen.changed) == (k in other.changed)
            and same(seen.results[k], other.results[k], tolerance)
            for k in places
        ]  # fmt: skip
        if all(agree):
            return name
        # An answer that raises stops short of showing all that is wrong with it: what it does until then decides.
        upto = [a for a, k in zip(agree, places, strict=True) if k <= index]
        if raised and all(upto) and (best is None or sum(agree) > best[0]):
            best = sum(agree), name
    return None if best is None else best[1]


def _recognise_belief(exercise: Exercise, found: list[Difference], seed: int, dtype: str) -> str | None:
    """In a prediction the first wrong entry decides; among the beliefs that explain it, the one that explains most."""
    best: tuple[int, str] | None = None
    for name, mistake in exercise.mistakes.items():
        (believed,) = _Observed(exercise, mistake.answer, seed, dtype).results
        if isinstance(believed, Raised):
            continue
        explained = {d.path for d in found if _at(believed, d.path) == d.got and type(_at(believed, d.path)) is type(d.got)}
        if found and found[0].path in explained and (best is None or len(explained) > best[0]):
            best = len(explained), name
    return None if best is None else best[1]


def _at(tree: Any, path: tuple[str, ...]) -> Any:
    for key in path:
        try:
            tree = tree[int(key)] if isinstance(tree, (list, tuple)) else tree[key]
        except (KeyError, IndexError, TypeError, ValueError):
            return MISSING
    return tree


def _explain(
    exercise: Exercise, case: Case, got: Any, want: Any, found: list[Difference], changed: bool
) -> tuple[str, list[str]]:
    """A sentence and a few lines on the first wrong case."""
    lines = [] if exercise.is_value else [f"Case: {case.label}"]
    if isinstance(got, Raised):
        if isinstance(got.error, TimeLimit):
            limit = f"{exercise.time_limit:g} seconds"
            return (
                f"Your code took longer than {limit} and was stopped. Is there a loop that never ends? "
                "(A single long call into NumPy cannot be stopped; then restart the kernel.)"
            ), lines
        return f"Your code raised {got.kind}.", lines
    if isinstance(want, Raised):
        return f"Here {want.kind} should be raised.", [*lines, f"got {show(got)}"]
    if exercise.is_value:
        return _explain_prediction(got, want, found)
    if changed and not found:
        return "Your function changed its input. Work on a copy.", lines
    returned = got.get("returns", MISSING) if isinstance(got, dict) else got
    if returned is None and want.get("returns") is not None:
        return f"`{exercise.name}` returned None. Did you forget `return`?", lines
    if returned is ...:
        return f"`{exercise.name}` returned `...`: this part is not written yet.", lines
    args = [show(a) for a in case.args if as_array(a) is not None]
    if args:
        lines.append("Input: " + ", ".join(args))
    for d in found[:2]:
        where = "" if d.path in ((), ("returns",)) else f"{d.where}: "
        lines.append(where + d.text)
    if changed:
        lines.append("Besides, your function changed its input.")
    return "Not yet.", lines


def _explain_prediction(got: Any, want: Any, found: list[Difference]) -> tuple[str, list[str]]:
    open_keys = [str(key) for key, value in got.items() if _has_dots(value)] if isinstance(got, dict) else []
    wrong = [str(key) for key in want if any(d.path[0] == str(key) for d in found)]
    told = [key for key in wrong if key not in open_keys]
    sentence = f"{len(want) - len(wrong)} of {len(want)} are right."
    lines = []
    if open_keys:
        lines.append(f"Still open: {', '.join(open_keys)}.")
    if told:
        first = told[0]
        mine = got.get(first, MISSING) if isinstance(got, dict) else MISSING
        wrote = "It is missing." if mine is MISSING else f"You wrote {show(mine)}."
        lines.append(f"The first that is wrong: {first}. {wrote}")
    return sentence, lines


# -- before anything runs --------------------------------------------------------------------------------------------


def attempted(exercise: Exercise, answer: Any) -> bool:
    """Whether the answer is more than the starter."""
    if answer is ... or answer is None and exercise.is_value:
        return False
    if exercise.is_value:
        return not (isinstance(answer, dict) and answer and all(_all_dots(v) for v in answer.values()))
    source = source_of(answer)
    if source is None:
        return True
    try:
        return ast.dump(_body(source)) != ast.dump(_body(exercise.starter_source()))
    except SyntaxError:
        return True


def _body(source: str) -> ast.Module:
    """The definitions of a source, without docstrings and annotations, which are no attempt."""
    tree = ast.parse(textwrap.dedent(source))
    definitions = [node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))]
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Expr(ast.Constant(...))]
    return ast.Module(body=[definitions[-1]] if definitions else tree.body, type_ignores=[])


def _all_dots(value: Any) -> bool:
    return value is ... or isinstance(value, (list, tuple)) and bool(value) and all(v is ... for v in value)


def _has_dots(value: Any) -> bool:
    return value is ... or isinstance(value, (list, tuple)) and any(v is ... for v in value)


def _wrong_kind(exercise: Exercise, answer: Any) -> str:
    """What is said when the answer is not even of the right kind; empty when it is."""
    if exercise.is_value:
        if not isinstance(answer, dict):
            return f"`{exercise.name}` must be a dict, as it was given; it is {_kind(answer)}."
        return ""
    if inspect.isclass(exercise.reference):
        return "" if inspect.isclass(answer) else f"`{exercise.name}` must be a class; it is {_kind(answer)}."
    if not callable(answer):
        return f"`{exercise.name}` must be a function; it is {_kind(answer)}. Give the function itself, do not call it."
    try:
        wanted = inspect.signature(exercise.reference)
        inspect.signature(answer).bind(*[None] * len(wanted.parameters))
    except TypeError:
        return f"`{exercise.name}` must take these arguments: `{exercise.name}{wanted}`."
    except ValueError:
        return ""  # a function of C has no signature
    return ""


def _kind(answer: Any) -> str:
    return f"a value of type {type(answer).__name__}"


def source_of(answer: Any) -> str | None:
    """The source text of an answer, if it can be found."""
    try:
        return _class_source(answer) if inspect.isclass(answer) else inspect.getsource(answer)
    except (OSError, TypeError, SyntaxError):
        return None


def _class_source(cls: type) -> str | None:
    """The source of a class by way of one of its methods: a class of a notebook does not know where it was written."""
    for member in vars(cls).values():
        code = getattr(getattr(member, "__func__", member), "__code__", None)
        if code is not None:
            text = "".join(linecache.getlines(code.co_filename))
            for node in reversed(ast.parse(text).body):
                if isinstance(node, ast.ClassDef) and node.name == cls.__name__:
                    return ast.get_source_segment(text, node)
    return None


def learner_trace(error: BaseException, limit: int = 4) -> str:
    """A short traceback: the learner's frames only, then the type, the message and the notes."""
    lines = []
    for frame, number in traceback.walk_tb(error.__traceback__):
        filename = frame.f_code.co_filename
        if filename.startswith(_HERE) or "/minigrad/" in filename.replace("\\", "/") or "site-packages" in filename:
            continue
        text = linecache.getline(filename, number).strip()
        lines.append(f"line {number} in {frame.f_code.co_name}" + (f":  {text}" if text else ""))
    notes = [str(note) for note in getattr(error, "__notes__", ())]
    return "\n".join([*lines[-limit:], f"{type(error).__name__}: {error}", *notes])
