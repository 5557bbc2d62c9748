# ruff: noqa
"""What other people's programs do, and what stopped them here once."""

# %% strangers.scalars.$ | 01 | NumPy's scalars in named calls
#: mul        | y = x.mul(np.sqrt(2.0))
#: add        | y = x.add(np.float64(2))
#: sub        | y = x.sub(np.float64(2))
#: div        | y = x.div(np.float64(2))
#: remainder  | y = x.remainder(np.float64(2))
#: floor      | y = x.floor_divide(np.float64(2))
#: clamp      | y = x.clamp(np.float64(0), np.float64(2))
#: clamp_min  | y = x.clamp(min=np.float64(2))
#: addcmul    | y = x.addcmul(x, x, value=np.float64(2))
#: alpha      | y = x.add(x, alpha=np.float64(2))
#: leaky      | y = mg.nn.functional.leaky_relu(x, np.float64(0.1))
#: softplus   | y = mg.nn.functional.softplus(x, np.float64(0.5))
#: single     | y = x.mul(np.float32(2))
#: integer    | y = x.mul(np.int64(2))
#: pow        | y = x.pow(np.int64(2))
#: pow_base   | y = mg.pow(np.float32(2), x)
#: fill       | y = x.fill_(np.int64(2))
#: eq         | y = x.eq(np.float32(1))
#: full       | y = mg.full((2,), np.float32(2))
#: full_int   | y = mg.full((2,), np.int32(2))
#: arange     | y = mg.arange(np.int64(3))
#: linspace   | y = mg.linspace(np.float32(0), np.float64(1), np.int64(3))
#: masked     | y = x.masked_fill(x > 0, np.float32(2))
#: where      | y = mg.where(x > 0, x, np.float64(2))
#: where_two  | y = mg.where(x > 0, np.float64(1), np.float64(2))
#: where_int  | y = mg.where(x > 0, np.int64(1), 2)
#: int_bool   | y = i * np.bool_(True)
#: int_minus  | y = i - np.bool_(True)
#: bool_minus | y = np.bool_(True) - x
#: bool_plus  | y = b + np.bool_(True)
x, i, b = mg.tensor([1.0, 2.0, 3.0]), mg.tensor([1, 2, 3]), mg.tensor([True, False])
...

# %% strangers.lists.$ | 01 | lists of NumPy scalars, arrays and tensors keep their dtype
#: zeros     | t = mg.tensor([[np.float64(0)], [1.0]])
#: double    | t = mg.tensor([np.float64(1)])
#: half      | t = mg.tensor([np.float16(1)])
#: int32     | t = mg.tensor([np.int32(1)])
#: uint8     | t = mg.tensor([np.uint8(1)])
#: mixed     | t = mg.tensor([np.float64(1), 2.0])
#: mixed_int | t = mg.tensor([np.int32(1), 2])
#: complex   | t = mg.tensor([np.complex128(1)])
#: arrays    | t = mg.tensor([[np.int32(0)], [np.int16(0)]])
#: rows      | t = mg.tensor([[np.float16(0)], [1]])
#: tensors   | t = mg.tensor([mg.tensor(1, dtype=mg.int32), mg.tensor(2, dtype=mg.int32)])
#: promoted  | t = mg.tensor([mg.tensor(1.0, dtype=mg.float16), mg.tensor(1)])
#: as_tensor | t = mg.as_tensor([np.float64(0)])
#: wanted    | t = mg.tensor([np.float64(1)], dtype=mg.int32)
...

# %% strangers.modulo.$ | 05 | a number modulo a tensor has no derivative
#: operator | y = 5 % x
#: function | y = mg.remainder(5, x)
x = mg.tensor([2.0, 3.0], requires_grad=True)
...
print(y.grad_fn.name(), y.tolist())
y.sum().backward()

