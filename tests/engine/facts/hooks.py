# ruff: noqa
"""Facts, area hooks: looking at gradients on their way, changing them, and in what order all this happens."""
import numpy as np

import minigrad as mg

# %% hooks.tensor.sees_gradient | 13 | torch docs: register_hook
x = mg.tensor([1.0, 2.0], requires_grad=True)
h = x * 2
handle = h.register_hook(lambda g: print("hook", g))
(h * h).sum().backward()
print(type(handle).__name__)

# %% hooks.tensor.changes_gradient | 13 | torch docs: register_hook
# What the hook returns goes downstream.
x = mg.tensor([1.0, 2.0], requires_grad=True)
h = x * 2
h.register_hook(lambda g: g * 10)
h.sum().backward()

# %% hooks.tensor.returns_none | 13 | course 13.2
x = mg.tensor([1.0, 2.0], requires_grad=True)
h = x * 2
h.register_hook(lambda g: None)
h.sum().backward()

# %% hooks.tensor.leaf | 13 | torch docs: register_hook
x = mg.tensor([1.0, 2.0], requires_grad=True)
x.register_hook(lambda g: g * 10)
(x * 2).sum().backward()
(x * 2).sum().backward()

# %% hooks.tensor.remove | 13 | torch docs: register_hook
x = mg.tensor([1.0, 2.0], requires_grad=True)
handle = x.register_hook(lambda g: g * 10)
(x * 2).sum().backward()
handle.remove()
handle.remove()
(x * 2).sum().backward()

# %% hooks.tensor.leaf_keeps_gradient | 13 | course 13.2
# What a hook keeps is not written over by the next pass.
x, k, log = mg.tensor([1.0, 2.0], requires_grad=True), mg.tensor([3.0, 4.0]), []
x.register_hook(lambda g: log.append(g))
(x * k).sum().backward()
(x * k).sum().backward()
print(log)

# %% hooks.tensor.handle_is_context | 13 | torch docs: RemovableHandle
x = mg.tensor([1.0, 2.0], requires_grad=True)
with x.register_hook(lambda g: g * 10):
    (x * 2).sum().backward()
(x * 2).sum().backward()

# %% hooks.tensor.order | 13 | course 13.4
# Hooks run in the order of registration, each sees what the one before returned.
x = mg.tensor([1.0, 2.0], requires_grad=True)
h = x * 1
h.register_hook(lambda g: (print("first", g), g * 10)[1])
h.register_hook(lambda g: (print("second", g), g + 1)[1])
h.sum().backward()

# %% hooks.tensor.retain_grad_last | 13 | course 13.4
# retain_grad comes last, even when it was asked for first: 11, not 1 or 10.
x = mg.tensor([1.0, 2.0], requires_grad=True)
h = x * 1
h.retain_grad()
h.register_hook(lambda g: g * 10)
h.register_hook(lambda g: g + 1)
h.sum().backward()
print(h.grad)

# %% hooks.tensor.once_with_the_sum | 13 | course 13.3
# A tensor used twice: one call, with the sum.
x = mg.tensor(3.0, requires_grad=True)
h = x * 1
h.register_hook(lambda g: print("hook", g))
(h * 2 + h * 5).backward()

# %% hooks.tensor.leaf_once_per_backward | 13 | course 13.3
# A leaf used twice in one pass: one call as well.
x = mg.tensor(3.0, requires_grad=True)
x.register_hook(lambda g: print("hook", g))
(x * 2 + x * 5).backward()

# %% hooks.tensor.leaf_and_accumulation | 13 | course 13.3
# The leaf hook sees the gradient of this pass; the post-accumulate hook sees what .grad has become.
x = mg.tensor(1.0, requires_grad=True)
x.register_hook(lambda g: print("hook", g))
x.register_post_accumulate_grad_hook(lambda t: print("after", t.grad))
(x * 2).backward()
(x * 2).backward()

# %% hooks.tensor.root | 13 | course
x = mg.tensor(3.0, requires_grad=True)
y = x * x
y.register_hook(lambda g: (print("root", g), g * 5)[1])
y.backward()

