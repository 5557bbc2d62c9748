"""How an operation is declared: its forward on arrays, one VJP rule per differentiable input, a word for its JVP.

    @op(self=lambda g, other: g * other, other=lambda g, self: g * self, jvp="multilinear")
    def mul(self, other): ...

The *parameter names* of a rule say what it needs, and only that is saved for backward:

=====================  ==============================================================================
``g``                  the cotangent of the (first) output; ``gs`` the list for all outputs
an input's name        the value of that input; its version is checked when it is used
an output's name       the value of that output (``result``, unless ``outputs=`` names them)
``X_sym_sizes``        the shape of input X;  ``X_sym_numel`` its number of elements
any other parameter    what the caller passed: a dimension, a flag, a number
=====================  ==============================================================================

The names are those of PyTorch's derivatives.yaml, so ``node._saved_other`` is here what it is there. A rule runs on
arrays in a first-order backward pass, and on Tensors when the pass itself is recorded (``create_graph=True``). It is written
for real numbers, and holds for complex ones where the operation is holomorphic (see ``conjugated``); the few that are not say so.

The JVP is told by a word, because most operations need no formula of their own:

* ``"linear"``: the operation is linear in all its inputs together, so the tangent goes through the operation itself;
* ``"multilinear"``: linear in each input separately (mul, matmul): one term per input;
* ``"elementwise"``: the Jacobian is diagonal, so the VJP rule is the JVP too;
* a function of ``<input>_t`` (tangents) and of anything a rule may name.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

INPUT, STATIC, SIZES, NUMEL, OUTPUT = range(5)  # where a value that a rule names comes from

REQUIRED: Any = object()  # the default of a parameter that has none

REGISTRY: dict[str, Op] = {}

# What PyTorch asks beyond the mathematics is put here from outside (see refusals.py): what each puts checks around a function,
# and the word that says how the dtypes of an operation's operands meet.
checks: list[Callable[[Callable], Callable]] = []
promotion: dict[str, str] = {}


def checked(function: Callable) -> Callable:
    """A function with the checks that it has by its name."""
    return functools.reduce(lambda wrapped, check: check(wrapped), checks, function)


def parameters_of(function: Callable) -> list[str]:
    """The names of a function's parameters. Not `inspect.signature`: it would take most of the time of the import."""
    code = function.__code__
    return list(code.co_varnames[: code.co_argcount])


HAND_ON, WITH_NOTHING, WITH_ONE, WITH_SEVERAL, WITH_ALL, FOR_LIST = range(6)  # how a rule is called, see OpNode.apply
_HANDS_ON = (lambda g: g).__code__.co_code


def how_to_call(rule: Callable, for_list: bool) -> int:
    """How the engine calls a rule: not at all where it gives back the cotangent as it is."""
    names = parameters_of(rule)
    if names[0] == "gs":
        return WITH_ALL
    if for_list:
        return FOR_LIST
    if len(names) == 1:
        return HAND_ON if rule.__code__.co_code == _HANDS_ON else WITH_NOTHING
    return WITH_ONE if len(names) == 2 else WITH_SEVERAL


def conjugated(rule: Callable) -> Callable:
    """The rule for complex numbers of an operation that is holomorphic.

    PyTorch's cotangent of z = x + iy is ∂L/∂x + i·∂L/∂y. Through a holomorphic f it is multiplied by the conjugate of f', and
    conj(conj(g) · f') is that product: so the rule, which knows f' only, need not speak of conjugates.
    """

    @functools.wraps(rule)
    def turned(g: Any, *saved: Any) -> Any:
        cotangent = rule([c if c is None else c.conj() for c in g] if isinstance(g, list) else g.conj(), *saved)
        return cotangent if cotangent is None else cotangent.conj()

    return turned


