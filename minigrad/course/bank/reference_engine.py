# The reference engine of the capstone: what chapter 16 leads to, green on all facts of M1 to M7. It runs as it stands.
#
# A line of dashes begins a section. The solutions of chapter 16 show these sections, and put its engines together from
# them; what an earlier milestone had in place of one of them stands in reference_steps.py.
#
# ruff: noqa: B018
# mypy: ignore-errors

# --- head: what it needs ------------------------------------------------------------------------------------

"""A small engine for automatic differentiation."""

import heapq
import itertools

import numpy as np

# --- modes: recording on and off (M1) -----------------------------------------------------------------------


class no_grad:
    """Inside of it nothing is recorded. What was the case before is the case again after it."""

    recording = True
    inside = False

    def __enter__(self):
        self.before = no_grad.recording
        no_grad.recording = self.inside

    def __exit__(self, *error):
        no_grad.recording = self.before


# --- values_with_memory: tensors, and the memory that they share (M1, M6) -----------------------------------


class Memory:
    """What tensors that look at the same numbers share: the count of writes."""

    version = 0


class Tensor:
    """A window on some memory, and how its numbers came about."""

    def __init__(self, array, requires_grad=False, node=None, memory=None):
        self.array, self._requires_grad, self._node = array, requires_grad, node
        self.memory = memory or Memory()
        self.base = self.window = self.base_node = None  # of a view: base[window], as the base was then
        self.grad = self.sink = None

    @property
    def node(self):
        """How the numbers came about. A view of a base with a new history looks once more."""
        if self.base is not None and self.base.node is not self.base_node:
            with enable_grad():
                again = self.window(self.base)
            self._node, self._requires_grad = again._node, again._requires_grad
            self.base_node = self.base.node
        return self._node

    @node.setter
    def node(self, node):
        self._node = node

    def as_saved(self):
        """The same numbers with the history of today, whatever is written into the tensor later."""
        if self.is_leaf and self.requires_grad:
            return self
        return Tensor(self.array, self.requires_grad, self.node, self.memory)

    def numpy(self):
        return self.array.copy()


def tensor(data, requires_grad=False):
    return Tensor(np.array(data, dtype=np.float64), requires_grad)


def as_tensor(x):
    return x if isinstance(x, Tensor) else tensor(x)


# --- graph_with_versions: nodes, and what they save (M1, M6) ------------------------------------------------


class Node:
    """One operation: its rule, what the rule needs, and where its messages go."""

    numbers = itertools.count()

    def __init__(self, rule, inputs, saved=()):
        self.rule, self.hooks = rule, {}
        self.parents = [edge(t) for t in inputs]
        self.shapes = [t.array.shape for t in inputs]
        self.number = next(Node.numbers)  # after the parents: whoever is newer fires earlier
        self.save(saved)

    def save(self, tensors):
        self.saved = [t and t.as_saved() for t in tensors]
        self.versions = [t and t.memory.version for t in tensors]

    def messages(self, g):
        if self.saved is None:
            raise RuntimeError("Trying to go backward through the graph a second time: its saved values are freed")
        for t, version in zip(self.saved, self.versions, strict=True):
            if t is not None and t.memory.version != version:
                raise RuntimeError(
                    "a value needed for the gradient was modified by an inplace operation: "
                    f"it is at version {t.memory.version}, and version {version} was saved"
                )
        return self.rule(g, *self.saved)


class Sink(Node):
    """Where the way ends: the gradient of a leaf."""

    def __init__(self, leaf):
        super().__init__(lambda g: (), ())
        self.leaf = leaf


def edge(t):
    """Where the gradient of a tensor goes; None for a constant."""
    node = t.node  # a view may have to look again first
    if t.requires_grad and node is None:
        t.sink = t.sink or Sink(t)
    return (node or t.sink) if t.requires_grad else None


def record(array, rule, inputs, saved=(), save_output=False):
    out = Tensor(np.asarray(array))
    if no_grad.recording and any(t.requires_grad for t in inputs):
        node = Node(rule, inputs, saved)
        out.requires_grad, out.node = True, node
        if save_output:
            node.save([out])
    return out


# --- walk_with_shapes: backward, node by node (M1, M2, M4) --------------------------------------------------


