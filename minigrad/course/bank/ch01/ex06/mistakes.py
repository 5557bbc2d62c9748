"""01.6 Same code, other graph: the mistakes that are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import minigrad as mg
from minigrad.course.bank.ch01.ex06.task import agree_exact
from minigrad.course.bank.shared import ALL_EDGES
from minigrad.course.exercise import Mistake
from minigrad.course.helpers.graphs import class_of, nodes_of

MISTAKES: dict[str, Mistake] = {}


def looking(count: Callable[..., int], agree: Callable[..., Any]) -> Callable[..., tuple[int, Any]]:
    """An answer from its two halves."""

    def answer(f: Any, a: Any) -> tuple[int, Any]:
        d = f(a)
        muls = count(f, a, d)
        d.sum().backward()
        with mg.no_grad():
            return muls, agree(a.grad, d / a)

    return answer


def count_right(f: Any, a: Any, d: Any) -> int:
    return sum(class_of(node) == "MulBackward0" for node in nodes_of(d))


TOLERANCE = (
    "`==` asks for the same last bit. `f(a) / a` rounds once more than the slope does, and for `doubling` "
    "the two differ in about 6 % of runs with random float32 numbers. Compare with a tolerance: "
    "`mg.allclose`."
)

MISTAKES["compared with =="] = Mistake(looking(count_right, agree_exact), TOLERANCE)


def agree_absolute(slope: Any, ratio: Any) -> bool:
    return bool(((slope - ratio).abs() < 1e-6).all())


MISTAKES["an absolute tolerance only"] = Mistake(
    looking(count_right, agree_absolute),
    "A fixed tolerance like 1e-6 is right for numbers near 1. Above 100,000 neighbouring float32 numbers are 0.0078 apart, or "
    "more: rounding alone makes two of them differ by as much. Let the tolerance grow with the numbers: `mg.allclose` has `rtol` "
    "for that.",
)


def agree_loose(slope: Any, ratio: Any) -> bool:
    return mg.allclose(slope, ratio, atol=0.1)


MISTAKES["a tolerance that forgives anything"] = Mistake(
    looking(count_right, agree_loose),
    "`3 * a + 0.01` is not proportional to `a`: its slope is 3 and its ratio 3.01 or so. With "
    "so wide a tolerance you would not notice. Rounding errors are smaller by far: about 1e-7 "
    "of the number.",
)


def agree_somewhere(slope: Any, ratio: Any) -> bool:
    return bool(mg.isclose(slope, ratio).any())


MISTAKES["agreement in one place is enough"] = Mistake(
    looking(count_right, agree_somewhere), "It agrees in one place, but not in **every** place."
)


def agree_in_sum(slope: Any, ratio: Any) -> bool:
    return mg.allclose(slope.sum(), ratio.sum())


MISTAKES["agreement of the sums is enough"] = Mistake(
    looking(count_right, agree_in_sum),
    "The sums agree, but not the numbers in **every** place: compare before you add anything up.",
)


def passed_twice(source: str, results: list[Any]) -> bool:
    return any(isinstance(r, dict) and r.get("backward passes") == "more than one" for r in results)


def look_with_two_passes(f, a):
    d = f(a)
    d.sum().backward(retain_graph=True)
    d.sum().backward()
    return count_right(f, a, d), mg.allclose(a.grad, (d / a).detach())


MISTAKES["two backward passes"] = Mistake(
    look_with_two_passes,
    "Your slopes are twice too large: a backward pass *adds* to `a.grad`, and you ran two. "
    "One is enough. (Chapter 06 is about this.)",
    evidence=passed_twice,
)


def look_with_a_pass_cleared(f, a):
    d = f(a)
    d.sum().backward(retain_graph=True)
    a.grad = None
    d.sum().backward()
    return count_right(f, a, d), mg.allclose(a.grad, d / a)


MISTAKES["two backward passes, cleared between"] = Mistake(
    look_with_a_pass_cleared,
    "The pair is right, but you ran more than one backward pass. One brings all slopes: run it, and compare.",
    evidence=passed_twice,
)


def look_without_a_node(f, a):
    d = f(a)
    seen, todo = set(), [d.grad_fn]
    for node in todo:
        if node not in seen:
            seen.add(node)
            todo += [child for child, _ in node.next_functions if child is not None]
    d.sum().backward()
    return sum(node.name() == "MulBackward0" for node in seen), mg.allclose(a.grad, d / a)


MISTAKES["there is always a node"] = Mistake(
    look_without_a_node,
    "`f` may return `a` itself. A leaf has no node: its `grad_fn` is None, and the graph has no MulBackward0.",
)


def count_paths(f: Any, a: Any, d: Any) -> int:
    def below(node: Any) -> int:
        if node is None:
            return 0
        return (node.name() == "MulBackward0") + sum(below(child) for child, _ in node.next_functions)

    return below(d.grad_fn)


def agree_close(slope: Any, ratio: Any) -> bool:
    return mg.allclose(slope, ratio)


MISTAKES["paths are counted"] = Mistake(
    looking(count_paths, agree_close),
    "A node that is used twice was counted twice. Keep the nodes that you have seen, as in 01.3.",
)


def count_first_edge(f: Any, a: Any, d: Any) -> int:
    muls, node = 0, d.grad_fn
    while node is not None:
        muls += node.name() == "MulBackward0"
        node = node.next_functions[0][0] if node.next_functions else None
    return muls


MISTAKES["only the first edge is followed"] = Mistake(
    looking(count_first_edge, agree_close),
    "You followed the first edge only. In `k * b` the first edge belongs to the constant `k`, "
    "and is None: your walk ended there. Follow all edges.",
)


def count_all(f: Any, a: Any, d: Any) -> int:
    return len(nodes_of(d))


MISTAKES["every node is counted"] = Mistake(
    looking(count_all, agree_close),
    "You counted every node, AccumulateGrad included. Count those whose `name()` is `MulBackward0`.",
)


OTHER_NODES = (
    "You counted nodes that are no MulBackward0. A power, a root, a minus and a quotient each have a node of another name: count "
    "those whose `name()` is `MulBackward0`, and no others."
)


def counting(*names: str) -> Callable[..., int]:
    return lambda f, a, d: sum(class_of(node) in ("MulBackward0", *names) for node in nodes_of(d))


MISTAKES |= {
    f"{told} are counted": Mistake(looking(counting(*names), agree_close), OTHER_NODES)
    for told, names in {
        "powers": ("PowBackward0",),
        "powers and quotients": ("PowBackward0", "DivBackward0"),
        "roots": ("SqrtBackward0",),
        "signs": ("NegBackward0",),
        "roots and signs": ("SqrtBackward0", "NegBackward0"),
        "powers, roots and signs": ("PowBackward0", "SqrtBackward0", "NegBackward0"),
    }.items()
}


def count_two_edges(f: Any, a: Any, d: Any) -> int:
    seen, todo = {}, [d.grad_fn]
    for node in todo:
        if node is not None and node not in seen:
            seen[node] = class_of(node) == "MulBackward0"
            todo += [child for child, _ in node.next_functions[:2]]
    return sum(seen.values())


MISTAKES["two edges of each node"] = Mistake(
    looking(count_two_edges, agree_close),
    f"What lies behind the third edge of a node is missing. {ALL_EDGES}",
)


def count_without_last(f: Any, a: Any, d: Any) -> int:
    return count_right(f, a, d) - (class_of(d.grad_fn) == "MulBackward0")


MISTAKES["off by one: the last multiplication"] = Mistake(
    looking(count_without_last, agree_close),
    "One too few: `d.grad_fn` itself is a node too. Begin the walk there, not at what lies behind it.",
)


def count_numbers(f: Any, a: Any, d: Any) -> int:
    return count_right(f, a, d) * a.numel()


MISTAKES["one for each number"] = Mistake(
    looking(count_numbers, agree_close),
    "A multiplication of two tensors is **one** operation and one node, however many numbers are in them.",
)


def count_other_run(f: Any, a: Any, d: Any) -> int:
    return count_right(f, a, f(mg.ones_like(a).requires_grad_()))


MISTAKES["the graph of another run"] = Mistake(
    looking(count_other_run, agree_close),
    "That is the graph of another input. The graph is made while the code runs: count in the graph of *this* `f(a)`.",
)


def look_multiplied(f, a):
    d = f(a)
    muls = count_right(f, a, d)
    d.sum().backward()
    return muls, bool((a.grad * a == d).all())


MISTAKES["compared with ==, multiplied"] = Mistake(
    look_multiplied,
    "The same last bit is asked for, and each product was rounded, yours in another place than `f(a)`. Ask whether the difference "
    "is small beside the numbers: `mg.allclose(a.grad, f(a) / a)`.",
)

EACH_PLACE = (
    "A truth for each place came back, and asked for is **one** bool. `mg.allclose` gives one: whether the two agree in every "
    "place, up to rounding. `.all()` makes one bool of many."
)

MISTAKES["== in each place"] = Mistake(looking(count_right, lambda slope, ratio: slope == ratio), EACH_PLACE)
MISTAKES["isclose in each place"] = Mistake(looking(count_right, mg.isclose), EACH_PLACE)

IN_A_TENSOR = "`agrees` is a Tensor that holds one truth. Asked for is a **bool**: `.item()` or `bool(…)` takes it out."

MISTAKES["the bool in a Tensor"] = Mistake(
    looking(count_right, lambda slope, ratio: mg.isclose(slope, ratio).all()), f"{IN_A_TENSOR} `mg.allclose` gives one at once."
)
MISTAKES["compared with ==, in a Tensor"] = Mistake(
    looking(count_right, lambda slope, ratio: (slope == ratio).all()), f"{IN_A_TENSOR} And {TOLERANCE}"
)
