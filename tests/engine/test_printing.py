"""The text of tensors: a recorded table and, where PyTorch is installed, a comparison on random arrays."""

import json
import math
import runpy
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from minigrad import printing

HERE = Path(__file__).parent
CASES = json.loads((HERE / "printing_cases.json").read_text(encoding="utf-8"))
FLOATS = ["float16", "float32", "float64"]
INTS = ["uint8", "int8", "int16", "int32", "int64"]
DTYPES = [*FLOATS, "float32", "float32", *INTS, "bool", "complex64", "complex128"]

# PyTorch warns about code of its own.
pytestmark = pytest.mark.filterwarnings("ignore:`torch.jit.script`:DeprecationWarning")


@pytest.fixture(autouse=True)
def default_options() -> Iterator[None]:
    yield
    printing.set_printoptions(profile="default")


@pytest.fixture(scope="module")
def torch_text() -> Callable[..., str]:
    return runpy.run_path(str(HERE.parents[1] / "tools" / "record_printing.py"))["torch_text"]


def our_text(array: np.ndarray, options: dict[str, Any], facts: dict[str, Any]) -> str:
    default = facts.get("default_dtype", "float32")
    printing.set_printoptions(**options)
    tangent = None
    if facts.get("tangent"):  # PyTorch writes the tangent as an f-string does: a 0-d one is a bare number
        tangent = printing.tensor_repr(array, default_dtype=default) if array.ndim else str(array.item())
    text = printing.tensor_repr(
        array,
        default_dtype=default,
        grad_fn=facts.get("grad_fn"),
        requires_grad=facts.get("requires_grad", False),
        tangent=tangent,
    )
    printing.set_printoptions(profile="default")
    return printing.parameter_repr(text) if facts.get("parameter") else text


@pytest.mark.sampled(3)
@pytest.mark.parametrize("case", CASES, ids=[f"{i}: {case['make']}" for i, case in enumerate(CASES)])
def test_recorded_case(case: dict[str, Any]) -> None:
    array = np.asarray(eval(case["make"], {"np": np}))
    assert our_text(array, case["options"], case["facts"]) == case["text"]


@pytest.mark.torch
def test_recorded_table_is_torch_s(torch_text: Callable[..., str]) -> None:
    for case in CASES:
        array = np.asarray(eval(case["make"], {"np": np}))
        assert torch_text(array, case["options"], case["facts"]) == case["text"], case["make"]


# Random arrays


def random_shape(rng: np.random.Generator) -> tuple[int, ...]:
    kind = rng.integers(10)
    if kind == 0:  # beyond the threshold
        large = [(1001,), (1500,), (40, 40), (2, 600), (600, 2), (7, 8, 9, 3), (1, 1, 1100), (12, 11, 10)]
        return large[rng.integers(len(large))]
    if kind < 5:
        return (int(rng.integers(0, 40)),)
    ndim = int(rng.integers(0, 5))
    shape = rng.integers(1, [100, 40, 14, 6, 5][ndim], size=ndim)
    if rng.random() < 0.1:
        shape[rng.random(ndim) < 0.5] = 0
    return tuple(shape.tolist())


