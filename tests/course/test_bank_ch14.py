"""What chapter 14 says about its own programs is true, and answers that no table foresees are judged rightly."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from course_bank import plain_cases

import minigrad as mg
import minigrad.nn.functional as F
from minigrad.course import bank
from minigrad.course.bank import ch14
from minigrad.course.judge import ERROR, KNOWN, PASSED, WRONG, judge

Function = mg.autograd.Function

pytestmark = pytest.mark.full


def verdict(id: str, answer: Any, seed: int = 0) -> Any:
    return judge(ch14.EXERCISES[id], answer, seed=seed)


def doubles(*shape: int) -> Any:
    return mg.tensor(np.random.default_rng(0).uniform(0.4, 1.6, size=shape), requires_grad=True)


def agrees(check: Callable[..., bool], f: Any, inputs: Any) -> bool:
    """The word of the library's own check, which raises where ours say False."""
    try:
        return check(f, inputs)
    except RuntimeError:
        return False


# --- The references, and the cases, against the library -----------------------------------------------------


@pytest.mark.parametrize("operation", [ch14.Exp, ch14.LegendrePolynomial3], ids=lambda f: f.__name__)
def test_the_operations_pass_both_checks(operation: Any) -> None:
    assert mg.autograd.gradcheck(operation.apply, doubles(2, 3))
    assert mg.autograd.gradgradcheck(operation.apply, doubles(2, 3))


def test_only_the_identity_among_the_reversals_passes() -> None:
    def passes(coeff: float) -> bool:
        return agrees(mg.autograd.gradcheck, lambda x: ch14.GradCoeff.apply(x, coeff), doubles(3))

    assert [c for c in (-1.0, 0.0, 0.5, 1.0, 2.0) if passes(c)] == [1.0]


@pytest.mark.parametrize("case", plain_cases(ch14.EXERCISES["14.4"]), ids=lambda case: case.label)
def test_the_convolution_is_that_of_the_library(case: Any) -> None:
    x, w, v = case.args
    y, mine = F.conv2d(x, w), ch14.Conv2D.apply(x, w)
    np.testing.assert_allclose(mine.detach().numpy(), y.detach().numpy())
    for got, expected in zip(mg.autograd.grad(mine, (x, w), v), mg.autograd.grad(y, (x, w), v), strict=True):
        np.testing.assert_allclose(got.numpy(), expected.numpy())


def test_the_convolution_passes_both_checks() -> None:
    x, w = doubles(2, 2, 3, 4), doubles(2, 2, 2, 3)
    assert mg.autograd.gradcheck(ch14.Conv2D.apply, (x, w))
    assert mg.autograd.gradgradcheck(ch14.Conv2D.apply, (x, w))


@pytest.mark.parametrize("case", plain_cases(ch14.EXERCISES["14.5"])[:-1], ids=lambda case: case.label)
def test_the_librarys_gradcheck_says_what_the_label_says(case: Any) -> None:
    right = case.label.startswith("a right")
    assert agrees(mg.autograd.gradcheck, *case.args) == ch14.gradcheck(*case.args) == right


@pytest.mark.parametrize("case", plain_cases(ch14.EXERCISES["14.7"]), ids=lambda case: case.label)
def test_the_librarys_gradgradcheck_says_what_the_label_says(case: Any) -> None:
    right = case.label.startswith("right")
    assert agrees(mg.autograd.gradgradcheck, *case.args) == ch14.twice_ok(*case.args) == right


def test_how_many_gradients_are_right_and_who_survives_ones() -> None:
    cases = plain_cases(ch14.EXERCISES["14.5"])[:-1]
    assert sum(case.label.startswith("a right") for case in cases) == 10
    assert sum(case.label.startswith("a wrong") for case in cases) == 10
    by_ones = ch14.checker(vectors=ch14.ones)
    survivors = [case.label for case in cases if case.label.startswith("a wrong") and by_ones(*case.args)]
    assert [label.rpartition(", ")[2] for label in survivors] == ["g is forgotten", "g is reversed", "the mean of g"]


