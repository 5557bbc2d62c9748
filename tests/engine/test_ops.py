"""The table test of every operation: each rule against numerical derivatives, and each operation against PyTorch.

The samples stand in op_samples.py. Derivatives are told apart from values in one way only: a *central difference of fourth
order* of the operation on plain arrays, with a step so small and inputs so far from every kink that eight digits are right.
Complex numbers count as pairs of real ones, so one inner product, one Jacobian and one formula serve all.
"""

from __future__ import annotations

import functools
import gc
import inspect
import itertools
import platform
import re
import warnings
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from op_samples import (
    CALLS,
    CORE,
    CORE_SAMPLES,
    IN_PLACE_OPERATORS,
    LETTER,
    PUBLIC,
    PUBLIC_SAMPLES,
    Sample,
    is_operation,
    writes,
)

import minigrad as mg
from minigrad import composed
from minigrad.core.rule import REGISTRY, Op
from minigrad.nn import composed as nn_composed

STEP = 1e-3
close = functools.partial(np.testing.assert_allclose, rtol=1e-6, atol=1e-8)
exact = functools.partial(np.testing.assert_allclose, rtol=1e-13, atol=1e-13)

Arrays = dict[str, np.ndarray]


# -- numbers -----------------------------------------------------------------------------------------------------------


def flat(x: Any) -> np.ndarray:
    """The real coordinates of an array, or of all arrays of a sequence: a complex number has two."""
    if isinstance(x, (list, tuple)):
        return np.concatenate([flat(part) for part in x]) if len(x) else np.zeros(0)
    x = np.ascontiguousarray(x).reshape(-1)
    return x.view(x.real.dtype).astype(np.float64)


def several(result: Any) -> list:
    """The outputs of a call, which may be one, a tuple, or an iterator."""
    return list(result) if isinstance(result, (tuple, list)) or hasattr(result, "__next__") else [result]


def floats(result: Any) -> list:
    """The outputs that have a derivative: arrays or Tensors of floating point or complex numbers."""
    return [o for o in several(result) if array(o).dtype.kind in "fc"]


def outputs_of(sample: Sample, values: dict[str, Any], engine: Any = None) -> list:
    """The outputs of a call that have a derivative."""
    found = floats(sample.call(values, engine))
    return found[: REGISTRY[sample.name].with_gradient] if sample.core else found


def array(x: Any) -> np.ndarray:
    """The values of a Tensor of either engine, or of what NumPy gives."""
    if hasattr(x, "detach"):
        x = x.detach()
        x = x.resolve_conj() if hasattr(x, "resolve_conj") else x
    return x.numpy() if hasattr(x, "numpy") else np.asarray(x)


def differences(f: Callable[[np.ndarray], np.ndarray], x: np.ndarray) -> np.ndarray:
    """The Jacobian of f at x in real coordinates, by central differences of fourth order."""

    def moved(k: int, step: float) -> np.ndarray:
        pair = np.ascontiguousarray(x).reshape(-1).view(x.real.dtype).copy()
        pair[k] += step
        return f(pair.view(x.dtype).reshape(x.shape))

    columns = [
        (8 * (moved(k, STEP) - moved(k, -STEP)) - (moved(k, 2 * STEP) - moved(k, -2 * STEP))) / (12 * STEP)
        for k in range(flat(x).size)
    ]
    return np.stack(columns, 1) if columns else np.zeros((f(x).size, 0))


def random_like(arrays: Sequence[np.ndarray], seed: int) -> list[np.ndarray]:
    """Normal numbers in the shapes and dtypes given, complex ones with both parts."""
    rng = np.random.RandomState(seed % 2**32)
    parts = [rng.standard_normal((2, *a.shape)) for a in arrays]
    numbers = [p[0] + 1j * p[1] if a.dtype.kind == "c" else p[0] for a, p in zip(arrays, parts, strict=True)]
    return [np.asarray(n, a.dtype) for a, n in zip(arrays, numbers, strict=True)]


# -- a sample as a function --------------------------------------------------------------------------------------------


def values_of(sample: Sample, values: Arrays) -> list[np.ndarray]:
    """The differentiable outputs on plain arrays; a public function needs Tensors for that."""
    if sample.core:
        with np.errstate(all="ignore"):
            return [np.asarray(o) for o in outputs_of(sample, values)]
    with mg.no_grad():
        return [array(o) for o in outputs_of(sample, tensors(values), mg)]


def tensors(values: Arrays, wrt: Sequence[str] = (), engine: Any = mg) -> dict[str, Any]:
    """Leaves with copies of the values; those named in ``wrt`` require grad."""
    return {name: engine.from_numpy(v.copy()).requires_grad_(name in wrt) for name, v in values.items()}


@functools.cache
def jacobian(sample: Sample) -> dict[str, np.ndarray]:
    """The Jacobian of a sample for each of its differentiable arrays."""
    return {
        name: differences(lambda x, n=name: flat(values_of(sample, {**sample.inputs, n: x})), sample.inputs[name])
        for name in sample.differentiable
    }


@functools.cache
def cotangents(sample: Sample) -> tuple[np.ndarray, ...]:
    """A random cotangent for each differentiable output. Never ones: a transposed rule would pass."""
    return tuple(random_like(values_of(sample, sample.inputs), sample.seed + 1))


def gradients(sample: Sample, values: Arrays, v: Sequence[np.ndarray], wrt: Sequence[str], *, engine: Any = mg,
              create_graph: bool = False) -> list[np.ndarray]:  # fmt: skip
    """The cotangents v pulled back by the engine, as arrays; zeros for an array that the result does not depend on."""
    leaves = tensors(values, wrt, engine)
    outputs = outputs_of(sample, leaves, engine)
    pairs = [(o, engine.from_numpy(c.copy())) for o, c in zip(outputs, v, strict=True) if o.requires_grad]
    asked = [leaves[name] for name in wrt]
    found: Sequence[Any] = [None] * len(asked)
    if pairs:
        found = engine.autograd.grad([o for o, _ in pairs], asked, [c for _, c in pairs], allow_unused=True,
                                     create_graph=create_graph)  # fmt: skip
    return [np.zeros_like(values[n]) if g is None else array(g) for n, g in zip(wrt, found, strict=True)]


def subsets(names: Sequence[str]) -> list[Sequence[str]]:
    """Each name alone, and all together: what is saved, and which rules run, depends on who requires grad."""
    return [[name] for name in names] + ([names] if len(names) > 1 else [])


@functools.cache
def outputs_with_gradient(sample: Sample) -> int:
    """How many results require grad when the arrays do. A call that fails counts as one: its tests shall say so."""
    if sample.name in REFUSED:
        return 0
    try:
        results = several(sample.call(tensors(sample.inputs, sample.differentiable), mg))
    except Exception:
        return 1
    return sum(isinstance(o, mg.Tensor) and o.requires_grad for o in results)


# Recorded, but without a derivative: backward says so, as in PyTorch.
REFUSED = {"floor_divide", "floor_divide_number", "floor_divide_tensor", "__floordiv__", "__rfloordiv__", "remainder_of", "__rmod__"}

ALL = CORE_SAMPLES + [s for s in PUBLIC_SAMPLES if not is_operation(s.name)]
SMOOTH_CORE = [s for s in CORE_SAMPLES if outputs_with_gradient(s)]
# Casts to float32 have a gradient that differences cannot see: PyTorch is asked about these.
SMOOTH = [s for s in ALL if outputs_with_gradient(s) and s.name != "float" and "float32" not in s.arguments]


