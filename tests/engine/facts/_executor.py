"""Load facts, run one with an engine, compare two outcomes.

A fact is a small program about automatic differentiation and what PyTorch does when it runs. The programs of
one area stand in one file beside this one, `<area>.py`, in cells:

    # %% backward.scalar_only.vector | 04 | d2l 2.5
    # Why this is worth knowing, where it is not obvious.
    x = mg.tensor([1.0, 2.0], requires_grad=True)
    (x * x).backward()

The header gives the id (it begins with the area), the chapters of the course that rest on it, and where it
comes from. A program finds `mg`, the engine, and `np` in its namespace, and nothing else. A `$` in an id
makes the cell a table: every line `#: name | statement; statement` is one fact, whose statements replace the
line `...`.

Where a program solves with a matrix or inverts it, `# condition N` says how much that magnifies an error of one
rounding: the matrix's condition number, of its largest singular value by its smallest, rounded up.

An outcome is what the program printed, its warnings, the error that ended it, and what it left behind: every
tensor in the namespace with its flags and its gradient, and the graph above them all with the saved tensors.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import linecache
import re
import signal
import textwrap
import threading
import warnings
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
MAX_NODES = 60  # of a graph that are written down
MAX_VALUES = 256  # of a tensor that are written down
SECONDS = 20  # for one program


@dataclass(frozen=True)
class Fact:
    """One program. `crc` tells a recording of this program from a recording of an earlier version of it."""

    id: str
    chapters: tuple[str, ...]
    source: str
    program: str

    @property
    def area(self) -> str:
        return self.id.partition(".")[0]

    @property
    def crc(self) -> str:
        return f"{zlib.crc32(self.program.encode()):08x}"

    @property
    def condition(self) -> float | None:
        """What the program states of the matrices that it solves with or inverts."""
        stated = re.search(r"# condition ([\d.]+)$", self.program, re.M)
        return float(stated[1]) if stated else None


# ---- loading -------------------------------------------------------------------------------------

def load(folder: Path = HERE) -> dict[str, Fact]:
    """All facts of a folder by id, in the order of the files."""
    facts: dict[str, Fact] = {}
    for path in sorted(folder.glob("[a-z]*.py")):
        for fact in _cells(path):
            if fact.id in facts:
                raise ValueError(f"{path.name}: the id {fact.id} is used twice")
            if fact.area != path.stem:
                raise ValueError(f"{path.name}: the id {fact.id} must begin with {path.stem!r}")
            facts[fact.id] = fact
    return facts


def _cells(path: Path) -> Iterator[Fact]:
    for cell in path.read_text(encoding="utf-8").split("\n# %% ")[1:]:
        header, _, body = cell.partition("\n")
        ident, chapters, source = [part.strip() for part in header.split("|")]
        rows = [line[2:].partition("|") for line in body.splitlines() if line.startswith("#:")]
        body = "\n".join(line for line in body.splitlines() if not line.startswith("#:")).strip() + "\n"
        if ("$" in ident) != bool(rows):
            raise ValueError(f"{path.name}: {ident}: a $ in the id and rows that begin with '#:' go together")
        if not rows:
            yield Fact(ident, tuple(chapters.split()), source, body)
        for name, _, statements in rows:
            lines = "\n".join(statement.strip() for statement in statements.split(";"))
            program = re.sub(r"^( *)\.\.\.$", lambda m, s=lines: textwrap.indent(s, m[1]), body, flags=re.M)  # type: ignore[misc]
            yield Fact(ident.replace("$", name.strip()), tuple(chapters.split()), source, program)


# ---- running -------------------------------------------------------------------------------------

def run(fact: Fact, mg: Any) -> dict[str, Any]:
    """The outcome of a program, as plain data for JSON, with the engine's own name written `minigrad`."""
    space: dict[str, Any] = {"mg": mg, "np": np, "__name__": "fact"}
    filename = "<fact>"
    linecache.cache[filename] = (len(fact.program), None, fact.program.splitlines(True), filename)
    code = compile(fact.program, filename, "exec", dont_inherit=True)
    out = io.StringIO()
    outcome: dict[str, Any] = {"crc": fact.crc} | ({"condition": fact.condition} if fact.condition else {})
    _fresh(mg)
    with (warnings.catch_warnings(record=True) as caught, contextlib.redirect_stdout(out), _time_limit(),
          _gradients(mg) as born):
        warnings.simplefilter("always")
        try:
            exec(code, space)
        except Exception as error:
            outcome["error"] = [type(error).__name__, _text(str(error))]
            del error
    _fresh(mg)
    if caught:
        outcome["warnings"] = [[w.category.__name__, _text(str(w.message))] for w in caught]
    if out.getvalue():
        outcome["out"] = _text(out.getvalue())
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):  # reading may call hooks
        warnings.simplefilter("ignore")
        outcome.update(_left_behind(space, mg, born))
    return outcome


