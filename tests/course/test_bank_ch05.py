"""What the exercises of chapter 05 say about their own programs is true, and near misses are judged as they should be."""

from __future__ import annotations

import sys
import warnings
from typing import Any

import numpy as np
import pytest
from course_bank import plain_cases
from spellings import ch05 as spelled

import minigrad as mg
from minigrad.course.bank import ch05
from minigrad.course.judge import KNOWN, PASSED, WRONG, judge

pytestmark = pytest.mark.full


def verdict(id: str, answer: Any, **options: Any) -> Any:
    return judge(ch05.EXERCISES[id], answer, **options)


# -- 05.1 ------------------------------------------------------------------------------------------------------------


def test_slopes_of_another_kind_do_not_pass() -> None:
    """Forward differences, one slope too few, the slopes with the wrong sign."""

    def forward(f: Any, xs: Any) -> Any:
        y = f(mg.tensor(xs)).numpy()
        return y, (f(mg.tensor(xs + 1e-6)).numpy() - y) / 1e-6

    assert verdict("05.1", forward).mistake == "no autograd"
    assert verdict("05.1", lambda f, xs: tuple(part[:-1] for part in ch05.curve(f, xs))).outcome == WRONG
    assert verdict("05.1", lambda f, xs: (ch05.curve(f, xs)[0], -ch05.curve(f, xs)[1])).outcome == WRONG


def test_a_pass_whose_result_is_thrown_away_earns_nothing() -> None:
    def rough(f: Any, xs: Any) -> Any:
        ys, _ = ch05.curve(f, xs)
        return ys, np.gradient(ys, xs)

    assert verdict("05.1", rough).outcome == WRONG


def test_what_is_returned_instead_of_a_pair_is_named() -> None:
    assert "a pair of NumPy arrays" in verdict("05.1", lambda f, xs: ch05.curve(f, xs)[1]).sentence
    assert "None" in verdict("05.1", lambda f, xs: (ch05.curve(f, xs), None)[1]).sentence
    forgotten = verdict("05.1", lambda f, xs: (ch05.curve(f, xs)[0], mg.tensor(xs, requires_grad=True).grad))
    assert forgotten.outcome == KNOWN and "slopes" in " ".join(forgotten.details)


def test_the_points_must_stay_as_they_are() -> None:
    def shifted(f: Any, xs: Any) -> Any:
        result = ch05.curve(f, xs)
        xs += 1
        return result

    assert "xs" in verdict("05.1", shifted).sentence


def test_the_slopes_may_stay_a_tensor() -> None:
    """x.grad has no history and goes into every plot as it is."""
    assert verdict("05.1", spelled.curve_ones_default).outcome == PASSED


def test_the_number_of_passes_is_seen() -> None:
    for answer, passes in ((ch05.curve, 1), (ch05.curve_retained, 7), (spelled.curve_point_by_point, 7), (spelled.curve_forward, 1)):
        f, xs = plain_cases(ch05.EXERCISES["05.1"])[0].args
        assert ch05.watch_curve(answer, f, xs)["cost_passes"] == passes


def test_a_history_that_was_cut_off_is_not_taken_for_a_missing_wish() -> None:
    def under_no_grad(f: Any, xs: Any) -> Any:
        x = mg.tensor(xs, requires_grad=True)
        with mg.no_grad():
            y = f(x)
        y.sum().backward()
        return y.numpy(), x.grad.numpy()

    for answer in (spelled.curve_cut_off, under_no_grad, ch05.curve_constant):
        seen = verdict("05.1", answer)
        assert seen.outcome == KNOWN and "no_grad" in seen.hint and "requires_grad=True" in seen.hint


def test_the_gradient_of_a_result_is_named_as_missing() -> None:
    def grad_of_y(f: Any, xs: Any) -> Any:
        x = mg.tensor(xs, requires_grad=True)
        y = f(x)
        y.sum().backward()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return y.detach().numpy(), y.grad

    seen = verdict("05.1", grad_of_y)
    assert seen.mistake == "no slopes in it" and not any("there" in line for line in seen.details)


