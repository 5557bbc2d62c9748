"""Write the stubs that tell editors and type checkers about ``mg.exp(x)`` and ``x.exp()``.

    python tools/stubs.py            write them
    python tools/stubs.py --check    write nothing; fail where one is not what the package gives

Functions and methods get their names when minigrad is imported, so no tool finds them in the source. What they take stands in
minigrad/signatures.txt, what they do in their docstrings. From both this makes minigrad/functions.pyi, the functions, and
minigrad/core/operations.pyi, what operations put onto Tensor.
"""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
import keyword
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FunctionType
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import minigrad as mg  # noqa: E402
from minigrad.signatures import _NUMBERS_TOO, Form, Parameter, forms_of  # noqa: E402

HEAD = '''\
"""{what} Made by tools/stubs.py from minigrad/signatures.txt: not to be edited."""

# mypy: disable-error-code="overload-overlap, overload-cannot-match, override, misc, valid-type"

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, overload

'''
FUNCTIONS = """\
from .core.operations import Number, Pair, _bool, _float, _int
from .dtypes import dtype as _dtype
from .core.tensor import Tensor

"""
METHODS = """\
from ..dtypes import dtype as _dtype
from .tensor import Tensor

Number = bool | int | float | complex
_bool = bool  # methods of the same names hide them
_int = int
_float = float

class Pair(NamedTuple):
    values: Tensor
    indices: Tensor

class Operations:
"""
KINDS = {"float": "_float", "int": "_int", "bool": "_bool", "dtype": "_dtype", "Tensors": "Sequence[Tensor]", "object": "Any",
         "ints": "Sequence[_int]", "Tensor": "Tensor", "Number": "Number", "str": "str"}  # fmt: skip
# What no annotation and no form says: what is given back, where it is not one Tensor.
PAIRS, SEVERAL = {"sort", "topk"}, {"chunk", "split", "unbind"}
RETURNS = {"var_mean": "tuple[Tensor, Tensor]", "tolist": "Any", "type": "Any", "result_type": "_dtype", "size": "Any",
           "stride": "Any", "register_hook": "Any", "register_post_accumulate_grad_hook": "Any", "_is_view": "_bool"}  # fmt: skip
SPECIAL = {"__float__": "_float", "__int__": "_int", "__index__": "_int", "__complex__": "complex", "__contains__": "_bool",
           "__iter__": "Iterator[Tensor]", "__reversed__": "Tensor", "__array__": "Any", "__array_wrap__": "Any",
           "__format__": "str", "__setitem__": "None", "__delitem__": "None", "__deepcopy__": "Tensor"}  # fmt: skip
SPELLED = {"type": "(self, dtype: Any = ...) -> Any"}
# The last ones are of newer Pythons.
OF_THE_CLASS = {"__static_attributes__", "__firstlineno__", "__annotate_func__", "__annotations_cache__", "__annotations__",
                "__new__", "__getattr__", "__repr__", "__weakref__", "__dict__", "__doc__", "__module__"}  # fmt: skip
PROPERTIES = {"device": "Any", "itemsize": "_int", "nbytes": "_int", "output_nr": "_int", "retains_grad": "_bool",
              "_base": "Tensor | None"}  # fmt: skip


def stubs() -> dict[Path, str]:
    """The text of each stub."""
    functions = {
        name: thing for name, thing in sorted(vars(mg).items())
        if name not in named("minigrad/__init__.py") and not name.startswith("_") and not inspect.ismodule(thing)
    }  # fmt: skip
    methods = {
        name: thing for name, thing in sorted(vars(mg.Tensor).items())
        if name not in named("minigrad/core/tensor.py", "Tensor") | OF_THE_CLASS
    }  # fmt: skip
    flat = "\n".join(line for name, call in functions.items() for line in function(name, call, False))
    inner = [line for name, thing in methods.items() for line in member(name, thing)]
    return {
        ROOT / "minigrad" / "functions.pyi": HEAD.format(what="The functions of minigrad.") + FUNCTIONS + flat.rstrip() + "\n",
        ROOT / "minigrad" / "core" / "operations.pyi": HEAD.format(what="What operations put onto Tensor.") + METHODS
        + "\n".join(f"    {line}" if line else "" for line in inner).rstrip() + "\n",
    }  # fmt: skip