@contextlib.contextmanager
def _gradients(mg: Any) -> Iterator[list[tuple[Any, int]]]:
    """The gradients that `grad` and `autograd.functional` hand out, each with the version it was born with.

    That version counts how often the engine added into its own buffer; whether the gradient is a view, and
    the graph of a derivative, show how a rule happens to be spelled. None of these is compared.
    """
    born: list[tuple[Any, int]] = []

    def noting(function: Any, products: bool) -> Any:
        def noted(*args: Any, **kwargs: Any) -> Any:
            found = function(*args, **kwargs)
            stack = [found[1] if products else found]
            while stack:
                item = stack.pop()
                if isinstance(item, mg.Tensor):
                    born.append((item, item._version))
                elif isinstance(item, (tuple, list)):
                    stack.extend(item)
            return found

        return noted

    functional = mg.autograd.functional
    places = [(mg.autograd, "grad")] + [(functional, n) for n in ["jacobian", "hessian", "vjp", "jvp", "vhp", "hvp"]]
    before = [getattr(module, name) for module, name in places]
    for (module, name), function in zip(places, before, strict=True):
        setattr(module, name, noting(function, products=name in ("vjp", "jvp", "vhp", "hvp")))
    try:
        yield born
    finally:
        for (module, name), function in zip(places, before, strict=True):
            setattr(module, name, function)


@contextlib.contextmanager
def settled(torch: Any) -> Iterator[None]:
    """PyTorch in a state in which a program's outcome does not depend on the programs before it."""
    always, threads = torch.is_warn_always_enabled(), torch.get_num_threads()
    with warnings.catch_warnings():  # the first use of forward mode would warn
        warnings.simplefilter("ignore")
        importlib.import_module("torch._decomp.decompositions_for_jvp")
    torch.set_warn_always(True)  # else many warnings come once a process
    torch.set_num_threads(1)  # the programs are small: threads would only wait for one another
    try:
        yield
    finally:
        torch.set_warn_always(always)
        torch.set_num_threads(threads)


def _fresh(mg: Any) -> None:
    """Undo whatever a program may have switched. What an engine lacks, a program cannot have switched."""
    for path, arguments in [
        ("set_grad_enabled", (True,)),
        ("set_default_dtype", (getattr(mg, "float32", None),)),
        ("autograd.set_detect_anomaly", (False,)),
        ("manual_seed", (0,)),
    ]:
        function: Any = mg
        for name in path.split("."):
            function = getattr(function, name, None)
        if function is not None:
            function(*arguments)
    if hasattr(mg, "set_printoptions"):
        mg.set_printoptions(profile="default")


