# ruff: noqa
"""Facts, area modes: no_grad, enable_grad, set_grad_enabled, inference_mode, anomaly mode, threads."""
import numpy as np

import minigrad as mg

# %% modes.no_grad.decorator | 11 | torch docs: no_grad
@mg.no_grad()
def f(x):
    return x * 2
x = mg.tensor([1.0], requires_grad=True)
y = f(x)
print(f.__name__, mg.is_grad_enabled())

# %% modes.no_grad.decorator_without_parentheses | 11 | torch docs: no_grad
@mg.no_grad
def f(x):
    return x * 2
x = mg.tensor([1.0], requires_grad=True)
y = f(x)

# %% modes.no_grad.after_exception | 11 | course 16
try:
    with mg.no_grad():
        raise ValueError("inside")
except ValueError:
    pass
print(mg.is_grad_enabled())

# %% modes.no_grad.reused | 11 | torch docs: no_grad
ng = mg.no_grad()
with ng:
    print(mg.is_grad_enabled())
print(mg.is_grad_enabled())
with ng:
    print(mg.is_grad_enabled())
print(mg.is_grad_enabled())

# %% modes.no_grad.leaf_made_inside | 11 | torch docs: no_grad
with mg.no_grad():
    x = mg.ones(2, requires_grad=True)
y = x * 2

# %% modes.no_grad.requires_grad_inside | 11 | torch docs: no_grad
with mg.no_grad():
    x = mg.ones(2)
    y = (x * 3).requires_grad_()
z = y * 2
z.sum().backward()

# %% modes.enable_grad.inside_no_grad | 11 | torch docs: enable_grad
x = mg.tensor([1.0], requires_grad=True)
with mg.no_grad():
    with mg.enable_grad():
        y = x * 2
    z = x * 3

# %% modes.enable_grad.decorator | 11 | torch docs: enable_grad
@mg.enable_grad()
def f(x):
    return x * 2
x = mg.tensor([1.0], requires_grad=True)
with mg.no_grad():
    y = f(x)

# %% modes.set.context | 11 | torch docs: set_grad_enabled
x = mg.tensor([1.0], requires_grad=True)
with mg.set_grad_enabled(False):
    y = x * 2
with mg.set_grad_enabled(True):
    z = x * 2
print(mg.is_grad_enabled())

# %% modes.set.function | 11 | torch docs: set_grad_enabled
x = mg.tensor([1.0], requires_grad=True)
mg.set_grad_enabled(False)
y = x * 2
print(mg.is_grad_enabled())
mg.set_grad_enabled(True)
z = x * 2

# %% modes.set.decorator | 11 | torch docs: set_grad_enabled
@mg.set_grad_enabled(False)
def f(x):
    return x * 2
x = mg.tensor([1.0], requires_grad=True)
y = f(x)
print(mg.is_grad_enabled())

# %% modes.set.not_bool | 11 | torch docs: set_grad_enabled
mg.set_grad_enabled("no")

# %% modes.inference.basics | 11 | torch docs: inference_mode
x = mg.tensor([1.0, 2.0], requires_grad=True)
with mg.inference_mode():
    y = x * 2
    print(mg.is_inference_mode_enabled(), mg.is_grad_enabled(), y.is_inference(), mg.is_inference(y), y.requires_grad)
print(mg.is_inference_mode_enabled(), mg.is_grad_enabled(), x.is_inference())

# %% modes.inference.backward | 11 | torch docs: inference_mode
x = mg.tensor(1.0, requires_grad=True)
with mg.inference_mode():
    y = x * 2
y.backward()

# %% modes.inference.clone_is_normal | 11 | torch docs: inference_mode
# How often torch writes to the clone while it makes it is its own affair: the version is not compared.
with mg.inference_mode():
    c = mg.ones(2)
d = c.clone()
del c
x = mg.tensor([1.0, 2.0], requires_grad=True)
y = x * d
print(d.is_inference())
del d

# %% modes.inference.decorator | 11 | torch docs: inference_mode
@mg.inference_mode()
def f(x):
    return x * 2
y = f(mg.ones(2))
print(y.is_inference())