# %% strangers.out.$ | 01 | torch.matmul(out=)
#: matmul  | z = mg.matmul(m, m, out=mg.zeros(2, 2))
#: empty   | out = mg.empty(0); z = mg.matmul(m, m, out=out); print(z is out)
#: exp     | z = mg.exp(m, out=mg.zeros(2, 2)); print(z._version)
#: wider   | z = mg.add(mg.tensor([1, 2]), 1, out=mg.zeros(2))
#: lower   | z = mg.add(m, 1, out=mg.zeros(2, 2, dtype=mg.int64))
#: history | z = mg.add(r, 1, out=mg.zeros(2, 2))
#: leaf    | z = mg.add(m, 1, out=mg.zeros(2, 2, requires_grad=True))
#: no_grad | z = mg.no_grad()(lambda: mg.add(r, 1, out=mg.zeros(2, 2)))()
m, r = mg.tensor([[1.0, 2.0], [3.0, 4.0]]), mg.ones(2, 2, requires_grad=True)
...

# %% strangers.einsum.$ | 04 | torch.einsum with lists of subscripts
#: outer    | y = mg.einsum(x, [0], x, [1], [0, 1])
#: large    | y = mg.einsum(x, [52], x, [52])
x, m = mg.tensor([1.0, 2.0]), mg.tensor([[1.0, 2.0], [3.0, 4.0]])
...

# %% strangers.device.$ | 01 | torch.device
#: type    | d = mg.device(type="cpu"); print(d)
#: tensor  | d = mg.zeros(2, device="cpu:0").device; print(d, d == mg.device("cpu"))
#: to      | d = mg.zeros(2).to("cpu:0").device; print(d)
...

# %% strangers.post_hook.$ | 08 | torch tutorials: optimizer steps fused into backward
#: itself | hook = lambda p: p
#: step   | hook = mg.no_grad()(lambda p: p.add_(p.grad, alpha=-0.5))
#: other  | hook = lambda p: p.grad
v = mg.tensor([1.0, 2.0], requires_grad=True)
...
v.register_post_accumulate_grad_hook(hook)
(v * v).sum().backward()

# %% strangers.jvp.sum | 10 | torch.autograd.functional.jvp: the graph of the product
f = lambda x, y: ((x**2).sum(), y * x)
out, product = mg.autograd.functional.jvp(f, (mg.tensor([1.0, 2.0]), mg.tensor(2.0)),
                                          (mg.tensor([1.0, 0.0]), mg.tensor(1.0)), create_graph=True)
print(product)
del out, product

# %% strangers.pickle.$ | 15 | multiprocessing and checkpoints
#: module | kept = mg.nn.Sequential(mg.nn.Linear(2, 3), mg.nn.Tanh()).requires_grad_(False)
#: leaf   | kept = mg.tensor([1.0, 2.0], requires_grad=True)
#: result | kept = mg.tensor([1.0, 2.0], requires_grad=True) * 2
#: view   | kept = mg.arange(4.0)[1:3]
import pickle
...
again = pickle.loads(pickle.dumps(kept))
if isinstance(again, mg.nn.Module):
    print((again(mg.ones(1, 2)) == kept(mg.ones(1, 2))).all(), [type(p).__name__ for p in again.parameters()])
else:
    print(again, again.is_leaf)
del again

# %% strangers.nested.function | 08 | a backward pass inside of a backward pass, deep
class Deep(mg.autograd.Function):
    left = 400
    @staticmethod
    def forward(ctx, x):
        return x.clone()
    @staticmethod
    def backward(ctx, g):
        Deep.left -= 1
        if Deep.left:
            with mg.enable_grad():
                Deep.apply(mg.tensor([1.0], requires_grad=True)).sum().backward()
        return g
x = mg.tensor([1.0], requires_grad=True)
Deep.apply(x).sum().backward()
print(Deep.left)

# %% strangers.packing.$ | 13 | hooks on saved tensors, entered or left while a backward pass runs
#: entered  | act = pair.__enter__
log = []
pair = mg.autograd.graph.saved_tensors_hooks(lambda t: log.append("packed") or t, lambda t: t)
...
x = mg.tensor([2.0], requires_grad=True)
y = x * 2
y.register_hook(lambda g: act() and None)
y.sum().backward()
z = x * x
print(log)
with mg.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
    z = x * x

# %% strangers.packing.left | 13 | hooks on saved tensors, left while a backward pass runs
log = []
pair = mg.autograd.graph.saved_tensors_hooks(lambda t: log.append("packed") or t, lambda t: t)
pair.__enter__()
x = mg.tensor([2.0], requires_grad=True)
y = x * 2
y.register_hook(lambda g: pair.__exit__() and None)
y.sum().backward()
z = x * x
print(log)
pair.__exit__()
z = x * x
print(log)

