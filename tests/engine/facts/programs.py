# ruff: noqa
"""Facts, area programs: whole programs of the tutorials and forum threads that the course grew out of."""
import numpy as np

import minigrad as mg

# %% programs.view_beside_leaf | 01 12 | forum: x.grad is None
x = mg.rand(2, 2, requires_grad=True)
x = x.view(4)
y = (x * 3).sum()
y.backward()
print(x.grad, x.is_leaf)
del x, y

# %% programs.flag_on_view_of_data | 01 | forum: requires_grad of a view
data = mg.arange(6.0)
w = data.view(2, 3)
w.requires_grad = True
(w ** 2).sum().backward()
print(w.grad, w.is_leaf, data.requires_grad)

# %% programs.d2l_dot | 05 | d2l 2.5
x = mg.arange(4.0)
x.requires_grad_(True)
print(x.grad)
y = 2 * mg.dot(x, x)
print(y)
y.backward()
print(x.grad)
print(x.grad == 4 * x)
x.grad.zero_()
y = x.sum()
y.backward()
print(x.grad)

# %% programs.d2l_nonscalar | 05 | d2l 2.5
x = mg.arange(4.0, requires_grad=True)
y = x * x
y.backward(gradient=mg.ones(len(y)))
print(x.grad)

# %% programs.d2l_detach | 05 | d2l 2.5
x = mg.arange(4.0, requires_grad=True)
y = x * x
u = y.detach()
z = u * x
z.sum().backward()
print(x.grad == u)
x.grad.zero_()
y.sum().backward()
print(x.grad == 2 * x)

# %% programs.sin_curve | 05 | d2l 2.5
x = mg.linspace(-5, 5, 100, requires_grad=True)
y = mg.sin(x)
y.sum().backward()
print(mg.allclose(x.grad, mg.cos(x.detach())))

# %% programs.anomaly_log | 13 | tutorial: anomaly mode
x = mg.tensor([0.0, 1.0, 2.0], requires_grad=True)
with mg.autograd.detect_anomaly():
    p = x / x.sum()
    loss = -(p * mg.log(p)).sum()
    loss.backward()

# %% programs.anomaly_log_softmax | 13 | tutorial: anomaly mode
with mg.autograd.set_detect_anomaly(True):
    z = mg.tensor([[1.0, float("nan"), 2.0]], requires_grad=True)
    loss = mg.nn.functional.nll_loss(mg.nn.functional.log_softmax(z, dim=1), mg.tensor([0]))
    loss.backward()

# %% programs.mse_adam | 15 | tutorial: training loop
# A thousand steps of MSELoss with Adam.
x = mg.linspace(-1, 1, 20, dtype=mg.float64).view(20, 1)
t = 3 * x - 0.5
w = mg.zeros(1, 1, dtype=mg.float64, requires_grad=True)
b = mg.zeros(1, dtype=mg.float64, requires_grad=True)
loss_fn = mg.nn.MSELoss()
optimizer = mg.optim.Adam([w, b], lr=0.01)
for step in range(1000):
    optimizer.zero_grad()
    loss = loss_fn(x @ w + b, t)
    loss.backward()
    optimizer.step()
    if step % 250 == 0:
        print(step, f"{loss.item():.10f}")
print(f"{w.item():.8f} {b.item():.8f}")
del x, t, w, b, loss

# %% programs.relu_in_place | 11 | forum: [32, 50, 180]
a = mg.ones(32, 50, 100, requires_grad=True)
w = mg.ones(100, 180, requires_grad=True)
h = mg.relu(a @ w)
h += 1
try:
    h.sum().backward()
except RuntimeError as error:
    print(error)
del a, w, h

# %% programs.second_backward_w_untouched | 07 | tutorial: retain_graph
w = mg.tensor([1.0, 2.0], requires_grad=True)
x = mg.tensor([3.0, 4.0])
loss = ((w * x).sum() - 1) ** 2
loss.backward()
print(w.grad)
try:
    loss.backward()