def unbroadcast(g, shape):
    """Undo a broadcast: what was copied forward is added up backward."""
    if g.shape == shape:
        return g
    new = len(g.shape) - len(shape)
    stretched = [k + new for k, n in enumerate(shape) if n == 1 and g.shape[k + new] != 1]
    return g.sum((*range(new), *stretched), keepdim=True).reshape(shape)


def walk(root, g):
    """The nodes below the root with their gradients: newest first, each when all of its messages are there."""
    waiting, queue = {root: g}, [(-root.number, root)]
    while queue:
        node = heapq.heappop(queue)[1]
        g = waiting.pop(node)
        for hook in list(node.hooks.values()):
            new = hook(g)
            g = g if new is None else new
        yield node, g
        for parent, shape, message in zip(node.parents, node.shapes, node.messages(g), strict=False):
            if parent is None:
                continue
            message = unbroadcast(message, shape)
            if parent in waiting:
                waiting[parent] = waiting[parent] + message
            else:
                waiting[parent] = message
                heapq.heappush(queue, (-parent.number, parent))


# --- operations: forwards and rules, entry by entry (M1) ----------------------------------------------------


def needed(t, by):
    """A factor is kept only where the other one wants a gradient."""
    return t if by.requires_grad else None


def add(a, b):
    a, b = as_tensor(a), as_tensor(b)
    return record(a.array + b.array, lambda g: (g, g), (a, b))


def neg(a):
    return record(-a.array, lambda g: (-g,), (a,))


def mul(a, b):
    a, b = as_tensor(a), as_tensor(b)

    def rule(g, a, b):
        return None if b is None else g * b, None if a is None else g * a

    return record(a.array * b.array, rule, (a, b), (needed(a, b), needed(b, a)))


def power(a, n):
    return record(a.array**n, lambda g, a: (g * (n * a ** (n - 1) if n else 0),), (a,), (a,))


def exp(a):
    return record(np.exp(a.array), lambda g, out: (g * out,), (a,), save_output=True)


def log(a):
    return record(np.log(a.array), lambda g, a: (g / a,), (a,), (a,))


def tanh(a):
    return record(np.tanh(a.array), lambda g, out: (g * (1 - out * out),), (a,), save_output=True)


Tensor.__add__ = Tensor.__radd__ = add
Tensor.__mul__ = Tensor.__rmul__ = mul
Tensor.__neg__, Tensor.__pow__ = neg, power
Tensor.__sub__ = lambda a, b: a + -as_tensor(b)
Tensor.__rsub__ = lambda a, b: -a + b
Tensor.__truediv__ = lambda a, b: a * as_tensor(b) ** -1
Tensor.__rtruediv__ = lambda a, b: a**-1 * b
Tensor.exp, Tensor.log, Tensor.tanh = exp, log, tanh


# --- arrays: forwards and rules that change shapes (M2) -----------------------------------------------------


def expand(a, shape):
    return record(np.broadcast_to(a.array, shape), lambda g: (g,), (a,))


def total(a, dim=None, keepdim=False):
    axes = range(a.array.ndim) if dim is None else dim if isinstance(dim, tuple) else (dim,)
    axes = tuple(k % a.array.ndim for k in axes)
    kept = tuple(1 if k in axes else n for k, n in enumerate(a.shape))

    def rule(g):
        return (expand(g.reshape(kept), a_shape),)

    a_shape = a.shape
    return record(a.array.sum(axes, keepdims=keepdim), rule, (a,))


def mean(a, dim=None, keepdim=False):
    return a.sum(dim, keepdim) / (a.array.size if dim is None else a.shape[dim])


def reshape(a, *shape):
    shape = shape[0] if isinstance(shape[0], tuple | list) else shape
    old = a.shape
    return record(a.array.reshape(shape), lambda g: (g.reshape(old),), (a,))


def transpose(a):
    return record(a.array.T, lambda g: (g.T,), (a,))


def matmul(a, b):
    if len(a.shape) == 1:
        product = a.reshape(1, -1) @ b
        return product.reshape(product.shape[1:])
    if len(b.shape) == 1:
        product = a @ b.reshape(-1, 1)
        return product.reshape(product.shape[:-1])

    def rule(g, a, b):
        return None if b is None else g @ b.T, None if a is None else a.T @ g

    return record(a.array @ b.array, rule, (a, b), (needed(a, b), needed(b, a)))


