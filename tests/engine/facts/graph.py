# ruff: noqa
"""Facts, area graph: nodes, gradient edges, saved-tensor hooks, and what else lives in `autograd.graph`."""
import numpy as np

import minigrad as mg

# %% graph.node.class | 01 | torch docs: autograd.graph.Node
x = mg.tensor(3.0, requires_grad=True)
y = x * x
print(isinstance(y.grad_fn, mg.autograd.graph.Node), isinstance(3, mg.autograd.graph.Node))
print(isinstance(y.grad_fn.next_functions[0][0], mg.autograd.graph.Node))

# %% graph.node.name | 01 | torch docs: Node.name
x = mg.tensor(3.0, requires_grad=True)
y = x * x
print(y.grad_fn.name(), type(y.grad_fn).__name__, y.grad_fn.next_functions[0][0].name(), type(y.grad_fn.next_functions[0][0]).__name__)

# %% graph.node.accumulate_variable | 01 | torch docs: autograd mechanics
x = mg.tensor(3.0, requires_grad=True)
acc = (x * 2).grad_fn.next_functions[0][0]
print(acc.variable is x, acc.next_functions)

# %% graph.node.accumulate_lives_with_graph | 01 | torch docs: autograd mechanics
# A leaf's node exists while some graph or name holds it.
x = mg.tensor(3.0, requires_grad=True)
y = x * 2
z = x.view_as(x)
print(y.grad_fn.next_functions[0][0] is z.grad_fn.next_functions[0][0])

# %% graph.saved_hooks.called | 07 | torch docs: saved_tensors_hooks
def pack(t):
    print("pack", t.tolist())
    return t
def unpack(t):
    print("unpack", t.tolist())
    return t
x = mg.tensor([1.0, 2.0], requires_grad=True)
with mg.autograd.graph.saved_tensors_hooks(pack, unpack):
    y = x * x
    z = y.sqrt()
z.sum().backward()

# %% graph.saved_hooks.change | 07 | torch docs: saved_tensors_hooks
# Whatever unpack gives back is what the rule sees.
x = mg.tensor([1.0, 2.0], requires_grad=True)
with mg.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t * 10):
    y = x * x
y.sum().backward()

# %% graph.saved_hooks.other_type | 07 | torch docs: saved_tensors_hooks
x = mg.tensor([1.0, 2.0], requires_grad=True)
with mg.autograd.graph.saved_tensors_hooks(lambda t: t.tolist(), lambda l: mg.tensor(l)):
    y = x.sin()
y.sum().backward()

# %% graph.saved_hooks.unpack_type | 07 | torch docs: saved_tensors_hooks
x = mg.tensor([1.0, 2.0], requires_grad=True)
with mg.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: 5):
    y = x.sin()
y.sum().backward()

# %% graph.saved_hooks.only_inside | 07 | torch docs: saved_tensors_hooks
x = mg.tensor([1.0, 2.0], requires_grad=True)
with mg.autograd.graph.saved_tensors_hooks(lambda t: (print("pack"), t)[1], lambda t: t):
    pass
y = x.sin()

# %% graph.saved_hooks.nested | 07 | torch docs: saved_tensors_hooks
# The innermost pair is used.
x = mg.tensor([1.0, 2.0], requires_grad=True)
with mg.autograd.graph.saved_tensors_hooks(lambda t: (print("outer"), t)[1], lambda t: t):
    with mg.autograd.graph.saved_tensors_hooks(lambda t: (print("inner"), t)[1], lambda t: t):
        y = x.sin()

# %% graph.saved_hooks.version_not_checked | 07 11 | torch docs: saved_tensors_hooks
# What a hook packed is its own affair: no version check.
x = mg.tensor([1.0, 2.0], requires_grad=True)
with mg.autograd.graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t):
    h = x * 1
    y = h.sin()
h.zero_()
y.sum().backward()

# %% graph.saved_hooks.in_place_in_pack | 07 | torch docs: saved_tensors_hooks
x = mg.tensor([1.0, 2.0], requires_grad=True)
h = x * 1
with mg.autograd.graph.saved_tensors_hooks(lambda t: t.mul_(2), lambda t: t):
    y = h.sin()

# %% graph.saved_hooks.read_attribute | 07 | torch docs: saved_tensors_hooks
x = mg.tensor([1.0, 2.0], requires_grad=True)
with mg.autograd.graph.saved_tensors_hooks(lambda t: t * 1, lambda t: (print("unpack"), t)[1]):
    y = x.sin()
print(y.grad_fn._saved_self)

# %% graph.saved_hooks.second_backward | 07 | torch docs: saved_tensors_hooks
x = mg.tensor([1.0, 2.0], requires_grad=True)
with mg.autograd.graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t):
    y = x.sin().sum()
y.backward()
y.backward()

# %% graph.saved_hooks.number_saved | 07 | torch docs: saved_tensors_hooks
# The 2 of 2 * x is no tensor of the user's: it does not go through the hooks.
x = mg.tensor([1.0, 2.0], requires_grad=True)
with mg.autograd.graph.saved_tensors_hooks(lambda t: (print("pack", t), t)[1], lambda t: t):
    y = 2 * x

