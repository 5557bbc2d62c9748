"""How an operation is declared: its forward on arrays, one VJP rule per differentiable input, a word for its JVP.

    @op("multilinear", self=lambda g, other: g * other, other=lambda g, self: g * self)
    def mul(self, other): ...

The *parameter names* of a rule say what it needs, and only that is saved for backward:

=====================  ==============================================================================
``g``                  the cotangent of the (first) output; ``gs`` the list for all outputs
an input's name        the value of that input; its version is checked when it is used
an output's name       the value of that output (``result``, unless ``outputs=`` names them)
``X_sym_sizes``        the shape of input X;  ``X_sym_numel`` its number of elements
any other parameter    what the caller passed: a dimension, a flag, a number
=====================  ==============================================================================

The names are those of PyTorch's derivatives.yaml, so ``node._saved_other`` is here what it is there. A rule is written
for real numbers, and holds for complex ones where the operation is holomorphic (see ``conjugated``); the few that are
not say so. The JVP is told by a word, because most operations need no formula of their own; forward mode reads it.

Note [Arrays or Tensors]
    A rule is written once. In a usual backward pass it gets arrays, and the operations that it calls are then plain
    NumPy; in a recorded pass (``create_graph=True``) it gets Tensors, and what it does is recorded as everything else
    is. So second derivatives need no second implementation, and first ones cost no more than NumPy.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from .seams import seams
from .tape import OpNode, unpack
from .tensor import wrap

INPUT, STATIC, SIZES, NUMEL, OUTPUT = range(5)  # where a value that a rule names comes from

REQUIRED: Any = object()  # the default of a parameter that has none

REGISTRY: dict[str, Op] = {}


def parameters_of(function: Callable) -> list[str]:
    """The names of a function's parameters. Not `inspect.signature`: it would take most of the time of the import."""
    return list(function.__code__.co_varnames[: function.__code__.co_argcount])


def checked(function: Callable) -> Callable:
    """A function with the checks that it has by its name. See ``Seams.check``."""
    return seams.check(function)


class Op:
    """A declared operation. ``rules`` maps each differentiable input to its VJP rule."""

    def __init__(self, forward: Callable, rules: dict[str, Callable], stem: str, **declared: Any):
        self.parameters = parameters_of(forward)
        self.name, self.forward, self.rules = forward.__name__, forward, rules
        if strange := sorted(rules.keys() - self.parameters):
            raise TypeError(f"{self.name} has a rule for {strange[0]!r}, which is none of its parameters")
        self.__dict__.update(declared)  # see `op`
        self.checked = checked(forward)
        # How many outputs have a gradient, if not all.
        self.with_gradient = len(self.outputs) - self.flat if self.flat else None
        given = forward.__defaults__ or ()
        self.defaults = (REQUIRED,) * (len(self.parameters) - len(given)) + given
        # The places of the arguments that have a rule, and of those that may be Tensors: these and the constants.
        self.inputs = tuple(self.parameters.index(r) for r in rules)
        self.slots = tuple(sorted({*self.inputs, *(self.parameters.index(t) for t in self.constants)}))
        self.takes_list = "tensors" in rules
        self.returns_several = any("gs" in parameters_of(rule) for rule in rules.values())
        # Whether the engine conjugates for the rules where numbers are complex: of real multiples, such as views, it
        # need not.
        needs = any(parameters_of(rule)[1:] for rule in rules.values())
        self.conjugates = self.holomorphic and needs and not self.view and not self.takes_list
        self.recipes = Recipes(self)
        self.saved_names = tuple(self.recipes[(1 << len(rules)) - 1, None, False].names)  # all that a node may save
        self.node_type = node_type(self, stem)  # the class that its nodes show
        seams.declared(self)

    def __getattr__(self, name: str) -> Any:  # for tools that check types: `declared` gives more attributes
        raise AttributeError(name)

    def bind(self, args: tuple, kwargs: dict[str, Any]) -> tuple:
        """The arguments by position, with the defaults that were not given. Raises TypeError as Python would."""
        values = list(args)
        for name, default in zip(self.parameters[len(args) :], self.defaults[len(args) :], strict=True):
            if name in kwargs:
                values.append(kwargs.pop(name))
            elif default is not REQUIRED:
                values.append(default)
            else:
                public = "input" if name == "self" else name
                raise TypeError(f'{self.name}() missing 1 required positional arguments: "{public}"')
        if len(args) > (most := len(self.parameters)):
            raise TypeError(f"{self.name}() takes {most} positional arguments but {len(args)} were given")
        if kwargs:
            raise TypeError(f"{self.name}() got an unexpected keyword argument '{next(iter(kwargs))}'")
        return tuple(values)

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