# %% hooks.tensor.two_in_chain | 13 | course
x = mg.tensor(3.0, requires_grad=True)
a = x * 2
b = a * 3
a.register_hook(lambda g: print("a", g))
b.register_hook(lambda g: print("b", g))
x.register_hook(lambda g: print("x", g))
b.backward()

# %% hooks.tensor.grad_function | 13 | torch docs: register_hook
# autograd.grad runs them too.
x = mg.tensor(3.0, requires_grad=True)
x.register_hook(lambda g: g * 10)
g, = mg.autograd.grad(x * x, x)

# %% hooks.tensor.grad_of_nonleaf_with_hook | 13 | course
x = mg.tensor(3.0, requires_grad=True)
h = x * 2
h.register_hook(lambda g: g * 10)
g, = mg.autograd.grad(h * h, h)

# %% hooks.tensor.not_reached | 13 | course
x = mg.tensor(3.0, requires_grad=True)
h = x * 2
h.register_hook(lambda g: print("never"))
(x * 5).backward()

# %% hooks.tensor.same_twice | 13 | course
x = mg.tensor(3.0, requires_grad=True)
def double(g):
    return g * 2
x.register_hook(double)
x.register_hook(double)
(x * 1).backward()

# %% hooks.tensor.raises | 13 | course
# An error in a hook ends the pass, and comes out as it is.
x = mg.tensor(3.0, requires_grad=True)
h = x * 2
def bad(g):
    raise KeyError("from the hook")
h.register_hook(bad)
h.backward()

# %% hooks.tensor.in_place_change | 13 | course 13.2
# Changing the gradient in place instead of returning a new one works when the buffer is the gradient's own …
x = mg.tensor([1.0, 2.0], requires_grad=True)
h = x * 2
h.register_hook(lambda g: (g.mul_(10), None)[1])
(h * h).sum().backward()

# %% hooks.tensor.in_place_change_expanded | 13 | course 13.2
# … and is refused after a sum, whose gradient is one number read many times.
x = mg.tensor([1.0, 2.0], requires_grad=True)
h = x * 2
h.register_hook(lambda g: (g.mul_(10), None)[1])
h.sum().backward()

# %% hooks.tensor.create_graph | 09 13 | course
# With create_graph the hook's arithmetic is part of the graph.
x = mg.tensor(3.0, requires_grad=True)
h = x * x
h.register_hook(lambda g: (print(g.requires_grad), g * x)[1])
g, = mg.autograd.grad(h * h, x, create_graph=True)
k, = mg.autograd.grad(g, x)
print(g.item(), k.item())

# %% hooks.tensor.grad_mode_inside | 13 | course
x = mg.tensor(3.0, requires_grad=True)
x.register_hook(lambda g: print(mg.is_grad_enabled(), g.requires_grad, (x * 2).requires_grad))
(x * 2).backward()

# %% hooks.tensor.requires_grad_false | 13 | torch docs: register_hook
x = mg.tensor([1.0])
x.register_hook(lambda g: None)

# %% hooks.tensor.shape_changed | 13 | course 13.2
x = mg.tensor([1.0, 2.0], requires_grad=True)
h = x * 2
h.register_hook(lambda g: g.sum())
h.sum().backward()

# %% hooks.tensor.shape_transposed | 13 | course 13.2
x = mg.ones(2, 3, requires_grad=True)
h = x * 2
h.register_hook(lambda g: g.t())
h.sum().backward()

# %% hooks.tensor.dtype_changed | 13 | course 13.2
x = mg.tensor([1.0, 2.0], requires_grad=True)
h = x * 2
h.register_hook(lambda g: g.double())
h.sum().backward()

# %% hooks.tensor.type_wrong | 13 | course 13.2
x = mg.tensor([1.0, 2.0], requires_grad=True)
h = x * 2
h.register_hook(lambda g: 1.0)
h.sum().backward()

# %% hooks.tensor.not_callable | 13 | course
x = mg.tensor([1.0, 2.0], requires_grad=True)
x.register_hook(5)
(x * 2).sum().backward()

# %% hooks.tensor.hook_registered_after_use | 13 | course
# Hooks of a leaf belong to the leaf, not to one graph.
x = mg.tensor(3.0, requires_grad=True)
y = x * x
x.register_hook(lambda g: g * 10)
y.backward()