LINES = [(rule, shape.format(code)) for rule, (shape, codes) in ch14.ONCE_LINES.items() for code in codes]


@pytest.mark.parametrize(("rule", "code"), LINES)
def test_a_line_ends_as_its_rule_says(rule: str, code: str) -> None:
    assert ch14.once_outcome(code) == ch14.ONCE_RULES[rule]


@pytest.mark.torch
def test_a_line_ends_so_in_pytorch_too() -> None:
    outcome = bank.exercises("14", "torch")["14.6"].space["once_outcome"]
    assert [outcome(code) for _, code in LINES] == [ch14.ONCE_RULES[rule] for rule, _ in LINES]


def test_the_fit_has_room_on_both_sides_of_its_bound() -> None:
    for seed in range(20):
        x, y, _, steps = plain_cases(ch14.EXERCISES["14.3"], seed)[-1].args
        losses = ch14.fit(ch14.LegendrePolynomial3.apply, x, y, steps)[1]
        assert losses[-1] < 0.045 and losses[0] > 0.1


# --- What lesson and statements say -------------------------------------------------------------------------


def test_the_examples_in_the_statements() -> None:
    x = mg.tensor([1.0, 2.0], requires_grad=True)
    v = mg.tensor([1.0, 10.0])
    y = ch14.GradCoeff.apply(x, -1.0)
    y.backward(v)
    assert (y.tolist(), x.grad.tolist()) == ([1, 2], [-1, -10])
    assert ch14.LegendrePolynomial3.apply(2.0) == 17.0

    x, h = mg.tensor([1.0, 2.0], requires_grad=True), mg.tensor([3.0, 4.0], requires_grad=True)
    ch14.Power.apply(x, h, 2).backward(v)
    assert repr((x.grad, h.grad)) == "(tensor([  9., 160.]), tensor([  6., 160.]))"

    a, b = mg.tensor([1.0, 2.0], requires_grad=True), mg.tensor([5.0, 6.0])

    def never(*args: Any) -> Any:
        raise AssertionError("this gradient is not needed")

    ch14.define(mg.mul, lambda g, a, b: g * b, never)(a, b).sum().backward()
    assert a.grad.tolist() == [5, 6]

    point = doubles(3)
    assert ch14.gradcheck(mg.sin, (point,)) and not ch14.gradcheck(lambda x: x.detach() * x, (point,))


def test_how_much_work_the_check_of_the_convolution_is() -> None:
    runs = []

    def conv(x: Any, w: Any) -> Any:
        runs.append(1)
        return F.conv2d(x, w)

    x, w = doubles(2, 3, 6, 5), doubles(4, 3, 3, 2)
    assert (F.conv2d(x, w).numel(), x.numel() + w.numel()) == (128, 252)
    mg.autograd.gradcheck(conv, (x, w))
    assert 504 <= len(runs) <= 510  # and a few to look at the outputs


def test_the_pictures_say_what_they_show() -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    assert "from 0.24 down to 0.012" in repr(ch14.fit_picture(ch14.LegendrePolynomial3.apply))
    assert "from 0.24 down to 0.012" in repr(ch14.fit_picture())
    assert "one entry for each argument" in repr(ch14.contract_card())


# --- Answers that no table foresees -------------------------------------------------------------------------


class ExpAsTuple(Function):
    def forward(ctx, x):
        ctx.save_for_backward(mg.exp(x))
        (y,) = ctx.to_save
        return y

    def backward(ctx, *grads):
        return (ctx.saved_tensors[0] * grads[0],)


class ExpByOutput(Function):
    @staticmethod
    def forward(ctx, x):
        out = mg.tensor(np.exp(x.numpy()))
        ctx.save_for_backward(out)
        return out

    @staticmethod
    def backward(ctx, grad):
        return mg.mul(grad, ctx.saved_tensors[0])


