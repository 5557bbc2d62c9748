"""What the graph is made of: nodes, edges, saved tensors, AccumulateGrad, hooks.

A *node* is the backward of one recorded operation. An *edge* is ``(node, output number)``: where the cotangent of a
tensor goes. A tensor that was computed holds the edge to the node that made it; a node holds one edge per
differentiable input, ``None`` for a constant. Nothing points the other way, so a graph lives as long as a tensor that
needs it, and is freed by reference counting alone.

This room knows Tensors only by what they do (``_array``, ``_counter``, ``_wrap`` …); the class stands in tensor.py.
"""

from __future__ import annotations

import itertools
import operator
import os
import sys
import threading
import weakref
from collections.abc import Callable, Container, Sequence
from types import CodeType, FrameType
from typing import Any, NamedTuple

import numpy as np

from . import errors
from .modes import state
from .op import FOR_LIST, HAND_ON, INPUT, OUTPUT, SIZES, STATIC, WITH_ALL, WITH_NOTHING, WITH_ONE, WITH_SEVERAL, Recipe

next_number = itertools.count(1).__next__  # numbers nodes as they are made
_accumulating = threading.Lock()
_ENGINE = os.path.dirname(__file__) + os.sep
_USERS = tuple(_ENGINE + room + os.sep for room in ("course", "viz"))  # these use the engine as anybody does

Site = tuple[CodeType, int]  # a place in a program: a code object and an instruction in it
Edge = tuple["Node", int]


class _Inside(dict):
    """Whether a file is one of the engine's, worked out once per file: an operation has no time for string comparison."""

    def __missing__(self, filename: str) -> bool:
        inside = self[filename] = filename.startswith(_ENGINE) and not filename.startswith(_USERS)
        return inside


inside = _Inside()
walks: list[CodeType] = []  # the code of the engine's walk, which puts itself here


def caller(depth: int = 2) -> Site:
    """Where the engine was called from: the nearest frame outside it, without keeping that frame alive.

    depth: how many frames, at least, are the engine's.
    """
    frame = sys._getframe(depth)
    code = frame.f_code
    while inside[code.co_filename] and frame.f_back is not None:
        if code is walks[0] and state.walk.site is not None:  # in a rule: whoever asked for the walk is known
            return state.walk.site
        frame = frame.f_back
        code = frame.f_code
    return code, frame.f_lasti


def inside_engine(frame: FrameType) -> bool:
    """Whether a frame runs the engine's own code."""
    return inside[frame.f_code.co_filename]