# -- 05.2 ------------------------------------------------------------------------------------------------------------


def test_a_figure_of_pyplot_is_closed_again() -> None:
    pytest.importorskip("matplotlib").use("Agg")
    from matplotlib import pyplot as plt

    before = plt.get_fignums()

    def on_pyplot(ax: Any, f: Any, xs: Any) -> None:
        plt.figure()
        ys, slopes = ch05.curve(f, xs)
        plt.plot(xs, ys, label="f")
        plt.plot(xs, slopes, label="f′")
        plt.legend()

    assert verdict("05.2", on_pyplot).mistake == "nothing on ax"
    assert plt.get_fignums() == before


def test_an_empty_legend_is_no_legend() -> None:
    """What the known mistake draws is what ax.legend() makes of lines without labels."""

    def unnamed(ax: Any, f: Any, xs: Any) -> None:
        ys, slopes = ch05.curve(f, xs)
        ax.plot(xs, ys)
        ax.plot(xs, slopes)
        ax.set_xlabel("x")
        ax.legend()

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert verdict("05.2", unnamed).mistake == "no labels"


@pytest.mark.parametrize("style", ["o-", "o", " "])
def test_points_and_further_lines_may_be_drawn_but_not_in_the_place_of_a_line(style: str) -> None:
    def rich(ax: Any, f: Any, xs: Any) -> None:
        ys, slopes = ch05.curve(f, xs)
        ax.axhline(0)
        ax.plot(xs, slopes, style, label="slope")
        ax.plot(xs, ys, label="f", drawstyle="steps")
        ax.plot(xs, 0 * xs, "x", label="zero")
        ax.set(xlabel="t", ylabel="y", title="f and f′")
        ax.legend(title="lines")

    assert verdict("05.2", rich).passed == (style == "o-")


@pytest.mark.parametrize("label", ["", " ", "_hidden"])
def test_a_label_must_be_seen(label: str) -> None:
    def half_named(ax: Any, f: Any, xs: Any) -> None:
        ys, slopes = ch05.curve(f, xs)
        ax.plot(xs, ys, label="f")
        ax.plot(xs, slopes, label=label)
        ax.set_xlabel("x")
        ax.legend()

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert not verdict("05.2", half_named).passed


@pytest.mark.parametrize(
    ("names", "mistake"),
    [
        (("f′(x)", "f(x)"), "names exchanged"),
        (("slope", "value"), "names exchanged"),
        (("df/dx", "f"), "names exchanged"),
        (("f", "f"), "one name for both"),
        (("f", "f'"), ""),
        (("blue", "orange"), ""),
        (("slope of F", "slope of f"), ""),  # f may be a slope itself
    ],
)
def test_the_names_of_the_lines_are_read(names: tuple[str, str], mistake: str) -> None:
    def named(ax: Any, f: Any, xs: Any) -> None:
        for part, name in zip(ch05.curve(f, xs), names, strict=True):
            ax.plot(xs, part, label=name)
        ax.set_xlabel("x")
        ax.legend()

    assert verdict("05.2", named).mistake == mistake
    assert verdict("05.2", named).passed == (not mistake)


# -- 05.3 ------------------------------------------------------------------------------------------------------------


def test_which_functions_are_element_by_element() -> None:
    """What the labels of the cases say, by the whole Jacobian."""
    kinds = {}
    for case in plain_cases(ch05.EXERCISES["05.3"]):
        J = ch05.whole_jacobian(*case.args).numpy()
        kinds[case.label.split(",")[0]] = bool(np.abs(J - np.diag(np.diag(J))).max() < 1e-9)
    assert [name for name, alone in kinds.items() if alone] == ["sin(ax)", "exp(x) / (1 + exp(x))", "w * x²", "floor(x)"]
    assert len(kinds) == 11


def test_the_examples_of_05_3() -> None:
    x = mg.tensor([0.5, -1.0, 2.0], requires_grad=True)
    assert ch05.is_elementwise(lambda x: x * mg.exp(x), x)
    assert not ch05.is_elementwise(lambda x: x * mg.exp(x.sum()), x)