def conjugated(rule: Callable) -> Callable:
    """The rule for complex numbers of an operation that is holomorphic.

    PyTorch's cotangent of z = x + iy is ∂L/∂x + i·∂L/∂y. Through a holomorphic f it is multiplied by the conjugate of
    f', and conj(conj(g) · f') is that product: so the rule, which knows f' only, need not speak of conjugates.
    """

    @functools.wraps(rule)
    def turned(g: Any, *saved: Any) -> Any:
        cotangent = rule([c if c is None else c.conj() for c in g] if isinstance(g, list) else g.conj(), *saved)
        return cotangent if cotangent is None else cotangent.conj()

    return turned


class Recipe:
    """What one call saves, and the rules that will run, given which inputs need a gradient.

    ``mask``: a bit for each input that needs one. Only their rules run, and only what these name is saved: so the node
    of ``a * k`` saves k and not a, where k requires no gradient. ``given``: how many arguments the caller passes on,
    None for all; the others have their defaults, which need not be looked up each time. ``complex_``: whether the
    cotangents are complex numbers.

    What a node of this recipe saves has ``names``, in this order, and ``saves`` says where each comes from: its kind, and
    the number of the argument or output. ``preset`` are these values as far as they are known before the call, ``to_fill``
    what the call has to add, ``tensor_places`` where inputs and outputs stand among them: Tensors, or what was given in
    place of one, a number or None. ``rules``: for each input that needs a
    gradient its place among the edges, its rule, and the places of what the rule takes: 0 is ``g``, 1 is ``gs``, and what
    was saved follows. ``quick`` belongs to the hot path.
    """

    __slots__ = ("op", "names", "rules", "saves", "preset", "to_fill", "tensor_places", "quick")

    def __init__(self, op: Op, mask: int, given: int | None, complex_: bool):
        self.op, self.quick = op, None
        given = len(op.parameters) if given is None else given
        chosen = [(i, name, rule) for i, (name, rule) in enumerate(op.rules.items()) if mask >> i & 1]
        # A node may lead nowhere, see `edges_of`. PyTorch still saves for the rule, where the operation has only one.
        savers = chosen or [(0, name, rule) for name, rule in op.rules.items() if len(op.rules) == 1]
        named = {rule: parameters_of(rule) for _, _, rule in savers}
        sources = {v: op.source(v, name) for _, name, rule in savers for v in (*named[rule][1:], *op.always_saved)}
        # Hooks on saved tensors see the order: PyTorch's, by name, outputs last.
        self.names = sorted(sources, key=lambda v: (sources[v][0] == OUTPUT, v))
        self.saves = [sources[v] for v in self.names]
        places = ["g", "gs", *self.names]
        self.rules = []
        for i, _, rule in chosen:
            turned = conjugated(rule) if complex_ and op.conjugates and named[rule][1:] else rule
            self.rules.append((i, turned, tuple(places.index(v) for v in named[rule])))
        self.preset = [op.defaults[i] if kind == STATIC and i >= given else None for kind, i in self.saves]
        self.to_fill = [(place, kind, i) for place, (kind, i) in enumerate(self.saves) if kind != STATIC or i < given]
        self.tensor_places = [place for place, (kind, _) in enumerate(self.saves) if kind in (INPUT, OUTPUT)]


class Recipes(dict):
    """The recipes of an operation by (mask, given, complex_), each made when it is first asked for."""

    def __init__(self, op: Op):
        self.op = op

    def __missing__(self, key: tuple) -> Recipe:
        recipe = self[key] = Recipe(self.op, *key)
        return recipe


def node_type(op: Op, stem: str) -> type[OpNode]:
    """The class of an operation's nodes: ``MulBackward0`` from ``Mul0``; a name without a number stays as it is.

    Errors shorten it to ``Mul`` again: ``short_name`` in compat/complaints.py.
    """
    body: dict[str, Any] = {"__slots__": ()}
    body.update({f"_saved_{value}": saved_property(value) for value in op.saved_names})
    if stem[-1].isdigit():
        return type(f"{stem[:-1]}Backward{stem[-1]}", (OpNode,), body)
    if "::" in stem:
        body["name"] = lambda self: stem
    return type(stem.rpartition("::")[2], (OpNode,), body)


def saved_property(name: str) -> property:
    """``node._saved_<name>``: a value that was saved; a number in place of a Tensor as a Tensor."""

    def get(self: OpNode) -> Any:
        if name not in self.recipe.names:
            return None  # the input that needs it does not require grad
        place = self.recipe.names.index(name)
        kind, value = self.recipe.saves[place][0], self.saved[place]
        if kind == INPUT and type(value) in (bool, int, float, complex):
            return wrap(np.asarray(value))
        return unpack(value, self, reading=True) if kind in (INPUT, OUTPUT) else value

    return property(get, doc=f"What was saved as {name}. Raises RuntimeError once it was freed.")