# %% strangers.dual.tangent | 10 | make_dual of a tangent that is dual already
fwad = mg.autograd.forward_ad
with fwad.dual_level():
    t = fwad.make_dual(mg.tensor(1.0), mg.tensor(2.0))
    fwad.make_dual(mg.tensor(3.0), t)

# %% strangers.composed.$ | 15 | small operations, their values and gradients
#: clamp_min     | y = x.clamp_min(0.6)
#: clamp_max     | y = mg.clamp_max(x, 0.6)
#: addcdiv       | y = mg.addcdiv(x, w, w + 1, value=0.5)
#: hstack        | y = mg.hstack((x, w))
#: vstack        | y = mg.vstack((x, w))
#: ravel         | y = x.ravel()
#: tile          | y = x.tile(2)
#: interleave    | y = x.repeat_interleave(2)
#: scatter       | y = mg.scatter(x, 0, mg.tensor([2, 0]), w)
#: scatter_      | y = (x * 1).scatter_(0, mg.tensor([1]), 2.0)
#: index_copy_   | y = (x * 1).index_copy_(0, mg.tensor([1]), w[:1])
#: index_add_    | y = (x * 1).index_add_(0, mg.tensor([1, 1]), w[:2], alpha=2)
#: dist          | y = mg.dist(x, w)
#: cdist         | y = mg.cdist(x.view(3, 1), w.view(3, 1))
#: median        | y = mg.median(x)
#: inverse       | y = mg.inverse(mg.outer(x, w) + mg.eye(3))
#: relu6         | y = F.relu6(x * 5)
#: elu           | y = F.elu(-x, 0.5)
#: gelu          | y = F.gelu(x)
#: gelu_tanh     | y = F.gelu(x, approximate="tanh")
#: silu          | y = F.silu(x)
#: logsigmoid    | y = F.logsigmoid(x * 0)
#: normalize     | y = F.normalize(x, dim=0)
#: cosine        | y = F.cosine_similarity(x, w, dim=0)
#: embedding     | y = F.embedding(mg.tensor([0, 2, 2]), x.view(3, 1) * w, padding_idx=2)
#: layer_norm    | y = F.layer_norm(x, (3,), w) * w
#: batch_norm    | y = F.batch_norm(x.view(3, 1), None, None, training=True) * w
#: attention     | y = F.scaled_dot_product_attention(x.view(1, 3, 1), w.view(1, 3, 1), w.view(1, 3, 1), is_causal=True)
#: l1_loss       | y = F.l1_loss(x, w)
#: huber_loss    | y = F.huber_loss(x, w, delta=0.3)
#: smooth_l1     | y = F.smooth_l1_loss(x, w, beta=0.5)
#: kl_div        | y = F.kl_div(x.log_softmax(0), w.softmax(0), reduction="batchmean")
#: bce           | y = F.binary_cross_entropy(x / 4, w / 4)
#: bce_ends      | y = F.binary_cross_entropy(x.ceil() - x.ceil() * 0.5 - 0.5 + mg.tensor([0.0, 0.5, 0.0]), w / 4, reduction="sum")
F = mg.nn.functional
x = mg.tensor([0.25, 0.75, 1.5], requires_grad=True)
w = mg.tensor([1.25, 0.5, 0.75])
...
print([round(v, 4) for v in y.detach().reshape(-1).tolist()], tuple(y.shape))
g, = mg.autograd.grad((y * y).sum(), x)
print([round(v, 4) + 0.0 for v in g.tolist()])
del y, g

# %% strangers.counted.$ | 15 | small operations without a gradient
#: meshgrid | y = mg.meshgrid(mg.arange(2), mg.arange(3), indexing="xy")[0]
#: unique   | y = mg.unique(mg.tensor([3, 1, 3]), return_counts=True)[1]
#: inverse  | y = mg.unique(mg.tensor([[3, 1], [3, 2]]), return_inverse=True)[1]
#: histc    | y = mg.histc(mg.tensor([1.0, 2.0, 1.0]), bins=4, min=0, max=3)
#: bincount | y = mg.bincount(mg.tensor([0, 2, 2]), minlength=4)
#: one_hot  | y = mg.nn.functional.one_hot(mg.tensor([0, 2]), 4) + 0
#: real     | y = mg.real(mg.tensor([1 + 2j]))
#: imag     | y = mg.imag(mg.tensor([1 + 2j]))
#: pi       | y = mg.tensor([mg.pi, mg.e, mg.inf])
#: cpu      | y = mg.tensor([1.0]).cpu(); print(y.is_cuda, mg.cuda.is_available(), mg.cuda.device_count(), mg.get_default_device())
#: backends | y = mg.tensor([mg.backends.cudnn.deterministic, mg.backends.mps.is_available()])
...

