"""12.1 View or copy?: what is asked, and what is seen of an answer."""

from __future__ import annotations

from minigrad.course.bank.ch12.common import Draw, draw_lines
from minigrad.course.exercise import Part

KINDS_SETUP = "x = mg.tensor([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]])\n\n"

# Every program has one line of each rule, in any order.
KINDS = {
    "basic index": ["x[0]", "x[1:]", "x[:, 1]", "x[:, ::2]", "x[..., 0]", "x[0, 1:]"],
    "reshape": ["x.reshape(6)", "x.reshape(3, 2)", "x.flatten()", "x.view(6)", "x.unsqueeze(0)"],
    "transpose": ["x.t()", "x.T", "x.permute(1, 0)", "x.transpose(0, 1)"],
    "reshape that cannot": [
        "x.t().reshape(6)",
        "x.T.flatten()",
        "x[:, :2].reshape(4)",
        "x[:, ::2].flatten()",
        "x.t().reshape(2, 3)",
    ],
    "list of rows": ["x[[0, 1]]", "x[[1]]", "x[:, [0, 2]]", "x[mg.tensor([0])]"],
    "mask": ["x[x > 2]", "x[x >= 0]", "x[x != 1]"],
    "expand": ["x[0].expand(4, 3)", "x.expand(2, 2, 3)", "x[:, :1].expand(2, 5)"],
    "arithmetic": ["x + 0", "x * 1", "x.clone()", "x.repeat(2, 1)", "mg.stack([x[0], x[1]])", "x.double()"],
    "detach": ["x.detach()", "x.data", "x.detach()[0]", "x.data.t()"],
    "parts": ["x.unbind()[0]", "x.split(1)[1]", "x.chunk(2)[0]"],
}


def kinds_program(draw: Draw) -> str:
    return KINDS_SETUP + "\n".join(f"{key} = {code}" for key, _, code in draw)


TASK = Part(
    id="12.1",
    title="View or copy?",
    difficulty=1,
    minutes=4,
    draws=draw_lines(KINDS, "abcdefghij"),
    program=kinds_program,
    name="kinds",
    words=("view", "copy"),
)