# %% hooks.tensor.in_place_moves_history | 13 | course
# Before the write: the old value's gradient; after it: the new one's.
x = mg.tensor([1.0, 2.0], requires_grad=True)
h = x * 2
h.register_hook(lambda g: print("before", g))
h.mul_(5)
h.register_hook(lambda g: print("after", g))
h.sum().backward()

# %% hooks.tensor.on_view | 13 | course
x = mg.tensor([1.0, 2.0], requires_grad=True)
v = (x * 2)[0]
v.register_hook(lambda g: print("view", g))
v.backward()

# %% hooks.post.leaf_only | 13 | torch docs: register_post_accumulate_grad_hook
x = mg.tensor([1.0], requires_grad=True)
(x * 2).register_post_accumulate_grad_hook(lambda t: None)

# %% hooks.post.plain | 13 | torch docs: register_post_accumulate_grad_hook
mg.tensor([1.0]).register_post_accumulate_grad_hook(lambda t: None)

# %% hooks.post.argument_is_tensor | 13 | torch docs: register_post_accumulate_grad_hook
x = mg.tensor([1.0], requires_grad=True)
x.register_post_accumulate_grad_hook(lambda t: print(t is x, t.grad))
(x * 2).backward()

# %% hooks.post.step_and_clear | 13 15 | tutorial: optimizer step in backward
# A whole training step inside backward.
w = mg.tensor([1.0, 2.0], requires_grad=True)
def step(t):
    with mg.no_grad():
        t -= 0.1 * t.grad
    t.grad = None
w.register_post_accumulate_grad_hook(step)
(w * w).sum().backward()

# %% hooks.post.returns_value | 13 | torch docs: register_post_accumulate_grad_hook
x = mg.tensor([1.0], requires_grad=True)
x.register_post_accumulate_grad_hook(lambda t: 5)
(x * 2).backward()

# %% hooks.post.order | 13 | course
x = mg.tensor([1.0], requires_grad=True)
x.register_post_accumulate_grad_hook(lambda t: print("one"))
x.register_post_accumulate_grad_hook(lambda t: print("two"))
x.register_hook(lambda g: print("leaf"))
(x * 2).backward()

# %% hooks.post.not_by_grad | 13 | course
# autograd.grad accumulates nothing, so nothing happens after accumulation.
x = mg.tensor([1.0], requires_grad=True)
x.register_post_accumulate_grad_hook(lambda t: print("never"))
g, = mg.autograd.grad(x * 2, x)

# %% hooks.post.with_inputs | 13 | course
x = mg.tensor([1.0], requires_grad=True)
w = mg.tensor([2.0], requires_grad=True)
x.register_post_accumulate_grad_hook(lambda t: print("x"))
w.register_post_accumulate_grad_hook(lambda t: print("w"))
(x * w).backward(inputs=[w])

# %% hooks.node.post | 13 | torch docs: Node.register_hook
x = mg.tensor(3.0, requires_grad=True)
y = x * x
y.grad_fn.register_hook(lambda gi, go: print("inputs", gi, "outputs", go))
y.backward()

# %% hooks.node.post_changes | 13 | torch docs: Node.register_hook
x = mg.tensor(3.0, requires_grad=True)
w = mg.tensor(4.0, requires_grad=True)
y = x * w
y.grad_fn.register_hook(lambda gi, go: (gi[0] * 10, gi[1]))
y.backward()

# %% hooks.node.post_constant_input | 13 | torch docs: Node.register_hook
x = mg.tensor(3.0, requires_grad=True)
y = x * 2
y.grad_fn.register_hook(lambda gi, go: print(gi, go))
y.backward()

# %% hooks.node.pre | 13 | torch docs: Node.register_prehook
x = mg.tensor(3.0, requires_grad=True)
y = x * x
y.grad_fn.register_prehook(lambda go: (print("pre", go), (go[0] * 10,))[1])
y.backward()

# %% hooks.node.remove | 13 | torch docs: Node.register_hook
x = mg.tensor(3.0, requires_grad=True)
y = x * x
handle = y.grad_fn.register_hook(lambda gi, go: print("never"))
handle.remove()
y.backward()