# %% strangers.module.$ | 15 | modules: what they print, and their state
#: embedding  | m = mg.nn.Embedding(5, 2, padding_idx=0)
#: layer_norm | m = mg.nn.LayerNorm(3)
#: batch_norm | m = mg.nn.BatchNorm1d(3)
#: list       | m = mg.nn.ModuleList([mg.nn.Linear(1, 2), mg.nn.Identity()])
#: dict       | m = mg.nn.ModuleDict({"a": mg.nn.Linear(1, 2), "b": mg.nn.ELU(0.5)})
#: acts       | m = mg.nn.Sequential(mg.nn.Softmax(1), mg.nn.LogSoftmax(dim=1), mg.nn.LeakyReLU(0.2), mg.nn.GELU(), mg.nn.SiLU())
#: acts_more  | m = mg.nn.Sequential(mg.nn.ReLU6(), mg.nn.Softplus(), mg.nn.LogSigmoid(), mg.nn.Sigmoid(), mg.nn.ReLU(True))
#: losses     | m = mg.nn.Sequential(mg.nn.NLLLoss(), mg.nn.BCELoss(), mg.nn.BCEWithLogitsLoss(), mg.nn.SmoothL1Loss(), mg.nn.L1Loss())
mg.manual_seed(0)
...
print(m)
print({key: value.shape for key, value in m.state_dict().items()})

# %% strangers.ranges.$ | 05 | arange and linspace to the last bit, which shows where a number should be 0
#: tenths   | t = mg.arange(-1, 1, 0.1)
#: long     | t = mg.arange(-8.0, 8.0, 0.1)[70:90]
#: double   | t = mg.arange(-1, 1, 0.1, dtype=mg.float64)
#: back     | t = mg.arange(1, -1, -0.05)
#: linspace | t = mg.linspace(-1, 1, 21)
#: wide     | t = mg.linspace(-mg.pi, mg.pi, 2000)[995:1005]
#: twice    | t = mg.linspace(-1, 1, 21, dtype=mg.float64)
#: one      | t = mg.linspace(3, 4, 1)
...
print(t.tolist())
del t

# %% strangers.losses.$ | 15 | losses: their names in the graph, and the warning where shapes differ
#: smooth    | loss = F.smooth_l1_loss(x, y, beta=0.5)
#: huber     | loss = F.huber_loss(x, y, delta=0.7)
#: sum       | loss = F.huber_loss(x, y, reduction="sum")
#: l1        | loss = F.l1_loss(x, y)
#: cross     | loss = F.binary_cross_entropy(x.sigmoid(), (y > 0).float())
#: shapes    | loss = F.smooth_l1_loss(x, y[:1])
#: shapes_l1 | loss = F.l1_loss(x, y[:1])
#: negative  | loss = F.smooth_l1_loss(x, y, beta=-1.0)
#: zero      | loss = F.huber_loss(x, y, delta=0.0)
F = mg.nn.functional
x, y = mg.tensor([0.3, -2.0, 1.0], requires_grad=True), mg.tensor([0.5, 1.0, -1.0])
...
print(loss)
loss.backward()