def pick(a, index):
    shape = a.shape
    return record(a.array[index], lambda g: (scatter(g, index, shape),), (a,))


def scatter(a, index, shape):
    """Zeros of a shape, with the entries of `a` added at the index; entries that meet are added up."""
    out = np.zeros(shape)
    np.add.at(out, index, a.array)
    return record(out, lambda g: (g[index],), (a,))


def relu(a):
    positive = tensor(a.array > 0)
    return record(np.maximum(a.array, 0.0), lambda g, positive: (g * positive,), (a,), (positive,))


Tensor.shape = property(lambda a: a.array.shape)
Tensor.sum, Tensor.mean, Tensor.reshape, Tensor.relu = total, mean, reshape, relu
Tensor.T, Tensor.__matmul__, Tensor.__getitem__ = property(transpose), matmul, pick


# --- checks: what is refused before the walk (M3) -----------------------------------------------------------


def start_of(root, gradient):
    """The cotangent to begin with, or an error. Nothing has been touched yet."""
    if not root.requires_grad:
        raise RuntimeError("the root does not require grad: nothing was recorded on the way to it")
    if gradient is None:
        if root.array.size != 1:
            raise RuntimeError("backward without a gradient is only for scalar outputs")
        return tensor(np.ones(root.shape))
    if not isinstance(gradient, Tensor):
        raise TypeError(f"the gradient must be a Tensor, not {type(gradient).__name__}")
    if gradient.shape != root.shape:
        raise RuntimeError(f"Mismatch in shape: gradient {gradient.shape}, output {root.shape}")
    return gradient


# --- contract_with_views: what a leaf is (M3, M6) -----------------------------------------------------------


def get_requires_grad(self):
    self.node  # a view may have to look again first
    return self._requires_grad


def set_requires_grad(self, wanted):
    if self.node is not None and not wanted:
        raise RuntimeError("you can only change requires_grad flags of leaf tensors")
    self._requires_grad = bool(wanted)


Tensor.requires_grad = property(get_requires_grad, set_requires_grad)
Tensor.is_leaf = property(lambda t: t.node is None)


# --- looking_in: modes and hooks (M4) -----------------------------------------------------------------------


class enable_grad(no_grad):
    """Inside of it everything is recorded."""

    inside = True


def is_grad_enabled():
    return no_grad.recording


class Handle:
    def __init__(self, hooks, key):
        self.hooks, self.key = hooks, key

    def remove(self):
        self.hooks.pop(self.key, None)


def register_hook(self, hook):
    if not self.requires_grad:
        raise RuntimeError("cannot register a hook on a tensor that does not require gradient")
    hooks, key = edge(self).hooks, next(Node.numbers)
    hooks[key] = hook
    return Handle(hooks, key)


Tensor.register_hook = register_hook
Tensor.detach = lambda t: Tensor(t.array)


# --- backward_twice: backward and grad (M5) -----------------------------------------------------------------


def run(root, gradient, retain_graph, create_graph):
    """Every node with its gradient; then the graph is freed, unless somebody still wants it."""
    g = start_of(root, gradient)
    with enable_grad() if create_graph else no_grad():
        seen = list(walk(edge(root), g))
    if not (create_graph if retain_graph is None else retain_graph):
        for node, _ in seen:
            node.saved = node.saved and None
    return seen


def backward(self, gradient=None, retain_graph=None, create_graph=False):
    for node, g in run(self, gradient, retain_graph, create_graph):
        if isinstance(node, Sink):
            old, new = node.leaf.grad, g if create_graph else tensor(g.array)
            with enable_grad() if create_graph else no_grad():
                node.leaf.grad = new if old is None else old + new


def grad(outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False, allow_unused=False):
    inputs = (inputs,) if isinstance(inputs, Tensor) else tuple(inputs)
    if not all(t.requires_grad for t in inputs):
        raise RuntimeError("one of the inputs does not require grad")
    found = dict(run(outputs, grad_outputs, retain_graph, create_graph))
    gradients = tuple(found.get(edge(t)) for t in inputs)
    if None in gradients and not allow_unused:
        raise RuntimeError("one of the inputs appears to not have been used in the graph")
    return gradients


