"""The tape: nodes, edges, saved tensors, AccumulateGrad.

A *node* is the backward of one recorded operation. An *edge* is ``(node, output number)``: where the cotangent of a
tensor goes. A tensor that was computed holds the edge to the node that made it; a node holds one edge per
differentiable input, ``None`` for a constant. Nothing points the other way, so a graph lives as long as a tensor that
needs it, and reference counting alone frees it.
"""

from __future__ import annotations

import itertools
import os
import sys
import threading
import weakref
from collections.abc import Container, Sequence
from types import CodeType
from typing import TYPE_CHECKING, Any

import numpy as np

from .seams import seams, state
from .tensor import Edge, Tensor, bump, method, wrap

next_number = itertools.count(1).__next__  # numbers nodes as they are made
_accumulating = threading.Lock()

_ENGINE = os.path.dirname(os.path.dirname(__file__)) + os.sep
_USERS = tuple(_ENGINE + room + os.sep for room in ("course", "viz"))  # these use the engine as anybody does

# A place in a program: a code object and an instruction in it. Cheap, and it holds no frame alive.
Site = tuple[CodeType, int]


class _Inside(dict):
    """Whether a file is one of the engine's, worked out once per file: an operation has no time to compare strings."""

    def __missing__(self, filename: str) -> bool:
        inside = self[filename] = filename.startswith(_ENGINE) and not filename.startswith(_USERS)
        return inside


inside_engine = _Inside()


def caller(depth: int = 2) -> Site:
    """Where the engine was called from: the nearest frame outside it.

    depth: how many frames, at least, are the engine's.
    """
    frame = sys._getframe(depth)
    while inside_engine[frame.f_code.co_filename] and (back := frame.f_back) is not None:
        frame = back
    return frame.f_code, frame.f_lasti


class Node:
    """The backward of one recorded operation.

    ``_edges`` lead to the nodes that get its results, one per differentiable input; ``_metas`` are the shape and dtype
    of each output of the forward, which are those of the cotangents that come in; ``_number`` counts nodes as they are
    made. ``_hooks`` is None, or what the walk calls before and after this node: see ``Hooks`` in around/hooks.py.
    ``_metadata`` are the user's notes, also from there. ``_made_at`` is the line of the program, see ``caller``. The
    underscores leave the plain names to the user: the node of a custom Function is also its ``ctx``.

    An OpNode is made without ``__init__``, by ``new_node`` in record.py and ``_record`` in fast.py, and AccumulateGrad
    has one of its own: an attribute that is added here must be set there too. CopySlices and Functions come this way.
    """

    __slots__ = ("_edges", "_metas", "_number", "_made_at", "_hooks", "_metadata", "__weakref__")

    if TYPE_CHECKING:  # hooks.py puts more of PyTorch's here

        def __getattr__(self, name: str) -> Any: ...

    runs_user_code = False  # a custom Function's backward, which may hand out arrays that it keeps
    _freed = False  # whether saved tensors were let go

    def __init__(self, edges: Sequence[Edge | None], metas: tuple, site: Any = None):
        self._edges, self._metas, self._made_at = edges, metas, site
        self._hooks: Any = None  # what watches it, see the walk
        self._number = next_number()

    def apply(self, cotangents: list, tensors: bool, needed: Container[Node] | None) -> Sequence:
        """One cotangent per edge, out of one per output: Tensors in and out, or arrays.

        needed: the nodes that will run after this one, when not all will: for others nothing has to be computed.
        """
        raise NotImplementedError

    def _release(self, site: Any) -> None:
        """Let go of what was saved for backward."""

    def shown(self) -> Node:
        """The node as those outside of the engine see it."""
        return self

    def name(self) -> str:
        """The node's name, as in PyTorch: ``MulBackward0``. Ask ``node.shown()`` for it: an OpNode is shown as another class.

        A user may have put another ``name`` on the ``ctx`` of a custom Function. Then ``type(node.shown()).name(node)``
        is still the node's.
        """
        return type(self).__name__

    def __repr__(self) -> str:
        return f"<{type(self).__name__} object at {id(self):#x}>"

    @property
    def next_functions(self) -> tuple:
        """The edges, ``(None, 0)`` where an input was a constant."""
        return tuple((None, 0) if edge is None else (edge[0].shown(), edge[1]) for edge in self._edges)


@method
def _gradient_edge(self: Tensor) -> Edge | None:
    """Where this tensor's cotangent goes: to the node that made it, or to a leaf's AccumulateGrad."""
    if self._view is not None:
        self._view.renew(self)
    if self._edge is not None or not self._requires_grad:
        return self._edge
    node = None if self._accumulator is None else self._accumulator()
    if node is None:
        node = AccumulateGrad(self)
        self._accumulator = weakref.ref(node)  # the node holds the leaf; the other way round would be a cycle
    return node, 0


# -- saved tensors -----------------------------------------------------------------------------------------------------

# Note [Saved outputs]
#     A saved tensor is (the tensor, the version that it had, which output of the node it is, or None). A plain tuple,
#     because almost every operation makes one. A node that saved its own *output* as it is would hold a tensor that
#     holds the node: a cycle, which reference counting never frees. So an alias without history is saved, and who reads
#     it gets the history back.
SavedTensor = tuple[Tensor, int, int | None]

GONE = object()  # stands where a saved tensor was


def save(value: Any) -> Any:
    """Keep an argument for backward: a Tensor with its version, a tuple of them as a list, anything else as it is.

    ``new_node`` in record.py, and ``_record`` in fast.py, have the line for a Tensor again.
    """
    if isinstance(value, Tensor):
        return value, value._counter[0], None
    if type(value) in (list, tuple):
        return [save(v) for v in value]
    return value


