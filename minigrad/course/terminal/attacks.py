"""The reference, spoiled: attacks on an exercise leave its source alone, and change what each call does besides.

It answers from memory, or for one size only, or changes what it was given. No attack knows what the exercise is about.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import inspect
import linecache
import textwrap
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.exercise import DTYPE, FLAG, GRAD, STATES, VALUES, Exercise
from minigrad.course.judge import PASSED, judge_all

Call = Callable[[], Any]
Memory = dict[str, Any]


def things(args: Any) -> Iterator[Any]:
    """The tensors, arrays and containers among the arguments, from the outside in."""
    for thing in args.values() if isinstance(args, dict) else args:
        if isinstance(thing, (mg.Tensor, np.ndarray, list, dict)):
            yield thing
        if isinstance(thing, (list, tuple, dict)):
            yield from things(thing)
        if isinstance(thing, mg.nn.Module):
            yield from thing.parameters()


def arrays(args: Any) -> Iterator[np.ndarray]:
    for thing in things(args):
        if isinstance(thing, (mg.Tensor, np.ndarray)):
            yield thing.detach().numpy() if isinstance(thing, mg.Tensor) else thing


def form(x: Any) -> Any:
    """An argument without its numbers."""
    if isinstance(x, (mg.Tensor, np.ndarray)):
        return tuple(x.shape)
    if isinstance(x, (list, tuple)):
        return [form(item) for item in x]
    if type(x) is dict:
        return {key: form(item) for key, item in x.items()}
    return x if isinstance(x, (int, str, type(None))) else type(x).__name__


def numbers(x: Any) -> Any:
    """An argument's numbers, or itself."""
    if isinstance(x, (mg.Tensor, np.ndarray)):
        return np.asarray(x.detach().numpy() if isinstance(x, mg.Tensor) else x).tobytes()
    if isinstance(x, (list, tuple)):
        return tuple(numbers(item) for item in x)
    if type(x) is dict:
        return tuple((key, numbers(item)) for key, item in x.items())
    return x if isinstance(x, (int, float, str, type(None))) else id(x)


def each(x: Any, change: Callable[[Any], Any]) -> Any:
    """A result with its tensors, arrays and numbers changed."""
    if type(x) is list or type(x) is tuple:
        return type(x)(each(item, change) for item in x)
    if type(x) is dict:
        return {key: each(item, change) for key, item in x.items()}
    return change(x) if isinstance(x, (mg.Tensor, np.ndarray, float, int)) else x


def off(x: Any) -> Any:
    """A result with other numbers, another slope, or the contrary."""

    def change(value: Any) -> Any:
        if isinstance(value, bool):
            return not value
        return ~value if str(getattr(value, "dtype", "")).endswith("bool") else 3 * value + 1

    return each(x, change)


def first_result(call: Call, args: tuple, memory: Memory) -> Any:
    if "result" in memory:
        memory["met"] = memory["met"] or numbers(args) != memory["numbers"]
        return memory["result"]
    memory["numbers"], memory["result"] = numbers(args), call()
    return memory["result"]


def kept_by_form(call: Call, args: tuple, memory: Memory) -> Any:
    kept, key = memory.setdefault("kept", {}), repr(form(args))
    if key in kept:
        memory["met"] = memory["met"] or kept[key][0] != numbers(args)
        return kept[key][1]
    kept[key] = numbers(args), call()
    return kept[key][1]


def wrong_where(condition: Callable[[tuple, Memory], bool]) -> Callable[[Call, tuple, Memory], Any]:
    def attack(call: Call, args: tuple, memory: Memory) -> Any:
        there = condition(args, memory)
        result = call()
        if not there:
            return result
        return met(memory, result, off(result))

    return attack


def met(memory: Memory, right: Any, spoiled: Any) -> Any:
    """A spoiled result; whether it is another one is noted."""
    memory["met"] = memory["met"] or repr(right) != repr(spoiled)
    return spoiled


def another_size(args: tuple, memory: Memory) -> bool:
    return memory.setdefault("form", repr(form(args))) != repr(form(args))


def unknown(args: tuple, memory: Memory) -> bool:
    """Whether the numbers are none of those that the notebook shows."""
    return any(array.size for array in arrays(args)) and numbers(args) not in memory["shown"]


def after(change: Callable[[Any], bool]) -> Callable[[Call, tuple, Memory], Any]:
    """Something is done to an argument behind the call's back; `change` tells whether it was."""

    def attack(call: Call, args: tuple, memory: Memory) -> Any:
        before = [(thing, getattr(thing, "grad", None)) for thing in things(args)]
        result = call()
        for thing, grad in before:
            if getattr(thing, "grad", None) is grad:  # what the right answer changes too is no fault
                memory["met"] = change(thing) or memory["met"]
        return result

    return attack