@contextlib.contextmanager
def _time_limit() -> Iterator[None]:
    if not hasattr(signal, "SIGALRM") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def late(*_: Any) -> None:
        raise TimeoutError(f"the program did not end within {SECONDS} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def _text(text: str) -> str:
    """Text as both engines must give it. The rules, in order:

    the whole word `torch` becomes `minigrad` · addresses are dropped · torch's "(Triggered internally …)" too
    · of a trace only the frames of the program itself stay.
    """
    text = re.sub(r"\btorch\b", "minigrad", text)
    text = re.sub(r"0x[0-9a-f]+", "0x…", text)
    text = re.sub(r" ?\(Triggered internally at [^\n]*\)", "", text)
    frame = r'  File "(?!<fact>)[^\n]*\n(?:    [^\n]*\n)*'
    return re.sub(frame, "", text)


# ---- what a program leaves behind ----------------------------------------------------------------

def _left_behind(space: dict[str, Any], mg: Any, born: list[tuple[Any, int]]) -> dict[str, Any]:
    tensors = dict(_tensors(space, mg))
    versions: dict[int, int] = {id(g): version for g, version in born}
    graph = _Graph(tensors, [g.grad_fn for g, _ in born if g.grad_fn is not None])
    probes = {name: _probe(t, graph, versions.get(id(t))) for name, t in tensors.items()}
    lines = graph.lines()
    return ({"tensors": probes} if probes else {}) | ({"graph": lines} if lines else {})


def _tensors(space: dict[str, Any], mg: Any) -> Iterator[tuple[str, Any]]:
    for name, value in space.items():
        if isinstance(value, mg.Tensor):
            yield name, value
        elif isinstance(value, (list, tuple)):
            for i, item in enumerate(value):
                if isinstance(item, mg.Tensor):
                    yield f"{name}[{i}]", item


def _probe(t: Any, graph: _Graph, born: int | None) -> dict[str, Any]:
    """A tensor in words; what is most usual (a leaf, version 0, no gradient …) is left out."""
    probe = _values(t)
    for flag, usual in [("requires_grad", False), ("is_leaf", True), ("_version", born or 0),
                        ("output_nr", 0), ("retains_grad", False)]:
        try:
            value = getattr(t, flag)
        except RuntimeError as error:  # such as the version of a tensor made in inference mode
            value = _text(str(error))
        if value != usual:
            probe[flag] = value - born if flag == "_version" and born else value
    if born is None and t._is_view():
        probe["is_view"] = True
    try:
        if t.grad_fn is not None:
            probe["grad_fn"] = graph.add(t.grad_fn)
    except RuntimeError as error:  # one of several views whose base was written
        probe["grad_fn"] = _text(str(error))
    if t.grad is not None:
        probe["grad"] = _values(t.grad)
        if t.grad.requires_grad:
            probe["grad"]["requires_grad"] = True
    return probe


def _values(t: Any) -> dict[str, Any]:
    dtype = _dtype(t)
    probe: dict[str, Any] = {"dtype": dtype, "shape": list(t.shape)}
    t = t.detach()
    if hasattr(t, "resolve_conj"):  # torch computes conj, neg and zeros late; minigrad at once
        t = t.resolve_conj().resolve_neg()
        t = t.clone() if t._is_zerotensor() else t
    array = np.asarray(t.numpy())
    if array.size <= MAX_VALUES:
        probe["value"] = _plain(array)
    return probe


def _dtype(t: Any) -> str:
    return str(t.dtype).rpartition(".")[2]


def _plain(array: np.ndarray) -> Any:
    if array.ndim:
        return [_plain(part) for part in array]
    item = array[()]
    if array.dtype.kind == "c":
        return str(item)
    if array.dtype.kind == "f":  # the shortest decimal that means this number in its own precision
        return float(str(item)) if np.isfinite(item) else str(item)
    return item.item()


class _Graph:
    """The nodes above some tensors, numbered as they are met; those of a derivative are not looked into."""

    def __init__(self, tensors: dict[str, Any], derivatives: list[Any]) -> None:
        self.derivatives = derivatives
        self.names = {id(t): name for name, t in reversed(tensors.items())}  # of two names, the first
        self.nodes: list[Any] = []  # kept alive, because they are known by identity
        self.number: dict[int, int] = {}

    def add(self, node: Any) -> str:
        if id(node) not in self.number:
            self.number[id(node)] = len(self.nodes)
            self.nodes.append(node)
        number = f"#{self.number[id(node)]}"
        return f"{number} derivative" if self._is_derivative(node) else f"{number} {_name(node)}"

    def _is_derivative(self, node: Any) -> bool:
        return _name(node) != "AccumulateGrad" and any(node is other for other in self.derivatives)

    def lines(self) -> list[str]:
        lines: list[str] = []
        while len(lines) < min(len(self.nodes), MAX_NODES):
            node = self.nodes[len(lines)]
            lines.append(self._line(len(lines), node))
        return lines

    def _line(self, number: int, node: Any) -> str:
        if self._is_derivative(node):
            return f"#{number} derivative"
        edges = []
        for parent, index in node.next_functions:
            edge = "None" if parent is None else self.add(parent).split()[0]
            edges.append(f"{edge}:{index}" if index else edge)
        line = f"#{number} {_name(node)}({', '.join(edges)})"
        if _name(node) == "AccumulateGrad":
            return f"{line} of {self.names.get(id(node.variable), 'a tensor without a name')}"
        for name, state in _saved(node).items():
            line += f" {name}={state}"
        return line


def _name(node: Any) -> str:
    return node.name().rpartition("::")[2]  # torch::autograd::AccumulateGrad


def _saved(node: Any) -> dict[str, str]:
    """The saved tensors of a node: dtype and shape, or why they cannot be read any more.

    What was not needed is None and left out here.
    """
    names = [name.removeprefix("_saved_") for name in dir(node) if name.startswith("_saved_")]
    saved = {}
    for name in sorted(names):
        try:
            value = getattr(node, f"_saved_{name}")
        except Exception as error:  # a hook may raise anything
            text = str(error)
            saved[name] = "freed" if "after they have already been freed" in text else (
                "changed" if "modified by an inplace operation" in text else _text(text))
            continue
        items = value if isinstance(value, (tuple, list)) else [value]
        if any(hasattr(item, "dtype") for item in items):
            saved[name] = ",".join(
                f"{_dtype(item)}{list(item.shape)}" if hasattr(item, "dtype") else str(item)
                for item in items)
    return saved


# ---- comparing -----------------------------------------------------------------------------------

EPS = {"float16": 2.0**-10, "float32": 2.0**-23, "float64": 2.0**-52,
       "complex64": 2.0**-23, "complex128": 2.0**-52}


def differences(expected: Any, got: Any, path: str = "", condition: float = 1.0) -> list[tuple[str, Any, Any]]:
    """Where two outcomes differ: (path, expected, got).

    Numbers of tensors may differ by a few units in the last place, times the condition that the program states;
    everything else is compared as it stands.
    """
    if isinstance(expected, dict) and isinstance(got, dict):
        condition = expected.get("condition", condition)
        if "dtype" in expected and {k: expected.get(k) for k in ("dtype", "shape")} == {
                k: got.get(k) for k in ("dtype", "shape")} and _close(expected, got, condition):
            got = got | {"value": expected.get("value")} if "value" in expected else got
        return [difference for key in [*expected, *(k for k in got if k not in expected)]
                for difference in differences(
                    expected.get(key), got.get(key), f"{path}.{key}".lstrip("."), condition)]
    return [] if expected == got else [(path, expected, got)]


def _close(expected: dict[str, Any], got: dict[str, Any], condition: float) -> bool:
    """True when no number is off by more than 4 roundings of itself and 4 of the tensor's largest number.

    The order in which a processor adds the products of a sum changes the sum by roundings of its largest terms, and
    functions differ by a rounding or two. What comes out of a solve or an inverse is off by up to the matrix's
    condition number times as much, as a part of the largest number (Higham, Accuracy and Stability, chapter 7).
    """
    eps = EPS.get(expected["dtype"])
    if eps is None or "value" not in expected or "value" not in got:
        return False
    kind = complex if expected["dtype"].startswith("complex") else float
    a, b = (np.array(side["value"], dtype=object).astype(kind).reshape(-1) for side in (expected, got))
    finite = np.isfinite(a) & np.isfinite(b)
    if not np.array_equal(a[~finite], b[~finite], equal_nan=True):
        return False
    a, b = a[finite], b[finite]
    scale = np.abs(a).max(initial=0.0)
    roundings = 4 * condition * eps
    return bool(np.all(np.abs(a - b) <= roundings * np.abs(a) + roundings * scale))
