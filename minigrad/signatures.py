"""The forms in which PyTorch's functions are called, and what it says of a call that has none of them.

``guarded`` looks at each call before it is made. If it has none of the forms, that is said in PyTorch's words; if it only names an
argument otherwise (``axis`` for ``dim``, ``input=``), the argument is renamed; and what PyTorch has and minigrad does not, such as
``out=``, is refused by name. Arguments of types that were good before cost no more than a look at their types, and the hot path of
operations on Tensors does not come here.

The forms stand in ``signatures.txt``: names that share them, then each form as PyTorch prints it, shortened a little.
``ints[1]`` are ints for which one may stand, ``?`` allows None. A name with a dot is a method. What has no line is called as
the function without its first Tensor and ``out``, or in place as the method without the ``_``.
"""

from __future__ import annotations

import functools
import inspect
import operator
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from . import dtypes, errors
from .compat.attributes import device
from .core.seams import seams
from .core.tensor import Tensor
from .core.tensor import wrap as _wrap
from .modes import is_grad_enabled, no_grad

_OPTIONS = "dtype dtype=None, layout layout=None, device device=None, bool pin_memory=False, bool? requires_grad=False"
_PRINTED = {"ints": "tuple of ints", "Tensors": "tuple of Tensors"}
_PRINTED |= {kind: f"minigrad.{kind}" for kind in ("dtype", "layout", "device", "memory_format", "Generator")}
_ALSO = {"dim": ("axis",), "keepdim": ("keepdims",), "input": ("x", "a", "x1"), "other": ("x2",)}  # NumPy's names
_NUMBERS_TOO = {"add", "sub", "subtract", "mul", "multiply", "div", "divide", "true_divide", "floor_divide", "copy"}
_NUMBER_FIRST = {"bitwise_and", "bitwise_or", "bitwise_xor"}  # where ours begin with a Tensor
_PYTHON_DTYPES = {float: dtypes.float64, int: dtypes.int64, bool: dtypes.bool_, complex: dtypes.complex128}
_WITHOUT_EFFECT = {"non_blocking"}  # on the one device that there is
_KINDS: dict[str, Any] = {"Tensor": Tensor, "Number": (int, float, complex, np.number, np.bool_), "bool": bool, "str": str,
                          "float": (int, float, np.floating, np.integer, np.bool_),
                          "dtype": dtypes.dtype, "device": (str, int, device), "object": object}  # fmt: skip


class Parameter(NamedTuple):
    """One parameter of a form. ``default``: as it is printed; empty for what must be given."""

    kind: str
    one_for_many: bool
    nullable: bool
    name: str
    default: str
    by_name: bool

    def __str__(self) -> str:
        return f"{_PRINTED.get(self.kind, self.kind)} {self.name}" + (f" = {self.default}" if self.default else "")

    def fits(self, value: Any, function: str, place: int) -> bool:
        """Whether a value is of this kind. Raises TypeError for a list with something else than Tensors."""
        if value is None and (self.nullable or self.default == "None"):
            return True
        if self.kind == "dtype" and (value in _PYTHON_DTYPES or isinstance(value, np.dtype)):
            return True
        if self.kind in ("ints", "Tensors") and isinstance(value, (tuple, list)):
            for k, item in enumerate(value if self.kind == "Tensors" else ()):
                if not isinstance(item, Tensor):
                    raise errors.ELEMENT(k, place, errors.kind_of(item))
            return self.kind == "Tensors" or all(_is_int(item, many=True) for item in value)
        if self.kind == "int" or self.one_for_many:
            return _is_int(value, self.one_for_many)
        if self.kind == "Tensor" and function.removesuffix("_") in _NUMBERS_TOO and isinstance(value, _KINDS["Number"]):
            return True
        constant = self.kind in ("Number", "float") and isinstance(value, Tensor) and not value.ndim
        return isinstance(value, _KINDS.get(self.kind, ())) or constant and not value.requires_grad


def _is_int(value: Any, many: bool = False) -> bool:
    if isinstance(value, Tensor):  # any with one element where several ints may stand
        one = value._array.size == 1 if many else not value.ndim
        return one and not value.requires_grad and value._array.dtype.kind in "iu"
    return hasattr(value, "__index__") and not isinstance(value, (bool, np.ndarray))