# %% graph.saved_hooks.function | 07 14 | torch docs: saved_tensors_hooks
class Square(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return 2 * x * g
x = mg.tensor([1.0, 2.0], requires_grad=True)
with mg.autograd.graph.saved_tensors_hooks(lambda t: (print("pack", t.tolist()), t)[1], lambda t: (print("unpack"), t)[1]):
    y = Square.apply(x)
y.sum().backward()

# %% graph.saved_hooks.save_on_cpu | 07 | torch docs: save_on_cpu
x = mg.tensor([1.0, 2.0], requires_grad=True)
with mg.autograd.graph.saved_tensors_hooks(lambda t: t.numpy(force=True), lambda a: mg.from_numpy(a)):
    y = (x * x).exp()
y.sum().backward()

# %% graph.grad_fn_of_in_place_on_slice | 12 | course
x = mg.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x * 1
y[:2] = y[1:].clone()
print(y.grad_fn.name(), [n.name() if n else None for n, _ in y.grad_fn.next_functions])

# %% graph.leaf_walk | 01 | course 1.3
# All leaves below a result, each once.
def leaves(t):
    seen, stack, found = set(), [t.grad_fn], []
    while stack:
        node = stack.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if hasattr(node, "variable"):
            found.append(node.variable)
        stack.extend(n for n, _ in node.next_functions)
    return found
a = mg.tensor(1.0, requires_grad=True)
b = mg.tensor(2.0, requires_grad=True)
y = a * b + a.exp() * 3
print(sorted(t.item() for t in leaves(y)))

# %% graph.weakref | 07 | course 7
# The graph is freed by reference count, with no help of the collector.
import gc, weakref
gc.disable()
x = mg.tensor([1.0, 2.0], requires_grad=True)
y = (x * x).exp().sum()
r = weakref.ref(y)
del y
print(r() is None)
gc.enable()

# %% graph.grad_fn_identity | 01 | course
x = mg.tensor([1.0, 2.0], requires_grad=True)
y = x * x
n = y.grad_fn
y.add_(1)
print(n is y.grad_fn, y.grad_fn.next_functions[0][0] is n)
del n

# %% graph.saved_hooks.order | 07 | torch docs: saved_tensors_hooks
# By name, the result last.
x = mg.tensor([1.0, 2.0], requires_grad=True)
w = mg.tensor([3.0, 4.0], requires_grad=True)
log = []
with mg.autograd.graph.saved_tensors_hooks(lambda t: (log.append(t.tolist()), t)[1], lambda t: (log.append(t.tolist()), t)[1]):
    y = (x * w).sum() + (x / w).sum() + (x ** w).sum()
print(log)
log.clear()
y.backward()
print(log)
del log

# %% graph.saved_hooks.in_place | 07 11 | torch docs: saved_tensors_hooks
x = mg.tensor([1.0, 2.0], requires_grad=True)
h = x * 1
with mg.autograd.graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t):
    h.sqrt_()
    h[:1].mul_(x[1:])
h.sum().backward()

# %% graph.saved_hooks.pack_raises | 07 | torch docs: saved_tensors_hooks
def pack(t):
    raise KeyError("pack")
x = mg.tensor([1.0, 2.0], requires_grad=True)
with mg.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
    x.sin()

# %% graph.saved_hooks.double_backward | 07 09 | torch docs: saved_tensors_hooks
x = mg.tensor([1.0, 2.0], requires_grad=True)
with mg.autograd.graph.saved_tensors_hooks(lambda t: t.detach().clone(), lambda t: t):
    y = (x * x).sqrt()
g, = mg.autograd.grad((y ** 3).sum(), x, create_graph=True)
h, = mg.autograd.grad(g.sum(), x)
print(h)

# %% graph.edge.dict_of_inputs | 08 | torch docs: autograd.grad
x = mg.tensor(3.0, requires_grad=True)
w = mg.tensor(4.0, requires_grad=True)
print(mg.autograd.grad(x * w, {"x": x, "w": w}))
(x * w).backward(inputs={"w": w})

# %% graph.node.call.$ | 02 06 | torch: a node can be called
# By hand: no hooks, nothing is freed, nothing is brought to the shape of the input.
#: mul       | print((x * x).grad_fn(mg.ones(2)))
#: constant  | print((x * mg.ones(2)).grad_fn(mg.ones(2)))
#: one       | print(x.exp().grad_fn(mg.ones(2)))
#: none      | print((x * x).grad_fn(None))
#: broadcast | print((x + mg.ones(2, 2)).grad_fn(mg.ones(2, 2)))
#: views     | print(x.unbind(0)[0].grad_fn(mg.tensor(2.0), None))
#: slices    | w = mg.zeros(3); w[:2] = x; print(w.grad_fn(mg.ones(3)))
#: leaf      | acc = (x * x).grad_fn.next_functions[0][0]; print(acc(mg.ones(2)), acc(None), x.grad)
#: float64   | print((x * x).grad_fn(mg.ones(2, dtype=mg.float64)))
#: freed     | y = x.exp(); y.sum().backward(); y.grad_fn(mg.ones(2))
#: hooks     | y = x * 2; y.register_hook(print); y.retain_grad(); print(y.grad_fn(mg.ones(2)), y.grad)
x = mg.tensor([1.0, 2.0], requires_grad=True)
...

# %% graph.node.call_no_grad | 02 12 | torch: a node can be called
x = mg.tensor([1.0, 2.0], requires_grad=True)
y = x.exp()
with mg.no_grad():
    z = y.grad_fn(mg.ones(2))
w = y.grad_fn(mg.ones(2))

# %% graph.node.call_function | 02 13 | torch: a node can be called
class F(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
    @staticmethod
    def backward(ctx, g):
        return g * 2
F.apply(mg.ones(2, requires_grad=True)).grad_fn(mg.ones(2))

# %% graph.node.unwanted_result | 06 13 | random programs
# What a custom backward returns is checked also where nobody asked for it.
class F(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.sum()
    @staticmethod
    def backward(ctx, g):
        return g.expand(7)
y = F.apply(mg.ones(2, requires_grad=True))
(-y).backward(inputs=[y])
