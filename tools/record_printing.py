"""Record how PyTorch prints a chosen set of tensors, into tests/engine/printing_cases.json.

Run it as `python tools/record_printing.py`. A case says how to make the array (`make`, an expression with
`np`), which print options hold (`options`), and what there is to know of the tensor beyond its values
(`facts`): `requires_grad`, `grad_fn` (the name of its node), `tangent` (the same values again), `parameter`,
`default_dtype`. The tests use `torch_text` also for their comparison with a live PyTorch.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.autograd import forward_ad

TABLE = Path(__file__).parent.parent / "tests" / "engine" / "printing_cases.json"

# Expressions printed as they are, with the default options.
PLAIN = """
np.float32(1); np.float32(-0.0); np.float32(0.1); np.float32(1e30); np.float32(1e-30); np.float32(123456789)
np.float32(np.nan); np.float32(np.inf); np.float32(-np.inf); np.float64(2.5); np.float16(2.5)
np.float64(1e300); np.int64(3); np.int64(-3); np.int32(7); np.uint8(255); np.bool_(True)
np.complex64(1 + 2j); np.complex128(-0.5j); np.float32([]); np.float64([]); np.float16([]); np.int64([])
np.int32([]); np.bool_([]); np.complex64([]); np.zeros((0, 3), 'f4'); np.zeros((2, 0, 3), 'f4')
np.zeros((0, 3), 'i4'); np.zeros((3, 0), 'f8'); np.zeros((0, 0), 'i8'); np.float32([1]); np.float32([1, 2])
np.float32([1, 2.5]); np.float32([0.1, 0.2, 0.3]); np.float32([-1.5, 22.25]); np.float32([0, 0])
np.float32([-0.0, 0.0]); np.float32([-0.0, 1]); np.float32([-0.0, 0.5]); np.float32([0, 1e-5])
np.float32([np.nan]); np.float32([np.inf, -np.inf]); np.float32([np.nan, 1]); np.float32([np.nan, 0.5])
np.float32([-np.inf, 1000]); np.float32([np.inf, 0]); np.float32([np.nan, 1e10, -0.0])
np.float32([-np.inf, 1e-9]); np.float32([1, 1000]); np.float32([1, 1001]); np.float32([1.5, 1500])
np.float32([1.5, 1501]); np.float32([0.1, 100.1]); np.float32([1e8]); np.float32([100000008])
np.float32([1e8, 1e9]); np.float32([99999992]); np.float64([1e8 + 0.5]); np.float64([1e-4])
np.float32([1e-4]); np.float64([9.999e-5]); np.float64([0.00012345]); np.float64([0.99995, 0.99994])
np.float64([0.1, 0.2]); np.float64([1 / 3, 2 / 3]); np.float64([1e300, 1e-300]); np.float64([5e-324])
np.float64([1e16]); np.float32([16777216, 16777217]); np.float32([3.4028235e38]); np.float32([1e-45])
np.float32([0.00005, 0.5]); np.float16([0.1, 0.2]); np.float16([65504]); np.float16([6e-8])
np.float16([1000, 1.5]); np.float16([np.inf, 2]); np.int64([1, -10, 100]); np.int64([0])
np.int64([-2**63, 2**63 - 1]); np.int32([1, 2]); np.int16([-300]); np.int8([-128, 127]); np.uint8([0, 255])
np.bool_([True]); np.bool_([False, True]); np.bool_([[True, True], [True, True]]); np.complex64([1 + 2j])
np.complex64([1.5 - 2j, 10 + 0.25j]); np.complex128([1 + 2j]); np.complex64([0j, -0.0j])
np.complex64([1e9 + 1j, 0.5 + 1e-9j]); np.complex64([complex(np.nan, -np.inf), 1j])
np.complex64([complex(np.inf, np.nan)]); np.complex64([complex(-0.0, -0.0), 1])
np.complex64([1 + 1j, -100 - 100j]); np.complex128([[1j, 2], [3 - 4.5j, 0]]); np.ones((2, 3), 'f4')
np.ones((1, 1), 'f4'); np.ones((2, 1, 2), 'f4'); np.ones((2, 2, 2, 2), 'f4'); np.ones((1, 2, 1, 2), 'f8')
np.arange(6.).reshape(2, 3); np.arange(24).reshape(2, 3, 4); np.arange(24, dtype='i4').reshape(2, 3, 4)
np.float32([[1.5, -2], [np.nan, 100]]); np.float32([[1e-6, 1], [2, 3]])
np.arange(6, dtype='f4').reshape(2, 3).T; np.zeros(24, 'f4'); np.zeros(25, 'f4'); np.full(30, -0.0, 'f4')
np.full(30, np.nan, 'f4'); np.ones(30, 'f4'); np.arange(30); np.arange(20, dtype='f4') + 0.5
np.arange(20, dtype='f8') * 1e-6; np.arange(60, dtype='f4').reshape(2, 30)
np.arange(40).reshape(2, 1, 20) * 1000; np.arange(18) * 1000000; np.ones(20, 'c8') * (1 + 2j)
np.ones((2, 14), 'c16') * 1.5; np.arange(1000); np.arange(1001); np.arange(2000, dtype='f4')
np.arange(2000, dtype='f8').reshape(20, 100); np.ones((400, 3), 'f4'); np.ones((3, 400), 'f4')
np.ones((11, 10, 10), 'i4'); np.ones((7, 6, 5, 7), 'f4'); np.ones((1001, 1), bool); np.ones(1500, 'c8')
np.where(np.arange(2000) == 1000, 1e9, 1.5); np.arange(1200, dtype='u1').reshape(2, 600)
"""

VECTOR = "np.float32([1, 2])"
LONG = "np.float32([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])"
SIX = "np.arange(6) + 1000.5"
MANY = "np.arange(30, dtype='f4') / 3"
# Behind VECTOR there is room for a name of 51 letters.
FITS, TOO_LONG = "M" * 43 + "Backward", "M" * 44 + "Backward"
CHOSEN: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    (VECTOR, {}, {"requires_grad": True}),
    (VECTOR, {}, {"grad_fn": "MulBackward"}),
    (VECTOR, {}, {"parameter": True}),
    (VECTOR, {}, {"parameter": True, "requires_grad": True}),
    ("np.float64(1)", {}, {"requires_grad": True}),
    ("np.float64([1, 2])", {}, {"grad_fn": "MulBackward"}),
    ("np.zeros((0, 2))", {}, {"grad_fn": "MulBackward"}),
    ("np.complex64([1j])", {}, {"requires_grad": True}),
    (VECTOR, {}, {"grad_fn": FITS}),
    (VECTOR, {}, {"grad_fn": TOO_LONG}),
    (VECTOR, {"profile": "short"}, {"grad_fn": FITS}),
    (VECTOR, {"profile": "short"}, {"grad_fn": TOO_LONG}),
    (VECTOR, {"profile": "full"}, {"grad_fn": FITS}),
    (VECTOR, {"profile": "full"}, {"grad_fn": TOO_LONG}),
    (SIX, {}, {"grad_fn": FITS[9:]}),
    (SIX, {}, {"grad_fn": FITS[8:]}),
    (LONG, {}, {"requires_grad": True}),
    (LONG, {}, {"grad_fn": "MulBackward"}),
    ("np.arange(7) * 1e-5", {}, {"grad_fn": "MulBackward"}),
    ("np.arange(7) * 1e-5", {}, {"grad_fn": "MulBackward", "tangent": True}),
    ("np.ones((2, 13))", {}, {"requires_grad": True}),
    ("np.ones((2, 14))", {}, {"requires_grad": True}),
    (VECTOR, {}, {"tangent": True}),
    ("np.ones((2, 2))", {}, {"tangent": True}),
    ("np.float32(2)", {}, {"tangent": True, "grad_fn": "MulBackward"}),
    (VECTOR, {}, {"default_dtype": "float64"}),
    ("np.float64([1, 2])", {}, {"default_dtype": "float64"}),
    ("np.complex128([1j])", {}, {"default_dtype": "float64"}),
    ("np.complex64([1j])", {}, {"default_dtype": "float64"}),
    ("np.float64([])", {}, {"default_dtype": "float64"}),
    ("np.float16([1])", {}, {"default_dtype": "float16"}),
    ("np.complex64([1j])", {}, {"default_dtype": "float16"}),
    (MANY, {"precision": 2}, {}),
    (MANY, {"precision": 0}, {}),
    (MANY, {"precision": 10}, {}),
    (MANY, {"sci_mode": True}, {}),
    (MANY, {"sci_mode": False}, {}),
    (MANY, {"linewidth": 40}, {}),
    (MANY, {"linewidth": 78}, {}),
    (MANY, {"linewidth": 79}, {}),
    (MANY, {"linewidth": 1}, {"requires_grad": True}),
    (MANY, {"linewidth": 120}, {"grad_fn": "MulBackward"}),
    (MANY, {"threshold": 10}, {}),
    (MANY, {"threshold": 10, "edgeitems": 1}, {}),
    (MANY, {"threshold": 10, "edgeitems": 12}, {}),
    (MANY, {"threshold": 10, "edgeitems": 15}, {}),
    (MANY, {"threshold": 10, "edgeitems": 0}, {}),
    (MANY, {"edgeitems": 0}, {"requires_grad": True}),
    (MANY, {"profile": "short"}, {}),
    (MANY, {"profile": "short", "precision": 3}, {}),
    (MANY, {"profile": "full"}, {}),
    ("np.arange(1000)", {"profile": "short"}, {}),
    ("np.arange(1001)", {"profile": "short"}, {}),
    ("np.arange(9)", {"profile": "full", "threshold": 5}, {}),
    ("np.arange(1003)", {"profile": "full"}, {}),
    ("np.arange(12.).reshape(3, 4)", {"threshold": 5, "edgeitems": 1}, {}),
    ("np.arange(12.).reshape(3, 4)", {"threshold": 5, "edgeitems": 0}, {}),
    ("np.float32(1.5)", {"threshold": 0, "edgeitems": 0}, {}),
    ("np.float32([0, 0])", {"sci_mode": True}, {}),
    ("np.float32([1, np.inf])", {"sci_mode": True}, {}),
    ("np.float32([1e-20, 1e20])", {"sci_mode": False}, {}),
    ("np.float32([1.5, 2.5, -0.5])", {"precision": 0}, {}),
    ("np.complex64([1 + 1e-9j, 2])", {"sci_mode": False}, {}),
    ("np.int64([1, 2])", {"sci_mode": True}, {}),
]


def copying_function(node: str) -> type[torch.autograd.Function]:
    """A Function that copies its input and whose node is called `node`, which must end in `Backward`."""
    rules = {
        "forward": staticmethod(lambda ctx, x: x.clone()),
        "jvp": staticmethod(lambda ctx, tangent: tangent.clone()),
    }
    return type(node.removesuffix("Backward"), (torch.autograd.Function,), rules)


def torch_text(array: np.ndarray, options: dict[str, Any], facts: dict[str, Any]) -> str:
    """What PyTorch prints, with its own name replaced."""
    tensor = torch.from_numpy(array)
    torch.set_default_dtype(getattr(torch, facts.get("default_dtype", "float32")))
    torch.set_printoptions(**options)
    try:
        with forward_ad.dual_level():
            if facts.get("parameter"):
                tensor = torch.nn.Parameter(tensor, requires_grad=False)
            if facts.get("requires_grad") or facts.get("grad_fn"):
                tensor = tensor.requires_grad_()
            if facts.get("tangent"):
                tensor = forward_ad.make_dual(tensor, tensor.detach().clone())
            if "grad_fn" in facts:
                tensor = copying_function(facts["grad_fn"]).apply(tensor)
            return repr(tensor).replace("torch.", "minigrad.")
    finally:
        torch.set_default_dtype(torch.float32)
        torch.set_printoptions(profile="default")


def main() -> None:
    plain = [text.strip() for line in PLAIN.splitlines() for text in line.split(";") if text.strip()]
    lines = []
    for make, options, facts in [*((make, {}, {}) for make in plain), *CHOSEN]:
        text = torch_text(np.asarray(eval(make)), options, facts)
        lines.append(json.dumps({"make": make, "options": options, "facts": facts, "text": text}))
    TABLE.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")
    print(f"{len(lines)} cases")


if __name__ == "__main__":
    main()