def samples(chosen: Sequence[Sample]) -> Callable[[Callable], Any]:
    """Makes a check of one sample a test of each operation: it looks at all samples of it, and names those that fail."""
    by_name: dict[str, list[Sample]] = {}
    for sample in chosen:
        by_name.setdefault(f"{'' if sample.core else 'mg.'}{sample.name}", []).append(sample)

    def tests(check: Callable[[Sample], None]) -> Any:
        def test(name: str) -> None:
            wrong: dict[Sample, BaseException] = {}
            for sample in by_name[name]:
                try:
                    check(sample)
                except (Exception, pytest.fail.Exception) as error:
                    wrong[sample] = error
            if wrong:
                first = next(iter(wrong.values()))
                first.add_note(f"{len(wrong)} of {len(by_name[name])} samples: {', '.join(map(str, wrong))}. This is the first.")
                raise first

        test.__doc__, test.check = check.__doc__, check  # type: ignore[attr-defined]
        return pytest.mark.parametrize("name", by_name)(test)

    return tests


# Softmax takes complex numbers inside, and its public form refuses them, as in PyTorch.
REAL_BY_GUARD = {"softmax_dim", "log_softmax_dim"}
# Complex numbers are equal or not, and a truth value has no gradient.
COMPARE_COMPLEX = {"eq", "ne"}


def complex_forms() -> list[Sample]:
    """The samples with complex numbers for real ones, of each operation that has a rule and no complex sample."""
    found = []
    for name, texts in CORE.items():
        letters = {m[1] for text in texts for m in LETTER.finditer(text)}
        if REGISTRY[name].rules and not letters & set("zwy") and name not in REAL_BY_GUARD | COMPARE_COMPLEX:
            forms = [LETTER.sub(lambda m: TURNED.get(m[1], m[1]) + m[2], text) for text in texts]
            found += [Sample(name, form, True) for form, text in zip(forms, texts, strict=True) if form != text]
    return [sample for sample in found if any(sample.inputs[name].size for name in sample.differentiable)]


TURNED = dict(zip("abcdpquok", "zwzwzwzyy", strict=True))


def in_reals(func, inputs):
    """The same function of real numbers, pairs of which are complex numbers of it, and its inputs."""
    pairs = [(mg.view_as_real(x) if x.is_complex() else x).detach().clone().requires_grad_() for x in inputs]

    def of_pairs(*given):
        outputs = func(*[mg.view_as_complex(p) if x.is_complex() else p for p, x in zip(given, inputs, strict=True)])
        outputs = outputs if isinstance(outputs, (tuple, list)) else (outputs,)
        return tuple(mg.view_as_real(o) if o.is_complex() else o for o in outputs)

    return of_pairs, pairs


@pytest.mark.sampled(9)
@samples(complex_forms())
def test_complex_numbers_are_refused_or_right(sample):
    """An operation that was never tried with complex numbers must not take them and give a wrong gradient."""
    leaves = tensors({name: values.copy() for name, values in sample.inputs.items()}, sample.differentiable)
    try:
        results = several(sample.call(leaves, mg))
    except (NotImplementedError, RuntimeError, TypeError, ValueError):
        return
    assert any(isinstance(o, mg.Tensor) and o.requires_grad for o in results)
    names = [name for name in sample.differentiable if leaves[name].numel()]
    inputs = [leaves[name] for name in names]
    func, pairs = in_reals(lambda *xs: outputs_of(sample, {**leaves, **dict(zip(names, xs, strict=True))}, mg), inputs)
    assert mg.autograd.gradcheck(func, pairs)


def words(text: str) -> list[str]:
    return text.split()


# Names without a gradient. Written out, so that an operation cannot lose its rules unnoticed.
NO_GRADIENT = words("""
    all any argmax argmin bitwise_and bitwise_not bitwise_or bitwise_xor eq ge gt isfinite isinf isnan le
    logical_and logical_not logical_or logical_xor lt ne __and__ __eq__ __ge__ __gt__ __invert__ __le__ __lt__
    __ne__ __or__ __xor__ unique histc bincount nn.functional.one_hot
    allclose equal isclose nonzero nonzero_rows argsort float
""")

# What is public and no operation on tensors: making them, asking about them, modes.
MAKERS = words("""
    arange as_tensor can_cast empty empty_like eye from_numpy full full_like get_default_dtype is_grad_enabled
    is_tensor linspace load manual_seed ones ones_like promote_types rand rand_like randint randn randn_like randperm save
    result_type set_default_dtype set_printoptions tensor zeros zeros_like is_anomaly_check_nan_enabled
    is_anomaly_enabled is_inference is_inference_mode_enabled why_no_grad new_empty new_full new_ones new_tensor
    new_zeros uniform_ normal_ bernoulli_ random_ bernoulli multinomial normal seed initial_seed
    get_default_device set_default_device BoolTensor DoubleTensor FloatTensor IntTensor LongTensor
""")
ATTRIBUTES = words("""
    backward data data_ptr detach detach_ device dim dtype element_size grad grad_fn is_complex is_contiguous is_floating_point
    is_leaf item itemsize nbytes ndim ndimension nelement numel numpy output_nr register_hook
    register_post_accumulate_grad_hook cpu cuda is_cuda is_cpu requires_grad requires_grad_ retain_grad retains_grad shape size
    storage_offset stride tolist
""")
CASTS = words("bool byte cfloat char half int long short")  # to dtypes in which a derivative cannot be seen


# What is made of other operations: the functions of two files.
COMPOSED = {
    prefix + name for module, prefix in ((composed, ""), (nn_composed, "nn.functional."))
    for name, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__
} | {
    "einsum", "trace", "diag", "nn.functional.avg_pool2d", "nn.functional.cross_entropy",
    "nn.functional.binary_cross_entropy_with_logits",
}  # fmt: skip


# -- the table is whole ------------------------------------------------------------------------------------------------


def test_every_operation_has_samples() -> None:
    assert sorted(set(REGISTRY) - set(CORE)) == []
    assert sorted(set(CORE) - set(REGISTRY)) == []
    assert sorted(set(REGISTRY) - set(CALLS)) == []
    assert all(CORE.values()) and all(PUBLIC.values())


def test_every_public_operation_has_samples() -> None:
    def offered(owner: Any, prefix: str = "") -> set[str]:
        return {
            prefix + name for name, value in vars(owner).items()
            if not name.startswith("_") and (callable(value) or isinstance(value, property)) and not isinstance(value, type)
            and not (prefix and getattr(value, "__module__", "") != owner.__name__)
        }  # fmt: skip

    known = {s.name for s in PUBLIC_SAMPLES} | {*MAKERS, *ATTRIBUTES, *CASTS}
    in_place = {name for name in offered(mg.Tensor) if name.endswith("_") and name[:-1] in known}
    functional = offered(mg.nn.functional, "nn.functional.") | offered(mg.linalg, "linalg.")
    assert sorted((offered(mg) | offered(mg.Tensor) | functional) - known - in_place) == []


def test_every_input_of_every_operation_is_differentiated() -> None:
    seen: dict[str, set[str]] = {}
    for sample in SMOOTH_CORE:
        seen.setdefault(sample.name, set()).update(rules_of(sample, sample.differentiable))
    for name in REGISTRY.keys() - {*NO_GRADIENT, *REFUSED}:
        assert seen.get(name, set()) == set(REGISTRY[name].rules), name


def test_what_has_no_gradient() -> None:
    smooth = {s.name for s in SMOOTH}
    assert {s.name for s in ALL} - smooth == {*NO_GRADIENT, *REFUSED & {s.name for s in ALL}}


