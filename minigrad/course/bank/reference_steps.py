# Sections of the capstone's engine as earlier milestones have them, and the five facts of M8. Later milestones do more in the
# same place: that is in reference_engine.py. Nobody imports this file; ch16.py cuts it up.
#
# ruff: noqa
# mypy: ignore-errors

# --- values: tensors (M1 to M5) -----------------------------------------------------------------------------


class Tensor:
    """An array, and how it came about."""

    def __init__(self, array, requires_grad=False, node=None):
        self.array, self.node, self.requires_grad = array, node, requires_grad
        self.grad = self.sink = None

    def numpy(self):
        return self.array.copy()


def tensor(data, requires_grad=False):
    return Tensor(np.array(data, dtype=np.float64), requires_grad)


def as_tensor(x):
    return x if isinstance(x, Tensor) else tensor(x)


# --- graph: nodes (M1 to M5) --------------------------------------------------------------------------------


class Node:
    """One operation: its rule, what the rule needs, and where its messages go."""

    numbers = itertools.count()

    def __init__(self, rule, inputs, saved=()):
        self.rule, self.saved = rule, saved
        self.parents = [edge(t) for t in inputs]
        self.shapes = [t.array.shape for t in inputs]
        self.number = next(Node.numbers)  # after the parents: whoever is newer fires earlier
        self.hooks = {}

    def messages(self, g):
        return self.rule(g, *self.saved)


class Sink(Node):
    """Where the way ends: the gradient of a leaf."""

    def __init__(self, leaf):
        super().__init__(lambda g: (), ())
        self.leaf = leaf


def edge(t):
    """Where the gradient of a tensor goes; None for a constant."""
    if t.requires_grad and t.node is None:
        t.sink = t.sink or Sink(t)
    return (t.node or t.sink) if t.requires_grad else None


def record(array, rule, inputs, saved=(), save_output=False):
    out = Tensor(np.asarray(array))
    if no_grad.recording and any(t.requires_grad for t in inputs):
        out.requires_grad, out.node = True, Node(rule, inputs, saved)
        if save_output:
            out.node.saved = (out,)
    return out


# --- walk: backward, node by node (M1) ----------------------------------------------------------------------


def walk(root, g):
    """The nodes below the root with their gradients: newest first, each when all of its messages are there."""
    waiting, queue = {root: g}, [(-root.number, root)]
    while queue:
        node = heapq.heappop(queue)[1]
        g = waiting.pop(node)
        yield node, g
        for parent, message in zip(node.parents, node.messages(g), strict=False):
            if parent is None:
                continue
            if parent in waiting:
                waiting[parent] = waiting[parent] + message
            else:
                waiting[parent] = message
                heapq.heappush(queue, (-parent.number, parent))


# --- backward: backward (M1) --------------------------------------------------------------------------------


def backward(self):
    with no_grad():
        for node, g in walk(edge(self), tensor(1.0)):
            if isinstance(node, Sink):
                old = node.leaf.grad
                node.leaf.grad = g if old is None else old + g


Tensor.backward = backward


# --- backward_with_cotangent: backward (M2) -----------------------------------------------------------------


def backward(self, gradient=None):
    with no_grad():
        for node, g in walk(edge(self), tensor(1.0) if gradient is None else gradient):
            if isinstance(node, Sink):
                old = node.leaf.grad
                node.leaf.grad = g if old is None else old + g


Tensor.backward = backward


# --- contract: what a leaf is (M3 to M5) --------------------------------------------------------------------


def messages(self, g):
    if self.saved is None:
        raise RuntimeError("Trying to go backward through the graph a second time: its saved values are freed")
    return self.rule(g, *self.saved)


def set_requires_grad(self, wanted):
    if self.node is not None and not wanted:
        raise RuntimeError("you can only change requires_grad flags of leaf tensors")
    self._requires_grad = bool(wanted)


Node.messages = messages
Tensor.requires_grad = property(lambda t: t._requires_grad, set_requires_grad)
Tensor.is_leaf = property(lambda t: t.node is None)


# --- backward_with_contract: backward (M3, M4) --------------------------------------------------------------


def backward(self, gradient=None, retain_graph=False):
    g = start_of(self, gradient)
    with no_grad():
        seen = list(walk(edge(self), g))  # any error comes before the first .grad is written
        for node, g in seen:
            if isinstance(node, Sink):
                old = node.leaf.grad
                node.leaf.grad = tensor(g.array) if old is None else old + g
            if node.saved and not retain_graph:
                node.saved = None


Tensor.backward = backward


# --- five_facts: five facts (M8) ----------------------------------------------------------------------------

# %% ada
x = engine.tensor(np.array([-1.5, 0.0, 2.5]), requires_grad=True)
x.relu().sum().backward()
assert np.allclose(x.grad.numpy(), [0.0, 0.0, 1.0])

# %% ben
x = engine.tensor(np.array([0.0, 1.5]), requires_grad=True)
(x**2).sum().backward()
assert np.allclose(x.grad.numpy(), [0.0, 3.0])

# %% cleo
x = leaf(3)
y = x * const(3)
before = y._version
y.mul_(1.0)
assert y._version == before + 1

# %% dan
x, seen = leaf(3), []


def once(g):
    seen.append("once")
    handle.remove()


handle = x.register_hook(once)
x.register_hook(lambda g: seen.append("always"))
(x * x).sum().backward()
assert seen == ["once", "always"]

# %% eva
x = leaf(3)
first, second = engine.grad((x * x).sum(), (x, x))
assert second is not None and np.allclose(first.numpy(), second.numpy())