def gradcheck_like_pytorch(f, inputs):
    for x in inputs:
        if x.requires_grad and x.dtype is not mg.float64:
            warnings.warn("single precision", UserWarning, stacklevel=2)
    for k, x in enumerate(inputs):
        if not x.requires_grad:
            continue
        rows = []
        for i in range(f(*inputs).numel()):
            y = f(*inputs).flatten()
            (g,) = mg.autograd.grad(y[i], x, allow_unused=True) if y.requires_grad else [None]
            rows.append(mg.zeros_like(x).flatten() if g is None else g.flatten())
        columns = []
        for j in range(x.numel()):
            up, down = x.detach().clone(), x.detach().clone()
            up.view(-1)[j] += 1e-6
            down.view(-1)[j] -= 1e-6
            values = [f(*inputs[:k], z, *inputs[k + 1 :]).detach().flatten() for z in (up, down)]
            columns.append((values[0] - values[1]) / 2e-6)
        if not mg.allclose(mg.stack(rows), mg.stack(columns, 1), rtol=1e-3, atol=1e-5):
            return False
    return True


def gradcheck_by_dots(f, inputs):
    rng = np.random.default_rng(1)
    for x in inputs:
        if x.requires_grad and x.dtype != mg.float64:
            warnings.warn("use float64", stacklevel=2)
    for _ in range(5):
        y = f(*inputs)
        v = mg.tensor(rng.normal(size=tuple(y.shape)), dtype=y.dtype)
        wanted = [x for x in inputs if x.requires_grad]
        grads = mg.autograd.grad(y, wanted, v, allow_unused=True) if y.requires_grad else []
        u = [mg.tensor(rng.normal(size=tuple(x.shape)), dtype=x.dtype) * (1 if x.requires_grad else 0) for x in inputs]
        plus = f(*[x.detach() + 1e-6 * d for x, d in zip(inputs, u, strict=True)])
        minus = f(*[x.detach() - 1e-6 * d for x, d in zip(inputs, u, strict=True)])
        right = ((plus - minus) / 2e-6 * v).sum().item()
        steps = [d for x, d in zip(inputs, u, strict=True) if x.requires_grad]
        left = sum((g * d).sum().item() for g, d in zip(grads, steps, strict=y.requires_grad) if g is not None)
        if not np.isclose(left, right, rtol=1e-4, atol=1e-6):
            return False
    return True


def twice_by_gradcheck(f, x):
    v = mg.tensor(np.random.default_rng(2).normal(size=tuple(f(x).shape)))

    def gradient(x):
        (g,) = mg.autograd.grad(f(x), x, v, create_graph=True)
        return g if g.requires_grad else g + 0 * x

    def at(x):
        return gradient(x if x.requires_grad else x.detach().requires_grad_())

    try:
        return ch14.gradcheck(at, (x,))
    except RuntimeError:
        return False


class ConvByPatches(Function):
    @staticmethod
    def forward(ctx, x, w):
        ctx.save_for_backward(x, w)
        h, v = w.shape[-2:]
        rows = []
        for i in range(x.shape[2] - h + 1):
            row = []
            for j in range(x.shape[3] - v + 1):
                patch = x[:, None, :, i : i + h, j : j + v] * w[None]
                row.append(patch.sum((2, 3, 4)))
            rows.append(mg.stack(row, -1))
        return mg.stack(rows, -2)

    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        h, v = w.shape[-2:]
        gx, gw = x * 0, w * 0
        for i in range(g.shape[2]):
            for j in range(g.shape[3]):
                gij = g[:, :, i, j]
                gx[:, :, i : i + h, j : j + v] += (gij[:, :, None, None, None] * w[None]).sum(1)
                gw += (gij[:, :, None, None, None] * x[:, None, :, i : i + h, j : j + v]).sum(0)
        return gx, gw


