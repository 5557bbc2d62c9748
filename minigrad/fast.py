"""The hot path: what most operations of a program run through, written for speed.

Everything here does what a function of ``core/`` does, for the frequent case, and hands all others on to it:
``_unary``, ``_binary`` and ``_view`` do what ``call`` in ``recorder`` and ``edges_of`` do (record.py), ``_record`` what
``record`` and ``new_node`` do there, with ``caller`` and ``save_output`` of tape.py, and ``_apply`` what ``OpNode.apply`` and its
``unpacked`` do (tape.py). A change to one of those has to be made here too.
``use(False)`` switches it off in a running program; with MINIGRAD_FAST=0 in the environment none of it is ever put in
place, which is what to choose for following a program with a debugger. The walk has no second form: it is that of
``core/walk.py``; a node's ``apply`` has one, below.

Note [Hot path]
    Python spends its time on calls, on attributes that it does not find at once, and on making objects. So: one call for an
    operation of one or two operands, and a second where it is recorded; the switches of the thread looked up once, all together;
    Tensors and nodes made without ``__init__``, all nodes of one class; shapes and dtypes of a result shared with the node before
    it where they are equal.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from operator import itemgetter
from typing import Any

import numpy as np

from .core import record
from .core.rule import INPUT, OUTPUT, REQUIRED, STATIC, Op, Recipe, parameters_of
from .core.seams import seams
from .core.tape import OpNode, inside_engine, next_number, save, unpack
from .core.tensor import Tensor, new
from .modes import state

ndarray, _getframe = np.ndarray, sys._getframe  # looked up once: every operation asks for them
_ABSENT: Any = object()  # an operand that did not come by position: perhaps by name


def use(on: bool) -> None:
    """Take the hot path from now on, or leave it, in this thread and those that are started later."""
    type(state).fast = on
    state.update()
    OpNode.apply = _apply if on else _apply_of_the_core  # type: ignore[method-assign]


# -- forward -----------------------------------------------------------------------------------------------------------


def recorder(general: Callable, op: Op) -> Callable:
    """The callable of an operation: a hot one where it has one or two operands that need no special care."""
    general.op = op  # type: ignore[attr-defined]
    one, two = op.slots == (0,), op.slots == (0, 1) and op.inputs in ((0, 1), ())
    if op.view and one and op.inputs and not op.returns_several and len(op.outputs) == 1:
        return _view(op, general)
    if op.view or op.takes_list or len(op.outputs) > 1 or not (one or two):
        return general
    make = _unary if one else _binary
    call = _unary(op, general, arrays=True) if one else make(op, general)
    if two or len(op.parameters) == 1:  # of other arguments than operands public functions first ask what they are
        call.hot = lambda otherwise: make(op, otherwise)  # type: ignore[attr-defined]
    return call


def _computing(op: Op) -> Callable:
    """What computes an operation on floats: mostly nothing has to be checked there."""
    return op.ufunc or (op.forward if getattr(op.checked, "takes_floats", False) else op.checked)


def _unary(op: Op, otherwise: Callable, arrays: bool = False) -> Callable:
    forward, compute, tail = op.forward, _computing(op), op.defaults[1:]
    alone_recipe, recipe = op.recipes[1, 1, False], op.recipes[1, None, False]
    can_record, wants_float = bool(op.inputs), op.promote != "" or op.conjugates or op.checked is not op.forward
    alone, arity = REQUIRED not in tail, len(op.parameters)

    def call(self: Any = _ABSENT, /, *rest: Any, **kwargs: Any) -> Any:
        quick = (now := state.__dict__)["quick"]
        if kwargs or quick is None or not isinstance(self, Tensor) or wants_float and self._array.dtype.kind != "f":
            if arrays and type(self) is ndarray and not kwargs:  # in a rule
                return forward(self, *rest)
            return otherwise(*(() if self is _ABSENT else (self, *rest)), **kwargs)
        edge = self._edge
        if edge is None and self._view is None and not self._requires_grad:
            pass  # as in all that is computed without gradients
        elif not can_record or not now["grad"]:
            edge = None
        elif edge is None or self._view is not None:
            edge = self._gradient_edge()
            if edge is None and self.requires_grad:
                return otherwise(self, *rest)
        try:
            if not rest and alone:
                out = quick(compute, self._array)
            elif len(rest) + 1 == arity:
                out = quick(compute, self._array, *rest)
            else:
                return otherwise(self, *rest)
        except (TypeError, RuntimeError, IndexError):
            return otherwise(self, *rest)
        result = new(Tensor)
        result._array = out if type(out) is ndarray else np.asarray(out)  # NumPy gives scalars for zero dimensions
        result._counter = [0]
        result._edge = result._view = None
        result._requires_grad = False
        if edge is not None and not _record(result, recipe if rest else alone_recipe, (self, *rest), (edge,)):
            return otherwise(self, *rest)
        return result

    return call


def _binary(op: Op, otherwise: Callable) -> Callable:
    compute, tail, numbers = _computing(op), op.defaults[2:], op.numbers
    inputs = op.inputs if op.with_gradient != 0 else ()
    meets = op.promote != "" or op.conjugates or op.checked is not op.forward
    of_self, of_other, of_both = (op.recipes[mask, 2, False] for mask in (1, 2, 3))
    if REQUIRED in tail:
        return otherwise

    def call(self: Any = _ABSENT, other: Any = _ABSENT, /, *rest: Any, **kwargs: Any) -> Any:
        quick = (now := state.__dict__)["quick"]
        if quick is None or rest or kwargs or not isinstance(self, Tensor):
            return otherwise(*[a for a in (self, other, *rest) if a is not _ABSENT], **kwargs)
        a = self._array
        if isinstance(other, Tensor):
            b: Any = other._array
            dtype = a.dtype
            if meets and (dtype is not b.dtype or dtype.kind != "f"):
                return otherwise(self, other)
        elif numbers and (type(other) is float or type(other) is int) and a.dtype.kind == "f":
            b = other
        else:
            return otherwise(self) if other is _ABSENT else otherwise(self, other)
        try:
            out = quick(compute, a, b)
        except (TypeError, ValueError, RuntimeError, IndexError):
            return otherwise(self, other)  # again, for torch's message and what else an error leaves
        result = new(Tensor)
        result._array = out if type(out) is ndarray else np.asarray(out)
        result._counter = [0]
        result._edge = result._view = None
        result._requires_grad = False
        constant = self._edge is None and self._view is None and not self._requires_grad
        if constant and b is not other:
            constant = other._edge is None and other._view is None and not other._requires_grad
        if not constant and inputs and now["grad"]:
            edge, other_edge = self._edge, None
            if self._view is not None or edge is None and self._requires_grad:
                edge = self._gradient_edge()
            if b is not other:
                other_edge = other._edge
                if other._view is not None or other_edge is None and other._requires_grad:
                    other_edge = other._gradient_edge()
            if edge is not None or other_edge is not None:
                recipe = of_other if edge is None else of_self if other_edge is None else of_both
                if not _record(result, recipe, (self, other), (edge, other_edge)):
                    return otherwise(self, other)
            elif self._view is not None and self.requires_grad or b is not other and other.requires_grad:
                return otherwise(self, other)
        return result

    return call


def _view(op: Op, otherwise: Callable) -> Callable:
    forward, rest_of_arity, recipe = op.checked, len(op.parameters) - 1, op.recipes[1, None, False]

    def call(self: Any = _ABSENT, /, *rest: Any, **kwargs: Any) -> Any:
        quick = (now := state.__dict__)["quick"]
        if quick is None or kwargs or not isinstance(self, Tensor) or len(rest) != rest_of_arity:
            return otherwise(*(() if self is _ABSENT else (self, *rest)), **kwargs)
        edge = self._gradient_edge() if now["grad"] else None
        if type(self._counter) is not list or edge is None and now["grad"] and self.requires_grad:
            return otherwise(self, *rest)
        try:
            out = quick(forward, self._array, *rest)
        except (TypeError, ValueError, RuntimeError, IndexError):
            return otherwise(self, *rest)
        result = new(Tensor)
        result._array = out
        result._edge = None
        result._requires_grad = False
        if edge is not None and not _record(result, recipe, (self, *rest), (edge,)):
            return otherwise(self, *rest)
        self._make_views((result,), call, rest, False)
        return result

    return call


def _record(result: Tensor, recipe: Recipe, args: tuple, edges: tuple) -> bool:
    """Give a result its history. False for one without derivatives, or of complex numbers, whose rules are others."""
    array = result._array
    dtype = array.dtype
    if dtype.kind != "f":
        return False
    metas = (edges[0] or edges[1])[0]._metas  # mostly the same: then they are kept once
    if len(metas) > 1 or dtype is not metas[0][1] or array.shape != metas[0][0]:
        metas = ((array.shape, dtype),)
    saved = recipe.preset
    if recipe.to_fill:
        saved = [*saved]
        for place, kind, position in recipe.to_fill:
            if kind == INPUT:
                value = args[position]
                saved[place] = (value, value._counter[0], None) if isinstance(value, Tensor) else save(value)
            elif kind == OUTPUT:  # see Note [Saved outputs] in tape.py
                alias = new(Tensor)
                alias._array, alias._counter = array, result._counter
                alias._edge = alias._view = None
                alias._requires_grad = False
                saved[place] = alias, 0, position
            elif kind == STATIC:
                saved[place] = args[position]
            else:
                saved[place] = record.size_of(args[position], kind)
    frame = _getframe(2)  # as caller() does
    while inside_engine[(code := frame.f_code).co_filename] and (back := frame.f_back) is not None:
        frame = back
    node = new(OpNode)
    node._edges, node._metas, node._made_at = edges, metas, (code, frame.f_lasti)
    node._hooks, node.recipe, node.saved = None, recipe, saved
    node._number = next_number()
    result._edge = node, 0
    return True


# -- backward ----------------------------------------------------------------------------------------------------------

_IDENTITY = (lambda g: g).__code__.co_code


def _prepared(recipe: Recipe) -> list:
    """The rules of a recipe, each with the input that it is for and how it is called: with one of the values, with several.

    None stands for a rule that gives back the cotangent as it is.
    """
    found: list = []
    for position, rule, picks in recipe.rules:
        places = [k - 2 for k in picks[1:]]
        as_it_is = not places and rule.__code__.co_code == _IDENTITY and len(parameters_of(rule)) == 1
        one = places[0] if len(places) == 1 else None
        found.append((position, None if as_it_is else rule, one, itemgetter(*places) if places[1:] else None))
    several = recipe.op.takes_list or any(picks[0] for _, _, picks in recipe.rules)
    recipe.quick = [] if several else found  # type: ignore[assignment]
    return recipe.quick  # type: ignore[return-value]


_apply_of_the_core = OpNode.apply


def _apply(self: OpNode, cotangents: list, tensors: bool, needed: Any) -> Any:
    """See ``Node.apply``. For nodes of one cotangent and rules for each input."""
    recipe, g = self.recipe, cotangents[0]
    rules = recipe.quick
    if rules is None:
        rules = _prepared(recipe)
    if not rules or g is None:
        return _apply_of_the_core(self, cotangents, tensors, needed)
    edges, values = self._edges, self.saved
    if recipe.tensor_places:
        values = [*values]
        for place in recipe.tensor_places:
            saved = values[place]
            t = saved[0] if type(saved) is tuple and not tensors else None
            if t is not None and t._counter[0] == saved[1] and t._view is None and (t._edge or not t._detached):
                values[place] = t._array
            elif type(saved) is not float:
                values[place] = unpack(saved, self, tensors)
    results: list = [*edges]  # None for an input without a gradient; a rule for each other one
    run = None if tensors else state.__dict__["quietly"]
    for position, rule, one, several in rules:
        if needed is not None and edges[position][0] not in needed:
            results[position] = None
            continue
        if rule is None:
            results[position] = g
        elif one is not None:
            results[position] = rule(g, values[one]) if run is None else run(rule, g, values[one])
        elif several is not None:
            results[position] = rule(g, *several(values)) if run is None else run(rule, g, *several(values))
        else:
            results[position] = rule(g) if run is None else run(rule, g)
    return results


if os.environ.get("MINIGRAD_FAST") != "0":
    seams.recorder = recorder  # type: ignore[method-assign, assignment]
    use(True)
else:
    type(state).fast = False
