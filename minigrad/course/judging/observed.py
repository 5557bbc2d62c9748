"""What an answer does on the cases of an exercise, written down: plain values, out of its reach."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from minigrad.course.exercise import Case, Exercise
from minigrad.course.judging import standing
from minigrad.course.judging.attempt import attempted, ends_of, unwritten, wrong_kind
from minigrad.course.judging.compare import Raised, as_array, freeze
from minigrad.course.judging.guard import guarded
from minigrad.course.judging.limits import TimeLimit, run_limited
from minigrad.course.judging.standing import Witness
from minigrad.course.judging.trace import learner_trace

PRINTED_LINES = 5

@dataclass
class Seen:
    """What is known of an answer after it ran."""

    attempted: bool = True
    complaint: str = ""  # it is not of the right kind
    results: list[Any] = field(default_factory=list)  # one for each case, up to the time limit
    changed: dict[int, list[str]] = field(default_factory=dict)  # for a case, facts on the calls: see standing.py
    printed: list[str] = field(default_factory=list)
    ends: str = "valued"  # whether its ends have a value: a key of WHY_NONE

    @property
    def runs(self) -> bool:
        return self.attempted and not self.complaint

    def is_whole(self, count: int) -> bool:
        """Whether there is a result for each of so many cases, or for those before the time was over."""
        late = bool(self.results) and isinstance(self.results[-1], Raised) and self.results[-1].out_of_time
        return len(self.results) == count or late and len(self.results) < count


def looked_at(exercise: Exercise, answer: Any) -> Seen:
    """What is known of an answer before it runs."""
    return Seen(complaint=wrong_kind(exercise, answer), attempted=attempted(exercise, answer))


def watch(seen: Seen, exercise: Exercise, answer: Any, seed: int, dtype: str) -> Observed:
    """Run an answer, and write down what it does."""
    with guarded(answer, seed) as printed:
        observed = Observed(exercise, answer, seed, dtype, exercise.time_limit)
    seen.results, seen.changed = observed.results, observed.changed
    seen.printed = printed.getvalue().splitlines()[:PRINTED_LINES]
    seen.ends = ends_of(answer)
    return observed


class Observed:
    """What an answer does on every case, or on so many, up to the time limit."""

    def __init__(
        self, exercise: Exercise, answer: Any, seed: int, dtype: str, limit: float, library: str = "minigrad", count: int | None = None
    ):
        self.cases = exercise.fresh_cases(seed, dtype, count)
        self.results: list[Any] = []
        self.changed: dict[int, list[str]] = {}  # for a case, what the answer changed, and other facts on its calls
        self.library = library
        try:
            run_limited(lambda: self._run(exercise, answer), limit)
        except TimeLimit:
            self.results.append(Raised("TimeLimit", "", out_of_time=True))

    def _run(self, exercise: Exercise, answer: Any) -> None:
        """Everything that may run the learner's code, also their `__repr__` and `__str__`, happens in here."""
        witness = Witness(exercise.reference, exercise.mg, exercise.without)
        answer = answer if exercise.is_value or exercise.names_a_file else witness.of(answer)
        for index, case in enumerate(self.cases):
            witness.begin_of_case(index)
            before = [] if exercise.may_change_inputs else [_fingerprint(arg) for arg in case.args]
            try:
                result = ... if is_open(exercise, answer, case) else freeze(exercise.observation(answer, case), self.library)
            except (TimeLimit, standing.Fault):
                raise
            except BaseException as error:  # also SystemExit and an answer's own KeyboardInterrupt
                result = _raised(error)
            changed = [k for k, (arg, was) in enumerate(zip(case.args, before, strict=False)) if _fingerprint(arg) != was]
            facts = witness.facts.setdefault(index, set())
            names = changed and parameters_of(exercise, case.args)
            if changed and not names and not any(fact.startswith("`") for fact in facts):  # else the witness knows their names
                names = [f"argument {k}" for k in range(1, len(case.args) + 1)]
            told = [names[k] for k in changed if names]
            facts.update(f"`{name}`" for name in told if not any(fact.startswith(f"`{name}.") for fact in facts))
            self.results.append(result)
            witness.end_of_case()
            self.changed = {k: sorted(facts) for k, facts in witness.facts.items() if facts}


def is_open(exercise: Exercise, answer: Any, case: Case) -> bool:
    """Whether a method of a class that a case names among its arguments is not written yet."""
    words = [arg for arg in case.args if isinstance(arg, str) and not arg.startswith("__")]
    names = [word for word in words if inspect.isclass(exercise.reference) and hasattr(exercise.reference, word)]
    methods = [getattr(answer, name, None) for name in names]
    return any(method is None or unwritten(method) for method in methods)


def _raised(error: BaseException) -> Raised:
    try:
        text = str(error)
    except Exception:
        text = "(its message cannot be shown)"
    # How deep the stack is, and in which call it ended, differs from run to run.
    told = "maximum recursion depth exceeded" if isinstance(error, RecursionError) else text
    return Raised(type(error).__name__, told, learner_trace(error, told))


def parameters_of(exercise: Exercise, args: tuple[Any, ...]) -> list[str]:
    """The names of the arguments, as the method calls them that is asked, or the observation, or else the reference."""
    method = getattr(exercise.reference, args[0], None) if args and isinstance(args[0], str) else None
    for function, first, others in ((method, ["method"], 0), (exercise.observe, [], 1), (exercise.reference, [], 0)):
        try:
            parameters = inspect.signature(function).parameters.values()  # type: ignore[arg-type]
        except (TypeError, ValueError):
            continue
        names = first + [p.name for p in parameters if p.kind is not p.VAR_POSITIONAL][others:]
        if len(names) == len(args):
            return names
    return []


def _fingerprint(args: Any) -> Any:
    """The values and flags of the arrays and tensors among the arguments."""
    if isinstance(args, dict):
        return [(str(key), _fingerprint(value)) for key, value in args.items()]
    if isinstance(args, list | tuple):
        return [_fingerprint(item) for item in args]
    array = as_array(args) if isinstance(args, np.ndarray) or hasattr(args, "detach") else None
    return None if array is None else (array.shape, array.tobytes(), bool(getattr(args, "requires_grad", False)))