class PowerPieces(Function):
    @staticmethod
    def forward(ctx, x, h, n):
        ctx.n = n
        ctx.save_for_backward(h, x)
        return x * h.pow(n)

    @staticmethod
    def backward(ctx, grad_output):
        h, x = ctx.saved_tensors
        gx = gh = None
        if ctx.needs_input_grad[0]:
            gx = grad_output * h**ctx.n
        if ctx.needs_input_grad[1]:
            gh = grad_output * ctx.n * x * h ** (ctx.n - 1)
        return gx, gh, None


def define_in_two_parts(f, *rules):
    class F(Function):
        @staticmethod
        def forward(*inputs):
            return f(*inputs)

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs)

        @staticmethod
        def backward(ctx, g):
            saved, need = ctx.saved_tensors, ctx.needs_input_grad
            return tuple([r(g, *saved) if n else None for r, n in zip(rules, need, strict=True)])

    return lambda *inputs: F.apply(*inputs)


@pytest.mark.parametrize(
    ("id", "answer"),
    [
        ("14.1", ExpAsTuple),
        ("14.1", ExpByOutput),
        ("14.4", ConvByPatches),
        ("14.5", gradcheck_like_pytorch),
        ("14.5", gradcheck_by_dots),
        ("14.7", twice_by_gradcheck),
        ("14.8", PowerPieces),
        ("14.9", define_in_two_parts),
    ],
    ids=lambda x: getattr(x, "__name__", x),
)
def test_right_in_another_style(id: str, answer: Any) -> None:
    for seed in range(3):
        got = verdict(id, answer, seed)
        assert (got.outcome, got.hint) == (PASSED, ""), got


class NoBackward(Function):
    @staticmethod
    def forward(ctx, x):
        return x.exp()