def test_verdicts_of_other_kinds_are_refused() -> None:
    assert verdict("05.3", lambda f, x: mg.tensor(ch05.is_elementwise(f, x))).passed
    assert verdict("05.3", lambda f, x: np.bool_(ch05.is_elementwise(f, x))).passed
    assert "True or False" in verdict("05.3", lambda f, x: "yes").sentence
    assert not verdict("05.3", lambda f, x: x.grad).passed


@pytest.mark.parametrize("wrong", ["symmetric", "trace", "row sums"])
def test_other_properties_of_a_jacobian_do_not_pass(wrong: str) -> None:
    def by(f: Any, x: Any) -> bool:
        J = ch05.whole_jacobian(f, x).numpy()
        if wrong == "symmetric":
            return np.allclose(J, J.T)
        return np.allclose(J.sum(), np.trace(J)) if wrong == "trace" else np.allclose(J.sum(1), np.diagonal(J))

    assert verdict("05.3", by).outcome in (WRONG, KNOWN)


def test_weights_taken_from_x_fail_only_where_all_x_are_equal() -> None:
    seen = verdict("05.3", ch05.weights_from_x)
    assert seen.mistake == "the weights are x" and "equal" in seen.case


# -- 05.4 ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("rule", "code"), [(rule, code) for rule, (_, codes) in ch05.KINKS.items() for code in codes])
def test_what_is_computed_at_a_kink_is_what_its_rule_says(rule: str, code: str) -> None:
    draw = (("a", rule, code),)
    np.testing.assert_equal(ch05.kinks(draw)["a"], ch05.KINKS[rule][0])


def test_a_number_in_place_of_the_four_shares_does_not_pass() -> None:
    right = ch05.kinks(ch05.EXERCISES["05.4"].draw())
    assert verdict("05.4", right).passed
    for key, value in right.items():
        if isinstance(value, list):
            assert "four" in verdict("05.4", right | {key: value[0]}).hint
            assert not verdict("05.4", right | {key: sum(value)}).passed
            assert verdict("05.4", right | {key: np.array(value)}).passed


def test_inf_and_nan_may_come_from_numpy_or_math() -> None:
    right = ch05.kinks(ch05.EXERCISES["05.4"].draw())
    assert verdict("05.4", {key: value if isinstance(value, list) else np.float64(value) for key, value in right.items()}).passed
    infinite = [key for key, value in right.items() if value == ch05.INF]
    assert verdict("05.4", right | {infinite[0]: -np.inf}).outcome == WRONG


# -- 05.5 ------------------------------------------------------------------------------------------------------------


def doubling(a: Any) -> Any:
    b = 2 * a
    while b.norm() < 1000:
        b = 2 * b
    return b


def test_the_example_of_05_5() -> None:
    assert ch05.staircase(ch05.new_axes(), doubling, np.array([3.0, 4.0, 100.0])).tolist() == [512.0, 256.0, 16.0]


def test_only_the_whole_staircase_passes() -> None:
    """The slopes of a wrong way are not drawn right either; a right figure with wrong numbers is no answer."""

    def drawn_right(ax: Any, f: Any, xs: Any) -> Any:
        ch05.staircase(ax, f, xs)
        return np.array(ch05.one_graph(f, xs[:1])) * np.ones(len(xs))

    def drawn_wrong(ax: Any, f: Any, xs: Any) -> Any:
        ax.loglog(xs, xs)
        return np.array(ch05.right_slopes(f, xs))

    assert verdict("05.5", drawn_right).outcome == WRONG
    wrong = verdict("05.5", drawn_wrong)
    assert wrong.outcome == WRONG and "the line" in " ".join(wrong.details)