class Form(tuple[Parameter, ...]):
    """One way to call a function: its parameters."""

    def __str__(self) -> str:
        parts = [str(p) for p in self]
        if self.places() < len(self):  # the star before those that go by name
            parts.insert(self.places(), "*")
        return f"({', '.join(parts)})"

    def places(self) -> int:
        """How many parameters may be given by position."""
        return sum(not p.by_name for p in self)

    def required(self) -> int:
        """How many parameters must be given."""
        return sum(not p.default for p in self)

    def match(self, name: str, args: tuple, kwargs: dict[str, Any]) -> dict[str, Any]:
        """What is given, by the names of the parameters. TypeError for a call that is not of this form."""
        places, given, used = self.places(), {}, 0
        if places == 1 and self[0].kind == "ints" and not self[0].one_for_many and args and _is_int(args[0], many=True):
            args = (args,)
        if len(args) > places:
            was = "was" if len(args) == 1 and self.required() == places else "were"
            takes = f"from {self.required()} to {places}" if self.required() != places else f"{places}"
            arguments = "positional argument" if takes == "1" else "positional arguments"
            raise TypeError(f"{name}() takes {takes} {arguments} but {len(args)} {was} given")
        for place, p in enumerate(self):
            position = f" (position {place + 1})" * (place < len(args))
            if position:
                value = args[place]
            else:
                key = next((key for key in (p.name, *_ALSO.get(p.name, ())) if key in kwargs), None)
                if key is None and p.default:
                    continue
                if key is None:
                    missing = [f'"{q.name}"' for q in self[place:] if not q.default]
                    what = (
                        f"{len(missing)} required positional argument{'s' * (len(missing) == 1)}"  # so PyTorch has it
                    )
                    raise TypeError(f"{name}() missing {what}: {', '.join(missing)}")
                value, used = kwargs[key], used + 1
            if not p.fits(value, name, place):
                kind = _PRINTED.get(p.kind, p.kind)
                raise TypeError(f"{name}(): argument '{p.name}'{position} must be {kind}, not {errors.kind_of(value)}")
            given[p.name] = value
        if used < len(kwargs):
            names = [p.name for p in self]
            key = next((key for key in kwargs if key not in names), None)
            if key is not None:
                raise TypeError(f"{name}() got an unexpected keyword argument '{key}'")
            key = next(k for k in kwargs if names.index(k) < len(args))
            raise TypeError(f"{name}() got multiple values for argument '{key}'")
        return given


@functools.cache
def _lines() -> dict[str, str]:
    """The text of the forms by name."""
    found = {}
    for line in errors.table("signatures.txt").splitlines():
        names, _, forms = line.partition(" (")
        found.update(dict.fromkeys(names.split(), forms[:-1]))
    return found


def _parameters(text: str) -> Iterator[Parameter]:
    kinds = re.compile(r"(\w+?)(\[\d\])?(\?)? (\w+)(?:=(.*))?")
    before, star, after = text.replace("OPTIONS", _OPTIONS).partition("*")
    for piece, by_name in ((before, False), (after, True)):
        for parameter in filter(None, piece.strip(", ").split(", ")):
            kind, many, null, name, default = kinds.fullmatch(parameter).groups()  # type: ignore[union-attr]
            yield Parameter(kind, bool(many), bool(null), name, default or "", by_name)


@functools.cache
def forms_of(name: str, method: bool) -> list[Form]:
    """The forms of a function or method; none where PyTorch's is written in Python, and says what Python says."""
    lines = _lines()
    text = lines.get(f".{name}" if method else name)
    if text is not None:
        return [Form(_parameters(form)) for form in text.split(") (")]
    if not method:
        return []
    if name not in lines and name.endswith("_"):
        return forms_of(name[:-1], True)
    kept = [Form(p for p in form[1:] if p.name != "out") for form in forms_of(name, False) if form[0].kind == "Tensor"]
    return [form for k, form in enumerate(kept) if form not in kept[:k]]


def guarded(call: Callable, name: str, *, method: bool = False) -> Callable:
    """A public function or method that speaks of its arguments as PyTorch does."""
    fitting: set[tuple] = set()  # the types of the arguments that had one of the forms: they are not looked at twice

    @functools.wraps(call)
    def function(*args: Any, **kwargs: Any) -> Any:
        if kwargs and isinstance(kwargs.get("out"), Tensor):
            return _into(kwargs.pop("out"), function, name, method, args, kwargs)
        kinds = types_of(args, kwargs)
        if kinds not in fitting:
            again = settled(call, name, args, kwargs, method)
            if again is not None:
                return call(*again[0], **again[1])
            fitting.add(kinds)
        return call(*args, **kwargs)

    function.__name__ = function.__qualname__ = name
    return functools.update_wrapper(call.hot(function), function) if hasattr(call, "hot") else function


_OUT_GRAD = (
    "{}(): functions with out=... arguments don't support automatic differentiation, but one of the arguments requires grad."
)


def number_of(value: np.generic) -> Any:
    """A scalar of NumPy's as a Python number, which gives way to a tensor's dtype. PyTorch takes a bool for a float."""
    return float(value) if isinstance(value, np.bool_) else value.item()