def save_output(output: Tensor, number: int) -> SavedTensor:
    """Keep an output of a node by that node. See Note [Saved outputs]. ``_record`` in fast.py has it again."""
    return output._alias(None), output._counter[0], number


def unpack(saved: Any, node: Node, tensors: bool = True, reading: bool = False) -> Any:
    """A saved value as it was, in Tensors with their history, or in arrays.

    RuntimeError for a tensor that is gone, that was written to, or (unless somebody is only ``reading`` it) that has
    lost, by detach_(), the history that it was saved with. What outsiders keep in place of a tensor has a method
    ``unpack``.
    """
    if type(saved) is list:
        return tuple(unpack(s, node, tensors, reading) for s in saved)
    if saved is GONE:
        raise seams.error("FREED", node=node, freed_by=node.freed_by)
    if hasattr(saved, "unpack"):
        tensor = saved.unpack(node)
    elif type(saved) is tuple:
        tensor, version, output = saved
        if output is None and tensor._edge is None and tensor._detached > node._number and not reading:
            raise seams.error("SAVED_DETACHED")
        if tensor._counter[0] != version:
            raise seams.error("MODIFIED", tensor._counter[0], version, saved=saved, node=node)
        if output is None:
            tensor._gradient_edge()  # which complains of a view that lost its history to a write
        elif tensors:
            dual, tensor = tensor._dual, tensor._alias((node, output))
            tensor._dual = dual
    else:
        return saved
    return tensor if tensors else tensor._array


# -- nodes of operations, and the end of a path ------------------------------------------------------------------------


class OpNode(Node):
    """The node of a declared operation: saved values, and the operation's rules.

    Each operation has a subclass that bears PyTorch's name and shows what is saved, such as MulBackward0. A node gets
    it when somebody looks at the node: Python is much faster where all the nodes of a walk are of one class.
    """

    __slots__ = ("recipe", "saved", "freed_by")
    recipe: Any  # see rule.py: which values are saved, which of them are Tensors, and which rules will run
    saved: list
    freed_by: Any  # there once what was saved is gone
    op = property(lambda self: self.recipe.op)
    _freed = property(lambda self: hasattr(self, "freed_by"))

    def shown(self) -> OpNode:
        if type(self) is OpNode:
            self.__class__ = self.recipe.op.node_type
        return self

    def unpacked(self, tensors: bool) -> list:
        """What was saved, its versions checked: with ``tensors`` as Tensors with their history, else as arrays."""
        values = [*self.saved]
        for place in self.recipe.tensor_places:
            saved = values[place]
            t: Any = saved[0] if type(saved) is tuple and not tensors else None
            unchanged = t is not None and t._counter[0] == saved[1] and t._view is None and (t._edge or not t._detached)
            values[place] = t._array if unchanged else unpack(saved, self, tensors)  # which looks closer
        return values

    def apply(self, cotangents, tensors, needed):
        results: list = [None] * len(self._edges)
        values, as_list = [cotangents[0], cotangents, *self.unpacked(tensors)], self.recipe.op.takes_list
        for position, rule, picks in self.recipe.rules:
            if cotangents[0] is None and (not picks[0] or all(g is None for g in cotangents)):
                continue
            if needed is not None and not as_list and self._edges[position][0] not in needed:
                continue
            taken = map(values.__getitem__, picks)
            result = rule(*taken) if tensors else state.quietly(rule, *taken)
            if as_list:
                return result
            results[position] = result
        return results

    def _release(self, site):
        for place in self.recipe.tensor_places:
            if self.saved[place] is not None:  # an optional input that was not given
                self.saved[place] = GONE
            self.freed_by = site  # a node that saved no operand is never freed, as in PyTorch; a number is one


class AccumulateGrad(Node):
    """The end of a path: adds what arrives to ``variable.grad``. One per leaf that requires grad, for as
    long as a graph leads to it: the leaf does not keep it, and the next graph makes a new one.

    The walk has added up what arrives in one pass, and calls ``accumulate`` once. It never calls ``apply``, which is
    for those who run this node by hand.
    """

    __slots__ = ("variable",)

    def __init__(self, variable: Tensor):
        self._edges, self._metas = (), ((variable._array.shape, variable._array.dtype),)
        self._made_at, self._hooks = None, variable._hooks
        self.variable = variable
        self._number = next_number()

    def name(self) -> str:
        return "minigrad::autograd::AccumulateGrad"

    def apply(self, cotangents, tensors, needed):
        g = cotangents[0]
        self.accumulate(g if g is None or state.grad else g._array, state.grad, None)
        return ()

    def accumulate(self, g: Any, recorded: bool, owned: int | None) -> None:
        """Add the array, or in a recorded pass the Tensor, to ``.grad``; None adds nothing, but the leaf must still be
        one.

        owned: None where somebody else may hold the array, which is then copied. Otherwise it is kept, and its version
        is ``owned``: how often the walk added to it. See Note [Fresh buffers].
        """
        variable = self.variable
        if variable._edge is not None or variable._view is not None and variable.grad_fn is not None:
            raise seams.error("INTERIOR")
        if g is None or not variable._requires_grad:
            return  # the flag was cleared after the graph was made
        if g.shape != variable._array.shape:  # the leaf was given another one since
            raise seams.error("OUTPUT_SHAPE", list(variable._array.shape), list(g.shape))
        with _accumulating:  # other threads may be at the same leaf, and two of them may hold two nodes for it
            present = variable._grad
            if recorded:
                variable._grad = wrap(np.empty_like(variable._array)).copy_(g) if present is None else present + g
            elif present is None:
                variable._grad = wrap(g.copy() if owned is None else g)
                variable._grad._counter[0] = owned or 0
            else:
                bump(present._counter, None)
                state.quietly(np.add, present._array, g, present._array)