# %% modes.inference.off | 11 | torch docs: inference_mode
with mg.inference_mode():
    with mg.inference_mode(False):
        x = mg.tensor([1.0], requires_grad=True)
        y = x * 2
        print(mg.is_inference_mode_enabled(), mg.is_grad_enabled(), y.requires_grad)

# %% modes.inference.write_normal_inside | 11 | torch docs: inference_mode
x = mg.ones(2)
with mg.inference_mode():
    x.add_(1)

# %% modes.inference.write_leaf_inside | 11 | torch docs: inference_mode
x = mg.ones(2, requires_grad=True)
with mg.inference_mode():
    x.add_(1)

# %% modes.inference.enable_grad_inside | 11 | torch docs: inference_mode
# Grad mode can be switched on inside, but nothing is recorded.
x = mg.ones(2, requires_grad=True)
with mg.inference_mode():
    with mg.enable_grad():
        y = x * 2
        print(mg.is_grad_enabled(), y.requires_grad, y.is_inference())
del y

# %% modes.inference.detach | 11 | torch docs: inference_mode
with mg.inference_mode():
    c = mg.ones(2)
d = c.detach()
print(d.is_inference())
del c, d

# %% modes.inference.requires_grad_inside | 11 | torch docs: inference_mode
with mg.inference_mode():
    x = mg.ones(2, requires_grad=True)
    y = x * 2
    print(x.requires_grad, y.requires_grad, x.is_leaf, y.is_leaf)
del x, y

# %% modes.inference.mixed_with_normal | 11 | torch docs: inference_mode
with mg.inference_mode():
    c = mg.ones(2)
z = c + mg.ones(2)
print(z.is_inference(), c.is_inference())
del c

# %% modes.inference.setitem_outside | 11 | torch docs: inference_mode
with mg.inference_mode():
    c = mg.ones(2)
try:
    c[0] = 5.0
finally:
    del c

# %% modes.thread.own_modes | 11 | torch docs: no_grad
# A new thread starts with grad mode on.
import threading
seen = []
with mg.no_grad():
    t = threading.Thread(target=lambda: seen.append(mg.is_grad_enabled()))
    t.start()
    t.join()
print(seen, mg.is_grad_enabled())

# %% modes.thread.backward | 11 | torch docs: autograd mechanics
import threading
x = mg.tensor([1.0, 2.0], requires_grad=True)
def work():
    (x * x).sum().backward()
threads = [threading.Thread(target=work) for _ in range(3)]
for t in threads:
    t.start()
    t.join()

# %% modes.thread.inference | 11 | torch docs: inference_mode
import threading
seen = []
with mg.inference_mode():
    t = threading.Thread(target=lambda: seen.append(mg.is_inference_mode_enabled()))
    t.start()
    t.join()
print(seen)

# %% modes.anomaly.nan | 13 | torch docs: detect_anomaly
# The first node whose gradient is NaN is named, with the line of its forward call.
with mg.autograd.detect_anomaly():
    x = mg.tensor([-1.0, 4.0], requires_grad=True)
    y = x.sqrt().sum()
    y.backward()

# %% modes.anomaly.log | 13 | tutorial: anomaly mode
with mg.autograd.detect_anomaly():
    x = mg.tensor(0.0, requires_grad=True)
    y = mg.log(x) * 0
    y.backward()

# %% modes.anomaly.log_backward0 | 13 | course 13.5
x = mg.tensor([0.0, 1.0], requires_grad=True)
with mg.autograd.set_detect_anomaly(True):
    y = (mg.log(x) * x).sum()
    y.backward()

# %% modes.anomaly.log_softmax | 13 | course 13.5
x = mg.tensor([float("inf"), 1.0], requires_grad=True)
with mg.autograd.set_detect_anomaly(True):
    mg.log_softmax(x, 0).sum().backward()

# %% modes.anomaly.second_output | 13 | torch docs: detect_anomaly
with mg.autograd.set_detect_anomaly(True):
    a = mg.tensor(1.0, requires_grad=True)
    b = mg.tensor(0.0, requires_grad=True)
    y = a / b
    (y * 0).backward()