# %% hooks.node.accumulate | 13 | torch docs: Node.register_hook
# The leaf's own node can be hooked too; its input gradients are the empty tuple.
x = mg.tensor(3.0, requires_grad=True)
y = x * x
acc = y.grad_fn.next_functions[0][0]
acc.register_prehook(lambda go: print("pre", go))
acc.register_hook(lambda gi, go: print("post", gi, go, x.grad))
y.backward()
del acc

# %% hooks.node.order_all | 13 | torch docs: autograd mechanics, hooks
# Tensor pre-hooks, retain_grad, node pre-hooks, the node itself, node post-hooks.
x = mg.tensor(3.0, requires_grad=True)
y = x * x
y.grad_fn.register_hook(lambda gi, go: print("node post"))
y.grad_fn.register_prehook(lambda go: print("node pre"))
y.register_hook(lambda g: print("tensor"))
y.retain_grad()
x.register_hook(lambda g: print("leaf tensor", x.grad))
x.register_post_accumulate_grad_hook(lambda t: print("leaf post", t.grad))
y.backward()

# %% hooks.node.metadata | 13 | torch docs: Node.metadata
x = mg.tensor(3.0, requires_grad=True)
y = x * x
y.grad_fn.metadata["note"] = "mine"
print(y.grad_fn.metadata)

# %% hooks.order.newest_first | 02 13 | course
# Ready nodes run newest first: the order of creation decides, not the order in the expression.
x = mg.tensor(1.0, requires_grad=True)
a = x * 1
b = x * 2
c = x * 3
for name, t in zip("abc", (a, b, c)):
    t.register_hook(lambda g, name=name: print(name))
(a + c + b).backward()

# %% hooks.order.created_later | 02 13 | course
x = mg.tensor(1.0, requires_grad=True)
b = x * 2
a = x * 1
for name, t in (("a", a), ("b", b)):
    t.register_hook(lambda g, name=name: print(name))
(a + b).backward()

# %% hooks.order.leaves | 02 13 | course
# Leaves are served as soon as their gradient is complete.
a = mg.tensor(1.0, requires_grad=True)
b = mg.tensor(2.0, requires_grad=True)
c = mg.tensor(3.0, requires_grad=True)
for name, t in zip("abc", (a, b, c)):
    t.register_post_accumulate_grad_hook(lambda t, name=name: print(name, t.grad))
((a * b) * c).backward()

# %% hooks.order.leaf_between_nodes | 02 13 | course
a = mg.tensor(1.0, requires_grad=True)
b = mg.tensor(2.0, requires_grad=True)
h = a * 2
h.register_hook(lambda g: print("h"))
a.register_hook(lambda g: print("a"))
b.register_hook(lambda g: print("b"))
(h * b).backward()

# %% hooks.order.sum_of_leaves | 02 13 | course
xs = [mg.tensor(float(k), requires_grad=True) for k in range(4)]
for k, t in enumerate(xs):
    t.register_hook(lambda g, k=k: print(k))
(xs[3] + xs[1] + (xs[0] + xs[2])).backward()

# %% hooks.order.two_roots | 02 13 | course
x = mg.tensor(1.0, requires_grad=True)
a = x * 2
b = x * 3
a.register_hook(lambda g: print("a"))
b.register_hook(lambda g: print("b"))
mg.autograd.backward([a, b])

# %% hooks.retain.called_twice | 13 | torch docs: retain_grad
x = mg.tensor([1.0, 2.0], requires_grad=True)
h = x * 2
h.retain_grad()
h.retain_grad()
h.sum().backward()

# %% hooks.retain.is_gradient_passed_on | 13 | course
x = mg.tensor([1.0, 2.0], requires_grad=True)
h = x * 2
h.retain_grad()
seen = []
h.register_hook(lambda g: seen.append(g))
h.sum().backward()
print(mg.equal(seen[0], h.grad))
del seen

# %% hooks.leaf.hook_then_grad_none | 13 | course
x = mg.tensor([1.0, 2.0], requires_grad=True)
x.register_hook(lambda g: g * 0)
(x * 3).sum().backward()

# %% hooks.gradient_clipping | 13 | course 13.2
x = mg.tensor([3.0, 4.0], requires_grad=True)
h = x * 10
h.register_hook(lambda g: g / g.norm())
(h * h).sum().backward()