except RuntimeError as error:
    print(error)
print(w.grad)

# %% programs.cat_weights | 04 | forum: weights of two losses
x = mg.tensor([1.0, 2.0], requires_grad=True)
l1 = (x ** 2).sum().view(1)
l2 = (x ** 3).sum().view(1)
loss = mg.cat([l1, l2])
loss.backward(mg.tensor([1.0, 2.0]))
print(x.grad)

# %% programs.second_derivative | 09 | tutorial: double backward
x = mg.tensor(2.0, requires_grad=True)
y = x ** 3 + 2 * x
dy, = mg.autograd.grad(y, x, create_graph=True)
d2y, = mg.autograd.grad(dy, x)
print(dy.item(), d2y)

# %% programs.second_derivative_vector | 09 | forum: Hessian diagonal
# Row sums of the Hessian, not its diagonal.
x = mg.tensor([1.0, 2.0], requires_grad=True)
y = x[0] ** 2 * x[1] ** 3
g, = mg.autograd.grad(y, x, create_graph=True)
h, = mg.autograd.grad(g.sum(), x)
print(g.detach(), h)

# %% programs.function_exp | 14 | torch docs: Function
class Exp(mg.autograd.Function):
    @staticmethod
    def forward(ctx, i):
        result = i.exp()
        ctx.save_for_backward(result)
        return result
    @staticmethod
    def backward(ctx, grad_output):
        result, = ctx.saved_tensors
        return grad_output * result
x = mg.tensor([0.0, 1.0], dtype=mg.float64, requires_grad=True)
y = Exp.apply(x)
print(y, y.grad_fn.name())
y.sum().backward()
print(mg.autograd.gradcheck(Exp.apply, x), mg.autograd.gradgradcheck(Exp.apply, x))

# %% programs.function_grad_coeff | 14 | forum: gradient reversal
class GradCoeff(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, coeff):
        ctx.coeff = coeff
        return x.view_as(x)
    @staticmethod
    def backward(ctx, grad_output):
        return ctx.coeff * grad_output, None
x = mg.tensor([2.0], requires_grad=True)
y = GradCoeff.apply(x, -0.5)
print(y.grad_fn.name(), y.grad_fn.next_functions[0][0].name(), len(y.grad_fn.next_functions))
y.backward()
print(x.grad)
y = GradCoeff.apply(x, -0.5)
y += 1

# %% programs.function_grad_coeff_one_gradient | 14 | course 14.2
class GradCoeff(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, coeff):
        ctx.coeff = coeff
        return x.view_as(x)
    @staticmethod
    def backward(ctx, grad_output):
        return ctx.coeff * grad_output
x = mg.tensor([2.0], requires_grad=True)
GradCoeff.apply(x, -0.5).backward()