def written_to(thing: Any) -> bool:
    if isinstance(thing, mg.Tensor) and thing.numel():
        with mg.no_grad():
            thing.add_(1)
        return True
    if isinstance(thing, np.ndarray) and thing.size and thing.flags.writeable:
        thing += 1
        return True
    return False


def emptied(thing: Any) -> bool:
    if isinstance(thing, (list, dict)) and thing:
        thing.clear()
        return True
    return False


def cleared(thing: Any) -> bool:
    if isinstance(thing, mg.Tensor) and thing.is_leaf and thing.grad is not None:
        thing.grad = None
        return True
    return False


def given_a_gradient(thing: Any) -> bool:
    if isinstance(thing, mg.Tensor) and thing.is_leaf and thing.requires_grad and thing.grad is None:
        thing.grad = mg.zeros_like(thing)
        return True
    return False


def frozen(thing: Any) -> bool:
    if isinstance(thing, mg.Tensor) and thing.is_leaf and thing.requires_grad:
        thing.requires_grad_(False)
        return True
    return False


def no_more_recording(call: Call, args: tuple, memory: Memory) -> Any:
    result = call()
    memory["met"] = memory["met"] or mg.is_grad_enabled()
    mg.set_grad_enabled(False)
    return result


def with_a_seed(call: Call, args: tuple, memory: Memory) -> Any:
    memory["met"] = True
    mg.manual_seed(0)
    return call()


def once_more(call: Call, args: tuple, memory: Memory) -> Any:
    memory["met"] = True
    call()
    return call()


def changed(change: Callable[[Any], Any]) -> Callable[[Call, tuple, Memory], Any]:
    def attack(call: Call, args: tuple, memory: Memory) -> Any:
        result = call()
        return met(memory, result, each(result, change))

    return attack


def of_the_first(x: Any) -> Any:
    if isinstance(x, (mg.Tensor, np.ndarray)) and x.ndim and len(x):
        return x * 0 + x[:1]
    return x


def without_the_last(x: Any) -> Any:
    if isinstance(x, (mg.Tensor, np.ndarray)) and x.ndim and len(x):
        keep = np.ones(len(x))
        keep[-1] = 0
        shape = (len(x),) + (1,) * (x.ndim - 1)
        return x * (mg.tensor(keep, dtype=x.dtype).reshape(*shape) if isinstance(x, mg.Tensor) else keep.reshape(shape))
    return x


def is_special(test: Callable[[np.ndarray], Any]) -> Callable[[tuple, Memory], bool]:
    return lambda args, memory: any(array.dtype.kind == "f" and bool(test(array)) for array in arrays(args))


def rounded(x: Any) -> Any:
    return x.detach().round() if isinstance(x, mg.Tensor) else x.round() if isinstance(x, np.ndarray) else x


def grown(x: Any) -> Any:
    """A result with a slip in the sixth digit."""
    return x * (1 + 1e-5) if isinstance(x, float) or getattr(x, "dtype", None) in (mg.float64, np.float64) else x


ATTACKS: dict[str, Callable[[Call, tuple, Memory], Any]] = {
    "gives what it gave first": first_result,
    "keeps one result for each size": kept_by_form,
    "right for the first size only": wrong_where(another_size),
    "right for the notebook's numbers only": wrong_where(unknown),
    "wrong in float32": wrong_where(lambda args, memory: any(array.dtype == np.float32 for array in arrays(args))),
    "wrong for a single element": wrong_where(lambda args, memory: any(array.size == 1 for array in arrays(args))),
    "wrong where an input is 0": wrong_where(is_special(lambda array: (array == 0).any())),
    "wrong where an input is negative": wrong_where(is_special(lambda array: (array < 0).any())),
    "writes into its inputs": after(written_to),
    "empties its inputs": after(emptied),
    "clears .grad": after(cleared),
    "leaves a .grad": after(given_a_gradient),
    "freezes its inputs": after(frozen),
    "leaves the grad mode off": no_more_recording,
    "sets the seed": with_a_seed,
    "works twice": once_more,
    "detached": changed(lambda x: x.detach() if isinstance(x, mg.Tensor) and x.requires_grad else x),
    "float32": changed(lambda x: x.float() if isinstance(x, mg.Tensor) and x.dtype == mg.float64 else x),
    "whole numbers": changed(rounded),
    "a slip in the sixth digit": changed(grown),
    "the first row everywhere": changed(of_the_first),
    "without the last row": changed(without_the_last),
}  # fmt: skip


# What an exercise does not ask for, by `Exercise.without`.
NOT_ASKED = {
    "writes into its inputs": VALUES, "empties its inputs": VALUES, "clears .grad": GRAD,
    "leaves a .grad": GRAD, "freezes its inputs": FLAG, "leaves the grad mode off": STATES,
    "sets the seed": STATES, "float32": DTYPE,
}  # fmt: skip