# %% hooks.post.returns.$ | 13 | torch docs: register_post_accumulate_grad_hook
#: tensor | hook = lambda t: t * 2
#: double | hook = lambda t: t.double()
#: sum | hook = lambda t: t.sum()
x = mg.tensor([1.0, 2.0], requires_grad=True)
...
x.register_post_accumulate_grad_hook(hook)
(x * 2).sum().backward()

# %% hooks.node.pre_returns.$ | 13 | torch docs: Node.register_prehook
#: number | hook = lambda go: (1.0,)
#: none | hook = lambda go: (None,)
#: double | hook = lambda go: (go[0].double(),)
#: sum | hook = lambda go: (go[0].sum(),)
x = mg.tensor([1.0, 2.0], requires_grad=True)
y = x * 3
...
y.grad_fn.register_prehook(hook)
y.sum().backward()

# %% hooks.node.post_returns.$ | 13 | torch docs: Node.register_hook
#: number | hook = lambda gi, go: (1.0, None)
#: none | hook = lambda gi, go: (None, None)
#: double | hook = lambda gi, go: (gi[0].double(), None)
#: sum | hook = lambda gi, go: (gi[0].sum(), None)
#: in_place_of_none | hook = lambda gi, go: (gi[0], mg.ones(2))
x = mg.tensor([1.0, 2.0], requires_grad=True)
y = x * 3
...
y.grad_fn.register_hook(hook)
y.sum().backward()

# %% hooks.root_that_leads_nowhere | 08 13 | random programs
# The hooks of the one output are called, whether it leads to the input or not; those of several are not.
x, w = mg.ones(2, requires_grad=True), mg.ones(2, requires_grad=True)
y, z = (x * 2).sum(), (x * 3).sum()
y.register_hook(lambda g: print("y", g))
z.register_hook(lambda g: print("z", g))
print(mg.autograd.grad(y, w, retain_graph=True, allow_unused=True))
print(mg.autograd.grad([y, z], w, allow_unused=True))

# %% hooks.retain_without_gradient | 13 14 | random programs
# An output that nobody used keeps no gradient.
x = mg.tensor([[1.0, 2.0], [3.0, 0.0]], requires_grad=True)
a, i = x.max(0)
b, c = x.unbind()
for t in (a, b, c):
    t.retain_grad()
(a + c).sum().backward()
print(a.grad, b.grad, c.grad)

# %% hooks.leaf_written | 06 11 | random programs
# A leaf that a recorded write has made a result: the hooks that it had as a leaf are called no more.
x = mg.ones(3).requires_grad_()
y = x + x
handle = x.register_hook(lambda g: print("hook", g))
x.requires_grad_(False)
x.add_(y, alpha=-1)
try:
    (y * y).sum().backward()
except RuntimeError as error:
    print(error)
handle.remove()
x.register_hook(lambda g: print("new hook", g))
x.sum().backward(inputs=[x])

# %% hooks.refused_twice | 06 11 | random programs
# A view that is ambiguous refuses its first hook. PyTorch has made the place for hooks by then, and takes the second.
x = mg.ones(1, 3).requires_grad_() * 1
with mg.inference_mode():
    v = x.squeeze()
x.mul_(0.5)
for number in (1, 2, 3):
    try:
        v.register_hook(lambda g: g * 2)
    except RuntimeError as error:
        print(number, error)

# %% hooks.gradient_requires_grad | 06 | random programs
# A gradient that requires grad says so inside, although nothing is recorded there.
class Twice(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
    @staticmethod
    def backward(ctx, g):
        print("backward", g.requires_grad, g.is_leaf, (g * 2).requires_grad)
        return g * 2
x = mg.ones(2, requires_grad=True)
v = mg.tensor([1.0, 3.0], requires_grad=True)
y = Twice.apply(x)
y.register_hook(lambda g: print("hook", g))
x.register_hook(lambda g: print("leaf", g))
y.backward(v, retain_graph=True)
print(x.grad, v.grad)
w = (v * 2)
y.backward(w, retain_graph=True)
print(x.grad)
a, b = mg.autograd.grad(y, (x, y), v)
print(a, b is v)
