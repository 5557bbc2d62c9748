# ruff: noqa
"""Facts, area nn: modules, losses, optimisers, saving and loading."""
import numpy as np

import minigrad as mg

# %% nn.linear.forward | 15 | torch docs: Linear
m = mg.nn.Linear(2, 3)
print(m, m.weight.shape, m.bias.shape, m.weight.requires_grad, m.in_features, m.out_features)
with mg.no_grad():
    m.weight.copy_(mg.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]))
    m.bias.copy_(mg.tensor([0.1, 0.2, 0.3]))
y = m(mg.tensor([[1.0, -1.0]]))
print(y)
y.sum().backward()
print(m.weight.grad, m.bias.grad)

# %% nn.linear.no_bias | 15 | torch docs: Linear
m = mg.nn.Linear(2, 3, bias=False)
print(m, m.bias, len(list(m.parameters())))

# %% nn.linear.initial_range | 15 | torch docs: Linear
# Uniform in ±1/√in_features.
m = mg.nn.Linear(100, 50)
print(bool((m.weight.abs() <= 0.1).all()), bool((m.weight.abs() > 0.09).any()), bool((m.bias.abs() <= 0.1).all()))
del m

# %% nn.sequential | 15 | torch docs: Sequential
m = mg.nn.Sequential(mg.nn.Linear(2, 3), mg.nn.ReLU(), mg.nn.Linear(3, 1))
print(m)
print([name for name, _ in m.named_parameters()], len(m), m[1], m(mg.ones(4, 2)).shape)

# %% nn.module.custom | 15 | torch docs: Module
class Net(mg.nn.Module):
    def __init__(self):
        super().__init__()
        self.a = mg.nn.Linear(2, 2)
        self.scale = mg.nn.Parameter(mg.tensor(3.0))
        self.plain = mg.tensor(5.0)
    def forward(self, x):
        return self.a(x) * self.scale
net = Net()
print(net)
print([(n, tuple(p.shape)) for n, p in net.named_parameters()])
print(net(mg.ones(1, 2)).shape, net.training)

# %% nn.module.train_eval | 15 | torch docs: Module
m = mg.nn.Sequential(mg.nn.Dropout(0.5), mg.nn.Linear(2, 2))
print(m.training, m[0].training)
m.eval()
print(m.training, m[0].training)
m.train()
print(m[0].training)

# %% nn.module.zero_grad | 06 15 | torch docs: Module
m = mg.nn.Linear(2, 1)
m(mg.ones(1, 2)).sum().backward()
print(m.weight.grad)
m.zero_grad()
print(m.weight.grad)
m(mg.ones(1, 2)).sum().backward()
m.zero_grad(set_to_none=False)
print(m.weight.grad)

# %% nn.module.requires_grad_ | 01 15 | torch docs: Module
m = mg.nn.Linear(2, 1)
m.requires_grad_(False)
print([p.requires_grad for p in m.parameters()], m(mg.ones(1, 2)).requires_grad)

# %% nn.module.state_dict | 15 | torch docs: Module
m = mg.nn.Linear(2, 1)
with mg.no_grad():
    m.weight.fill_(2.0)
    m.bias.fill_(1.0)
print(type(m.state_dict()).__name__, dict(m.state_dict()))
other = mg.nn.Linear(2, 1)
print(other.load_state_dict(m.state_dict()))
print(other.weight)

# %% nn.module.load_state_dict_missing | 15 | torch docs: Module
m = mg.nn.Linear(2, 1)
m.load_state_dict({"weight": mg.zeros(1, 2)})

# %% nn.module.load_state_dict_shape | 15 | torch docs: Module
m = mg.nn.Linear(2, 1)
m.load_state_dict({"weight": mg.zeros(1, 3), "bias": mg.zeros(1)})

# %% nn.module.no_forward | 15 | torch docs: Module
class Net(mg.nn.Module):
    pass
Net()(mg.ones(1))

# %% nn.module.parameter_before_init | 15 | torch docs: Module
class Net(mg.nn.Module):
    def __init__(self):
        self.w = mg.nn.Parameter(mg.ones(1))
