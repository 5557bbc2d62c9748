"""minigrad and PyTorch side by side: the same programs, one thread, interleaved, the best of several rounds.

    python benchmarks/run.py            print the table (PyTorch must be installed)
    python benchmarks/run.py --write    and put it into benchmarks/README.md

Nothing here is a test: a figure that got worse is for a person to look at.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

for library in ("OPENBLAS", "MKL", "OMP"):  # before NumPy is imported: one thread each, as for PyTorch
    os.environ[f"{library}_NUM_THREADS"] = "1"

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

Program = Callable[[], object]


def chain(mg: Any) -> tuple[Program, int]:
    """A chain of pointwise operations on three numbers, forward and backward."""
    x, w = (mg.tensor(v, requires_grad=True) for v in ([1.0, 2.0, 3.0], [0.5, 0.5, 0.5]))

    def program() -> None:
        y = x
        for _ in range(50):
            y = ((y * w + x).tanh()) - w
        y.sum().backward()
        x.grad = w.grad = None

    return program, 201


def scalar(mg: Any) -> tuple[Program, int]:
    """Code on scalars, as in a first lesson, forward and backward."""
    x = mg.tensor(1.5, requires_grad=True)

    def program() -> None:
        y = x
        for _ in range(50):
            y = (y * 0.5 + x).sin() * x
        y.backward()
        x.grad = None

    return program, 200


def no_graph(mg: Any) -> tuple[Program, int]:
    """The same chain without recording."""
    x, w = mg.tensor([1.0, 2.0, 3.0]), mg.tensor([0.5, 0.5, 0.5])

    def program() -> None:
        y = x
        for _ in range(50):
            y = ((y * w + x).tanh()) - w

    return program, 200


def pointwise(mg: Any) -> tuple[Program, int]:
    """Five operations on a million numbers, forward and backward."""
    x = mg.rand(1_000_000).requires_grad_()

    def program() -> None:
        (x * x + x).exp().sum().backward()
        x.grad = None

    return program, 1


def mlp(mg: Any) -> tuple[Program, int]:
    """One step of Adam on a network 64-128-128-10, with 64 samples."""
    nn = mg.nn
    net = nn.Sequential(nn.Linear(64, 128), nn.Tanh(), nn.Linear(128, 128), nn.Tanh(), nn.Linear(128, 10))
    optimizer, loss = mg.optim.Adam(net.parameters(), lr=0.001), nn.MSELoss()
    x, target = mg.randn(64, 64), mg.randn(64, 10)

    def program() -> None:
        optimizer.zero_grad()
        loss(net(x), target).backward()
        optimizer.step()

    return program, 1


def convolutional(mg: Any) -> tuple[Program, int]:
    """One step of SGD on a convolutional network for images of 8 by 8, with 64 samples."""
    nn = mg.nn
    net = nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(64, 10),
    )  # fmt: skip
    optimizer, loss = mg.optim.SGD(net.parameters(), lr=0.01), nn.CrossEntropyLoss()
    x, target = mg.randn(64, 1, 8, 8), mg.randint(0, 10, (64,))

    def program() -> None:
        optimizer.zero_grad()
        loss(net(x), target).backward()
        optimizer.step()

    return program, 1


def second_order(mg: Any) -> tuple[Program, int]:
    """A Hessian-vector product by two passes."""
    x, v = mg.rand(100).requires_grad_(), mg.rand(100)

    def program() -> None:
        (g,) = mg.autograd.grad((x**3 * x.sin()).sum(), x, create_graph=True)
        mg.autograd.grad(g, x, v)

    return program, 1


def jacobian(mg: Any) -> tuple[Program, int]:
    """The Jacobian of a function of 20 numbers, by autograd.functional."""
    x, a = mg.rand(20), mg.randn(20, 20)
    return lambda: mg.autograd.functional.jacobian(lambda v: (a @ v).tanh() * v, x), 1


def hessian(mg: Any) -> tuple[Program, int]:
    """The Hessian of a function of 20 numbers, by autograd.functional."""
    x, a = mg.rand(20), mg.randn(20, 20)
    return lambda: mg.autograd.functional.hessian(lambda v: (v * (a @ v).tanh()).sum(), x), 1


def functions(mg: Any) -> tuple[Program, int]:
    """Fifty calls of a custom Function, forward and backward."""

    class Exp(mg.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            result = x.exp()
            ctx.save_for_backward(result)
            return result

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            (result,) = ctx.saved_tensors
            return g * result

    x = mg.tensor([-1.0, 0.5, 0.1], requires_grad=True)

    def program() -> None:
        y = x
        for _ in range(50):
            y = Exp.apply(y * -0.1)
        y.sum().backward()
        x.grad = None

    return program, 100


def writes(mg: Any) -> tuple[Program, int]:
    """Fifty assignments to elements, forward and backward."""
    x = mg.rand(50).requires_grad_()

    def program() -> None:
        y = mg.zeros(50)
        for k in range(50):
            y[k] = x[k] * 2.0
        y.sum().backward()
        x.grad = None

    return program, 50


def long_chain(mg: Any) -> tuple[Program, int]:
    """A chain of 100,000 operations, forward and backward."""
    x = mg.tensor(1.0, requires_grad=True)

    def program() -> None:
        y = x
        for _ in range(50_000):
            y = y * 1.00001 + x
        y.backward()
        x.grad = None

    return program, 100_000


# Program, the ratio that is aimed at.
BENCHMARKS: list[tuple[Callable[[Any], tuple[Program, int]], float]] = [
    (chain, 0.8), (scalar, 0.8), (no_graph, 0.8), (pointwise, 1.5), (mlp, 1.2), (convolutional, 3.0), (second_order, 1.0),
    (jacobian, 1.0), (hessian, 1.0), (writes, 1.0), (functions, 1.0), (long_chain, 0.9),
]  # fmt: skip


def seconds(program: Program, at_least: float = 0.05) -> float:
    """The time of one call, over as many calls as take a while."""
    count, spent = 0, 0.0
    while spent < at_least:
        start = time.perf_counter()
        program()
        spent += time.perf_counter() - start
        count += 1
    return spent / count


def import_time() -> float:
    """Seconds that `import minigrad` takes beyond NumPy, once Python keeps its files compiled, as it does after the first time."""
    code = "import numpy, time; t = time.perf_counter(); import minigrad; print(time.perf_counter() - t)"
    usual = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, "-c", code]
    runs = [subprocess.run(command, cwd=HERE.parent, env=usual, capture_output=True, text=True, check=True) for _ in range(8)]
    return min(float(run.stdout) for run in runs)


def bytes_per_node() -> float:
    """The memory that one recorded operation on one number takes, with its Tensor gone and its node kept."""
    import tracemalloc

    import minigrad as mg

    x = mg.tensor(1.0, requires_grad=True)
    y = x * 1.0
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    for _ in range(10_000):
        y = y * 1.0
    spent = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    return spent / 10_000


def table(rounds: int) -> str:
    """The measurements as a table in Markdown."""
    import torch

    import minigrad

    torch.set_num_threads(1)
    lines = ["| Program | per | minigrad | PyTorch | ratio | aim |", "|:--|:--|--:|--:|--:|--:|"]
    for make, aim in BENCHMARKS:
        best = {}
        programs = {mg.__name__: make(mg) for mg in (minigrad, torch)}
        for name, (program, _) in programs.items():
            program()
            best[name] = float("inf")
        for _ in range(rounds):
            for name, (program, _) in programs.items():
                best[name] = min(best[name], seconds(program))
        count = programs["minigrad"][1]
        ours, theirs = best["minigrad"] / count * 1e6, best["torch"] / count * 1e6
        unit = "operation" if count > 1 else "call"
        what = (make.__doc__ or "").rstrip(".")
        lines.append(f"| {what} | {unit} | {ours:.4g} µs | {theirs:.4g} µs | {ours / theirs:.2f} | ≤ {aim} |")
    lines.append(f"| `import minigrad` beyond NumPy | call | {import_time() * 1e3:.0f} ms | | | ≤ 30 ms |")
    lines.append(f"| Memory of a recorded `y * 1.0` on one number | node | {bytes_per_node():.0f} bytes | | | |")
    return "\n".join(lines)


def machine() -> str:
    """What was measured with."""
    import numpy
    import torch

    versions = f"Python {platform.python_version()}, NumPy {numpy.__version__}, PyTorch {torch.__version__}"
    return f"{versions}, {platform.machine()}, one thread"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    result = f"{machine()}.\n\n{table(options.rounds)}\n"
    print(result)
    if options.write:
        readme = HERE / "README.md"
        head, mark, _ = readme.read_text(encoding="utf-8").partition("<!-- measured -->\n")
        readme.write_text(head + mark + "\n" + result, encoding="utf-8")


if __name__ == "__main__":
    main()