class ConstantLost(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return 0.5 * (5 * x**3 - 3 * x)

    @staticmethod
    def backward(ctx, g):
        return g * 7.5 * ctx.saved_tensors[0] ** 2


@pytest.mark.parametrize(
    ("id", "answer", "outcomes"),
    [
        ("14.1", NoBackward, [ERROR]),
        ("14.1", mg.exp, [ERROR, WRONG]),
        ("14.3", ConstantLost, [KNOWN]),
        ("14.4", lambda x, w: F.conv2d(x, w), [ERROR]),
        ("14.5", lambda f, inputs: mg.autograd.gradcheck(f, inputs), [ERROR]),
        ("14.7", lambda f, x: mg.autograd.gradgradcheck(f, x), [ERROR]),
        ("14.7", lambda f, x: ch14.gradcheck(lambda x: mg.autograd.grad(f(x).sum(), x, create_graph=True)[0], (x,)), [ERROR, KNOWN]),
        ("14.9", lambda f, *rules: f, [WRONG]),
    ],
)
def test_wrong_in_another_style(id: str, answer: Any, outcomes: list[str]) -> None:
    for seed in range(3):
        got = verdict(id, answer, seed)
        assert got.outcome in outcomes, got


def test_too_few_entries_are_known_whatever_the_class_is_called() -> None:
    def few(f, *rules):
        class Whatever(Function):
            @staticmethod
            def forward(ctx, *inputs):
                ctx.save_for_backward(*inputs)
                return f(*inputs)

            @staticmethod
            def backward(ctx, g):
                return tuple(r(g, *ctx.saved_tensors) for r, n in zip(rules, ctx.needs_input_grad, strict=True) if n)

        return Whatever.apply

    assert verdict("14.9", few).mistake == "too few entries"


def test_the_locks_are_opened_again() -> None:
    verdict("14.4", ch14.conv(forward=lambda x, w: F.conv2d(x, w)))
    verdict("14.5", lambda f, inputs: mg.autograd.gradcheck(f, inputs))
    assert F.conv2d(mg.ones(1, 1, 2, 2), mg.ones(1, 1, 2, 2)).item() == 4
    assert mg.autograd.gradcheck(mg.sin, doubles(2))


def needs_of(when: str) -> Callable[..., Any]:
    """A define that decides which gradients are needed once, at each call anew for all, or by a rule of its own."""

    def define(f, *rules):
        needs: list[bool] = []

        def keep(ctx, *inputs):
            ctx.save_for_backward(*inputs)
            now = [t.requires_grad and (when != "leaves" or t.is_leaf) for t in inputs]
            needs[:] = needs if when == "once" and needs else now
            ctx.needs = needs if when != "leaves" else now

        def give(ctx, g, rules):
            return tuple(rule(g, *ctx.saved_tensors) if n else None for rule, n in zip(rules, ctx.needs, strict=True))

        return ch14.defined(f, rules, give, keep).apply

    return define


def second_of(judged: Callable[[np.ndarray, np.ndarray], bool], on_error: bool = False) -> Callable[..., bool]:
    """A twice_ok that compares the two tables of second derivatives in this way."""

    def twice(f, x):
        v = mg.tensor(np.random.default_rng(3).uniform(0.5, 2, size=tuple(f(x).shape)))
        z, g = ch14.slope(f, x, v)
        H, flat = np.zeros((z.numel(),) * 2), g.reshape(-1)
        try:
            for row, i in zip(H, range(len(H) * g.requires_grad), strict=False):
                found = mg.autograd.grad(flat[i], z, retain_graph=True, allow_unused=True)[0]
                row[:] = 0 if found is None else found.numpy().reshape(-1)
        except RuntimeError:
            return on_error
        return judged(ch14.differ(f, x, v), H)

    return twice


def mean_error(numerical: np.ndarray, analytical: np.ndarray, v: Any) -> bool:
    return bool(np.abs(numerical - analytical).mean() <= 1e-5 + 1e-3 * np.abs(numerical).mean())


def power(of_h: Callable[[Any, Any], Any]) -> Any:
    return ch14.function(
        "Power",
        lambda ctx, x, h, n: (ch14.keep_well(ctx, x, h, n), x * of_h(h, n))[1],
        lambda ctx, g: ch14.both_gradients(g, *ch14.read_well(ctx)),
    )


def without_a_graph_it_raises(f, inputs):
    mg.autograd.grad(f(*inputs).sum(), [x for x in inputs if x.requires_grad], allow_unused=True)
    return ch14.gradcheck(f, inputs)


@pytest.mark.parametrize(
    ("id", "answer", "case"),
    [
        ("14.5", ch14.checker(agree=mean_error), "a small entry beside a large one"),
        ("14.5", without_a_graph_it_raises, ""),
        ("14.7", second_of(lambda n, a: ch14.close(n.sum(1), a.sum(1))), "a log-sum-exp"),
        ("14.7", second_of(ch14.close, on_error=True), "the second pass raises an error"),
        ("14.7", second_of(lambda n, a: not (np.abs(n - a) > 1e-5 + 1e-3 * np.abs(n)).any()), "which are NaN"),
        ("14.8", power(lambda h, n: h ** abs(n)), "n = -2"),
        ("14.8", power(lambda h, n: h ** int(n)), "n = 0.5"),
        ("14.9", needs_of("once"), "only b in the second"),
        ("14.9", needs_of("last"), "only b in the second"),
        ("14.9", needs_of("leaves"), "results of operations"),
    ],
)
def test_right_in_the_first_situation_only(id: str, answer: Any, case: str) -> None:
    got = verdict(id, answer)
    assert not got.passed and case in got.case, got


def test_right_second_derivatives_pass_where_all_is_compared() -> None:
    assert verdict("14.7", second_of(ch14.close)).outcome == PASSED


@pytest.mark.parametrize("id", ["14.5", "14.7"])
def test_a_lock_is_named_also_where_its_error_is_caught(id: str) -> None:
    def locked(f, x):
        try:
            return mg.autograd.gradcheck(f, x)
        except RuntimeError:
            return False

    assert any("which are locked away: got 1, expected 0" in line for line in verdict(id, locked).details)