Net()

# %% nn.module.unknown_attribute | 15 | torch docs: Module
mg.nn.Linear(1, 1).weights

# %% nn.module.children | 15 | torch docs: Module
m = mg.nn.Sequential(mg.nn.Linear(1, 2), mg.nn.Sequential(mg.nn.Tanh(), mg.nn.Sigmoid()))
print([type(c).__name__ for c in m.children()], [type(c).__name__ for c in m.modules()], [n for n, _ in m.named_modules()])

# %% nn.parameter | 15 | torch docs: Parameter
p = mg.nn.Parameter(mg.tensor([1.0, 2.0]))
print(p, p.is_leaf, p.requires_grad, isinstance(p, mg.Tensor), isinstance(p.data, mg.nn.Parameter))

# %% nn.parameter.of_int | 15 | torch docs: Parameter
mg.nn.Parameter(mg.tensor([1, 2]))

# %% nn.parameter.of_nonleaf | 15 | torch docs: Parameter
# A Parameter is a leaf, whatever it was made of.
x = mg.tensor([1.0], requires_grad=True)
p = mg.nn.Parameter(x * 2)
print(p.is_leaf, p.grad_fn)

# %% nn.conv2d | 14 15 | torch docs: Conv2d
m = mg.nn.Conv2d(2, 3, kernel_size=(3, 2), stride=2, padding=1)
print(m, m.weight.shape, m.bias.shape, m(mg.zeros(1, 2, 6, 5)).shape)

# %% nn.layers | 15 | torch docs: nn
print(mg.nn.Flatten()(mg.zeros(2, 3, 4)).shape, mg.nn.MaxPool2d(2)(mg.zeros(1, 1, 4, 6)).shape)
print(mg.nn.ReLU(), mg.nn.Tanh(), mg.nn.Sigmoid(), mg.nn.Flatten(), mg.nn.MaxPool2d(2), mg.nn.Dropout(0.25), mg.nn.MSELoss(), mg.nn.CrossEntropyLoss())

# %% nn.dropout | 15 | torch docs: dropout
# Kept values are scaled by 1/(1-p), the others are 0; the same mask in backward.
x = mg.ones(1000, requires_grad=True)
y = mg.nn.functional.dropout(x, 0.5)
print(sorted(set(y.tolist())), 400 < (y > 0).sum().item() < 600)
y.sum().backward()
print(mg.equal(x.grad, y.detach()))
del x, y

# %% nn.functional.$ | 14 15 | torch docs: nn.functional
#: relu | y = F.relu(x)
#: leaky_relu | y = F.leaky_relu(x, 0.1)
#: softplus | y = F.softplus(x)
#: softplus_beta | y = F.softplus(x, beta=2, threshold=3)
#: sigmoid | y = F.sigmoid(x)
#: tanh | y = F.tanh(x)
#: softmax | y = F.softmax(x, dim=1)
#: log_softmax | y = F.log_softmax(x, dim=0)
#: mse | y = F.mse_loss(x, x.detach() + 1)
#: mse_sum | y = F.mse_loss(x, x.detach() * 2, reduction="sum")
#: mse_none | y = F.mse_loss(x, mg.zeros(2, 3), reduction="none")
#: cross_entropy | y = F.cross_entropy(x, mg.tensor([2, 0]))
#: cross_entropy_sum | y = F.cross_entropy(x, mg.tensor([2, 0]), reduction="sum")
#: cross_entropy_weight | y = F.cross_entropy(x, mg.tensor([2, 0]), weight=mg.tensor([1.0, 2.0, 3.0]))
#: cross_entropy_ignore | y = F.cross_entropy(x, mg.tensor([2, -100]))
#: nll | y = F.nll_loss(x, mg.tensor([2, 0]))
#: nll_none | y = F.nll_loss(x, mg.tensor([2, 0]), reduction="none")
#: bce | y = F.binary_cross_entropy_with_logits(x, mg.tensor([[0.0, 1.0, 0.5], [1.0, 1.0, 0.0]]))
#: linear | y = F.linear(x, mg.tensor([[1.0, 2.0, 3.0]]), mg.tensor([0.5]))
#: pad | y = F.pad(x, (1, 2))
#: pad_two | y = F.pad(x, (1, 0, 0, 1), value=7.0)
#: pad_negative | y = F.pad(x, (-1, 0))
F = mg.nn.functional
x = mg.tensor([[0.5, -1.0, 2.0], [1.5, 0.25, -0.75]], requires_grad=True)
...
(y * mg.arange(1.0, y.numel() + 1).view(y.shape)).sum().backward()