# Within a Function's forward and backward the engine looks after the grad mode and the graph.
OF_GRAPHS = ("clears .grad", "leaves a .grad", "freezes its inputs", "detached", "leaves the grad mode off")


def spoiled(function: Callable[..., Any], attack: Callable[[Call, tuple, Memory], Any], memory: Memory) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrong(*args: Any, **kwargs: Any) -> Any:
        return attack(lambda: function(*args, **kwargs), (*args, *kwargs.values()), memory)

    return wrong


def spoil_method(cls: type, name: str, attack: Callable[[Call, tuple, Memory], Any], memory: Memory) -> None:
    """Put a spoiled method in the place of one; a static or class method stays one."""
    member = inspect.getattr_static(cls, name)
    plain = getattr(member, "__func__", member)
    wrong = spoiled(plain, attack, memory)
    setattr(cls, name, type(member)(wrong) if plain is not member else wrong)


def methods(cls: type) -> list[str]:
    """The functions that a class defines, but for those that Python calls by itself."""
    return [name for name, member in vars(cls).items() if inspect.isroutine(member) and not name.startswith("__")]


def attacks(exercise: Exercise) -> list[tuple[str, Any]]:
    """Answers that are the reference but for what each call does besides: a text for each, and what makes the answer."""
    if exercise.is_value:
        return []
    places = [f"{name} " for name in methods(exercise.reference)] if inspect.isclass(exercise.reference) else [""]
    of_ctx = inspect.isclass(exercise.reference) and issubclass(exercise.reference, mg.autograd.Function)
    asked = [name for name in ATTACKS if NOT_ASKED.get(name) not in exercise.without and (name != "works twice" or exercise.musts)]
    if of_ctx:
        asked = [name for name in asked if name not in OF_GRAPHS]
    return [(place + name, (place.strip(), name)) for place in places for name in asked]


# --- Made and judged -----------------------------------------------------------------------------------------


@dataclass
class Made:
    """A wrong answer, and what it is remembered by."""

    text: str
    answer: Any
    memory: Memory = field(default_factory=lambda: {"met": True})  # of an attack: whether any call met it


def tree_of(exercise: Exercise) -> ast.FunctionDef | ast.ClassDef:
    """The reference's source, under the name that its module knows it by, without decorators."""
    reference = inspect.unwrap(exercise.reference)
    tree = ast.parse(textwrap.dedent(inspect.getsource(reference))).body[0]
    assert isinstance(tree, (ast.FunctionDef, ast.ClassDef)) and not getattr(reference, "__closure__", None), exercise.id
    tree.decorator_list = []
    tree.name = exercise.reference.__name__
    return tree


def run(exercise: Exercise, source: str) -> Any:
    """What the source of a reference makes; its text can be had from it, as in a notebook."""
    space = {"np": np} | exercise.space
    name = f"<mutant of {exercise.id}>"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    try:
        exec(compile(source, name, "exec"), space)
    except Exception:
        return None  # a class may fail as it is made
    return space[exercise.reference.__name__]


def attacked(exercise: Exercise, text: str, method: str, attack: str) -> Made:
    """The reference with one of its methods spoiled, or all of it where it is a function."""
    memory: Memory = {"met": False, "shown": shown(exercise)}
    right = run(exercise, ast.unparse(tree_of(exercise)))
    if not method:
        return Made(text, spoiled(right, ATTACKS[attack], memory), memory)
    spoil_method(right, method, ATTACKS[attack], memory)
    return Made(text, right, memory)


def shown(exercise: Exercise) -> set[Any]:
    """The numbers of the calls that the notebook's own cases make."""
    seen: set[Any] = set()

    def note(call: Call, args: tuple, memory: Memory) -> Any:
        seen.add(numbers(args))
        return call()

    answer = run(exercise, ast.unparse(tree_of(exercise)))
    names = methods(answer) if inspect.isclass(answer) else []
    for name in names:
        spoil_method(answer, name, note, {})
    if not names:
        answer = spoiled(answer, note, {})
    for case in exercise.fresh_cases():
        if not case.dtype:
            with contextlib.suppress(Exception):
                exercise.observation(answer, case)
    return seen


def survivors(exercise: Exercise, wrong: Iterable[Made]) -> tuple[int, list[str]]:
    """How many wrong answers were judged, and those that the checker takes for right, without a word.

    An attack that no call met is none.
    """
    plain = replace(exercise, mistakes={})  # which mistake it is like does not matter here
    given: list[Made] = []

    def answers() -> Iterator[Any]:
        for one in wrong:
            given.append(one)
            yield one.answer

    verdicts = list(judge_all(plain, answers()))
    passed = [one.text for one, v in zip(given, verdicts, strict=True) if v.outcome == PASSED and not v.hint and one.memory["met"]]
    return sum(one.memory["met"] for one in given), passed