def line_of(site: Site | None) -> tuple[str, int] | None:
    """File and line of a site. Worked out only when somebody asks, which is why recording one is cheap."""
    if site is None:
        return None
    code, instruction = site
    lines = next(itertools.islice(code.co_positions(), instruction // 2, None), (None,))
    return code.co_filename, lines[0] or code.co_firstlineno


class SavedInfo(NamedTuple):
    """What is known of one saved tensor, for drawings and ledgers."""

    name: str
    shape: tuple[int, ...]
    dtype: np.dtype
    nbytes: int
    storage: int
    saved_version: int
    version_now: int
    is_output: bool
    freed: bool
    requires_grad: bool = False
    tensor: Any = None  # what is kept, without its history where it is an output of the node itself


# A saved tensor: the tensor as it is, the version that it had, and, where it is an output of the node itself, which one. A
# plain tuple, because almost every operation makes one. A saved *output* must not hold its own node (a cycle that reference
# counting would never free): what is saved then is an alias without history, and who reads it is given the history back.
SavedTensor = tuple[Any, int, int | None]


def saved_info(saved: SavedTensor, name: str) -> SavedInfo:
    """What is known of a saved tensor, for drawings."""
    t, version, output = saved
    array, counter = t._array, t._counter
    return SavedInfo(
        name, array.shape, array.dtype, array.nbytes, id(counter), version, counter[0], output is not None, False,
        output is not None or t.requires_grad, t,
    )  # fmt: skip


def _modified(saved: SavedTensor, node: Node) -> BaseException:
    """The error for a saved tensor that was written to in between: an error, not a wrong number."""
    tensor, expected, output = saved
    if output is not None:
        edge: Edge | None = (node, output)
    else:
        edge = None if tensor.grad_fn is None else (tensor.grad_fn, 0)  # of an input PyTorch does not keep the number
    if tensor._array.dtype.kind not in "fc":
        edge = None
    origin = ""
    if edge is not None:
        again = None if tensor._remade is None else tensor._remade()
        origin = f", which is output {edge[1]} of {short_name(edge[0] if again is None else again)},"
    hint = errors.MODIFIED_HINT_ANOMALY if state.anomaly else errors.MODIFIED_HINT
    message = errors.MODIFIED.format(f"{tensor.dtype.kind} {list(tensor.shape)}", origin, tensor._counter[0], expected, hint)
    notes = [f"The value was needed by {node_name(node)}, recorded at {describe(node._place)}."]
    overwritten = [site for version, site in tensor._counter[1:] if version > expected]
    if overwritten:
        notes.append(f"It was overwritten at {describe(overwritten[0])}.")
    notes.append("Write to a copy (clone), or use the out-of-place form of that operation.")
    return errors.note(RuntimeError(message), *notes)


_new = object.__new__


class PackedTensor:
    """A tensor for which a hook keeps something else; another hook makes a tensor of that again. No version is checked."""

    __slots__ = ("packed", "hook", "edge", "output", "dual")

    def __init__(self, tensor: Any, hooks: tuple[Callable, Callable], output: int | None):
        pack, self.hook = hooks
        self.edge: Edge | None = tensor._gradient_edge() if output is None else None
        self.output, self.dual = output, tensor._dual
        version, grad_mode = tensor._counter[0], state.grad_mode
        state.set_grad(False)
        try:
            self.packed = pack(tensor)
        finally:
            state.set_grad(grad_mode)
        if tensor._counter[0] != version:
            raise errors.note(RuntimeError(errors.PACK_WRITES))

    def unpack(self, node: Node) -> Any:
        """What the hook gives back, with the history of what was packed."""
        tensor = self.hook(self.packed)
        if not hasattr(tensor, "_counter"):
            raise errors.note(TypeError(errors.UNPACK_TYPE.format(type(tensor).__name__)))
        edge = self.edge if self.output is None else (node, self.output)
        if edge is None and self.dual is None:
            return tensor
        alias = tensor._alias(edge)
        if edge is not None and type(edge[0]) is AccumulateGrad:
            alias._edge, alias._requires_grad, alias._accumulator = None, True, weakref.ref(edge[0])
        alias._dual = self.dual
        return alias


class Unversioned(list):
    """The counter of tensors that were made in inference mode: it does not count, and only a saved tensor would ask."""

    def __getitem__(self, index: Any) -> Any:
        raise errors.note(RuntimeError(errors.INFERENCE_SAVED))


def bump(counter: list, site: Site | None) -> None:
    """Count one in-place write to the memory whose counter this is.

    A counter is a list that all views of one piece of memory share: the version, then the last writes as (version,
    site), so that an error can name the line. A list, because it is the cheapest mutable thing Python has.
    """
    if type(counter) is Unversioned:
        if not state.inference:
            raise errors.note(RuntimeError(errors.INFERENCE_WRITE))
        return
    counter[0] += 1
    counter.append((counter[0], site))
    if len(counter) > 17:
        del counter[1]


def freed_error(node: Node, freed_by: Site | None) -> BaseException:
    """What a second walk through a node raises whose saved tensors the first one freed."""
    return errors.note(
        RuntimeError(errors.FREED),
        f"The saved tensors of {node_name(node)}, recorded at {describe(node._place)}, are gone.",
        f"They were freed by the backward pass at {describe(freed_by)}.",
        "Give that earlier call retain_graph=True, or compute the forward again.",
    )


def node_name(node: Node) -> str:
    """The node's name, also when the user put another ``name`` on the context of a custom Function."""
    return type(shown(node)).name(node)


def short_name(node: Node) -> str:
    """The node's name as some messages have it: Mul for MulBackward0, Pow2 for PowBackward2."""
    name = node_name(node)
    return name if "::" in name else name.replace("Backward", "").removesuffix("0")


def describe(site: Site | None) -> str:
    """``file.py, line 3: y.add_(1)`` or, in a notebook, ``cell, line 3: y.add_(1)``."""
    place = line_of(site)
    if place is None:
        return "an unknown place"
    import linecache  # only when an error is being written

    filename, number = place
    text = linecache.getline(filename, number).strip()
    in_cell = filename.startswith("<ipython-input") or f"{os.sep}ipykernel_" in filename
    return f"{'notebook cell' if in_cell else filename}, line {number}" + (f": {text}" if text else "")


class Hooks:
    """The hooks of one node. Most nodes have none, and then this object is not there either."""

    __slots__ = ("tensor", "retain", "before", "after")

    def __init__(self) -> None:
        self.tensor: dict[int, dict[int, Callable]] = {}  # by output number: what Tensor.register_hook put there
        self.retain: dict[int, Callable] = {}  # retain_grad: sees the gradient last, after every other hook
        self.before: dict[int, Callable] = {}
        self.after: dict[int, Callable] = {}


class RemovableHandle:
    """What registering a hook returns: ``remove()`` takes the hook away again. Also a context manager."""

    _next = itertools.count().__next__

    def __init__(self, hooks: dict[int, Callable], hook: Callable):
        self.hooks, self.id = hooks, self._next()
        hooks[self.id] = hook

    def remove(self) -> None:
        """Take the hook away. Harmless when it is gone already."""
        self.hooks.pop(self.id, None)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *exc: object) -> None:
        self.remove()


class Node:
    """The backward of one recorded operation.

    ``_edges`` lead to the nodes that get its results, one per differentiable input; ``_metas`` are the shape and dtype of
    each output of the forward, which are those of the cotangents that come in; ``_number`` counts nodes as they are made.
    The underscores leave the plain names to the user: the node of a custom Function is also its ``ctx``.
    """

    __slots__ = ("_edges", "_metas", "_number", "_place", "_hookset", "_metadata", "__weakref__")

    def __init__(self, edges: Sequence[Edge | None], metas: tuple, site: Site | None = None):
        self._edges = edges
        self._metas = metas
        self._place = site
        self._hookset: Hooks | None = None
        self._number = next_number()

    def apply(self, cotangents: list, quietly: Callable | None, wanted: Container[Node] | None) -> Sequence:
        """One cotangent per edge, out of one per output: Tensors in and out, or arrays.

        quietly: calls a rule on arrays, with NumPy's warnings off; None where the cotangents are Tensors.
        wanted: the nodes that will run after this one, when not all will: for others nothing has to be computed.
        """
        raise NotImplementedError

    def __call__(self, *gradients: Any, **kwargs: Any) -> Any:
        """Run this one node by hand: from a gradient (or None) for each output to one for each input. No hook is called.

        TypeError for anything but that many Tensors; RuntimeError when what was saved is gone.

        >>> import minigrad as mg
        >>> x = mg.tensor(3.0, requires_grad=True)
        >>> (x * 5).grad_fn(mg.tensor(2.0))
        (tensor(10.), None)
        """
        if kwargs:
            raise TypeError("keyword arguments are not supported")
        if len(gradients) != len(self._metas):
            raise TypeError(f"expected {len(self._metas)} arguments, got {len(gradients)} instead")
        for position, g in enumerate(gradients):
            if g is not None and not hasattr(g, "_counter"):
                raise TypeError(f"argument {position} is not a Variable")
        results = self.apply(list(gradients), None, None)
        return results[0] if len(results) == 1 else tuple(results)

    runs_user_code = False  # a custom Function's backward, which may hand out arrays that it keeps

    def _release(self, site: Site | None) -> None:
        """Let go of what was saved for backward."""

    # What PyTorch shows of a node -----------------------------------------------------------------------------------

    def name(self) -> str:
        """The node's name, as in PyTorch: ``MulBackward0``."""
        return type(self).__name__

    def __repr__(self) -> str:
        return f"<{type(self).__name__} object at {id(self):#x}>"

    @property
    def next_functions(self) -> tuple:
        """The edges, ``(None, 0)`` where an input was a constant."""
        return tuple((None, 0) if edge is None else (shown(edge[0]), edge[1]) for edge in self._edges)

    @property
    def metadata(self) -> dict:
        """A dictionary for the user's own notes."""
        if not hasattr(self, "_metadata"):
            self._metadata: dict = {}
        return self._metadata

    @property
    def requires_grad(self) -> bool:
        """True: a node exists only where a gradient is required."""
        return True

    def _sequence_nr(self) -> int:
        return self._number

    def register_hook(self, hook: Callable) -> RemovableHandle:
        """Call ``hook(grad_inputs, grad_outputs)`` after the node ran; what it returns replaces ``grad_inputs``."""
        return RemovableHandle(self._hooks().after, hook)

    def register_prehook(self, hook: Callable) -> RemovableHandle:
        """Call ``hook(grad_outputs)`` before the node runs; what it returns replaces ``grad_outputs``."""
        return RemovableHandle(self._hooks().before, hook)

    def _hooks(self) -> Hooks:
        if self._hookset is None:
            self._hookset = Hooks()
        return self._hookset

    # For drawings ---------------------------------------------------------------------------------------------------

    _freed = False  # whether saved tensors were let go
    _seq = property(lambda self: self._number)

    def _names_of_saved(self) -> tuple[str, ...]:
        return ()

    def _info_of_saved(self) -> list[SavedInfo]:
        return []

    def _site(self) -> tuple[str, int] | None:
        """File and line of the forward call."""
        return line_of(self._place)


class OpNode(Node):
    """The node of a declared operation: saved values, and the operation's rules.

    Each operation has a subclass that bears PyTorch's name and shows what is saved, such as MulBackward0. A node gets it when
    somebody looks at the node (see ``shown``): Python is much faster where all the nodes of a walk are of one class.
    """

    __slots__ = ("recipe", "saved", "freed_by")
    recipe: Recipe
    saved: list
    freed_by: Site | None  # there once what was saved is gone
    op = property(lambda self: self.recipe.op)
    _freed = property(lambda self: hasattr(self, "freed_by"))

    def save_outputs(self, outputs: Sequence[Any]) -> None:
        """Save the outputs that the rules name, after an in-place write."""
        for place, (kind, position) in enumerate(self.recipe.saves):
            if kind == OUTPUT:
                self.saved[place] = saved_output(outputs[position], position)

    def apply(self, cotangents, quietly, wanted):
        edges, recipe, values = self._edges, self.recipe, self.saved
        if recipe.tensor_places:
            values = [*values]
            for place in recipe.tensor_places:
                kept = values[place]
                if quietly is not None and type(kept) is tuple:  # what `unpacked` does, where it has nothing to refuse
                    tensor, version, _ = kept
                    if tensor._counter[0] == version and tensor._view is None and (tensor._edge is not None or not tensor._detached):
                        values[place] = tensor._array
                        continue
                values[place] = unpacked(kept, self, quietly is None)
        results: list = [None] * len(edges)
        g, rules = cotangents[0], recipe.rules
        if g is None:
            if all(c is None for c in cotangents):
                return results
            rules = [chosen for chosen in rules if chosen[2] == WITH_ALL]
        run = quietly or operator.call
        for position, rule, how, picks in rules:
            if wanted is not None and how != FOR_LIST and edges[position][0] not in wanted:  # type: ignore[index]
                continue
            if how == WITH_ONE:
                results[position] = run(rule, g, values[picks[0]])
            elif how == HAND_ON:
                results[position] = g
            elif how == WITH_NOTHING:
                results[position] = run(rule, g)
            elif how == WITH_SEVERAL:
                results[position] = run(rule, g, *[values[k] for k in picks])
            elif how == WITH_ALL:
                results[position] = run(rule, cotangents, *[values[k] for k in picks])
            else:
                return run(rule, g, *[values[k] for k in picks])
        return results

    def _release(self, site):
        saved = self.saved
        for place in self.recipe.tensor_places:
            if saved[place] is not None:  # an optional input that was not given
                saved[place] = _GONE
            self.freed_by = site

    def _names_of_saved(self):
        return self.op.saved_names

    def _info_of_saved(self):
        result = []
        for name, (kind, _), value in zip(self.recipe.names, self.recipe.saves, self.saved, strict=True):
            if kind not in (INPUT, OUTPUT):
                continue
            if value is _GONE:
                result.append(SavedInfo(name, (), np.dtype(bool), 0, 0, 0, 0, kind == OUTPUT, True))
                continue
            items = value if type(value) is list else (value,)
            result += [saved_info(item, name) for item in items if type(item) is tuple]
        return result


def _same_strides(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether an array lies in memory as another, as far as PyTorch looks when it takes a gradient over."""
    return all(n == 1 or s == t for n, s, t in zip(a.shape, a.strides, b.strides, strict=False))


def unpacked(value: Any, node: Node, tensors: bool = True, reading: bool = False) -> Any:
    """A saved value, or a list of them, as it was: Tensors with their history, or their arrays.

    Raises RuntimeError for a tensor that is gone, that was overwritten, or (unless somebody is only ``reading`` it) that has
    lost, by detach_(), the history that it was saved with.
    """
    if type(value) is list:
        return tuple(unpacked(v, node, tensors, reading) for v in value)
    if type(value) is PackedTensor:
        tensor = value.unpack(node)
    elif type(value) is tuple:
        tensor, version, output = value
        if output is None and tensor._edge is None and tensor._detached > node._number and not reading:
            raise errors.note(RuntimeError(errors.SAVED_DETACHED), "Give the result of detach() a name of its own.")
        if tensor._counter[0] != version:
            raise _modified(value, node)
        if output is None:
            tensor._gradient_edge()  # which complains of a view that lost its history to a write
        elif tensors:
            dual = tensor._dual
            tensor = tensor._alias((node, output))
            tensor._dual = dual
    elif value is _GONE:
        raise freed_error(node, node.freed_by)  # type: ignore[attr-defined]
    else:
        return value
    return tensor if tensors else tensor._array


def shown(node: Node) -> Node:
    """The node as those outside of the engine see it: of the class that bears its name."""
    if type(node) is OpNode:
        node.__class__ = node.recipe.op.node_type
    return node


def new_node(
    recipe: Recipe, args: Sequence, edges: Sequence[Edge | None], metas: tuple, site: Site | None, outputs: Sequence[Any] | None
) -> OpNode:
    """A node of an operation, with what its rules will need. Not ``__init__``: Python calls this much faster.

    outputs: None where there is none yet, before a write; ``save_outputs`` follows then.
    """
    node = _new(OpNode)
    node._edges = edges
    node._metas = metas
    node._place = site
    node._hookset = None
    node.recipe = recipe
    node.saved = saved = recipe.preset
    if recipe.to_fill:
        node.saved = saved = [*saved]
        for place, kind, position in recipe.to_fill:
            if kind == INPUT:
                value = args[position]
                counter = getattr(value, "_counter", None)
                saved[place] = save(value) if counter is None else (value, counter[0], None)
            elif kind == OUTPUT:
                saved[place] = None if outputs is None else saved_output(outputs[position], position)
            elif kind == STATIC:
                saved[place] = args[position]
            else:
                saved[place] = _sizes(args[position]) if kind == SIZES else args[position]._array.size
    node._number = next_number()
    return node


_GONE = object()  # stands where a saved tensor was


def saved_output(output: Any, number: int | None) -> SavedTensor:
    """An output of a node, kept by that node."""
    return output._alias(None), output._counter[0], number


def save(value: Any) -> Any:
    """Keep what is no Tensor for backward: a list of Tensors with their versions, a number as it is."""
    if type(value) in (list, tuple):
        return [(v, v._counter[0], None) if hasattr(v, "_counter") else v for v in value]
    return value


def _sizes(value: Any) -> Any:
    if type(value) in (list, tuple):
        return tuple(tuple(v._array.shape) for v in value)
    return value._array.shape if hasattr(value, "_array") else ()


def saved_property(name: str, number: Callable[[Any], Any]) -> property:
    """``node._saved_<name>``: the value as PyTorch shows it; ``number`` makes the 0-dim tensor of a Python number."""

    def get(self: OpNode) -> Any:
        if name not in self.recipe.names:
            return None  # the input that needs it does not require grad
        place = self.recipe.names.index(name)
        kind, value = self.recipe.saves[place][0], self.saved[place]
        if kind == INPUT and type(value) in (bool, int, float, complex):
            return number(value)
        return unpacked(value, self, reading=True) if kind in (INPUT, OUTPUT) else value

    return property(get, doc=f"What was saved as {name}. Raises RuntimeError once it was freed.")


class AccumulateGrad(Node):
    """The end of a path: adds what arrives to ``variable.grad``. One per leaf that requires grad."""

    __slots__ = ("variable",)

    def __init__(self, variable: Any):
        super().__init__((), ((variable._array.shape, variable._array.dtype),))
        self.variable = variable

    def name(self) -> str:
        return "minigrad::autograd::AccumulateGrad"

    def _sequence_nr(self) -> int:
        return 2**64 - 1

    def apply(self, cotangents, quietly, wanted):
        if cotangents[0] is not None:  # called by hand: the engine itself calls accumulate
            recorded = state.grad
            self.accumulate(cotangents[0] if recorded else cotangents[0]._array, recorded, None)
        return ()

    def accumulate(self, g: Any, recorded: bool, fresh: int | None) -> None:
        """Add the array or Tensor g to ``.grad``; None adds nothing, but the leaf must still be one.

        ``fresh``: nobody else holds the array, so it may be kept as it is; the number says how often it was added to.
        """
        variable = self.variable
        if variable._edge is not None or variable._view is not None and variable.grad_fn is not None:
            raise errors.note(RuntimeError(errors.INTERIOR))
        if g is None or not variable._requires_grad:
            return  # the flag was cleared after the graph was made
        with _accumulating:  # other threads may be at the same leaf, and two of them may hold two nodes for it
            present = variable._grad
            if recorded:
                variable._grad = self._copied(g) if present is None else present + g
            elif present is None and (g.shape == variable._array.shape or _same_strides(g, variable._array)):
                variable._grad = variable._wrap(g.copy() if fresh is None else g)
                variable._grad._counter[0] = fresh or 0
            elif present is None:  # the leaf was given another shape in between
                variable._grad = self._copied(variable._wrap(g))
            elif present._array.shape != g.shape:
                present.add_(variable._wrap(g))
            else:
                bump(present._counter, None)
                state.quietly(np.add, present._array, g, present._array)

    def _copied(self, g: Any) -> Any:
        """A recorded copy, laid out in memory as the leaf is; row by row where the leaf's elements have gaps."""
        array = self.variable._array
        like = np.empty_like(array)
        return g._wrap(like).copy_(g) if _same_strides(array, like) else g.clone()