# %% strangers.small.$ | 15 | small things that programs ask for
#: clip     | print(mg.clip(x, 2, 3), x.clip(min=3))
#: diagonal | y = x.clone(); print(y.fill_diagonal_(9.0) is y, y)
#: rank     | print(x.ndimension(), x.data_ptr() == x.view(-1).data_ptr(), x.clone().data_ptr() == x.data_ptr())
#: offset   | print(x[1].storage_offset(), x[:, 1:].storage_offset(), x.storage_offset(), x.t()[1, 1].storage_offset())
#: distance | print(F.pairwise_distance(x, x[:1]), F.pairwise_distance(x, x + 1, 3.0, keepdim=True))
#: device   | print(mg.set_default_device("cpu"), mg.set_default_device(None), mg.get_default_device())
#: hardtanh | z = x.clone().requires_grad_(); F.hardtanh(z - 2).sum().backward(); print(z.grad)
#: rows     | w = x.clone().requires_grad_(); e = F.embedding(mg.tensor([1, 1, 0]), w, padding_idx=0); print(e); e.sum().backward(); print(w.grad)
#: beyond   | F.embedding(mg.tensor([2]), x)
F = mg.nn.functional
x = mg.tensor([[1.0, 2.0], [3.0, 4.0]])
...

# %% strangers.layers.$ | 15 | modules: pools, embeddings that are given, first values anew
#: avg      | m = mg.nn.AvgPool2d(2); print(m, m(x))
#: max      | m = mg.nn.MaxPool2d(3, padding=1, stride=2); print(m, m(x))
#: given    | m = mg.nn.Embedding.from_pretrained(mg.eye(3)); print(m, m(mg.tensor([1])), m.weight.requires_grad)
#: learning | m = mg.nn.Embedding.from_pretrained(mg.eye(3), freeze=False, padding_idx=0); print(m, m.weight)
#: list     | m = mg.nn.ParameterList([mg.ones(2), mg.ones(2, 3)]); print(m, m[:1], m[-1])
#: path     | m = mg.nn.Sequential(mg.nn.Sequential(mg.nn.Hardtanh())); print(m.get_submodule("0.0"), m.get_submodule("") is m)
#: norm     | m = mg.nn.LayerNorm(2); m.weight.data.fill_(3.0); m.reset_parameters(); print(m.weight)
#: batch    | m = mg.nn.BatchNorm1d(2); m(x[0, 0, :, :2]); m.reset_parameters(); print(list(m.state_dict().values()))
#: child    | m = mg.nn.Sequential(1)
#: tensor   | m = mg.nn.Linear(2, 2); m.weight = mg.zeros(2, 2)
x = mg.arange(16.0).view(1, 1, 4, 4)
...

# %% strangers.anew | 15 | first values anew draw the same numbers
layers = mg.nn.Sequential(mg.nn.Linear(3, 2), mg.nn.Conv2d(1, 2, 2), mg.nn.Embedding(3, 2, padding_idx=1))
mg.manual_seed(0)
layers.apply(lambda layer: layer.reset_parameters() if hasattr(layer, "reset_parameters") else None)
print([p.tolist() for p in layers.parameters()])
del layers

# %% strangers.vector | 15 | all parameters in a vector, and back
layer = mg.nn.Linear(2, 1)
layer.load_state_dict({"weight": mg.tensor([[1.0, 2.0]]), "bias": mg.tensor([3.0])})
vector = mg.nn.utils.parameters_to_vector(layer.parameters())
print(vector)
mg.nn.utils.vector_to_parameters(mg.tensor([4.0, 5.0, 6.0]), layer.parameters())
print(layer.weight, layer.bias)
del layer

# %% strangers.milestones | 15 | a learning rate that falls at some epochs
w = mg.ones(1, requires_grad=True)
optimizer = mg.optim.SGD([w], lr=1.0)
schedule = mg.optim.lr_scheduler.MultiStepLR(optimizer, milestones=[1, 3, 3], gamma=0.5)
rates = []
for _ in range(5):
    (w * w).sum().backward()
    optimizer.step()
    schedule.step()
    rates += schedule.get_last_lr()
print(rates)
del optimizer, schedule

# %% strangers.smoothing.$ | 15 | smoothed labels with a weight for each class
#: mean | how = "mean"
#: sum  | how = "sum"
#: none | how = "none"
x, classes = mg.tensor([[0.3, -2.0, 1.0], [1.0, 0.0, 0.5], [0.1, 0.2, 0.3]], requires_grad=True), mg.tensor([1, 0, -100])
...
loss = mg.nn.functional.cross_entropy(x, classes, mg.tensor([1.0, 2.0, 0.5]), label_smoothing=0.1, reduction=how)
print([round(v, 5) for v in loss.view(-1).tolist()])
loss.sum().backward()
del loss