# %% nn.conv.$ | 14 15 | torch docs: nn.functional
#: plain | y = F.conv2d(x, k)
#: bias | y = F.conv2d(x, k, mg.tensor([0.5, -0.5]))
#: stride | y = F.conv2d(x, k, stride=2)
#: padding | y = F.conv2d(x, k, padding=1)
#: dilation | y = F.conv2d(x, k, dilation=2, padding=1)
#: groups | y = F.conv2d(mg.cat([x, x * 2], 1), k, groups=2)
#: stride_pair | y = F.conv2d(x, k, stride=(2, 1), padding=(0, 1))
#: unbatched | y = F.conv2d(x[0], k)
#: transpose | y = F.conv_transpose2d(x, k.transpose(0, 1))
#: transpose_stride | y = F.conv_transpose2d(x, k.transpose(0, 1), stride=2, padding=1)
#: transpose_output_padding | y = F.conv_transpose2d(x, k.transpose(0, 1), stride=2, output_padding=1)
#: transpose_dilation | y = F.conv_transpose2d(x, k.transpose(0, 1), dilation=2)
#: max_pool | y = F.max_pool2d(x, 2)
#: max_pool_stride | y = F.max_pool2d(x, 2, stride=1)
#: max_pool_padding | y = F.max_pool2d(x, 3, stride=2, padding=1)
#: max_pool_ceil | y = F.max_pool2d(x, 2, ceil_mode=True)
#: max_pool_dilation | y = F.max_pool2d(x, 2, stride=1, dilation=2)
F = mg.nn.functional
x = mg.tensor([[[[0.5, -1.0, 2.0, 0.0], [1.5, 0.25, -0.75, 1.0], [3.0, 0.1, 0.2, -2.0]]]], requires_grad=True)
k = mg.tensor([[[[1.0, -1.0], [0.5, 2.0]]], [[[0.0, 1.0], [-0.5, 0.25]]]], requires_grad=True)
...
(y * mg.arange(1.0, y.numel() + 1).view(y.shape)).sum().backward()

# %% nn.clip_grad_norm | 13 15 | torch docs: clip_grad_norm_
w = mg.tensor([3.0, 4.0], requires_grad=True)
b = mg.tensor(0.0, requires_grad=True)
((w * w).sum() / 2 + 12 * b).backward()
print(mg.nn.utils.clip_grad_norm_([w, b], 1.0))

# %% nn.clip_grad_norm.small | 13 15 | torch docs: clip_grad_norm_
# Smaller than the limit: nothing changes.
w = mg.tensor([0.3, 0.4], requires_grad=True)
((w * w).sum() / 2).backward()
print(mg.nn.utils.clip_grad_norm_([w], 1.0))

# %% nn.clip_grad_norm.inf | 13 15 | torch docs: clip_grad_norm_
w = mg.tensor([3.0, 4.0], requires_grad=True)
((w * w).sum() / 2).backward()
print(mg.nn.utils.clip_grad_norm_(w, 1.0, norm_type=float("inf")))

