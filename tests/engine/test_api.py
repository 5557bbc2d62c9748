"""The names that the package promises are there, and the examples in its docstrings hold."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import warnings
from operator import attrgetter
from typing import Any

import pytest

import minigrad as mg
from minigrad import signatures

# By where they are found: what a program may use.
FUNCTIONS = """
    get_default_dtype set_default_dtype result_type
    tensor as_tensor from_numpy zeros ones full empty eye arange linspace rand randn randint complex
    zeros_like ones_like full_like empty_like rand_like randn_like manual_seed Size Tensor FloatTensor DoubleTensor LongTensor
    BoolTensor set_printoptions save load
    add sub mul div pow remainder neg abs sign sgn square sqrt rsqrt reciprocal exp expm1 log log1p log2 log10 sin cos tan asin
    acos atan atan2 sinh cosh tanh sigmoid erf relu maximum minimum clamp where lerp addcmul floor ceil round trunc logaddexp
    conj lt le gt ge eq ne logical_and logical_or logical_xor logical_not nan_to_num
    sum mean prod var std max min amax amin argmax argmin norm logsumexp cumsum cumprod softmax log_softmax all any
    reshape flatten transpose permute movedim t squeeze unsqueeze broadcast_to cat stack split chunk unbind select narrow
    diagonal diag tril triu flip roll gather scatter_add index_select index_put masked_fill masked_select sort
    topk nonzero view_as_real view_as_complex clone
    mm matmul bmm mv dot outer addmm einsum trace
    no_grad enable_grad set_grad_enabled inference_mode is_grad_enabled is_inference is_inference_mode_enabled why_no_grad
"""
DTYPES = """
    bool uint8 int8 int16 int32 int int64 long float16 half float32 float float64 double complex64 cfloat complex128 cdouble
"""
METHODS = """
    shape ndim dtype device requires_grad grad grad_fn is_leaf retains_grad data T mT real imag _version _base output_nr
    size dim numel item tolist numpy stride is_contiguous is_floating_point is_complex _is_view __array__ __len__ __iter__
    __float__ __int__ __bool__ __index__ __complex__ __getitem__ __setitem__ __matmul__ __deepcopy__
    new_zeros new_ones new_empty new_full new_tensor
    add sub mul div pow remainder neg abs sign sgn square sqrt rsqrt reciprocal exp expm1 log log1p log2 log10 sin cos tan asin
    acos atan atan2 sinh cosh tanh sigmoid erf relu maximum minimum clamp where lerp addcmul floor ceil round trunc logaddexp
    conj lt le gt ge eq ne logical_and logical_or logical_xor logical_not nan_to_num
    sum mean prod var std max min amax amin argmax argmin norm logsumexp cumsum cumprod softmax log_softmax all any
    view view_as reshape flatten transpose permute movedim t squeeze unsqueeze expand expand_as broadcast_to repeat split chunk
    unbind select narrow diagonal diag tril triu flip roll gather scatter_add index_select index_put masked_fill masked_select
    sort topk nonzero contiguous clone copy_ to type_as float double half long int short char byte bool
    cfloat cdouble mm matmul bmm mv dot outer addmm trace
    requires_grad_ detach detach_ backward register_hook register_post_accumulate_grad_hook retain_grad is_inference
"""
IN_PLACE = """
    add sub mul div pow remainder neg abs sign sgn square sqrt rsqrt reciprocal exp expm1 log log1p log2 log10 sin cos tan asin
    acos atan atan2 sinh cosh tanh sigmoid erf relu clamp lerp addcmul floor ceil round trunc lt le gt ge eq ne
    logical_and logical_or logical_xor logical_not nan_to_num cumsum cumprod tril triu
    scatter_add index_put masked_fill copy addmm fill zero uniform normal