def test_the_quotient_is_no_slope_in_the_second_case() -> None:
    """So it cannot pass, even with a backward pass for show."""

    def for_show(ax: Any, f: Any, xs: Any) -> Any:
        ch05.staircase(ch05.new_axes(), f, xs)
        slopes = np.array(ch05.quotient(f, xs))
        ax.loglog(xs, slopes)
        return slopes

    shown = verdict("05.5", for_show)
    assert shown.outcome == WRONG and "brackets" in shown.case


def test_none_and_numbers_are_refused() -> None:
    assert "returned None" in verdict("05.5", lambda ax, f, xs: ax.loglog(xs, ch05.right_slopes(f, xs)) and None).sentence
    assert "NumPy array" in verdict("05.5", lambda ax, f, xs: 3.0).sentence


# -- the picture -----------------------------------------------------------------------------------------------------


def test_the_picture_tells_what_the_engine_computes() -> None:
    pytest.importorskip("matplotlib")
    plot = ch05.sine_and_kinks()
    dots = [d.get_ydata()[0] for ax in plot.axes for d in ax.get_lines() if d.get_marker() in "os" and len(d.get_xdata()) == 1]
    assert dots == [0.0, 0.0, 0.5, 1.0]
    assert "matplotlib.pyplot" not in sys.modules or not sys.modules["matplotlib.pyplot"].get_fignums()


# -- state, places and weights of one's own ----------------------------------------------------------------------------


def test_what_was_kept_for_a_function_shows() -> None:
    kept: dict[Any, Any] = {}
    curve = verdict("05.1", lambda f, xs: kept[f] if f in kept else kept.setdefault(f, ch05.curve(f, xs)))
    assert curve.outcome == WRONG and any("got" in line for line in curve.details)

    def staircase(ax: Any, f: Any, xs: Any) -> Any:
        kept[f] = kept[f] if f in kept else ch05.staircase(ch05.new_axes(), f, xs)
        ax.loglog(xs, kept[f])
        return kept[f]

    assert "again" in verdict("05.5", staircase).case


def test_a_figure_over_another_grid_or_with_crossed_names_is_refused() -> None:
    def even(ax: Any, f: Any, xs: Any) -> None:
        ch05.draw(ax, f, np.linspace(xs[0], xs[-1], len(xs)))

    def crossed(ax: Any, f: Any, xs: Any) -> None:
        for part in reversed(ch05.curve(f, xs)):
            ax.plot(xs, part)
        ax.set_xlabel("x")
        ax.legend(["f", "slope of f"])

    assert "over other places than xs" in " ".join(verdict("05.2", even).details)
    assert verdict("05.2", crossed).mistake == "names exchanged"


@pytest.mark.parametrize("weights", [lambda i: i**2, lambda i: 2**i, lambda i: i**0.5, lambda i: 1 / i])
def test_fixed_weights_are_blind(weights: Any) -> None:
    def fixed(f: Any, x: Any) -> Any:
        v = weights(mg.arange(1.0, len(x) + 1))
        return mg.allclose(mg.autograd.grad(f(x), x, v)[0], v * mg.autograd.grad(f(x), x, mg.ones_like(x))[0])

    assert verdict("05.3", fixed).outcome == WRONG


def test_symlog_is_no_log_and_a_line_is_near_in_no_sense_of_its_own() -> None:
    def symlog(ax: Any, f: Any, xs: Any) -> Any:
        slopes = ch05.staircase(ax, f, xs)
        ax.set(xscale="symlog", yscale="symlog")
        return slopes

    def level(ax: Any, f: Any, xs: Any) -> Any:
        slopes = ch05.staircase(ch05.new_axes(), f, xs)
        ax.loglog(xs, 0 * xs + slopes[-1])
        return slopes

    assert verdict("05.5", symlog).outcome == WRONG
    assert "with other values" in " ".join(verdict("05.5", level).details)


def test_weights_from_x_are_told_only_to_who_has_weights() -> None:
    def alone(f: Any, x: Any) -> Any:
        y = f(x).detach()
        return mg.allclose(y, mg.stack([f(x.detach()[i].expand(len(x)).clone())[i] for i in range(len(x))]))

    assert verdict("05.3", alone).mistake == ""