def _into(out: Any, call: Callable, name: str, method: bool, args: tuple, kwargs: dict[str, Any]) -> Any:
    """The result of a call, written into ``out``, a Tensor of its shape or an empty one. RuntimeError where one requires grad."""
    if not any(p.name == "out" for form in forms_of(name, method) for p in form):
        raise TypeError(f"{name}() got an unexpected keyword argument 'out'")
    given = [x for arg in (out, *args) for x in (arg if isinstance(arg, (list, tuple)) else (arg,))]
    if is_grad_enabled() and any(isinstance(x, Tensor) and x.requires_grad for x in given):
        raise RuntimeError(_OUT_GRAD.format(name))
    with no_grad():
        result = call(*args, **kwargs)
        if result.shape != out.shape:
            if out.numel():
                raise errors.lacks(f"resizing of out= with the shape {tuple(out.shape)} to {tuple(result.shape)}")
            out.data = result.new_empty(result.shape, dtype=out.dtype)
        if not dtypes.can_cast(result.dtype, out.dtype):
            raise RuntimeError(errors.RESULT_CAST.format(result.dtype.scalar_type, out.dtype.scalar_type))
        return out.copy_(result)


def types_of(args: tuple, kwargs: dict[str, Any]) -> tuple:
    """The types of arguments and of what lists and tuples hold: all that decides whether a call has a form."""
    kinds: list = [*map(type, args)]
    if kwargs:
        kinds += [*kwargs, *map(type, kwargs.values())]
    if tuple in kinds or list in kinds:
        kinds += [frozenset(map(type, a)) for a in (*args, *kwargs.values()) if isinstance(a, (tuple, list))]
    return (*kinds,)


def settled(call: Callable, name: str, args: tuple, kwargs: dict[str, Any], method: bool) -> tuple[tuple, dict] | None:
    """The arguments as our function takes them, None where they are so already. Raises what PyTorch would."""
    forms = forms_of(name, method)
    shown = args[1:] if method else args
    if method and forms == [()] and (shown or kwargs):
        what = "keyword arguments" if kwargs else f"arguments ({len(shown)} given)"
        raise TypeError(f"TensorBase.{name}() takes no {what}") from None
    for form in forms:
        try:
            given = form.match(name, shown, kwargs)
        except TypeError:
            continue
        positional, keywords = _translated(call, name, form, shown, kwargs, given, method)
        if method:
            positional = (args[0], *positional)
        elif positional and not isinstance(positional[0], Tensor) and (form[0].kind == "Tensor" or name in _NUMBER_FIRST):
            number = positional[0]
            return (_wrap(np.asarray(number, dtypes.of_number(number).numpy)), *positional[1:]), keywords
        same = len(positional) == len(args) and keywords.keys() == kwargs.keys()
        came = *args, *(kwargs[key] for key in keywords if same)
        same = same and all(map(operator.is_, (*positional, *keywords.values()), came))
        return None if same else (positional, keywords)
    if forms:
        raise _misfit(name, shown, kwargs, forms) from None
    return None


def _translated(call: Any, name: str, form: Form, args: tuple, kwargs: dict, given: dict, method: bool) -> tuple[tuple, dict]:
    """The arguments as our function takes them. NotImplementedError for what it does not take."""
    parameters = inspect.signature(call).parameters.values()
    free = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    room = sum(p.kind is not p.KEYWORD_ONLY for p in parameters) - method
    own = {p.name for p in parameters if p.kind is not p.VAR_POSITIONAL}
    positional: list = []
    keywords: dict[str, Any] = {}
    for place, p in enumerate(form):
        if p.name not in given:
            continue
        value = given[p.name]
        if isinstance(value, Tensor) and p.kind in ("int", "ints", "float", "Number"):
            value = value.tolist()
        elif isinstance(value, np.generic) and p.kind in ("Tensor", "float", "Number"):
            value = number_of(value)
        elif p.kind == "dtype" and value in _PYTHON_DTYPES:
            value = _PYTHON_DTYPES[value]
        elif p.kind in ("int", "ints") and hasattr(value, "__index__"):
            value = operator.index(value)
        elif p.kind == "bool" and value is None:  # as PyTorch takes it where it takes None
            continue
        named = p.name in kwargs and p.name in own and (method or place > 0)
        if place == len(positional) and not p.by_name and not named and (free or place < room):
            if free and value is args and p.name not in kwargs:  # sizes that were given one by one
                positional += value
            else:
                positional.append(value)
        elif p.name in own:
            keywords[p.name] = value
        elif p.name not in _WITHOUT_EFFECT and value is not None and str(value) != p.default:
            raise errors.lacks(f"option {p.name!r} of {name}()") from None
    return tuple(positional), keywords


def _misfit(name: str, args: tuple, kwargs: dict[str, Any], forms: list[Form]) -> TypeError:
    """The error for a call that has none of the forms: what is wrong where one form is meant, else all forms there are."""
    likely = [form for form in forms if form.required() <= len(args) + len(kwargs) <= len(form)]
    if len(forms) == 1 or len(likely) == 1:
        try:
            (likely or forms)[0].match(name, args, kwargs)
        except TypeError as error:
            return error
    given = [*map(errors.kind_of, args), *(f"{key}={errors.kind_of(value)}" for key, value in sorted(kwargs.items()))]
    got = ", ".join(given) + ", " * bool(kwargs and not args)
    return TypeError(errors.COMBINATION.format(name, got, "".join(f" * {form}\n" for form in forms)))


seams.form = guarded  # type: ignore[method-assign, assignment]