# %% nn.optim.$ | 15 | torch docs: optim
# Five steps on a bowl, in float64.
#: sgd | opt = mg.optim.SGD([w], lr=0.1)
#: sgd_momentum | opt = mg.optim.SGD([w], lr=0.1, momentum=0.9)
#: sgd_nesterov | opt = mg.optim.SGD([w], lr=0.1, momentum=0.9, nesterov=True)
#: sgd_weight_decay | opt = mg.optim.SGD([w], lr=0.1, weight_decay=0.5)
#: adam | opt = mg.optim.Adam([w], lr=0.1)
#: adam_betas | opt = mg.optim.Adam([w], lr=0.1, betas=(0.5, 0.9), eps=1e-3)
#: adam_weight_decay | opt = mg.optim.Adam([w], lr=0.1, weight_decay=0.5)
#: adamw | opt = mg.optim.AdamW([w], lr=0.1)
#: adamw_weight_decay | opt = mg.optim.AdamW([w], lr=0.1, weight_decay=0.5)
w = mg.tensor([1.0, -2.0, 3.0], dtype=mg.float64, requires_grad=True)
...
for step in range(5):
    opt.zero_grad()
    (w ** 2 * mg.tensor([1.0, 0.5, 0.1])).sum().backward()
    opt.step()
    print(" ".join(f"{v:.10f}" for v in w.tolist()))
w = w.detach()

# %% nn.optim_first_step_is_lr | 15 | course 15.3
# Adam's first step has length lr, whatever the scale of the loss.
for scale in (1e-3, 1.0, 1e3):
    w = mg.tensor([1.0], dtype=mg.float64, requires_grad=True)
    opt = mg.optim.Adam([w], lr=0.1)
    (w * scale).sum().backward()
    opt.step()
    print(f"{1 - w.item():.6f}")

# %% nn.optim_zero_dim | 15 | gallery: the law of motion
# A parameter without dimensions beside one with them.
for kind in (mg.optim.SGD, mg.optim.Adam, mg.optim.AdamW, mg.optim.RMSprop, mg.optim.Adagrad):
    k, w = mg.tensor(1.0, dtype=mg.float64, requires_grad=True), mg.tensor([1.0, 2.0], requires_grad=True)
    optimizer = kind([k, w], lr=0.1)
    for _ in range(2):
        optimizer.zero_grad()
        (k * k + (w * k).sum()).backward()
        optimizer.step()
    print(k.detach(), w.detach())

# %% nn.optim_zero_grad | 06 15 | torch docs: zero_grad
w = mg.tensor([1.0], requires_grad=True)
opt = mg.optim.SGD([w], lr=0.1)
(w * 2).backward()
opt.zero_grad()
print(w.grad)
(w * 2).backward()
opt.zero_grad(set_to_none=False)
print(w.grad)

# %% nn.optim_skips_none | 06 15 | torch docs: optim
# A parameter without a gradient is not touched; one with gradient 0 is, when momentum remembers.
w = mg.tensor([1.0], requires_grad=True)
v = mg.tensor([1.0], requires_grad=True)
opt = mg.optim.SGD([w, v], lr=0.1, momentum=0.9)
(w * 2 + v).backward()
opt.step()
w.grad = None
v.grad.zero_()
opt.step()

# %% nn.optim_groups | 15 | torch docs: optim
w = mg.tensor([1.0], requires_grad=True)
v = mg.tensor([1.0], requires_grad=True)
opt = mg.optim.SGD([{"params": [w]}, {"params": [v], "lr": 1.0}], lr=0.1)
(w + v).backward()
opt.step()
print([g["lr"] for g in opt.param_groups])
opt.param_groups[0]["lr"] = 0.5
opt.step()

# %% nn.optim_step_is_no_grad | 11 15 | torch docs: optim
w = mg.tensor([1.0, 2.0], requires_grad=True)
opt = mg.optim.SGD([w], lr=0.5)
(w * w).sum().backward()
opt.step()
print(w.is_leaf, w.grad)

# %% nn.optim_closure | 15 | torch docs: optim
w = mg.tensor([1.0], requires_grad=True)
opt = mg.optim.SGD([w], lr=0.1)
def closure():
    opt.zero_grad()
    loss = (w * w).sum()
    loss.backward()
    return loss
print(opt.step(closure))