class Recipe:
    """What one call saves, and the rules that will run, given which inputs need a gradient.

    ``given``: how many arguments the caller passes on; the others have their defaults, which need not be looked up each time.
    """

    __slots__ = ("op", "names", "rules", "saves", "preset", "to_fill", "tensor_places")

    def __init__(self, op: Op, mask: int, given: int, complex_: bool = False):
        chosen = [
            (position, name, rule, parameters_of(rule))
            for position, (name, rule) in enumerate(op.rules.items())
            if mask >> position & 1
        ]
        sources = {v: op.source(v, name) for _, name, _, wanted in chosen for v in (*wanted[1:], *op.always_saved)}
        if not mask:  # no input leads anywhere, and still PyTorch saves what the gradients of all need, and outputs
            wanted_by = [v for rule in op.rules.values() for v in parameters_of(rule)[1:]]
            found = {v: op.source(v, "") for v in (*wanted_by, *op.always_saved)}
            shared = found if len(op.rules) == 1 else {v for v in found if wanted_by.count(v) > 1}
            sources = {v: s for v, s in found.items() if s[0] == OUTPUT or v in shared}
        # Hooks on saved tensors see the order: PyTorch's, by name, outputs last.
        self.names = sorted(sources, key=lambda v: (sources[v][0] == OUTPUT, v))
        self.saves = [sources[v] for v in self.names]
        self.rules = [
            (position, conjugated(rule) if complex_ and op.turns and wanted[1:] else rule, how_to_call(rule, op.takes_list),
             tuple(self.names.index(v) for v in wanted[1:]))
            for position, _, rule, wanted in chosen
        ]  # fmt: skip
        self.op = op
        self.preset = [op.defaults[i] if kind == STATIC and i >= given else None for kind, i in self.saves]
        self.to_fill = [(place, kind, i) for place, (kind, i) in enumerate(self.saves) if kind != STATIC or i < given]
        self.tensor_places = [place for place, (kind, _) in enumerate(self.saves) if kind in (INPUT, OUTPUT)]