@samples([s for s in ALL if s.name in REFUSED])
def test_backward_without_a_derivative_is_refused(sample: Sample) -> None:
    result = sample.call(tensors(sample.inputs, sample.differentiable), mg)
    assert result.grad_fn.name() == "minigrad::autograd::NotImplemented"
    with pytest.raises(RuntimeError, match="derivative for aten::(floor_divide|remainder) is not implemented"):
        result.sum().backward()


def rules_of(sample: Sample, wrt: Sequence[str]) -> dict[str, list[tuple[str, int | None]]]:
    """For each parameter of the operation that has a rule: the arrays given for it, with their place in a list."""
    operation = REGISTRY[sample.name]
    args = operation.bind(*sample.bind(sample.inputs))
    found: dict[str, list[tuple[str, int | None]]] = {}
    for parameter, value in zip(operation.parameters, args, strict=True):
        parts = list(enumerate(value)) if isinstance(value, (list, tuple)) else [(None, value)]
        for place, part in parts:
            for name in wrt:
                if part is sample.inputs[name] and parameter in operation.rules:
                    found.setdefault(parameter, []).append((name, place))
    return found


# -- first derivatives -------------------------------------------------------------------------------------------------


@pytest.mark.sampled(4)
@samples(SMOOTH)
def test_vjp(sample: Sample) -> None:
    """The rules, on arrays and on Tensors, against the transposed Jacobian; shapes and dtypes are those of the inputs."""
    v = cotangents(sample)
    for wrt in subsets(sample.differentiable):
        on_arrays = gradients(sample, sample.inputs, v, wrt)
        on_tensors = gradients(sample, sample.inputs, v, wrt, create_graph=True)
        for name, g, again in zip(wrt, on_arrays, on_tensors, strict=True):
            assert g.shape == again.shape == sample.inputs[name].shape
            assert g.dtype == again.dtype == sample.inputs[name].dtype
            close(flat(g), jacobian(sample)[name].T @ flat(v), err_msg=f"{name} of {wrt}")
            exact(again, g, err_msg=f"{name} of {wrt}: the rule on Tensors")


@samples([s for s in SMOOTH if outputs_with_gradient(s) > 1])
def test_vjp_of_some_outputs(sample: Sample) -> None:
    """One output is used and the others are not: their cotangents are absent, not zero."""
    v, wrt = cotangents(sample), sample.differentiable
    for k in range(len(v)):
        alone = [c if k == number else np.zeros_like(c) for number, c in enumerate(v)]
        leaves = tensors(sample.inputs, wrt)
        outputs = outputs_of(sample, leaves, mg)
        for create_graph in (False, True):
            found = mg.autograd.grad(outputs[k], [leaves[n] for n in wrt], mg.from_numpy(v[k]), retain_graph=True,
                                     create_graph=create_graph, materialize_grads=True)  # fmt: skip
            for name, g in zip(wrt, found, strict=True):
                close(flat(array(g)), jacobian(sample)[name].T @ flat(alone), err_msg=f"output {k}, {name}")


def push(sample: Sample, values: dict[str, Any], tangents: dict[str, Any]) -> list:
    """The tangents of the outputs that have a gradient, for tangents of some of the inputs."""
    fw = mg.autograd.forward_ad
    with fw.dual_level():
        duals = {n: fw.make_dual(x, tangents[n]) if n in tangents else x for n, x in values.items()}
        found = [fw.unpack_dual(o) for o in outputs_of(sample, duals, mg)]
    return [mg.zeros_like(value) if t is None else t for value, t in found[: REGISTRY[sample.name].with_gradient]]


@pytest.mark.sampled(3)
@samples(SMOOTH_CORE)
def test_jvp(sample: Sample) -> None:
    """The tangent against the Jacobian, and against the VJP: ⟨v, J u⟩ = ⟨Jᵀ v, u⟩."""
    v = cotangents(sample)
    for wrt in subsets(sample.differentiable):
        u = dict(zip(wrt, random_like([sample.inputs[n] for n in wrt], sample.seed + 2), strict=True))
        pushed = [array(t) for t in push(sample, tensors(sample.inputs), tensors(u))]
        assert [(t.shape, t.dtype) for t in pushed] == [(c.shape, c.dtype) for c in v]
        expected = np.sum([jacobian(sample)[n] @ flat(u[n]) for n in wrt], 0)
        close(flat(pushed), expected, err_msg=str(wrt))
        back = gradients(sample, sample.inputs, v, wrt)
        np.testing.assert_allclose(flat(v) @ flat(pushed), flat(back) @ flat(list(u.values())), rtol=1e-11, atol=1e-11)


# -- second derivatives ------------------------------------------------------------------------------------------------


def points_of(sample: Sample) -> Arrays:
    """Where the first gradient is differentiated: the differentiable arrays and the cotangents."""
    v = {f"v{k}": c for k, c in enumerate(cotangents(sample))}
    return {**{n: sample.inputs[n] for n in sample.differentiable}, **v}


@functools.cache
def second_order(sample: Sample) -> tuple[list[np.ndarray], dict[str, np.ndarray]]:
    """Random cotangents for the first gradients, and these pulled back through differences of the first gradients."""
    points, wrt = points_of(sample), sample.differentiable
    w = random_like([sample.inputs[n] for n in wrt], sample.seed + 3)

    def first(at: Arrays) -> np.ndarray:
        inputs = {n: at.get(n, x) for n, x in sample.inputs.items()}
        return flat(gradients(sample, inputs, [x for n, x in at.items() if n not in inputs], wrt))

    return w, {
        name: differences(lambda moved, n=name: first({**points, n: moved}), x).T @ flat(w) for name, x in points.items()
    }


@pytest.mark.sampled(36, weekly=6)
@samples(SMOOTH)
def test_vjp_of_vjp(sample: Sample) -> None:
    """The recorded backward pass is itself differentiated, for the inputs and for the cotangent."""
    points, wrt, (w, expected) = points_of(sample), sample.differentiable, second_order(sample)
    leaves = tensors({**sample.inputs, **points}, list(points))
    outputs = outputs_of(sample, {n: leaves[n] for n in sample.inputs}, mg)
    kept = [k for k, o in enumerate(outputs) if o.requires_grad]
    pulled = mg.autograd.grad([outputs[k] for k in kept], [leaves[n] for n in wrt], [leaves[f"v{k}"] for k in kept],
                              create_graph=True, allow_unused=True)  # fmt: skip
    pairs = [(g, mg.from_numpy(c)) for g, c in zip(pulled, w, strict=True) if g is not None and g.requires_grad]
    seconds: Sequence[Any] = [None] * len(points)
    if pairs:
        asked = [leaves[n] for n in points]
        seconds = mg.autograd.grad([g for g, _ in pairs], asked, [c for _, c in pairs], allow_unused=True)
    for (name, x), second in zip(points.items(), seconds, strict=True):
        found = np.zeros(flat(x).size) if second is None else flat(array(second))
        close(found, expected[name], err_msg=f"through {name}")


# -- dtypes, layouts ---------------------------------------------------------------------------------------------------

# Operations that refuse operands of different dtypes, as PyTorch does.
ONE_DTYPE = words("""
    mm mv dot bmm matmul __matmul__ complex_of complex lerp_number lerp_tensor lerp index_put index_put_at
    scatter_add scatter_add_dim addmm solve
    linalg.solve nn.functional.linear nn.functional.conv2d
    nn.functional.conv_transpose2d
    convolution convolve convolve_input convolve_weight
""")


FIXED_DTYPE = re.compile(r"mg\.|reals\(")  # arguments that bring a dtype of their own


def single(x: np.ndarray) -> np.ndarray:
    return x.astype(np.complex64 if x.dtype.kind == "c" else np.float32)