Tensor.backward = backward


# --- views: tensors that look at another's numbers (M6) -----------------------------------------------------


def view_of(a, out, window):
    """Make `out` a view of `a`, where NumPy has made it one."""
    if np.may_share_memory(out.array, a.array):
        first = window if a.base is None else a.window
        out.memory, out.base = a.memory, a if a.base is None else a.base
        out.window = window if a.base is None else lambda base: window(first(base))
        out.base_node = out.base.node
    return out


def detach(a):
    return Tensor(a.array, memory=a.memory)


plain_pick, plain_reshape, plain_transpose = pick, reshape, transpose


def pick(a, index):
    parts = index if isinstance(index, tuple) else (index,)
    if all(part is None or isinstance(part, int | slice) for part in parts):
        index = (*parts, ...)  # with the dots even x[0] is a view
    return view_of(a, plain_pick(a, index), lambda base: base[index])


def reshape(a, *shape):
    return view_of(a, plain_reshape(a, *shape), lambda base: base.reshape(*shape))


def transpose(a):
    return view_of(a, plain_transpose(a), lambda base: base.T)


Tensor.__getitem__, Tensor.reshape, Tensor.T = pick, reshape, property(transpose)
Tensor.detach = detach
Tensor._version = property(lambda t: t.memory.version)


# --- writing: in-place operations (M6) ----------------------------------------------------------------------


def put(a, window, new):
    """A copy of `a` in which the window shows `new`."""
    array = a.array.copy()
    window(Tensor(array)).array[...] = new.array
    return record(array, lambda g: (put(g, window, tensor(0.0)), window(g)), (a, new))


def check_write(t):
    whole = t if t.base is None else t.base
    if no_grad.recording and whole.requires_grad and whole.is_leaf:
        what = "a leaf" if t is whole else "a view of a leaf"
        raise RuntimeError(f"{what} that requires grad is being used in an in-place operation")


def write(t, new):
    """Write the numbers of `new` into `t`, which takes over its history; a view writes into its base."""
    if t.base is not None:
        write(t.base, put(t.base, t.window, new))
        return t
    t.array[...] = new.array
    t.memory.version += 1
    if no_grad.recording and new.requires_grad:
        t.node, t.requires_grad = new.node, True
    return t


def in_place(operation):
    def method(t, *args):
        check_write(t)
        old = Tensor(t.array.copy(), t.requires_grad, t.node)  # what a rule saves of it must stay as it was
        new = operation(old, *args)
        if new.shape != t.shape:
            raise RuntimeError(f"the result has shape {new.shape}, and {t.shape} is the shape that is written to")
        return write(t, new)

    return method


def put_at(t, index, value):
    """A copy of `t` with the value at the index."""
    value, array = as_tensor(value), t.array.copy()
    array[index] = value.array
    return record(array, lambda g: (put_at(g, index, 0.0), g[index]), (t, value))


Tensor.add_ = Tensor.__iadd__ = in_place(add)
Tensor.mul_ = Tensor.__imul__ = in_place(mul)
Tensor.sub_ = Tensor.__isub__ = in_place(lambda t, other: t - other)
Tensor.zero_ = in_place(lambda t: record(np.zeros(t.shape), lambda g: (g * 0,), (t,)))
Tensor.__setitem__ = in_place(put_at)


# --- training: two moons (M7) -------------------------------------------------------------------------------


def fit(points, labels, weights, rate, steps):
    """Train a network with one hidden layer by gradient descent. Returns the losses and the weights at the end."""
    x, target = tensor(points), tensor(labels).reshape(-1, 1)
    W1, b1, W2, b2 = parameters = [tensor(w, requires_grad=True) for w in weights]
    losses = []
    for _ in range(steps):
        score = (x @ W1 + b1).tanh() @ W2 + b2
        loss = ((score - target) ** 2).mean()
        for p in parameters:
            p.grad = None
        loss.backward()
        losses.append(float(loss.numpy()))
        with no_grad():
            for p in parameters:
                p -= rate * p.grad
    return losses, [p.numpy() for p in parameters]
