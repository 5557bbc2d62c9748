"""``minigrad.autograd.forward_ad``: forward mode. A dual tensor carries its tangent through every operation.

Sources: Griewank & Walther, *Evaluating Derivatives*, 2nd ed., chapter 3.1; PyTorch, "Forward-mode AD".
How operations push tangents stands in ``minigrad/around/tangents.py`` and in each operation's declaration.
"""

from __future__ import annotations

from typing import NamedTuple

from .. import errors
from ..around.tangents import no_tangents, tangent_of
from ..core.record import op
from ..core.tensor import Tensor
from ..modes import Switch, state

__all__ = ["UnpackedDualTensor", "dual_level", "enter_dual_level", "exit_dual_level", "make_dual", "unpack_dual"]


class UnpackedDualTensor(NamedTuple):
    """What ``unpack_dual`` returns."""

    primal: Tensor
    tangent: Tensor | None


@op("linear", self=lambda g: g, view=True, name="Identity")
def fw_primal(self):
    """The same elements without the tangent."""
    return self[...]


def enter_dual_level() -> int:
    """Begin to propagate tangents in this thread, and return the number of the level, 0. RuntimeError inside a level."""
    if state.level is not None:
        raise errors.NESTED_LEVEL()
    state.level = object()
    state.forward = None if state.inference else state.level
    state.update()
    return 0


def exit_dual_level(*, level: int | None = None) -> None:
    """End the level: tangents are gone. RuntimeError when there is none, or another number is given."""
    if level not in (None, 0 if state.level is not None else -1):
        raise errors.EXIT_OTHER_LEVEL()
    if state.level is None:
        raise errors.EXIT_LEVEL()
    state.level = state.forward = None
    state.update()


class dual_level(Switch):
    """Dual tensors live inside: ``with dual_level():``. Also a decorator. Levels do not nest (RuntimeError).

    >>> import minigrad as mg
    >>> fw = mg.autograd.forward_ad
    >>> with fw.dual_level():
    ...     x = fw.make_dual(mg.tensor([1., 2.]), mg.tensor([1., 10.]))
    ...     print(fw.unpack_dual(x * x).tangent)
    tensor([ 2., 40.])
    """

    def __enter__(self) -> int:
        return enter_dual_level()

    def __exit__(self, *exc: object) -> None:
        exit_dual_level()


def make_dual(tensor: Tensor, tangent: Tensor, *, level: int | None = None) -> Tensor:
    """A view of ``tensor`` that carries ``tangent``, of the same shape. Both may require grad.

    RuntimeError outside a level, for another shape, and for a tensor that is dual already; ValueError for integers.

    >>> import minigrad as mg
    >>> fwad = mg.autograd.forward_ad
    >>> with fwad.dual_level():
    ...     x = fwad.make_dual(mg.tensor(3.0), mg.tensor(1.0))
    ...     fwad.unpack_dual(x * x).tangent
    tensor(6.)
    """
    if state.level is None or level == -1:
        raise errors.NO_LEVEL()
    if level not in (None, 0):  # there is one level at most
        raise RuntimeError("Invalid level given to _make_dual")
    for value, text in ((tensor, errors.PRIMAL_TYPE), (tangent, errors.TANGENT_TYPE)):
        if not (value.is_floating_point() or value.is_complex()):
            raise text(value.dtype)
    if state.forward is not None and tangent_of(tensor) is not None:
        raise errors.DUAL_TWICE()
    if state.forward is not None and tangent_of(tangent) is not None:
        raise RuntimeError("Setting a forward grad that itself has a forward gradient at the same level0 is not supported.")
    if tangent.shape != tensor.shape:
        raise errors.TANGENT_SHAPE(list(tensor.shape), list(tangent.shape))
    with no_tangents():
        dual = tensor.view_as(tensor)
    dual._dual = (state.level, tangent)
    return dual


def unpack_dual(tensor: Tensor, *, level: int | None = None) -> UnpackedDualTensor:
    """The value of a dual tensor, and its tangent, which is None where it has none. Outside a level: the tensor itself.

    >>> import minigrad as mg
    >>> mg.autograd.forward_ad.unpack_dual(mg.tensor(1.0))
    UnpackedDualTensor(primal=tensor(1.), tangent=None)
    """
    if state.level is None or level == -1:
        return UnpackedDualTensor(tensor, None)
    tangent = tangent_of(tensor) if state.forward is not None else None
    with no_tangents():
        primal = fw_primal(tensor)
    primal._dual = (state.level, None)
    return UnpackedDualTensor(primal, tangent)