@pytest.mark.sampled(12)
@samples([s for s in SMOOTH if "reals(" not in s.arguments])
def test_dtype_of_each_gradient_is_that_of_its_input(sample: Sample) -> None:
    """float32 beside float64: the gradient of each is in its own dtype, and right. All in float32: so is the result."""
    wrt, expected = sample.differentiable, gradients(sample, sample.inputs, cotangents(sample), sample.differentiable)
    for narrow in subsets(wrt):
        values = {n: single(x) if n in narrow else x for n, x in sample.inputs.items()}
        writes_at_indices = sample.name == "__setitem__" and ("ints(" in sample.arguments or "[[" in sample.arguments)
        if sample.name == "lerp_tensor" and any(x.ndim == 0 for x in sample.inputs.values()):  # such a weight may have any dtype
            continue
        if len(narrow) < len(wrt) and sample.name in COMPOSED:  # which some parts of it refuse
            continue
        if len(narrow) < len(wrt) and sample.name == "einsum":  # a product of matrices, which is refused, or one by elements
            continue
        if len(narrow) < len(wrt) and (sample.name in ONE_DTYPE or writes_at_indices):
            with pytest.raises(RuntimeError):
                sample.call(tensors(values), mg)
            continue
        outputs = [array(o) for o in outputs_of(sample, tensors(values), mg)]
        if len(narrow) == len(wrt) and not FIXED_DTYPE.search(sample.arguments) and sample.name not in ("double", "cdouble"):
            assert {o.dtype for o in outputs} <= {np.dtype(np.float32), np.dtype(np.complex64)}
        v = [c.astype(o.dtype) for c, o in zip(cotangents(sample), outputs, strict=True)]
        for name, g, wide in zip(wrt, gradients(sample, values, v, wrt), expected, strict=True):
            assert g.dtype == values[name].dtype, f"{name}, with {narrow} in single precision"
            np.testing.assert_allclose(g, wide, rtol=2e-3, atol=2e-4, err_msg=f"{name}, with {narrow} in single precision")


@pytest.mark.sampled(9)
@samples([s for s in SMOOTH_CORE if not FIXED_DTYPE.search(s.arguments)])
def test_single_precision_stays_single(sample: Sample) -> None:
    """No rule and no JVP widens float32: a constant in it would cost memory and time, and change a tangent's dtype."""
    allowed = {np.dtype(np.float32), np.dtype(np.complex64)}
    values = {n: single(x) if x.dtype.kind in "fc" else x for n, x in sample.inputs.items()}
    leaves = tensors(values, sample.differentiable)
    result = several(sample.call(leaves, mg))
    v = iter([single(c) for c in cotangents(sample)])
    found = result[0].grad_fn.apply([next(v) if o.requires_grad else None for o in result], False, None)
    assert {np.asarray(g).dtype for g in found if g is not None} <= allowed
    u = dict(zip(leaves, map(single, random_like(list(sample.inputs.values()), 1)), strict=True))
    pushed = push(sample, tensors(values), tensors({n: u[n] for n in sample.differentiable}))
    assert {array(t).dtype for t in pushed} <= allowed


LAYOUTS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "inside": lambda x: np.pad(x, 1)[(slice(1, -1),) * x.ndim] if x.ndim else x,
    "transposed": lambda x: np.asarray(x, order="F"),
    "every second": lambda x: np.repeat(x, 2, -1)[..., ::2] if x.ndim else x,
}
# Views of shape and dtype exist for some layouts only; elsewhere they raise, which other tests look at.
BOUND_TO_LAYOUT = {"view_as_shape", "view_as_complex", "view", "view_as", "reshape_alias"}


@pytest.mark.sampled(12)
@samples([s for s in SMOOTH if s.name not in BOUND_TO_LAYOUT and any(x.size > 1 for x in s.inputs.values())])
def test_memory_layout_changes_nothing(sample: Sample) -> None:
    wrt, v = sample.differentiable, cotangents(sample)
    expected = [array(o) for o in outputs_of(sample, tensors(sample.inputs), mg)]
    pulled = gradients(sample, sample.inputs, v, wrt)
    for name, layout in LAYOUTS.items():
        leaves = {n: mg.from_numpy(layout(x)).requires_grad_(n in wrt) for n, x in sample.inputs.items()}
        outputs = outputs_of(sample, leaves, mg)
        for o, e in zip(outputs, expected, strict=True):
            exact(array(o), e, err_msg=name)
        pairs = [(o, mg.from_numpy(layout(c))) for o, c in zip(outputs, v, strict=True) if o.requires_grad]
        found = mg.autograd.grad([o for o, _ in pairs], [leaves[n] for n in wrt], [c for _, c in pairs], allow_unused=True)
        for n, g, e in zip(wrt, found, pulled, strict=True):
            exact(np.zeros(e.shape) if g is None else array(g), e, err_msg=f"{n}, {name}")


# -- what an operation keeps, and what it leaves alone -----------------------------------------------------------------


@pytest.mark.sampled(9)
@samples(SMOOTH_CORE)
def test_only_what_the_rules_name_is_kept(sample: Sample) -> None:
    """A node holds the inputs and outputs that the rules of the required gradients name, and no other memory."""
    operation = REGISTRY[sample.name]
    for wrt in subsets(sample.differentiable):
        needed = {*operation.always_saved}
        for parameter in rules_of(sample, wrt):
            needed |= set(list(inspect.signature(operation.rules[parameter]).parameters)[1:])
        leaves = tensors(sample.inputs, wrt)
        values = {n: t.clone() if t.is_floating_point() or t.is_complex() else t for n, t in leaves.items()}
        args = operation.bind(*sample.bind(values, mg))
        result = CALLS[sample.name](*args)
        outputs = result if isinstance(result, tuple) else (result,)
        node = outputs[0].grad_fn
        memory = {f"input {p}": a for p, a in zip(operation.parameters, args, strict=True) if isinstance(a, mg.Tensor)}
        memory |= {f"output {p}": o for p, o in zip(operation.outputs, outputs, strict=False)}
        refs = {name: weakref.ref(tensor._array) for name, tensor in memory.items()}
        views_of_inputs = operation.view
        del leaves, values, args, result, outputs, memory
        alive = {name for name, ref in refs.items() if ref() is not None}
        expected = {name for name in refs if name.split()[1] in needed}
        assert alive == expected or views_of_inputs and alive <= {*expected, "input self"}
        assert sorted(node.recipe.names) == sorted(needed)