def random_reals(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    values = rng.standard_normal(shape)
    kind = rng.integers(8)
    if kind == 0:  # all magnitudes
        values = values * 10.0 ** rng.uniform(-30, 30, shape)
    elif kind == 1:  # one magnitude
        values = values * 10.0 ** rng.integers(-30, 30)
    elif kind == 2:  # floats that are whole numbers
        values = np.round(values * 10.0 ** rng.integers(0, 12))
    elif kind == 3:  # around the bounds of scientific notation
        bounds = [1e-4, 0.1, 1, 1.5, 100, 1000, 1500, 1e8, -1e8, -1e-4, 99999.99995, 0.99995]
        values = rng.choice(bounds[: rng.integers(1, 13)], shape)
        values = values * rng.choice([1, 1, 1, 1 - 1e-7, 1 + 1e-7], shape)
    elif kind == 4:
        values = np.zeros(shape)
    elif kind == 5:  # a narrow span
        values = rng.uniform(0.5, 500, shape)
    if rng.random() < 0.4:
        specials = rng.choice([0.0, -0.0, np.nan, np.inf, -np.inf, 1.0, -7.0], shape)
        values = np.where(rng.random(shape) < rng.choice([0.1, 0.9, 1.0]), specials, values)
    return values


def random_array(rng: np.random.Generator, dtypes: list[str]) -> np.ndarray:
    dtype, shape = str(rng.choice(dtypes)), random_shape(rng)
    if dtype == "bool":
        array = rng.random(shape) < rng.choice([0.0, 0.5, 1.0])
    elif dtype in INTS:
        bounds = np.iinfo(dtype)
        digits = int(rng.integers(1, 20))
        low, high = max(bounds.min, -(10**digits)), min(bounds.max, 10**digits)
        array = rng.integers(low, high, size=shape, endpoint=True)
    elif dtype.startswith("complex"):
        array = np.empty(shape, dtype)
        array.real, array.imag = random_reals(rng, shape), random_reals(rng, shape)
    else:
        array = random_reals(rng, shape)
    array = np.asarray(array).astype(dtype)
    return array.T if rng.random() < 0.1 else array


def random_options(rng: np.random.Generator) -> dict[str, Any]:
    if rng.random() < 0.4:
        return {}
    draws: dict[str, Callable[[], Any]] = {
        "precision": lambda: int(rng.integers(0, 9)),
        "threshold": lambda: [0, 1, 10, 50, math.inf][rng.integers(5)],
        "edgeitems": lambda: int(rng.integers(0, 5)),
        "linewidth": lambda: int(rng.integers(1, 130)),
        "profile": lambda: ["default", "short", "full", "unknown"][rng.integers(4)],
        "sci_mode": lambda: bool(rng.integers(2)),
    }
    return {option: draw() for option, draw in draws.items() if rng.random() < 0.3}


def random_facts(rng: np.random.Generator, dtype: str) -> dict[str, Any]:
    facts: dict[str, Any] = {}
    if rng.random() < 0.2:
        facts["default_dtype"] = str(rng.choice(FLOATS))
    if dtype[:2] in ("fl", "co", "bf"):
        kind = rng.integers(6)
        if kind in (1, 2):
            facts["grad_fn"] = "M" * int(rng.integers(1, 20)) + "Backward"
        if kind in (2, 3):
            facts["tangent"] = True
        if kind in (4, 5):
            facts["requires_grad"] = True
        if kind == 5:
            facts["parameter"] = True
    return facts


def compare(torch_text: Callable[..., str], seed: int, dtypes: list[str], count: int) -> None:
    rng = np.random.default_rng(seed)
    with np.errstate(over="ignore", invalid="ignore"):
        for _ in range(count):
            array = random_array(rng, dtypes)
            options, facts = random_options(rng), random_facts(rng, array.dtype.name)
            expected = torch_text(array, options, facts)
            assert our_text(array, options, facts) == expected, (array, options, facts)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.torch
def test_random_arrays_print_as_in_torch(torch_text: Callable[..., str], seed: int) -> None:
    compare(torch_text, seed, DTYPES, 200)


# The rest


def test_numbers_text() -> None:
    assert printing.numbers_text(np.array([[1.0, 2.5], [3.0, 4.0]])) == (
        "[[1.0000, 2.5000],\n [3.0000, 4.0000]]"
    )
    assert printing.numbers_text(np.array([[1], [2]]), indent=3) == "[[1],\n    [2]]"
    assert printing.numbers_text(np.array(3.0)) == "3."
    assert printing.numbers_text(np.zeros((0, 2))) == "[]"


def test_name_of_a_subclass_moves_the_lines() -> None:
    text = printing.tensor_repr(np.ones((2, 2), np.float32), name="Longer")
    assert text == "Longer([[1., 1.],\n        [1., 1.]])"


@pytest.mark.parametrize("shape", [(), (3,), (2, 3)])
def test_size_repr(shape: tuple[int, ...]) -> None:
    assert printing.size_repr(shape) == f"minigrad.Size({list(shape)})"


def test_options_stay_until_they_are_set_again() -> None:
    array = np.array([1.5], np.float32)
    printing.set_printoptions(precision=2, sci_mode=True)
    assert printing.tensor_repr(array) == "tensor([1.50e+00])"
    printing.set_printoptions(linewidth=100)  # precision stays, sci_mode does not
    assert printing.tensor_repr(array) == "tensor([1.50])"
    printing.set_printoptions(profile="unknown")
    assert printing.tensor_repr(array) == "tensor([1.50])"
    printing.set_printoptions(profile="default", precision=3)
    assert printing.tensor_repr(array) == "tensor([1.500])"


def test_printing_leaves_the_array_alone() -> None:
    array = np.arange(2000.0)
    array.setflags(write=False)
    printing.tensor_repr(array)
    assert (array == np.arange(2000.0)).all()