# %% nn.optim_error.$ | 15 | torch docs: optim
#: empty | mg.optim.SGD([], lr=0.1)
#: tensor | mg.optim.SGD(mg.zeros(1, requires_grad=True), lr=0.1)
#: nonleaf | mg.optim.SGD([mg.zeros(1, requires_grad=True) * 2], lr=0.1)
#: negative_lr | mg.optim.SGD([mg.zeros(1, requires_grad=True)], lr=-0.1)
#: negative_lr_adam | mg.optim.Adam([mg.zeros(1, requires_grad=True)], lr=-0.1)
#: betas | mg.optim.Adam([mg.zeros(1, requires_grad=True)], betas=(1.0, 0.9))
#: nesterov | mg.optim.SGD([mg.zeros(1, requires_grad=True)], lr=0.1, nesterov=True)
#: momentum | mg.optim.SGD([mg.zeros(1, requires_grad=True)], lr=0.1, momentum=-1)
#: type | mg.optim.SGD([1.0], lr=0.1)
#: twice | w = mg.zeros(1, requires_grad=True); mg.optim.SGD([{"params": [w]}, {"params": [w]}], lr=0.1)
...

# %% nn.save_load.state_dict | 15 | torch docs: save
import os, tempfile
path = os.path.join(tempfile.mkdtemp(), "m.pt")
m = mg.nn.Linear(2, 1)
mg.save(m.state_dict(), path)
n = mg.nn.Linear(2, 1)
print(n.load_state_dict(mg.load(path)), mg.equal(m.weight, n.weight))

# %% nn.training_loop | 15 | tutorial: training loop
# Linear regression, the five steps in their order.
w = mg.nn.Linear(1, 1).double()
with mg.no_grad():
    w.weight.zero_()
    w.bias.zero_()
x = mg.tensor([[1.0], [2.0], [3.0], [4.0]], dtype=mg.float64)
t = 2 * x + 1
opt = mg.optim.SGD(w.parameters(), lr=0.05)
for epoch in range(5):
    opt.zero_grad()
    loss = mg.nn.MSELoss()(w(x), t)
    loss.backward()
    opt.step()
    print(f"{loss.item():.6f}")
del x, t, loss

# %% nn.mse_number_of_another_dtype | 15 | torch docs: mse_loss
x = mg.tensor([1.0, 2.0], requires_grad=True)
y = mg.nn.functional.mse_loss(x, mg.tensor(0.0, dtype=mg.float64))
y.backward()

# %% nn.names.$ | 15 | torch docs: Module
m = mg.nn.Linear(2, 1)
#: taken    | m.register_buffer("weight", mg.ones(2))
#: again    | m.register_parameter("weight", None); print(m.weight)
#: both     | m.load_state_dict({"a": mg.ones(2), "weight": mg.ones(2, 2)})
...

# %% nn.settings.$ | 15 | torch docs: nn, optim
#: sgd | print(mg.optim.SGD([w], lr=0.1), mg.optim.SGD([w]).defaults)
#: adam | print(mg.optim.Adam([w]), mg.optim.Adam([w]).state_dict())
#: adamw | print(mg.optim.AdamW([w], lr=mg.tensor(0.1)))
#: two_groups | print(mg.optim.SGD([{"params": [w], "lr": 1}, {"params": v}], lr=0.1), mg.optim.SGD([w]).param_groups[0].keys())
#: maximize | o = mg.optim.SGD([w], lr=0.1, maximize=True); (w * w).sum().backward(); o.step(); print(o.state_dict())
#: maximize_adam | o = mg.optim.Adam([w], lr=0.1, maximize=True); (w * w).sum().backward(); o.step(); print(len(o.state))
#: decoupled | o = mg.optim.Adam([w], weight_decay=0.5, decoupled_weight_decay=True); (w * w).sum().backward(); o.step()
#: tensor_lr | o = mg.optim.SGD([w], lr=mg.tensor(0.1), momentum=0.9); (w * w).sum().backward(); o.step()
#: option | mg.optim.SGD([w], foo=1)
#: twice_in_one | mg.optim.SGD([w, w])
#: clip | w.grad = mg.tensor([3.0, 4.0]); r = mg.nn.utils.clip_grad_norm_(w, "1", "inf", foreach=False)
#: keep_vars | m = mg.nn.Linear(1, 1); print(m.state_dict(keep_vars=True)["weight"] is m.weight, list(m.state_dict(destination={}, prefix="a.")))
#: not_saved | m = mg.nn.Module(); m.register_buffer("b", w, persistent=False); print(m.state_dict(), dict(m.named_buffers()).keys())
#: taken | m = mg.nn.Linear(1, 1); m.add_module("weight", mg.nn.ReLU())
#: buffer | m = mg.nn.Module(); m.register_buffer("b", w); m.b = 1
#: to | print(mg.nn.Linear(1, 1).to(device="cpu", dtype=mg.float64).weight.dtype, mg.nn.Linear(1, 1).to(w.double()).weight.dtype)
#: shared | m = mg.nn.Sequential(mg.nn.ReLU()); m.append(m[0]); print([n for n, _ in m.named_modules()], [n for n, _ in m.named_modules(remove_duplicate=False)], m)
#: indices | r, q = mg.nn.MaxPool2d(2, return_indices=True)(mg.arange(16.0).reshape(1, 1, 4, 4))
#: nothing | mg.nn.Linear(2, 0)
#: saved_names | print([name for name in dir((w * w).grad_fn) if name.startswith("_saved_")])
w, v = mg.tensor([1.0, 2.0], requires_grad=True), mg.tensor([3.0], requires_grad=True)
...

