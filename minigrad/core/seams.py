"""The switches of a thread, and the places where what stands around the engine joins in.

A *seam* is a function that the engine calls and that others may replace. What stands here is what the engine does
alone.
"""

from __future__ import annotations

import contextvars
import threading
from typing import Any

import numpy as np

from .words import SENTENCES


class Switches(threading.local):
    """What holds for one thread. In the package ``state`` is of a subclass, ``_State`` of modes.py, with more switches."""

    grad_mode = True  # what the user set
    grad = True  # whether operations are recorded: the same, but never in inference mode
    switched_off_by = "no_grad"  # the mode that switched it off
    extension: Any = None  # who takes part in every operation (an Extension), while something rare is switched on
    walk: Any = None  # the backward pass that is under way

    def __init__(self) -> None:
        # NumPy warns of 1 / 0 and log(-1). Its error state is a context variable: in a context of our own it is silent,
        # and the user's setting is left alone.
        context = contextvars.copy_context()
        context.run(np.seterr, all="ignore")
        self.quietly = context.run

    def set_grad(self, mode: bool) -> bool:
        """Switch recording on or off. Returns what it was before."""
        before, self.grad_mode = self.grad_mode, mode
        self.grad = mode and self.switched_off_by != "inference"
        return before


state = Switches()


class Extension:
    """What takes part in every operation: dual numbers, inference mode, anomaly mode, hooks on saved tensors."""

    def counter(self) -> list:
        """The version counter of a new tensor."""
        return [0]

    def computed(self, call: Any, args: tuple, outputs: tuple, node: Any) -> None:
        """An operation was computed, and recorded if there is a node: tangents for its outputs, notes for its node."""

    def before_write(self, tensor: Any, args: tuple) -> None:
        """An operation with these arguments is about to write into a tensor."""

    def after_write(self, tensor: Any, nodes: list) -> None:
        """The values were written; nodes are those that the write made."""

    def after_node(self, node: Any, results: Any) -> None:
        """A node ran, and this is what it gave."""

    def failed(self, node: Any) -> None:
        """A backward pass ends with an error, which a node raised or what it gave."""


class Seams:
    """The functions that others may replace, one by one.

    In the package all are: ``error`` by compat/complaints.py, ``compute`` and ``declared`` by compat/promotion.py,
    ``backward`` by autograd/__init__.py, ``operator`` by methods.py, ``check`` by refusals.py, ``form`` by
    signatures.py, ``new_history`` by around/hooks.py, ``recorder`` by fast.py.
    """

    # A backward pass with a gradient or with inputs, which have to be looked at; walk.py has that of the engine alone.
    backward: Any
    operator: Any  # what one of Python's operators gives with something that is no Tensor and no number; see tensor.py
    # The result of an operation, in arrays, after checks and promotion; record.py has the one of the engine alone.
    compute: Any

    @staticmethod
    def error(name: str, *values: Any, **about: Any) -> BaseException:
        """The error of that name, with what it is about: nodes, tensors, sites."""
        return RuntimeError(SENTENCES[name].format(*values))

    @staticmethod
    def check(function: Any) -> Any:
        """A forward, or another function of an operation, with the checks that it has by its name."""
        return function

    @staticmethod
    def form(function: Any, name: str) -> Any:
        """A function that speaks of its arguments as one that is called ``name``."""
        return function

    @staticmethod
    def declared(op: Any) -> None:
        """An operation was declared: for what others keep with it."""

    @staticmethod
    def new_history(tensor: Any, edge: Any) -> None:
        """A write gives a tensor a new history: for what watches the one that it has."""

    @staticmethod
    def recorder(call: Any, op: Any) -> Any:
        """What is called when an operation is called: ``call``, or something faster that does the same."""
        return call


seams = Seams()
