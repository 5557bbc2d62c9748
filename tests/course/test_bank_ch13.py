"""What the exercises of chapter 13 say about their own programs and rules is true, and what else learners may write."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from course_bank import plain_cases
from spellings import ch13 as spelled

import minigrad as mg
from minigrad.course.bank import ch13
from minigrad.course.judge import ERROR, KNOWN, PASSED, judge
from minigrad.course.showing.render import verdict_text

pytestmark = pytest.mark.full


def verdict(id: str, answer: Any, seed: int = 0) -> Any:
    return judge(ch13.EXERCISES[id], answer, seed=seed)


def text(id: str, answer: Any) -> str:
    return verdict_text(verdict(id, answer), "")


@pytest.mark.parametrize(("id", "by_rule"), [("13.3", ch13.calls_by_rule), ("13.4", ch13.order_of(ch13.as_registered))])
def test_all_programs_of_the_predictions_agree_with_their_rules(id: str, by_rule: Any) -> None:
    exercise = ch13.EXERCISES[id]
    for seed in range(40):
        draw = exercise.draw(seed)
        assert exercise.reference(draw) == by_rule(draw)


@pytest.mark.parametrize("id", ["13.3", "13.4"])
def test_no_belief_is_right_by_accident(id: str) -> None:
    exercise = ch13.EXERCISES[id]
    for seed in range(40):
        draw = exercise.draw(seed)
        for name, mistake in exercise.mistakes.items():
            assert mistake.answer(draw) != exercise.reference(draw), (name, draw)


def test_the_examples_in_the_statements() -> None:
    a = mg.tensor([1.0, 2.0], requires_grad=True)
    c = a**2
    d = (c * mg.tensor([3.0, 4.0])).sum()
    assert [(n, round(v, 3)) for n, v in ch13.grad_norms({"a": a, "c": c, "d": d}, d)] == [("d", 1.0), ("c", 5.0), ("a", 17.088)]

    x = mg.tensor([1.0, 1.0], requires_grad=True)
    h = x * 1
    L = (h * mg.tensor([3.0, 4.0])).sum()
    ch13.clip_at(h, 1.0)
    L.backward()
    np.testing.assert_allclose(x.grad.numpy(), [0.6, 0.8], rtol=1e-6)

    x = mg.tensor([-1.0, 4.0], requires_grad=True)
    assert ch13.first_nan((mg.where(x > 0, mg.sqrt(x * 2), 0.0) * 3).sum()) == "SqrtBackward0"

    x = mg.tensor([-1.0, 0.0, 4.0], requires_grad=True)
    y = ch13.sqrt_or_zero(x)
    y.sum().backward()
    assert (y.tolist(), x.grad.tolist()) == ([0, 0, 2], [0, 0, 0.25])


@pytest.mark.parametrize("answer", [spelled.root_input_only, spelled.root_relu])
def test_with_one_where_the_nan_is_made_and_written_over(answer: Any) -> None:
    x = mg.tensor([0.0, 4.0], requires_grad=True)
    answer(x).backward(mg.tensor([0.0, 1.0]))
    assert x.grad.tolist() == [0, 0.25]
    refused = pytest.raises(RuntimeError, match="returned nan values")
    with refused, pytest.warns(UserWarning, match="Error detected"), mg.autograd.set_detect_anomaly(True):
        answer(x).backward(mg.tensor([0.0, 1.0]))
    assert ch13.first_nan((ch13.sqrt_or_zero(x) * mg.tensor([0.0, 1.0])).sum()) is None


# --- 13.5: many kinds of NaN ------------------------------------------------------------------------------------


def test_the_culprit_is_the_one_that_anomaly_mode_names() -> None:
    exercise = ch13.EXERCISES["13.5"]
    names = set()
    for seed in range(6):
        for case, again in zip(plain_cases(exercise, seed), plain_cases(exercise, seed), strict=True):
            name = ch13.first_nan(*case.args)
            if name is None:
                assert "no NaN" in case.label
                again.args[0].backward()
                continue
            names.add(name)
            refused = pytest.raises(RuntimeError, match=f"'{name}' returned nan values")
            with refused, pytest.warns(UserWarning, match=name), mg.autograd.set_detect_anomaly(True):
                again.args[0].backward()
    assert len(names) >= 5


def test_a_guessed_name_does_not_pass() -> None:
    for name in ("SqrtBackward0", "PowBackward0", "MulBackward0", None):
        assert not verdict("13.5", lambda root, name=name: name).passed


def test_the_smallest_nan_graphs() -> None:
    x = mg.tensor(0.0, requires_grad=True)
    assert ch13.first_nan(mg.sqrt(x)) is None
    assert ch13.first_nan(mg.sqrt(x * x)) == "MulBackward0"  # inf · 0
    assert ch13.first_nan(mg.sqrt(x) * 0) == "SqrtBackward0"  # 0 · inf


# --- 13.6: log-softmax ------------------------------------------------------------------------------------------


def test_log_softmax_is_that_of_the_engine_and_of_differences() -> None:
    rng = np.random.default_rng(0)
    for _ in range(5):
        b, n = rng.integers(1, 5), rng.integers(1, 6)
        z, g, u = rng.normal(size=(3, b, n))
        forward, vjp = ch13.LogSoftmax.forward, ch13.LogSoftmax.vjp
        leaf = mg.tensor(z, requires_grad=True)
        y = mg.log_softmax(leaf, 1)
        y.backward(mg.tensor(g))
        np.testing.assert_allclose(forward(z), y.detach().numpy(), rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(vjp(g, z), leaf.grad.numpy(), rtol=1e-12, atol=1e-14)
        slope = (forward(z + 1e-6 * u) - forward(z - 1e-6 * u)) / 2e-6
        np.testing.assert_allclose(np.sum(g * slope), np.sum(vjp(g, z) * u), rtol=1e-6, atol=1e-9)
        np.testing.assert_allclose(forward(z + 1000), forward(z), rtol=1e-9, atol=1e-9)


def test_a_rule_without_return_is_told() -> None:
    def forgotten(g, z):
        g - np.exp(z)

    assert "Did you forget return?" in text("13.6", ch13.with_rule(vjp=forgotten))


def test_an_input_that_is_written_over_is_named_by_its_place() -> None:
    def into_g(g, z):
        g -= np.exp(ch13.LogSoftmax.forward(z)) * g.sum(axis=1, keepdims=True)
        return g

    assert "changed its input argument 1" in text("13.6", ch13.with_rule(vjp=into_g))


def test_functions_of_a_class_need_no_decorator() -> None:
    class LogSoftmax:
        def forward(z):
            most = np.max(z, axis=1)[:, None]
            return z - (most + np.log(np.sum(np.exp(z - most), axis=1))[:, None])

        def vjp(g, z):
            e = np.exp(z - np.max(z, axis=1)[:, None])
            p = e / np.sum(e, axis=1)[:, None]
            return np.array([gi @ (np.eye(len(pi)) - pi) for gi, pi in zip(g, p, strict=True)])

    assert verdict("13.6", LogSoftmax).passed


# --- More answers, right and wrong ------------------------------------------------------------------------------


def test_more_right_clips() -> None:
    def by_numpy(h, limit):
        def hook(g):
            norm = np.linalg.norm(g.numpy())
            return mg.tensor(g.numpy() * limit / norm) if norm > limit else None

        return h.register_hook(hook)

    def a_copy_in_place(h, limit):
        def hook(g):
            g = g.clone()
            if g.norm() > limit:
                g.mul_(limit / g.norm())
            return g

        return h.register_hook(hook)

    def by_where(h, limit):
        return h.register_hook(lambda g: mg.where(g.norm() > limit, g * limit / g.norm(), g))

    for answer in (by_numpy, a_copy_in_place, by_where):
        for seed in range(3):
            assert verdict("13.2", answer, seed).outcome == PASSED, answer


def test_a_gradient_of_another_size_is_refused() -> None:
    def shrunk(h, limit):
        return h.register_hook(lambda g: g.norm().clamp(max=limit))

    found = verdict("13.2", shrunk)
    assert found.outcome == ERROR and "has changed the size of value" in found.trace


def test_a_clip_without_a_handle_is_not_one() -> None:
    def forgotten(h, limit):
        ch13.clip_at(h, limit)

    assert "Did you forget return?" in text("13.2", forgotten)
    assert "is wanted is the handle" in text("13.2", lambda h, limit: h)


def test_each_flaw_of_a_stethoscope_is_seen() -> None:
    def two_passes(tensors, L):
        L.backward(retain_graph=True)
        return ch13.grad_norms(tensors, L)

    def asked_for_each(tensors, L):
        gradients = {name: mg.autograd.grad(L, t, retain_graph=True, allow_unused=True)[0] for name, t in tensors.items()}
        return [(name, g.norm().item()) for name, g in gradients.items() if g is not None]

    for answer in (two_passes, asked_for_each):
        assert not verdict("13.1", answer).passed, answer
    assert "is wanted is a list of pairs" in text("13.1", lambda tensors, L: dict(ch13.grad_norms(tensors, L)))


def test_more_right_roots() -> None:
    def one_by_one(x):
        return mg.stack([mg.sqrt(v) if v > 0 else v * 0 for v in x.reshape(-1)]).reshape(x.shape)

    def written_over(x):
        y = x.clone()
        y[x <= 0] = 1.0
        y = mg.sqrt(y) * 1
        y[x <= 0] = 0.0
        return y

    def chosen_twice(x):
        return mg.where(x > 0, mg.sqrt(mg.where(x > 0, x, 1.0)), 0.0)

    for answer in (one_by_one, written_over, chosen_twice):
        found = verdict("13.7", answer)
        assert (found.outcome, found.hint) == (PASSED, ""), answer


def test_a_root_a_little_beside_is_wrong() -> None:
    for answer in (lambda x: mg.sqrt(mg.relu(x) + 1e-12), lambda x: mg.where(x > 0, mg.sqrt(mg.abs(x) + 1e-6), 0.0)):
        assert not verdict("13.7", answer).passed


# --- Predictions ------------------------------------------------------------------------------------------------


def test_tuples_arrays_and_tensors_are_predictions_too() -> None:
    right = ch13.calls(ch13.EXERCISES["13.3"].draw())
    for form in (tuple, np.array, lambda values: [mg.tensor(v) for v in values], lambda values: [int(v) for v in values]):
        assert verdict("13.3", {key: form(values) for key, values in right.items()}).passed
    right = ch13.order(ch13.EXERCISES["13.4"].draw())
    for form in (int, np.float32, mg.tensor):
        assert verdict("13.4", {key: form(value) for key, value in right.items()}).passed


@pytest.mark.parametrize(("id", "silly", "misshapen", "form"), [
    ("13.3", [1234.0], 1234.0, "Each value is a list"),
    ("13.4", 1234.0, "tensor(2.)", "Each value is one number"),
])  # fmt: skip
def test_a_wrong_value_that_nobody_believes_gets_the_rule(id: str, silly: Any, misshapen: Any, form: str) -> None:
    exercise = ch13.EXERCISES[id]
    right = exercise.reference(exercise.draw())
    plain = text(id, right | dict.fromkeys(right, misshapen))
    assert form in plain
    for key in right:
        found = verdict(id, right | {key: silly})
        assert found.outcome not in (KNOWN, PASSED) and len(found.details) == 2, (key, found)
        assert form not in verdict_text(found, "")
        still_open = verdict(id, right | {key: [...]})
        assert [line for line in still_open.details if line] == [f"Still open: {key}."]


# --- The lesson's own ---------------------------------------------------------------------------------------------


def test_the_quiz() -> None:
    for safe in (False, True):
        x = mg.tensor([0.0, 1.0], requires_grad=True)
        y = mg.where(x == 0, 1.0, mg.sin(x) / (mg.where(x == 0, 1.0, x) if safe else x))
        y.sum().backward()
        assert y[0].item() == 1 and math.isnan(x.grad[0].item()) is not safe
    z = mg.tensor([200.0, 0.0])
    assert mg.log(mg.softmax(z, 0))[1].item() == -math.inf
    assert mg.log_softmax(z, 0)[1].item() == -200


def test_expect_nan_shows_the_line_and_insists_on_a_nan(capsys: pytest.CaptureFixture[str]) -> None:
    x = mg.tensor([0.0, 4.0], requires_grad=True)
    with ch13.expect_nan():
        mg.where(x > 0, mg.sqrt(x), 0.0).sum().backward()
    printed = capsys.readouterr().out
    assert printed.startswith("RuntimeError: Function 'SqrtBackward0' returned nan values in its 0th output.")
    assert printed.rstrip().endswith("mg.where(x > 0, mg.sqrt(x), 0.0).sum().backward()")
    with pytest.raises(AssertionError), ch13.expect_nan():
        (x * 2).sum().backward()
    assert not mg.is_anomaly_enabled()


def test_log_share_tells_how_far_each_formula_holds() -> None:
    pytest.importorskip("matplotlib")
    plot = ch13.log_share(stable=lambda z: mg.log_softmax(z, 0), naive=lambda z: mg.log(mg.exp(z) / mg.exp(z).sum()))
    assert "stable, value: from -200 to 0 for z from -200 to 200" in plot.alt
    assert "naive, slope: from 1 to 0 for z from -88 to 88" in plot.alt
    assert plot.png().startswith(b"\x89PNG")


def test_what_a_call_with_other_scores_left_behind_is_used_by_none() -> None:
    class LogSoftmax(ch13.LogSoftmax):
        y: Any = None

        @staticmethod
        def forward(z):
            LogSoftmax.y = ch13.LogSoftmax.forward(z)
            return LogSoftmax.y

        @staticmethod
        def vjp(g, z):
            if LogSoftmax.y is None or LogSoftmax.y.shape != z.shape:
                LogSoftmax.forward(z)
            return g - np.exp(LogSoftmax.y) * g.sum(1, keepdims=True)

    assert verdict("13.6", LogSoftmax).case == "vjp: small numbers"


def test_an_emptied_dict_has_its_leaves_still() -> None:
    told = text("13.1", lambda tensors, L: (ch13.grad_norms(tensors, L), tensors.clear())[0])
    assert "changed its input tensors" in told and "missing" not in told


def test_a_hook_goes_by_its_own_name() -> None:
    def shrink(g):
        return g.float()

    told = text("13.2", lambda h, limit: h.register_hook(shrink))
    assert "no line of yours raised it" in told and "hook 'shrink' has changed the type" in told


def test_a_list_of_another_length_explains_no_entry_by_chance() -> None:
    right = ch13.EXERCISES["13.3"].reference(ch13.EXERCISES["13.3"].draw())
    first, second = right["after"]
    told = verdict("13.3", right | {"after": [second, first + second]})
    assert told.mistake == "" and ch13.GRAD_ADDS_NOTHING in " ".join(told.details)


def test_a_hook_that_was_there_and_is_gone_is_told_as_such() -> None:
    def clears(tensors, L):
        found = ch13.EXERCISES["13.1"].reference(tensors, L)
        for t in tensors.values():
            t._backward_hooks = None
        return found

    assert "hooks that were there before, and are gone: got 1, expected 0" in text("13.1", clears)