# %% nn.refused.$ | 06 15 | torch docs: nn, optim
#: forgotten   | type("M", (mg.nn.Module,), {"__init__": lambda self: None})().parameters().__next__()
#: negative    | mg.nn.Linear(-1, 3)
#: rows        | mg.nn.Linear(2, -3)
#: pad         | mg.nn.functional.pad(w, (1, 1), "foo")
#: step        | mg.optim.Optimizer([w], {}).step()
#: own         | type("Own", (mg.optim.Optimizer,), {})([w], {}).step()
#: lr          | mg.optim.SGD([w], lr="a")
#: adam_lr     | mg.optim.Adam([w], lr="a")
#: adam_nan    | mg.optim.Adam([w], lr=float("nan"))
#: one_beta    | mg.optim.Adam([w], betas=0.9)
#: list_betas  | print(mg.optim.Adam([w], betas=[0.9, 0.99]).defaults["betas"])
w = mg.ones(2, requires_grad=True)
...

# %% nn.loss_given_tensors | 15 | torch docs: MSELoss
# The loss is made first and called then.
mg.nn.MSELoss(mg.ones(2), mg.zeros(2))

# %% nn.image_loss | 15 | torch docs
F = mg.nn.functional
x = (mg.arange(24.0).view(2, 3, 2, 2) * 0.7).sin().requires_grad_()
target = mg.tensor([[[0, 1], [2, 2]], [[1, 1], [0, -100]]])
for reduction in ("mean", "sum", "none"):
    g, = mg.autograd.grad(F.cross_entropy(x, target, reduction=reduction).sum(), x)
    print(g + 0)
del F, x, g

# %% nn.clip_grad_value | 15 | torch docs: clip_grad_value_
w, v = mg.tensor([3.0, -0.2, -9.0], requires_grad=True), mg.tensor(1.0, requires_grad=True)
(w * w).sum().backward()
print(mg.nn.utils.clip_grad_value_([w, v], 1), w.grad, v.grad)
mg.nn.utils.clip_grad_value_(w, 0.3)
print(w.grad)

# %% nn.recorded_gradient | 09 15 | torch docs: Tensor.backward
# A gradient that is recorded is a copy into new memory.
w = mg.tensor([1.0, 2.0], requires_grad=True)
(w**3).sum().backward(create_graph=True)
print(w.grad, w.grad._version, w.grad.grad_fn.name(), w.grad.grad_fn.next_functions[0][0])

# %% nn.loader_without_batches | 15 | torch docs: DataLoader
for data in ([(1, "a", {"b": (2.0,)})], [np.ones(2)], ["ab"]):
    print(list(mg.utils.data.DataLoader(data, batch_size=None)))
del data