# %% programs.function_legendre | 14 | tutorial: defining new autograd functions
import math
class LegendrePolynomial3(mg.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        return 0.5 * (5 * input ** 3 - 3 * input)
    @staticmethod
    def backward(ctx, grad_output):
        input, = ctx.saved_tensors
        return grad_output * 1.5 * (5 * input ** 2 - 1)
x = mg.linspace(-math.pi, math.pi, 200, dtype=mg.float64)
y = mg.sin(x)
a = mg.full((), 0.0, dtype=mg.float64, requires_grad=True)
b = mg.full((), -1.0, dtype=mg.float64, requires_grad=True)
c = mg.full((), 0.0, dtype=mg.float64, requires_grad=True)
d = mg.full((), 0.3, dtype=mg.float64, requires_grad=True)
learning_rate = 5e-5
P3 = LegendrePolynomial3.apply
for t in range(400):
    y_pred = a + b * P3(c + d * x)
    loss = (y_pred - y).pow(2).sum()
    if t % 100 == 99:
        print(t, f"{loss.item():.8f}")
    loss.backward()
    with mg.no_grad():
        a -= learning_rate * a.grad
        b -= learning_rate * b.grad
        c -= learning_rate * c.grad
        d -= learning_rate * d.grad
        a.grad = b.grad = c.grad = d.grad = None
a, b, c, d = (round(t.item(), 6) + 0.0 for t in (a, b, c, d))  # a and c are 0 but for rounding, whose sign is nobody's
print(f"Result: y = {a} + {b} * P3({c} + {d} x)")
del x, y, a, b, c, d, y_pred, loss

# %% programs.function_legendre_number | 14 | tutorial: defining new autograd functions
# Applied to a plain number: Python arithmetic, and a Python number comes out.
class LegendrePolynomial3(mg.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        return 0.5 * (5 * input ** 3 - 3 * input)
    @staticmethod
    def backward(ctx, grad_output):
        input, = ctx.saved_tensors
        return grad_output * 1.5 * (5 * input ** 2 - 1)
print(LegendrePolynomial3.apply(2.0))

# %% programs.function_legendre_plain_tensor | 14 | tutorial: defining new autograd functions
class LegendrePolynomial3(mg.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        return 0.5 * (5 * input ** 3 - 3 * input)
    @staticmethod
    def backward(ctx, grad_output):
        input, = ctx.saved_tensors
        return grad_output * 1.5 * (5 * input ** 2 - 1)
y = LegendrePolynomial3.apply(mg.tensor([2.0, 3.0]))

# %% programs.function_conv2d | 14 | tutorial: fusing convolution
class Conv2D(mg.autograd.Function):
    @staticmethod
    def forward(ctx, X, weight):
        ctx.save_for_backward(X, weight)
        return mg.nn.functional.conv2d(X, weight)
    @staticmethod
    def backward(ctx, grad_out):
        X, weight = ctx.saved_tensors
        grad_input = mg.nn.functional.conv2d(X.transpose(0, 1), grad_out.transpose(0, 1)).transpose(0, 1)
        grad_X = mg.nn.functional.conv_transpose2d(grad_out, weight)
        return grad_X, grad_input
mg.manual_seed(1)
weight = mg.rand(3, 2, 2, 3, requires_grad=True, dtype=mg.double)
X = mg.rand(2, 2, 4, 5, requires_grad=True, dtype=mg.double)
print(mg.autograd.gradcheck(Conv2D.apply, (X, weight)))
del X, weight

# %% programs.accumulation_loop | 06 | tutorial: gradient accumulation
weights = mg.ones(4, requires_grad=True)
for epoch in range(3):
    model_output = (weights * 3).sum()
    model_output.backward()
    print(weights.grad)
    weights.grad.zero_()

# %% programs.in_place_on_leaf | 11 | forum: a leaf Variable that requires grad
w = mg.tensor([1.0, 2.0], requires_grad=True)
try:
    w += 1
except RuntimeError as error:
    print(error)
with mg.no_grad():
    w += 1
print(w, w.is_leaf, w._version)

# %% programs.detach_shares | 11 | tutorial: detach
x = mg.tensor([1.0, 2.0], requires_grad=True)
y = x.detach()
y[0] = 100.0
print(x, y, y.requires_grad)

# %% programs.data_silent_detach_caught | 11 | forum: data and detach
a = mg.tensor([1.0, 2.0, 3.0], requires_grad=True)
out = a.sigmoid()
out.data.zero_()
out.sum().backward()
print(a.grad)
b = mg.tensor([1.0, 2.0, 3.0], requires_grad=True)
out = b.sigmoid()
out.detach().zero_()
out.sum().backward()

# %% programs.int_cannot_require_grad | 01 | forum: only Tensors of floating point dtype
x = mg.tensor([1, 2, 3])
try:
    x.requires_grad_()
except RuntimeError as error:
    print(error)
y = x.float().requires_grad_()
z = y.type_as(mg.tensor([1.0], dtype=mg.float64))
z.sum().backward()

# %% programs.float_tensor_shape | 01 | tutorial: autograd (2017)
x = mg.FloatTensor(2, 3).fill_(1.5)
y = mg.FloatTensor([2, 3])
print(x, y)

# %% programs.variable_2017 | 01 | tutorial: autograd (2017)
x = mg.autograd.Variable(mg.ones(2, 2), requires_grad=True)
y = x + 2
z = y * y * 3
out = z.mean()
print(z, out)
out.backward()
print(x.grad)

# %% programs.variable_2017_weighted | 04 | tutorial: autograd (2017)
x = mg.autograd.Variable(mg.FloatTensor([1, 2, 3]), requires_grad=True)
y = x * 2
while y.data.norm() < 1000:
    y = y * 2
gradients = mg.FloatTensor([0.1, 1.0, 0.0001])
y.backward(gradients)
print(x.grad, y)

# %% programs.variable_2017_zero | 06 | tutorial: autograd (2017)
x = mg.autograd.Variable(mg.FloatTensor([1, 2]), requires_grad=True)
(x ** 2).mean().backward()
print(x.grad)
x.grad.data.zero_()
(x ** 2).mean().backward()
print(x.grad)

# %% programs.y0_x2 | 12 | forum: y[0] = x**2
x = mg.autograd.Variable(mg.tensor([2.0]), requires_grad=True)
y = mg.empty(2)
y[0] = x ** 2
y[1] = x ** 3
print(y)
y.backward(mg.tensor([1.0, 1.0]))
print(x.grad)

# %% programs.y0_x2_jacobian | 12 | forum: y[0] = x**2
x = mg.tensor([2.0, 3.0], requires_grad=True)
y = mg.zeros(2)
y[0] = x[0] ** 2 + 3 * x[1]
y[1] = x[1] ** 2 + 2 * x[0]
J = mg.zeros(2, 2)
for i in range(2):
    v = mg.zeros(2)
    v[i] = 1.0
    y.backward(v, retain_graph=True)
    J[i] = x.grad
    x.grad.zero_()
print(J)

# %% programs.wrong_shape_scalar | 04 | forum: gradient shapes
x = mg.tensor(2.0, requires_grad=True)
y = x ** 2
for v in (mg.tensor([1.0]), mg.ones(2), mg.ones(1, 1)):
    try:
        y.backward(v)
    except RuntimeError as error:
        print(error)

# %% programs.wrong_shape_vector | 04 | forum: gradient shapes
x = mg.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x ** 2
for v in (mg.tensor(1.0), mg.ones(2), mg.ones(3, 1), mg.ones(1, 3), mg.ones(4)):
    try:
        y.backward(v)
    except RuntimeError as error:
        print(error)

# %% programs.tutorial_polynomial | 15 | tutorial: learning with examples
import math
x = mg.linspace(-math.pi, math.pi, 50, dtype=mg.float64)
y = mg.sin(x)
params = [mg.tensor(0.1 * k, dtype=mg.float64, requires_grad=True) for k in range(4)]
for t in range(50):
    a, b, c, d = params
    loss = (a + b * x + c * x ** 2 + d * x ** 3 - y).pow(2).sum()
    loss.backward()
    with mg.no_grad():
        for p in params:
            p -= 1e-6 * p.grad
            p.grad = None
print(f"{loss.item():.8f}", *[f"{p.item():.8f}" for p in params])
del x, y, a, b, c, d, p, loss, params

# %% programs.tutorial_autograd_basics | 01 | tutorial: a gentle introduction to autograd
a = mg.tensor([2.0, 3.0], requires_grad=True)
b = mg.tensor([6.0, 4.0], requires_grad=True)
Q = 3 * a ** 3 - b ** 2
Q.backward(gradient=mg.tensor([1.0, 1.0]))
print(9 * a ** 2 == a.grad)
print(-2 * b == b.grad)

# %% programs.tutorial_walk | 01 | tutorial: the fundamentals of autograd
a = mg.linspace(0.0, 3.0, steps=4, requires_grad=True)
b = mg.sin(a)
c = 2 * b
d = c + 1
out = d.sum()
print("d:", d.grad_fn, d.grad_fn.next_functions)
print(d.grad_fn.next_functions[0][0].next_functions)
print(d.grad_fn.next_functions[0][0].next_functions[0][0].next_functions[0][0].next_functions)
print("a:", a.grad_fn)
out.backward()
print(a.grad)

# %% programs.tutorial_requires_grad_leafs | 01 | tutorial: retain_grad and leaves
x = mg.ones(5)
y = mg.zeros(3)
w = mg.linspace(-1, 1, 15).view(5, 3).requires_grad_()
b = mg.tensor([0.1, 0.2, 0.3], requires_grad=True)
z = mg.matmul(x, w) + b
loss = mg.nn.functional.binary_cross_entropy_with_logits(z, y)
print(f"Gradient function for z = {z.grad_fn}")
print(f"Gradient function for loss = {loss.grad_fn}")
loss.backward()
print(w.grad)
print(b.grad)

# %% programs.tutorial_jacobian_products | 06 | tutorial: automatic differentiation
inp = mg.eye(4, 5, requires_grad=True)
out = (inp + 1).pow(2).t()
out.backward(mg.ones_like(out), retain_graph=True)
print(f"First call\n{inp.grad}")
out.backward(mg.ones_like(out), retain_graph=True)
print(f"\nSecond call\n{inp.grad}")
inp.grad.zero_()
out.backward(mg.ones_like(out), retain_graph=True)
print(f"\nCall after zeroing gradients\n{inp.grad}")

# %% programs.micrograd | 02 | micrograd README
a = mg.tensor(-4.0, dtype=mg.float64, requires_grad=True)
b = mg.tensor(2.0, dtype=mg.float64, requires_grad=True)
c = a + b
d = a * b + b**3
c = c + c + 1
c = c + 1 + c + (-a)
d = d + d * 2 + (b + a).relu()
d = d + 3 * d + (b - a).relu()
e = c - d
f = e**2
g = f / 2.0
g = g + 10.0 / f
g.backward()
print(f"{g.item():.4f} {a.grad.item():.4f} {b.grad.item():.4f}")

# %% programs.wgan_penalty | 08 | forum: gradient penalty
x = mg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
W = mg.tensor([[0.5], [-1.0]], requires_grad=True)
out = mg.tanh(x @ W)
g, = mg.autograd.grad(out, x, grad_outputs=mg.ones_like(out), create_graph=True)
penalty = ((g.norm(2, dim=1) - 1) ** 2).mean()
penalty.backward()

# %% programs.truncated_bptt | 07 | forum: backward through the graph a second time
w = mg.tensor(0.5, requires_grad=True)
h = mg.zeros(1)
for t in range(3):
    h = mg.tanh(w * h + 1)
    try:
        h.sum().backward()
    except RuntimeError as error:
        print(t, type(error).__name__)
    w.grad = None

# %% programs.two_optimizers | 11 | forum: step between two backwards
# Two losses share w; stepping between their backward passes changes a saved value.
w = mg.tensor([1.0, 2.0], requires_grad=True)
v = mg.tensor([0.5, 0.5], requires_grad=True)
h = w * v
l1 = (h * w).sum()
l2 = (h * v).sum()
opt = mg.optim.SGD([w], lr=0.1)
l1.backward(retain_graph=True)
opt.step()
l2.backward()

# %% programs.softmax_xent_by_hand | 13 | course 13.6
z = mg.tensor([[1.0, 2.0, 0.5], [0.1, -1.0, 3.0]], requires_grad=True)
t = mg.tensor([1, 2])
loss = mg.nn.functional.cross_entropy(z, t)
loss.backward()
p = mg.softmax(z.detach(), 1)
p[mg.arange(2), t] -= 1
print(mg.allclose(z.grad, p / 2))

# %% programs.newton | 09 | course 9.4
x = mg.tensor(1.5, dtype=mg.float64, requires_grad=True)
for _ in range(5):
    y = x ** 3 - 2
    g, = mg.autograd.grad(y, x)
    with mg.no_grad():
        x -= y / g
    print(f"{x.item():.12f}")
del x, y, g