@pytest.mark.sampled(9)
@samples(SMOOTH_CORE)
def test_rules_and_forward_write_nothing_and_give_nothing_saved_away(sample: Sample) -> None:
    """A rule gives its cotangent, a view of it, or new memory: the engine adds in place into what a rule gave."""
    operation = REGISTRY[sample.name]
    leaves = tensors(sample.inputs, sample.differentiable)
    for leaf in leaves.values():
        leaf._array.flags.writeable = False
    result = sample.call(leaves, mg)
    outputs = result if isinstance(result, tuple) else (result,)
    node, v = outputs[0].grad_fn, list(cotangents(sample))
    cotangent = [c if o.requires_grad else None for o, c in zip(outputs, [*v, None], strict=False)]
    owned = [t._array for t in (*leaves.values(), *outputs)]
    before = [a.copy() for a in (*owned, *v)]
    for a in (*owned, *v):
        a.flags.writeable = False
    results = [g for g in node.apply(cotangent, False, None) if g is not None]
    assert len(results) in (0, sum(len(names) for names in rules_of(sample, sample.differentiable).values()))
    for g in results:
        assert not any(np.shares_memory(g, a) for a in owned)
        assert operation.takes_list or len(v) == 1 or not any(g is c for c in v)
    for a, b in zip((*owned, *v), before, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.fixture
def no_collector() -> Iterator[None]:
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("no_collector")
@pytest.mark.sampled(12)
@samples(SMOOTH)
def test_graph_is_freed_by_reference_counting(sample: Sample) -> None:
    """With the collector off: the graph of the call, and that of its recorded backward pass."""
    leaves = tensors(sample.inputs, sample.differentiable)
    result = sample.call(leaves, mg)
    outputs = [o for o in floats(result) if o.requires_grad]
    found = mg.autograd.grad(outputs, [leaves[n] for n in sample.differentiable],
                             [mg.from_numpy(random_like([array(o)], 1)[0]).requires_grad_() for o in outputs],
                             create_graph=True, allow_unused=True)  # fmt: skip
    nodes = [weakref.ref(t.grad_fn) for t in (*outputs, *found) if t is not None and t.grad_fn is not None]
    assert nodes or all(o.is_leaf for o in outputs)
    del result, outputs, found
    assert [ref() for ref in nodes] == [None] * len(nodes)


def both_ways(sample: Sample) -> bool:
    """Whether the name is a function and a method, with the arguments in the same order."""
    called = callable(getattr(mg, sample.name, None)) and callable(getattr(mg.Tensor, sample.name, None))
    first = sample.bind(tensors(sample.inputs), mg)[0][0]
    return called and not sample.name.startswith("_") and sample.name != "where" and isinstance(first, mg.Tensor)


@samples([s for s in PUBLIC_SAMPLES if both_ways(s)])
def test_method_is_the_function(sample: Sample) -> None:
    function, method = (
        several(sample.call(tensors(sample.inputs, sample.differentiable), mg, method=m)) for m in (False, True)
    )
    for a, b in zip(function, method, strict=True):
        np.testing.assert_array_equal(array(a), array(b))
        if isinstance(a, mg.Tensor):
            assert (a.dtype, a.requires_grad) == (b.dtype, b.requires_grad)
            assert type(a.grad_fn) is type(b.grad_fn)


# -- in place ----------------------------------------------------------------------------------------------------------


class ThroughView(Sample):
    """The in-place form, applied to a view of all of a clone of the first argument."""

    def call(self, values: dict[str, Any], engine: Any = None, method: bool = False) -> Any:
        args, kwargs = self.bind(values, engine)
        base = args[0].clone()
        getattr(base[...], self.name)(*args[1:], **kwargs)
        return base


def in_place_samples() -> list[Sample]:
    names = [n[:-1] for n in dir(mg.Tensor) if writes(n) and n not in IN_PLACE_OPERATORS and n not in PUBLIC]
    return [s for s in PUBLIC_SAMPLES if s.name in names and isinstance(s.bind(tensors(s.inputs), mg)[0][0], mg.Tensor)]


@pytest.mark.sampled(8, weekly=2)
@samples(in_place_samples())
def test_in_place_form_equals_the_plain_one(sample: Sample) -> None:
    """Values and first and second derivatives of ``x.op_()``, and of the same write to a view; or it is refused."""
    plain = sample.call(tensors(sample.inputs), mg)
    args, kwargs = sample.bind(tensors(sample.inputs), mg)
    first, before = args[0], array(args[0]).copy()
    fits = plain.shape == first.shape and mg.can_cast(plain.dtype, first.dtype)
    if not fits or sample.name == "abs" and first.is_complex():
        with pytest.raises(RuntimeError):
            getattr(first, f"{sample.name}_")(*args[1:], **kwargs)
        np.testing.assert_array_equal(array(first), before)
        return
    for form in (Sample, ThroughView):
        written = form(f"{sample.name}_", sample.arguments, core=False)
        exact(array(written.call(tensors(sample.inputs), mg)), array(plain).astype(before.dtype))
        if outputs_with_gradient(sample):
            wrt, v = sample.differentiable, cotangents(sample)
            for recorded in (False, True):
                ours, theirs = (gradients(s, sample.inputs, v, wrt, create_graph=recorded) for s in (written, sample))
                for g, e in zip(ours, theirs, strict=True):
                    exact(g, e, err_msg=form.__name__)
            test_vjp_of_vjp.check(written)
    if outputs_with_gradient(sample) and sample.name not in COMPOSED:  # those are written by copy_
        leaves = tensors(sample.inputs, sample.differentiable)
        in_place = Sample(f"{sample.name}_", sample.arguments, core=False)
        assert in_place.call(leaves, mg).grad_fn.name() == sample.call(leaves, mg).grad_fn.name()


# -- the original ------------------------------------------------------------------------------------------------------


def original() -> Any:
    import torch

    return torch


def observed(sample: Sample, values: Arrays, engine: Any, wrt: Sequence[str] = ()) -> Any:
    """What a call gives: for each output its kind, dtype, shape and node, and the values; or the error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = sample.call(tensors(values, wrt, engine), engine)
        except Exception as error:
            return type(error).__name__, str(error).replace("torch", "minigrad")
    outputs = several(result)
    facts = [o if isinstance(o, bool) else (str(o.dtype).split(".")[1], tuple(o.shape), o.requires_grad,
                                            type(o.grad_fn).__name__ if o.grad_fn else None) for o in outputs]  # fmt: skip
    return facts, [array(o) for o in outputs]


def without_nodes(facts: list) -> list:
    return [f if isinstance(f, bool) else f[:3] for f in facts]


@pytest.mark.torch
@samples(PUBLIC_SAMPLES)
def test_equals_torch(sample: Sample) -> None:
    """Values, dtypes, shapes, node names and gradients."""
    wrt = sample.differentiable if sample.name != "__rmod__" else []  # of which PyTorch has no derivative
    ours, theirs = (observed(sample, sample.inputs, engine, wrt) for engine in (mg, original()))
    if sample.name in COMPOSED and not isinstance(ours[0], str):  # whose nodes are those of what it is made of
        ours, theirs = ((without_nodes(facts), arrays) for facts, arrays in (ours, theirs))
    assert ours[0] == theirs[0]
    for a, b in zip(ours[1], theirs[1], strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12 if a.itemsize > 4 else 1e-6, atol=1e-14)
    if wrt and sample in SMOOTH:
        ours, theirs = (gradients(sample, sample.inputs, cotangents(sample), wrt, engine=e) for e in (mg, original()))
        for a, b in zip(ours, theirs, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-12)


KINDS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "bool": lambda x: x > 0,
    "int64": lambda x: np.rint(3 * x).astype(np.int64),
    "uint8": lambda x: np.rint(3 * x * (x > 0)).astype(np.uint8),
    "float32": lambda x: x.astype(np.float32),
    "float64": lambda x: x,
}


# Of a product over no elements PyTorch does not compare the dtypes, topk gives equal elements in no certain order, and reals
# have a dtype of their own.
@pytest.mark.torch
@samples([
    s for s in PUBLIC_SAMPLES
    if s.name != "topk" and "reals(" not in s.arguments
    and (s.name not in ONE_DTYPE or all(x.size for x in s.inputs.values()))
])  # fmt: skip
def test_promotes_as_torch(sample: Sample) -> None:
    """Result dtype and values for operands of every kind, or the same type of error."""
    names = [n for n in sample.differentiable if sample.inputs[n].dtype.kind == "f"]
    # Which of several complaints about dtypes comes first is not looked at.
    if sample.name.startswith("nn.") and sample.name not in COMPOSED:
        choices = [(k,) * len(names) for k in KINDS]
    elif sample.name in COMPOSED:
        choices = list(itertools.product(("float32", "float64"), repeat=len(names[:2])))
    else:
        choices = list(itertools.product(KINDS, repeat=len(names[:2])))
    if sample.name == "clamp":  # of bytes: PyTorch takes a bound of -1 for 255
        choices = [kinds for kinds in choices if "uint8" not in kinds]
    wrong = []
    for kinds in choices:
        values = {**sample.inputs, **{n: np.asarray(KINDS[k](sample.inputs[n])) for n, k in zip(names, kinds, strict=False)}}
        ours, theirs = (observed(sample, values, engine) for engine in (mg, original()))
        same = ours[0] == theirs[0] and (
            isinstance(ours[1], str)
            or all(np.allclose(a, b, rtol=1e-5, atol=1e-6, equal_nan=True) for a, b in zip(ours[1], theirs[1], strict=True))
        )
        refused = isinstance(ours[0], str) or isinstance(theirs[0], str)
        if not same and not (sample.name in COMPOSED and refused):  # what is made of others refuses other dtypes than PyTorch
            wrong.append((kinds, ours, theirs))
    assert not wrong, "\n".join(f"{', '.join(k)}:\n    minigrad {o}\n    torch    {t}" for k, o, t in wrong)


SHORT = [op for op in REGISTRY.values() if op.ufunc is not None]


@pytest.mark.parametrize("op", SHORT, ids=lambda op: op.name)
def test_a_ufunc_computes_what_its_operation_does(op: Op) -> None:
    random = np.random.default_rng(3)
    for dtype in (np.float16, np.float32, np.float64):
        for shape in ((), (0,), (3,), (2, 1, 4)):
            operands = [random.standard_normal(shape).astype(dtype) for _ in op.rules]
            with np.errstate(all="ignore"):
                expected, found = op.forward(*operands), op.ufunc(*operands)
            assert found.dtype == expected.dtype
            np.testing.assert_array_equal(found, expected)


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="of two zeros each processor takes another")
@pytest.mark.parametrize("bounded", [mg.relu, lambda x: mg.clamp(x, min=0.0), lambda x: mg.clamp(x, max=0.0)])
def test_a_negative_zero_at_a_bound_stays(bounded: Callable) -> None:
    for dtype in (mg.float32, mg.float64):
        assert np.signbit(bounded(mg.tensor([-0.0, 0.0] * 9, dtype=dtype)).numpy()).tolist() == [True, False] * 9


# -- kinks -------------------------------------------------------------------------------------------------------------

inf, nan = float("inf"), float("nan")

# What the gradient is where there is none, recorded from PyTorch 2.13: the expression, its inputs, their gradients for the
# cotangent 3, 4, 5 ...
KINKS: list[tuple[str, list[list], list[list]]] = [
    ("mg.abs(x)", [[0.0, -0.0]], [[0.0, 0.0]]),
    ("mg.sign(x)", [[0.0, -0.0]], [[0.0, 0.0]]),
    ("mg.relu(x)", [[0.0, -0.0, nan]], [[0.0, 0.0, 5.0]]),
    ("mg.autograd.grad(mg.relu(x), x, y, create_graph=True)[0]", [[0.0, 1.0], [2.0, 2.0]], [[0.0, 0.0], [0.0, 4.0]]),
    ("mg.clamp(x, -1.0, 1.0)", [[-1.0, 1.0, nan]], [[3.0, 4.0, 0.0]]),
    ("mg.clamp(x, 1.0, -1.0)", [[-1.0, 0.0, 1.0]], [[0.0, 0.0, 0.0]]),
    ("mg.clamp(x, y, 2.0 * y)", [[1.0, 2.0, 1.5], [1.0, 1.0, 1.0]], [[3.0, 4.0, 5.0], [0.0, 0.0, 0.0]]),
    ("mg.clamp(x, min=1.0)", [[1.0, nan]], [[3.0, 0.0]]),
    ("mg.clamp(x, max=1.0)", [[1.0, nan]], [[3.0, 0.0]]),
    ("mg.clamp(x, min=y)", [[1.0, 1.0], [1.0, nan]], [[3.0, 0.0], [0.0, 0.0]]),
    ("mg.clamp(x, max=y)", [[1.0, 1.0], [1.0, nan]], [[3.0, 0.0], [0.0, 0.0]]),
    ("mg.clamp(x, y, 1.0 * y)", [[0.0, 1.0, 2.0], [1.0, 1.0, 1.0]], [[0.0, 4.0, 0.0], [0.0, 0.0, 5.0]]),
    ("mg.clamp(x, y, 0.5 * y)", [[0.0, 1.0, 2.0], [1.0, 1.0, 1.0]], [[0.0, 0.0, 0.0], [1.5, 2.0, 2.5]]),
    ("mg.maximum(x, y)", [[1.0, 2.0], [1.0, 1.0]], [[1.5, 4.0], [1.5, 0.0]]),
    ("mg.minimum(x, y)", [[1.0, 2.0], [1.0, 1.0]], [[1.5, 0.0], [1.5, 4.0]]),
    ("mg.max(x)", [[2.0, 1.0, 2.0]], [[1.5, 0.0, 1.5]]),
    ("mg.min(x)", [[1.0, 1.0, 2.0, 1.0]], [[1.0, 1.0, 0.0, 1.0]]),
    ("mg.max(x, 0).values", [[2.0, 1.0, 2.0]], [[3.0, 0.0, 0.0]]),
    ("mg.min(x, 0).values", [[2.0, 1.0, 1.0]], [[0.0, 3.0, 0.0]]),
    ("mg.amax(x, 0)", [[2.0, 1.0, 2.0]], [[1.5, 0.0, 1.5]]),
    ("mg.amin(x, 0)", [[1.0, 1.0, 1.0]], [[1.0, 1.0, 1.0]]),
    ("mg.norm(x)", [[0.0, 0.0]], [[0.0, 0.0]]),
    ("mg.std(x)", [[1.0, 1.0, 1.0]], [[0.0, 0.0, 0.0]]),
    ("mg.var(x)", [[1.0]], [[nan]]),
    ("mg.sqrt(x)", [[0.0, -1.0]], [[inf, nan]]),
    ("mg.rsqrt(x)", [[0.0]], [[-inf]]),
    ("mg.reciprocal(x)", [[0.0, -0.0]], [[-inf, -inf]]),
    ("mg.log(x)", [[0.0, -1.0]], [[inf, -4.0]]),
    ("mg.log1p(x)", [[-1.0]], [[inf]]),
    ("mg.asin(x)", [[1.0, -1.0]], [[inf, inf]]),
    ("mg.acos(x)", [[1.0, -1.0]], [[-inf, -inf]]),
    ("mg.div(x, y)", [[1.0, 0.0], [0.0, 0.0]], [[inf, inf], [-inf, nan]]),
    ("mg.pow(x, 0)", [[0.0, 2.0, nan]], [[0.0, 0.0, 0.0]]),
    ("mg.pow(x, 0.5)", [[0.0]], [[inf]]),
    ("mg.pow(x, 1)", [[0.0]], [[3.0]]),
    ("mg.pow(x, 2)", [[0.0]], [[0.0]]),
    ("mg.pow(x, -1)", [[0.0]], [[-inf]]),
    ("mg.pow(x, y)", [[0.0, 0.0, 0.0, 1.0], [0.0, 1.0, 2.0, 0.0]], [[0.0, 4.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]]),
    ("mg.pow(x, y)", [[-2.0, -2.0], [2.0, 0.5]], [[-12.0, nan], [nan, nan]]),
    ("mg.pow(0.0, x)", [[0.0, 1.0, -1.0]], [[0.0, 0.0, -inf]]),
    ("mg.pow(-2.0, x)", [[2.0]], [[nan]]),
    ("mg.remainder(x, y)", [[3.0, -3.0], [1.5, 1.5]], [[3.0, 4.0], [-6.0, 8.0]]),
    ("mg.prod(x)", [[0.0, 2.0, 3.0]], [[18.0, 0.0, 0.0]]),
    ("mg.prod(x)", [[0.0, 0.0, 3.0]], [[0.0, 0.0, 0.0]]),
    ("mg.prod(x, 0)", [[0.0, 2.0, 3.0]], [[18.0, 0.0, 0.0]]),
    ("mg.where(x > 0, mg.log(x), x)", [[1.0, 0.0]], [[3.0, nan]]),
    ("mg.where(x > 0, mg.sqrt(x), 0.0)", [[0.0, -1.0]], [[nan, nan]]),
    ("mg.softmax(x, 0)", [[0.0, -inf]], [[0.0, 0.0]]),
    ("mg.log_softmax(x, 0)", [[1000.0, 0.0]], [[-4.0, 4.0]]),
    ("mg.logsumexp(x, 0)", [[1000.0, 1000.0]], [[1.5000000000000826, 1.5000000000000826]]),
    ("mg.logsumexp(x, 0)", [[-inf, -inf]], [[nan, nan]]),
    ("mg.sigmoid(x)", [[1000.0, -1000.0]], [[0.0, 0.0]]),
    ("mg.tanh(x)", [[1000.0]], [[0.0]]),
    ("mg.atan2(x, y)", [[0.0, 0.0], [0.0, 1.0]], [[0.0, 4.0], [-0.0, -0.0]]),
    ("mg.logaddexp(x, y)", [[1.0, -inf], [1.0, -inf]], [[1.5, nan], [1.5, nan]]),
    ("mg.floor(x)", [[1.0]], [[0.0]]),
    ("mg.round(x)", [[0.5, 1.5]], [[0.0, 0.0]]),
    ("mg.cumsum(x, 0)", [[inf, 1.0]], [[7.0, 4.0]]),
    ("mg.mean(x)", [[]], [[]]),
    ("mg.sum(x)", [[]], [[]]),
    ("mg.masked_fill(x, x < 0, 0.0)", [[nan, -1.0]], [[3.0, 0.0]]),
    ("mg.erf(x)", [[inf]], [[0.0]]),
    ("mg.nn.functional.leaky_relu(x, 0.1)", [[0.0, nan]], [[0.30000000000000004, 0.4]]),
    ("mg.nn.functional.softplus(x, 2, 1.0)", [[0.5]], [[2.193175735890015]]),
    ("mg.nn.functional.max_pool2d(x.view(1, 2, 2), 2)", [[1.0, 2.0, 2.0, 0.0]], [[0.0, 3.0, 0.0, 0.0]]),
    ("mg.abs(x)", [[0j]], [[0j]]),
    ("mg.sgn(x)", [[0j, 1j]], [[0j, (4+0j)]]),
    ("mg.norm(x)", [[0j, 0j]], [[0j, 0j]]),
    ("mg.pow(x, 0)", [[0j, 1j]], [[0j, 0j]]),
    ("mg.pow(x, 2)", [[0j]], [[0j]]),
    ("mg.pow(x, y)", [[0.0, 0.0], [-1.0, -2.0]], [[-inf, -inf], [-inf, -inf]]),
    ("mg.pow(x, y)", [[0j, 1j], [(2+0j), 0j]], [[0j, 0j], [0j, -6.283185307179586j]]),
    ("mg.max(x)", [[nan, 1.0, nan]], [[1.5, 0.0, 1.5]]),
    ("mg.min(x)", [[nan, 1.0, nan]], [[1.5, 0.0, 1.5]]),
    ("mg.amax(x, 0)", [[nan, 1.0, nan]], [[nan, nan, nan]]),
    ("mg.amin(x, 0)", [[1.0, nan, 2.0]], [[nan, nan, nan]]),
    ("mg.max(x, 0).values", [[1.0, nan, nan]], [[0.0, 3.0, 0.0]]),
    ("mg.min(x, 0).values", [[1.0, nan, nan]], [[0.0, 3.0, 0.0]]),
    ("mg.maximum(x, y)", [[nan, 1.0], [1.0, nan]], [[3.0, 4.0], [3.0, 4.0]]),
    ("mg.norm(x, inf)", [[-2.0, 1.0, 2.0]], [[-1.5, 0.0, 1.5]]),
    ("mg.norm(x, inf)", [[0.0, 0.0]], [[0.0, 0.0]]),
    ("mg.norm(x, inf)", [[nan, 1.0, nan]], [[0.0, 0.0, 0.0]]),
    ("mg.norm(x, -inf)", [[-1.0, 1.0, 2.0]], [[-1.5, 1.5, 0.0]]),
    ("mg.norm(x, 0.5)", [[0.0, 2.0]], [[0.0, 3.0]]),
    ("mg.norm(x, 1)", [[0.0, -2.0]], [[0.0, -3.0]]),
    ("mg.norm(x, 1)", [[0j, (3+4j)]], [[0j, (1.8000000000000003+2.4000000000000004j)]]),
    ("mg.norm(x, 1.5)", [[0.0, 2.0]], [[0.0, 3.0]]),
    ("mg.norm(x, 1.5)", [[0.0, 0.0]], [[0.0, 0.0]]),
    ("mg.norm(x, 3)", [[0.0, 2.0]], [[0.0, 3.0]]),
    ("mg.norm(x, 3)", [[0.0, 0.0]], [[0.0, 0.0]]),
    ("mg.cumprod(x, 0)", [[2.0, 0.0, 3.0, 0.0, 5.0]], [[3.0, 38.0, 0.0, 0.0, 0.0]]),
    ("mg.lerp(x, y, 0.0)", [[1.0], [inf]], [[3.0], [0.0]]),
    ("mg.prod(x[0])", [[inf]], [[3.0]]),
    ("mg.prod(x[0], 0)", [[inf]], [[3.0]]),
    ("mg.cumprod(x, 0)", [[inf]], [[3.0]]),
    ("mg.cumprod(x, 0)", [[2.0, 3.0]], [[15.0, 8.0]]),
]


def at_kink(engine: Any, expression: str, inputs: list[list]) -> list[list]:
    leaves = [engine.tensor(x, dtype=engine.complex128 if complex in map(type, x) else engine.float64) for x in inputs]
    for leaf in leaves:
        leaf.requires_grad_()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch warns of a variance without degrees of freedom
        result = eval(expression, {"mg": engine, "inf": inf, "x": leaves[0], "y": leaves[-1]})
    v = engine.arange(3.0, 3.0 + result.numel(), dtype=engine.float64).to(result.dtype).reshape(result.shape)
    found = engine.autograd.grad(result, leaves, v, retain_graph=True)
    recorded = engine.autograd.grad(result, leaves, v, create_graph=True)
    for g, again in zip(found, recorded, strict=True):
        np.testing.assert_array_equal(array(g), array(again))
    return [g.tolist() for g in found]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("kink", KINKS, ids=[f"{expression} at {inputs}" for expression, inputs, _ in KINKS])
def test_convention_at_kinks(kink: tuple) -> None:
    expression, inputs, expected = kink
    for g, e in zip(at_kink(mg, expression, inputs), expected, strict=True):
        np.testing.assert_allclose(g, e, rtol=1e-12)


# What the tangent is where there is none, or another than the gradient would have it, recorded from PyTorch 2.13.
TANGENTS: list[tuple[str, list[list], Any]] = [
    ("mg.std(x)", [[1.0, 1.0, 1.0]], 0.0),
    ("mg.where(x > 0, mg.log(x), x)", [[1.0, 0.0]], [1.0, 2.0]),
    ("mg.where(x > 0, mg.sqrt(x), 0.0)", [[0.0, -1.0]], [0.0, 0.0]),
    ("mg.mean(x)", [[]], nan),
    ("mg.norm(x, inf)", [[-2.0, 1.0, 2.0]], 1.0),
    ("mg.norm(x, inf)", [[0.0, 0.0]], 0.0),
    ("mg.norm(x, inf)", [[nan, 1.0, nan]], 0.0),
    ("mg.minimum(mg.ones(6, dtype=mg.float64), y)",
     [[1.0, 2.0, 0.0, nan, 1.0, nan], [1.0, 1.0, 1.0, 1.0, nan, nan]], [5.0, 10.0, 15.0, 20.0, 50.0, 60.0]),
    ("mg.remainder(x, y)", [[1.0, inf, 3.0], [-inf, 1.0, 1.5]], [11.0, nan, -57.0]),
    ("mg.div(x, y, rounding_mode='floor')", [[1.0, nan], [0.0, 1.0]], [0.0, 0.0]),
    ("mg.amax(x, 0)", [[nan, 1.0, 2.0]], nan),
    ("mg.amin(x, 0)", [[nan, 1.0, 2.0]], nan),
    ("mg.max(x, 0).values", [[nan, 1.0, 2.0]], 1.0),
    ("mg.min(x, 0).values", [[nan, 1.0, 2.0]], 1.0),
    ("mg.amax(x, 0)", [[1.0, 1.0, nan]], nan),
    ("mg.amin(x, 0)", [[1.0, 1.0, nan]], nan),
    ("mg.max(x, 0).values", [[1.0, 1.0, nan]], 3.0),
    ("mg.min(x, 0).values", [[1.0, 1.0, nan]], 3.0),
    ("mg.max(x)", [[2.0, 2.0, 1.0]], 1.5),
    ("mg.min(x)", [[2.0, 2.0, 1.0]], 3.0),
    ("mg.amax(x, 0)", [[2.0, 2.0, 1.0]], 1.5),
    ("mg.amin(x, 0)", [[2.0, 2.0, 1.0]], 3.0),
    ("mg.max(x, 0).values", [[2.0, 2.0, 1.0]], 1.0),
    ("mg.min(x, 0).values", [[2.0, 2.0, 1.0]], 3.0),
    ("mg.amax(x, 0)", [[nan]], nan),
    ("mg.amin(x, 0)", [[nan]], nan),
    ("mg.max(x, 0).values", [[nan]], 1.0),
    ("mg.min(x, 0).values", [[nan]], 1.0),
    ("mg.norm(x, inf)", [[nan, 1.0]], 0.0),
    ("mg.norm(x, 0.5)", [[nan, 1.0]], nan),
    ("mg.norm(x, 1)", [[nan, 1.0]], 2.0),
    ("mg.norm(x, 0)", [[nan, 1.0]], 0.0),
    ("mg.norm(x, 3)", [[nan, 1.0]], nan),
    ("mg.norm(x)", [[nan, 1.0]], nan),
    ("mg.norm(x, inf)", [[inf, 1.0]], 1.0),
    ("mg.norm(x, 1)", [[inf, 1.0]], 3.0),
    ("mg.norm(x, 0)", [[inf, 1.0]], 0.0),
    ("mg.norm(x, 3)", [[inf, 1.0]], nan),
    ("mg.norm(x)", [[inf, 1.0]], nan),
    ("mg.norm(x, 0.5)", [[0.0, 0.0]], 0.0),
    ("mg.norm(x, 1)", [[0.0, 0.0]], 0.0),
    ("mg.norm(x, 0)", [[0.0, 0.0]], 0.0),
    ("mg.norm(x, 3)", [[0.0, 0.0]], 0.0),
    ("mg.norm(x)", [[0.0, 0.0]], 0.0),
    ("mg.std(x, correction=0)", [[5.0]], 0.0),
    ("mg.var(x)", [[1.0]], nan),
    ("mg.var(x, 0)", [[1.0]], nan),
    ("mg.cumprod(x, 0)", [[2.0, 0.0, 3.0, 0.0, 5.0]], [1.0, 4.0, 12.0, 0.0, 0.0]),
]
ONE_WAY = {(expression, str(inputs)) for expression, inputs, _ in TANGENTS}
FORWARD = [kink for kink in KINKS if (kink[0], str(kink[1])) not in ONE_WAY]


def tangent_at(engine: Any, expression: str, inputs: list[list]) -> Any:
    """The tangent for the tangents 1, 2, 3 … of x and 10, 20, 30 … of y; for a number that is missing, 0."""
    primals = [engine.tensor(x, dtype=engine.complex128 if complex in map(type, x) else engine.float64) for x in inputs]
    forward_ad = engine.autograd.forward_ad
    with forward_ad.dual_level(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch warns of a variance without degrees of freedom
        duals = [
            forward_ad.make_dual(p, (engine.arange(1.0, 1.0 + len(p)) * factor).to(p.dtype))
            for p, factor in zip(primals, (1, 10), strict=False)
        ]
        result = eval(expression, {"mg": engine, "inf": inf, "x": duals[0], "y": duals[-1]})
        found = forward_ad.unpack_dual(result).tangent
        return array(engine.zeros_like(result) if found is None else found.clone())  # PyTorch has zeros without memory


@pytest.mark.sampled(3)
@pytest.mark.parametrize("kink", TANGENTS, ids=[f"{expression} at {inputs}" for expression, inputs, _ in TANGENTS])
def test_convention_of_tangents(kink: tuple) -> None:
    """Where the tangent is another than the gradient would have it."""
    expression, inputs, expected = kink
    np.testing.assert_allclose(tangent_at(mg, expression, inputs), expected, rtol=1e-12)


@pytest.mark.torch
def test_torch_keeps_to_the_recorded_tangents() -> None:
    for expression, inputs, expected in TANGENTS:
        np.testing.assert_allclose(tangent_at(original(), expression, inputs), expected, rtol=1e-12, err_msg=expression)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("kink", FORWARD, ids=[f"{expression} at {inputs}" for expression, inputs, _ in FORWARD])
def test_tangent_at_kinks(kink: tuple) -> None:
    """The recorded gradients hold for forward mode too: ⟨v, J u⟩ = ⟨Jᵀ v, u⟩."""
    expression, inputs, expected = kink
    dtype = mg.complex128 if complex in {type(x) for row in inputs for x in row} else mg.float64
    primals = [mg.tensor(x, dtype=dtype) for x in inputs]
    tangents = [mg.from_numpy(u) for u in random_like([array(p) for p in primals], 1)]
    with mg.autograd.forward_ad.dual_level(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        duals = [mg.autograd.forward_ad.make_dual(p, u) for p, u in zip(primals, tangents, strict=True)]
        for dual in duals:
            dual.requires_grad_()  # some expressions ask for a gradient themselves
        result = eval(expression, {"mg": mg, "inf": inf, "x": duals[0], "y": duals[-1]})
        found = mg.autograd.forward_ad.unpack_dual(result).tangent
    v = np.arange(3.0, 3.0 + result.numel()).reshape(result.shape)
    pushed = 0.0 if found is None else np.vdot(v, array(found)).real
    pulled = sum(np.vdot(u, e).real for u, e in zip(map(array, tangents), expected, strict=True))
    np.testing.assert_allclose(pushed, pulled, rtol=1e-12)


@pytest.mark.torch
def test_torch_keeps_to_the_recorded_conventions() -> None:
    for expression, inputs, expected in KINKS:
        for g, e in zip(at_kink(original(), expression, inputs), expected, strict=True):
            np.testing.assert_allclose(g, e, rtol=1e-12, err_msg=expression)