# %% modes.anomaly.inf_is_allowed | 13 | torch docs: detect_anomaly
with mg.autograd.set_detect_anomaly(True):
    x = mg.tensor(0.0, requires_grad=True)
    x.sqrt().backward()

# %% modes.anomaly.check_nan_false | 13 | torch docs: detect_anomaly
with mg.autograd.set_detect_anomaly(True, check_nan=False):
    x = mg.tensor(-1.0, requires_grad=True)
    x.sqrt().backward()

# %% modes.anomaly.forward_only | 13 | torch docs: detect_anomaly
# Forward was run outside: the node is named, but its line is not known.
x = mg.tensor(-1.0, requires_grad=True)
y = x.sqrt()
with mg.autograd.set_detect_anomaly(True):
    y.backward()

# %% modes.anomaly.error_in_backward | 13 | torch docs: detect_anomaly
# Any error in backward gets the trace of the forward call.
with mg.autograd.set_detect_anomaly(True):
    x = mg.tensor([1.0, 2.0], requires_grad=True)
    y = x.exp()
    y.add_(1)
    y.sum().backward()

# %% modes.anomaly.is_enabled | 13 | torch docs: detect_anomaly
print(mg.is_anomaly_enabled())
with mg.autograd.set_detect_anomaly(True):
    print(mg.is_anomaly_enabled(), mg.is_anomaly_check_nan_enabled())
print(mg.is_anomaly_enabled())

# %% modes.anomaly.off_is_silent | 13 | course 13.5
x = mg.tensor([-1.0, 4.0], requires_grad=True)
x.sqrt().sum().backward()

# %% modes.anomaly.function | 13 | torch docs: detect_anomaly
mg.autograd.set_detect_anomaly(True)
x = mg.tensor(-1.0, requires_grad=True)
x.sqrt().backward()

# %% modes.default_dtype_is_global | 01 | torch docs: set_default_dtype
mg.set_default_dtype(mg.float64)
x = mg.ones(1) * 2.5
y = mg.tensor([1, 2]).float()

# %% modes.inference.grad_made_inside | 11 | torch docs: inference_mode
# A gradient that was made in inference mode cannot be added to outside.
x = mg.tensor([1.0, 2.0], requires_grad=True)
y = x.sum()
with mg.inference_mode():
    y.backward(retain_graph=True)
print(x.grad, x.grad.is_inference())
try:
    y.backward()
except RuntimeError as error:
    print(error)
del x, y

# %% modes.inference.view_of_normal_stale | 11 12 | torch docs: inference_mode
x = mg.tensor([1.0, 2.0], requires_grad=True)
h = x * 1
with mg.inference_mode():
    v = h[:1]
    h.mul_(2)
    print(v, h._version)
try:
    v.add_(1)
except RuntimeError as error:
    print(error)
try:
    v.grad_fn
except RuntimeError as error:
    print(error)
del v

# %% modes.anomaly.in_a_derivative | 09 13 | torch docs: detect_anomaly
# The node was made in a backward pass: the warning names the node that made it, too.
x = mg.tensor(1.0, requires_grad=True)
with mg.autograd.set_detect_anomaly(True):
    y = (x - 1) ** 1.5
    g, = mg.autograd.grad(y, x, create_graph=True)
    mg.autograd.grad(g * 0, x)

# %% modes.inference_write_refused | 11 | random programs
with mg.inference_mode():
    x = mg.ones(2)
for write in (lambda: x.add_(1), lambda: x.copy_(mg.zeros(2)), lambda: x.__setitem__(0, 5.0)):
    try:
        write()
    except RuntimeError as error:
        print(str(error)[:60])
del x  # into which PyTorch has written before it refuses

# %% modes.flags.$ | 11 | torch docs
#: before    | print(mg.set_grad_enabled(True).prev, mg.autograd.set_detect_anomaly(False).prev)
...

# %% modes.another_level | 14 | torch docs: make_dual
with mg.autograd.forward_ad.dual_level():
    mg.autograd.forward_ad.make_dual(mg.ones(2), mg.ones(2), level=1)