@functools.cache
def named(file: str, inside: str = "") -> set[str]:
    """The names that a module, or a class in it, binds where tools see it."""
    body: list[Any] = ast.parse((ROOT / file).read_text(encoding="utf-8")).body
    if inside:
        body = next(n.body for n in body if isinstance(n, ast.ClassDef) and n.name == inside)
    found: set[str] = set()
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            found |= {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
            if node.names[0].name == "*":
                found |= set(importlib.import_module(f"minigrad.{node.module}").__all__)  # type: ignore[union-attr]
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found |= {x.id for target in targets for x in ast.walk(target) if isinstance(x, ast.Name)}
    return found


def member(name: str, thing: Any) -> Iterator[str]:
    """A method or property of Tensor."""
    if thing is None or isinstance(thing, bool):  # what a room around the engine keeps
        yield from (f"{name}: Any", "")
    elif isinstance(thing, property) or not isinstance(thing, FunctionType):
        yield "@property"
        yield f"def {name}(self) -> {PROPERTIES.get(name, 'Tensor')}:"
        yield from doc(thing)
        if getattr(thing, "fset", None) is not None and type(thing) is property:
            yield from (f"@{name}.setter", f"def {name}(self, value: Any) -> None: ...", "")
    elif name in SPELLED:
        yield from (f"def {name}{SPELLED[name]}: ...", "")
    elif name.startswith("__"):
        count = len(inspect.signature(thing).parameters) - 1
        taken = ", ".join(["self", *(f"{other}: Any" for other in ("other", "value")[: min(count, 2)])])
        yield from (f"def {name}({taken}) -> {SPECIAL.get(name, 'Tensor')}: ...", "")
    elif name.startswith("_") and not forms_of(name, True):
        yield from (f"def {name}(self, *args: Any, **kwargs: Any) -> Any: ...", "")
    else:
        yield from function(name, thing, True)


def function(name: str, call: Callable | float, method: bool) -> Iterator[str]:
    """A function or method in each of its forms; where the table has none, with the parameters that its source has."""
    if isinstance(call, float):  # pi, e, inf, nan
        yield from (f"{name}: _float", "")
        return
    # out= and out_dtype= are PyTorch's, and refused here.
    kept = [form for form in forms_of(name, method) if all(p.name != "out_dtype" for p in form)]
    forms = [Form(p for p in form if p.name != "out") for form in kept]
    shown = [(taken, returns(name, form, call)) for form in forms for taken in parameters(name, form, method)]
    if not forms:
        listed = list(inspect.signature(call).parameters.values())[method:]
        own = [("*" * (p.kind is p.VAR_POSITIONAL) + "**" * (p.kind is p.VAR_KEYWORD)) + p.name + ": Any"
               + " = ..." * (p.default is not p.empty) for p in listed]  # fmt: skip
        stars = [k for k, p in enumerate(listed) if p.kind is p.KEYWORD_ONLY]
        if stars and not any(p.kind is p.VAR_POSITIONAL for p in listed):
            own.insert(stars[0], "*")
        shown = [(", ".join(["self"] * method + own), returns(name, Form(), call))]
    shown = list(dict.fromkeys(shown))
    for taken, given in shown:
        if len(shown) > 1:
            yield "@overload"
        yield f"def {name}({taken}) -> {given}:"
        yield from doc(call)


def parameters(name: str, form: Form, method: bool) -> Iterator[str]:
    """The parameters of a form; twice where sizes may also be given one by one."""
    listed = [parameter(name, p) for p in form]
    if form.places() < len(form):  # the star before those that go by name
        listed.insert(form.places(), "*")
    yield ", ".join(["self"] * method + listed)
    places = [p for p in form if not p.by_name]
    if len(places) == 1 and places[0].kind == "ints" and not places[0].one_for_many:
        yield ", ".join(["self"] * method + [f"*{places[0].name}: _int", *listed[2:]])


def parameter(name: str, p: Parameter) -> str:
    kind = KINDS.get(p.kind, "Any")
    if p.one_for_many:
        kind = f"_int | {kind}"
    if p.kind == "Tensor" and name.rstrip("_") in _NUMBERS_TOO:
        kind = "Tensor | Number"
    if (p.nullable or p.default == "None") and kind != "Any":
        kind += " | None"
    own = p.name + "_" * keyword.iskeyword(p.name)
    return f"{own}: {kind}" + " = ..." * bool(p.default)


def returns(name: str, form: Form, call: Callable) -> str:
    """What a call of this form gives back."""
    if name in RETURNS:
        return RETURNS[name]
    if name in PAIRS or name in ("max", "min") and any(p.name == "dim" for p in form):
        return "Pair"
    if name in SEVERAL or name == "nonzero" and any(p.name == "as_tuple" for p in form):
        return "tuple[Tensor, ...]"
    said = inspect.signature(call).return_annotation
    return {"bool": "_bool", "int": "_int", "None": "None"}.get(said, "Tensor")


def doc(thing: Any) -> Iterator[str]:
    """The first paragraph of a docstring, as the body."""
    first = inspect.cleandoc(thing.__doc__ or "").partition("\n\n")[0].replace("\\", "\\\\").replace('"""', "'''")
    if first:
        yield '    """' + first.replace("\n", "\n    ") + ' """' * first.endswith('"') + '"""' * (not first.endswith('"'))
    else:
        yield "    ..."
    yield ""


def main() -> int:
    stale = {path: text for path, text in stubs().items() if not path.exists() or path.read_text(encoding="utf-8") != text}
    for path, text in stale.items():
        if "--check" in sys.argv:
            print(f"{path.relative_to(ROOT)} is not what the package gives: run python tools/stubs.py", file=sys.stderr)
        else:
            path.write_text(text, encoding="utf-8")
            print(f"wrote {path.relative_to(ROOT)}")
    return int(bool(stale) and "--check" in sys.argv)


if __name__ == "__main__":
    sys.exit(main())