"""
ROOMS = {
    "autograd": "Variable backward grad Function detect_anomaly set_detect_anomaly no_grad enable_grad gradcheck gradgradcheck",
    "autograd.graph": "Node saved_tensors_hooks save_on_cpu",
    "autograd.function": "Function once_differentiable",
    "autograd.Function": "apply forward setup_context backward vjp jvp",
    "autograd.forward_ad": "dual_level make_dual unpack_dual enter_dual_level exit_dual_level",
    "autograd.functional": "jacobian hessian vjp jvp hvp vhp",
    "autograd.graph.Node": "name next_functions metadata register_hook register_prehook __call__",
    "testing": "assert_close",
    "linalg": "norm inv solve",
    "nn.functional": """relu leaky_relu softplus sigmoid tanh softmax log_softmax linear conv2d conv_transpose2d max_pool2d
        avg_pool2d pad dropout mse_loss cross_entropy nll_loss binary_cross_entropy_with_logits""",
    "nn": """Module Parameter Linear Conv2d MaxPool2d Flatten Dropout Sequential ReLU Tanh Sigmoid MSELoss
        CrossEntropyLoss""",
    "nn.utils": "clip_grad_norm_ clip_grad_value_",
    "optim": "SGD Adam AdamW",
}


def _missing(owner: Any, names: str) -> list[str]:
    return [name for name in names.split() if not hasattr(owner, name)]


def test_functions_and_dtypes() -> None:
    assert _missing(mg, FUNCTIONS + DTYPES) == []
    assert all(isinstance(getattr(mg, name), mg.dtype) for name in DTYPES.split())


def test_methods_and_in_place_forms() -> None:
    assert _missing(mg.Tensor, METHODS) == []
    assert _missing(mg.Tensor, " ".join(f"{name.removesuffix('_')}_" for name in IN_PLACE.split())) == []


@pytest.mark.parametrize("room", ROOMS)
def test_rooms(room: str) -> None:
    assert _missing(attrgetter(room)(mg), ROOMS[room]) == []


def test_the_context_of_a_function() -> None:
    class Look(mg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            wanted = """save_for_backward save_for_forward saved_tensors needs_input_grad mark_dirty mark_non_differentiable
                set_materialize_grads"""
            assert _missing(ctx, wanted) == []
            return x.clone()

    Look.apply(mg.ones(1, requires_grad=True))


@pytest.mark.torch
def test_pytorch_has_all_of_these_too() -> None:
    import torch

    own = {"why_no_grad"}
    assert set(_missing(torch, FUNCTIONS + DTYPES)) == own
    assert _missing(torch.Tensor, METHODS) == []
    assert _missing(torch.Tensor, " ".join(f"{name}_" for name in IN_PLACE.split())) == []
    assert [room for room, names in ROOMS.items() if _missing(attrgetter(room)(torch), names)] == []


ENGINE = sorted(
    module.name for module in pkgutil.walk_packages(mg.__path__, "minigrad.") if module.name.split(".")[1] not in ("course", "viz")
)


@pytest.mark.parametrize("name", ["minigrad", *ENGINE])
def test_examples_in_docstrings(name: str) -> None:
    module = importlib.import_module(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # anomaly mode and create_graph warn, as they should
        result = doctest.testmod(module)
    assert not result.failed


# What a learner meets first shows how it is called.
EXAMPLES = """
    Tensor.backward Tensor.register_hook Tensor.register_post_accumulate_grad_hook Tensor.retain_grad Tensor.detach
    Tensor.requires_grad_ autograd.backward autograd.grad autograd.Function autograd.gradcheck autograd.gradgradcheck
    no_grad enable_grad set_grad_enabled inference_mode is_grad_enabled autograd.set_detect_anomaly
    autograd.functional.jacobian autograd.functional.hessian autograd.functional.vjp autograd.functional.jvp
    autograd.functional.hvp autograd.functional.vhp autograd.graph.saved_tensors_hooks
    autograd.forward_ad.dual_level
    autograd.forward_ad.make_dual autograd.function.once_differentiable why_no_grad manual_seed testing.assert_close
    tensor nn.Module nn.Linear nn.Sequential optim.SGD optim.Adam
"""


@pytest.mark.parametrize("name", EXAMPLES.split())
def test_public_names_have_an_example(name: str) -> None:
    assert ">>> " in (attrgetter(name)(mg).__doc__ or "")


COMMON_CALLS = """
    x.sum(0)
    x.sum(dim=0,keepdim=True)
    x.sum((0,1))
    x.mean()
    x.view(3,2)
    x.view((3,2))
    x.reshape(-1)
    x.permute(1,0)
    x.max(dim=1)
    x.clamp(min=0.0)
    x.to(mg.float64)
    x.std(0,unbiased=False)
    x.norm(dim=1)
    x.expand(4,2,3)
    x.unsqueeze(0)
    x.argmax(dim=1)
    x.size(0)
    x.requires_grad_()
    x.add(x,alpha=2)
    x.type(mg.float64)
    x.repeat(2,1)
    x.split([1,1])
    x.new_zeros(2,3)
    x.double()
    mg.zeros(2,3)
    mg.zeros((2,3),dtype=mg.float64)
    mg.full((2,),1.0)
    mg.ones_like(x)
    mg.randn(2,3,requires_grad=True)
    mg.arange(3)
    mg.linspace(0,1,5)
    mg.cat([x,x],dim=0)
    mg.stack((x,x))
    mg.where(x>0,x,0.0)
    mg.tensor([1.0,2.0])
    mg.max(x,1)
    mg.addmm(x,x[:,:2],x)
    mg.nn.functional.softmax(x,dim=1)
    mg.nn.functional.cross_entropy(x,mg.tensor([0,1]))
    mg.nn.functional.dropout(x,0.5)
"""


@pytest.mark.parametrize("call", COMMON_CALLS.split())
def test_arguments_of_known_types_are_not_looked_at_twice(call: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def look_closely(*args: Any) -> None:
        raise AssertionError(f"{args[1]} is looked at again")

    x = mg.ones(2, 3)
    eval(call, {"mg": mg, "x": x})
    monkeypatch.setattr(signatures, "settled", look_closely)
    eval(call, {"mg": mg, "x": x})