class Op:
    """A declared operation. ``rules`` maps each differentiable input to its VJP rule."""

    def __init__(
        self,
        forward: Callable,
        rules: dict[str, Callable],
        jvp: str | Callable | None,
        *,
        outputs: Sequence[str],
        constants: Sequence[str],
        promote: str,
        view: bool,
        always_saved: Sequence[str],
        plain: int,
        numbers: bool,
        holomorphic: bool,
        ufunc: np.ufunc | None,
    ):
        self.parameters = parameters_of(forward)
        self.name, self.forward, self.rules, self.jvp = forward.__name__, forward, rules, jvp
        self.outputs, self.promote, self.view, self.always_saved = tuple(outputs), promote, view, tuple(always_saved)
        self.numbers, self.checked = numbers, checked(forward)
        # What the hot path computes with, which has floats only: mostly nothing has to be checked there.
        self.kernel: Callable = ufunc or (forward if getattr(self.checked, "takes_floats", False) else self.checked)
        self.smooth = len(self.outputs) - plain if plain else None  # how many outputs have a gradient, if not all
        given = forward.__defaults__ or ()
        self.defaults = (REQUIRED,) * (len(self.parameters) - len(given)) + given
        self.inputs = tuple(self.parameters.index(r) for r in rules)
        self.slots = tuple(sorted({*self.inputs, *(self.parameters.index(t) for t in constants)}))
        self.takes_list = "tensors" in rules
        self.returns_several = any("gs" in parameters_of(rule) for rule in rules.values())
        self._recipes: dict[tuple[int, int | None, bool], Recipe] = {}
        # Whether the engine conjugates for the rules where numbers are complex: of real multiples, such as views, it need not.
        self.turns = holomorphic and not view and not self.takes_list and any(parameters_of(rule)[1:] for rule in rules.values())
        self.saved_names = tuple(self.recipe((1 << len(rules)) - 1).names)  # all that a node may save
        self.node_type: Any = None  # the class that its nodes show

    def bind(self, args: tuple, kwargs: dict[str, Any]) -> tuple:
        """The arguments by position, with the defaults that were not given. Raises TypeError as Python would."""
        values = list(args)
        for name, default in zip(self.parameters[len(args) :], self.defaults[len(args) :], strict=True):
            if name in kwargs:
                values.append(kwargs.pop(name))
            elif default is not REQUIRED:
                values.append(default)
            else:
                raise TypeError(f'{self.name}() missing 1 required positional arguments: "{public(name)}"')
        if len(args) > len(self.parameters):
            raise TypeError(f"{self.name}() takes {len(self.parameters)} positional arguments but {len(args)} were given")
        if kwargs:
            raise TypeError(f"{self.name}() got an unexpected keyword argument '{next(iter(kwargs))}'")
        return tuple(values)

    def recipe(self, mask: int, given: int | None = None, complex_: bool = False) -> Recipe:
        """The recipe for the inputs whose bits are set in mask, made once. given: see there; usually all arguments.

        complex_: whether the results, and so the cotangents, are complex numbers.
        """
        recipe = self._recipes.get((mask, given, complex_))
        if recipe is None:
            recipe = Recipe(self, mask, len(self.parameters) if given is None else given, complex_)
            self._recipes[mask, given, complex_] = recipe
        return recipe

    def source(self, value: str, rule: str) -> tuple[int, int]:
        """Where the value that a rule names is found: its kind, and the number of the argument or output."""
        if value in self.parameters:
            position = self.parameters.index(value)
            return (INPUT if position in self.slots else STATIC), position
        if value in self.outputs:
            return OUTPUT, self.outputs.index(value)
        for suffix, kind in (("_sym_sizes", SIZES), ("_sym_numel", NUMEL)):
            stem = value.removesuffix(suffix)
            if stem != value and stem in self.parameters:
                return kind, self.parameters.index(stem)
        raise TypeError(f"the rule of {self.name} for {rule!r} names {value!r}, which is no input, output or parameter")

    def push(self, call: Callable, args: tuple, tangents: dict[str, Any], outputs: Sequence[Any]) -> Any:
        """The tangent of the output(s): J·t. ``call`` is the operation, on arrays or on Tensors.

        ``tangents`` maps names of inputs to their tangents; an input without one is constant.
        """
        if callable(self.jvp):
            return self.jvp(*self.values(self.jvp, args, outputs, tangents))
        by_name = dict(zip(self.parameters, args, strict=True))
        if self.jvp == "linear":
            zeros = {n: _zeros(by_name[n]) for n in self.rules if n not in tangents}
            return call(*{**by_name, **zeros, **tangents}.values())
        terms = []
        for name, tangent in tangents.items():
            if self.jvp == "multilinear":
                terms.append(call(*{**by_name, name: tangent}.values()))
            else:
                rule = self.rules[name]
                terms.append(rule(tangent, *self.values(rule, args, outputs)[1:]))
        total = terms[0]
        for term in terms[1:]:
            total = total + term
        return total

    def values(self, rule: Callable, args: tuple, outputs: Sequence[Any], tangents: dict[str, Any] | None = None) -> list:
        """What a rule names, out of a call's arguments, outputs and tangents; None for its cotangent."""
        found: list = []
        for name in parameters_of(rule):
            if name in ("g", "gs"):
                found.append(None)
            elif tangents is not None and name.endswith("_t") and name[:-2] in self.parameters:
                found.append(tangents.get(name[:-2]))
            else:
                kind, number = self.source(name, "jvp")
                value = outputs[number] if kind == OUTPUT else args[number]
                if kind == SIZES:
                    value = tuple(value.shape)
                found.append(math.prod(value.shape) if kind == NUMEL else value)
        return found


def _zeros(value: Any) -> Any:
    """The tangent of a constant: zeros like an array or a Tensor, 0.0 for a number."""
    if hasattr(value, "_wrap"):
        return value._wrap(np.zeros_like(value._array))
    return np.zeros_like(value) if isinstance(value, np.ndarray) else 0.0


def public(parameter: str) -> str:
    """What PyTorch's functions call a parameter that its derivative formulas call ``self``."""
    return "input" if parameter == "self" else parameter
