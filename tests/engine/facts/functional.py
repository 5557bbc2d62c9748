# ruff: noqa
"""Facts, area functional: jacobian, hessian, vjp, jvp, hvp, vhp."""
import numpy as np

import minigrad as mg

# %% functional.jacobian.vector | 03 | torch docs: jacobian
def f(x):
    return x ** 2 * mg.tensor([1.0, 2.0, 3.0])
J = mg.autograd.functional.jacobian(f, mg.tensor([1.0, 2.0, 3.0]))

# %% functional.jacobian.rectangular | 03 | torch docs: jacobian
J = mg.autograd.functional.jacobian(lambda x: mg.stack([x.sum(), x[0] * x[1]]), mg.tensor([1.0, 2.0, 3.0]))

# %% functional.jacobian.matrix_in | 03 | course 3.3
# The shape is that of the output, then that of the input.
J = mg.autograd.functional.jacobian(lambda x: x.sum(1), mg.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]))
print(J.shape)

# %% functional.jacobian.scalar_out | 03 | torch docs: jacobian
J = mg.autograd.functional.jacobian(lambda x: (x ** 2).sum(), mg.tensor([1.0, 2.0]))

# %% functional.jacobian.two_inputs | 03 | torch docs: jacobian
J = mg.autograd.functional.jacobian(lambda a, b: a * b, (mg.tensor([1.0, 2.0]), mg.tensor([3.0, 4.0])))
print(type(J).__name__, len(J))

# %% functional.jacobian.two_outputs | 03 | torch docs: jacobian
J = mg.autograd.functional.jacobian(lambda x: (x * 2, x.sum()), mg.tensor([1.0, 2.0]))
print(type(J).__name__, len(J))

# %% functional.jacobian.two_by_two | 03 | torch docs: jacobian
J = mg.autograd.functional.jacobian(lambda a, b: (a * b, a + 3 * b), (mg.tensor(2.0), mg.tensor(5.0)))
print(J)

# %% functional.jacobian.create_graph | 03 09 | torch docs: jacobian
x = mg.tensor([1.0, 2.0], requires_grad=True)
J = mg.autograd.functional.jacobian(lambda x: x ** 3, x, create_graph=True)
print(J.requires_grad)
g, = mg.autograd.grad(J.sum(), x)
print(g)
del J

# %% functional.jacobian.input_untouched | 03 | torch docs: jacobian
x = mg.tensor([1.0, 2.0], requires_grad=True)
J = mg.autograd.functional.jacobian(lambda x: x ** 3, x)
print(J.requires_grad, x.grad)

# %% functional.jacobian.independent | 03 | torch docs: jacobian
J = mg.autograd.functional.jacobian(lambda x: mg.ones(2), mg.tensor([1.0, 2.0, 3.0]))

# %% functional.jacobian.unused_input | 03 | torch docs: jacobian
J = mg.autograd.functional.jacobian(lambda a, b: a * 2, (mg.ones(2), mg.ones(3)))

# %% functional.jacobian.vectorize | 10 | torch docs: jacobian
J = mg.autograd.functional.jacobian(lambda x: x[:2] * x[1:], mg.tensor([1.0, 2.0, 3.0]), vectorize=True)

# %% functional.jacobian.forward_strategy | 10 | torch docs: jacobian
J = mg.autograd.functional.jacobian(lambda x: x[:2] * x[1:], mg.tensor([1.0, 2.0, 3.0]), vectorize=True, strategy="forward-mode")

# %% functional.jacobian.forward_needs_vectorize | 10 | torch docs: jacobian
mg.autograd.functional.jacobian(lambda x: x, mg.ones(2), strategy="forward-mode")

# %% functional.jacobian.unknown_strategy | 10 | torch docs: jacobian
mg.autograd.functional.jacobian(lambda x: x, mg.ones(2), strategy="sideways")

# %% functional.jacobian.output_type | 03 | torch docs: jacobian
mg.autograd.functional.jacobian(lambda x: 1.0, mg.ones(2))

# %% functional.jacobian.input_type | 03 | torch docs: jacobian
mg.autograd.functional.jacobian(lambda x: x, 1.0)

# %% functional.jacobian.input_tuple_type | 03 | torch docs: jacobian
mg.autograd.functional.jacobian(lambda x, y: x, (mg.ones(1), 2.0))

# %% functional.jacobian.empty_out | 03 | torch docs: jacobian
J = mg.autograd.functional.jacobian(lambda x: x[:0], mg.ones(3))

# %% functional.jacobian.float64 | 03 | course
J = mg.autograd.functional.jacobian(mg.exp, mg.tensor([0.0, 1.0], dtype=mg.float64))

# %% functional.jacobian.chain | 03 | course 3.4
x = mg.tensor([1.0, 2.0])
A = mg.tensor([[1.0, 2.0], [0.5, -1.0], [3.0, 0.0]])
J1 = mg.autograd.functional.jacobian(lambda x: A @ x, x)
J2 = mg.autograd.functional.jacobian(mg.sin, A @ x)
J = mg.autograd.functional.jacobian(lambda x: mg.sin(A @ x), x)
print(mg.allclose(J, J2 @ J1))

# %% functional.jacobian.softmax | 03 | course 3.5
p = mg.softmax(mg.tensor([1.0, 2.0, 3.0]), 0)
J = mg.autograd.functional.jacobian(lambda z: mg.softmax(z, 0), mg.tensor([1.0, 2.0, 3.0]))
print(mg.allclose(J, mg.diag(p) - mg.outer(p, p)))

# %% functional.hessian.scalar_function | 09 | torch docs: hessian
H = mg.autograd.functional.hessian(lambda x: (x ** 3).sum(), mg.tensor([1.0, 2.0]))

# %% functional.hessian.mixed | 09 | torch docs: hessian
H = mg.autograd.functional.hessian(lambda x: x[0] ** 2 * x[1] ** 3, mg.tensor([1.0, 2.0]))

# %% functional.hessian.two_inputs | 09 | torch docs: hessian
H = mg.autograd.functional.hessian(lambda a, b: (a * b ** 2).sum(), (mg.tensor([1.0, 2.0]), mg.tensor([3.0, 4.0])))
print(H)

# %% functional.hessian.vector_function | 09 | torch docs: hessian
mg.autograd.functional.hessian(lambda x: x ** 2, mg.tensor([1.0, 2.0]))

# %% functional.hessian.one_element | 09 | torch docs: hessian
H = mg.autograd.functional.hessian(lambda x: (x ** 2).sum().view(1), mg.tensor([1.0, 2.0]))

# %% functional.hessian.two_outputs | 09 | torch docs: hessian
mg.autograd.functional.hessian(lambda x: (x.sum(), x.sum()), mg.tensor([1.0, 2.0]))

# %% functional.hessian.linear | 09 | torch docs: hessian
H = mg.autograd.functional.hessian(lambda x: x.sum(), mg.tensor([1.0, 2.0]))

# %% functional.hessian.create_graph | 09 | torch docs: hessian
x = mg.tensor([1.0, 2.0], requires_grad=True)
H = mg.autograd.functional.hessian(lambda x: (x ** 4).sum(), x, create_graph=True)
g, = mg.autograd.grad(H.sum(), x)
print(H.requires_grad, g)
del H

# %% functional.hessian.vectorize | 10 | torch docs: hessian
H = mg.autograd.functional.hessian(lambda x: (x ** 3).sum(), mg.tensor([1.0, 2.0]), vectorize=True)

# %% functional.hessian.outer_forward | 10 | torch docs: hessian
H = mg.autograd.functional.hessian(lambda x: x.exp().prod(), mg.tensor([0.5, 0.25]), vectorize=True, outer_jacobian_strategy="forward-mode")

# %% functional.vjp.basic | 04 | torch docs: vjp
out, g = mg.autograd.functional.vjp(lambda x: x ** 2, mg.tensor([1.0, 2.0]), mg.tensor([1.0, 10.0]))

# %% functional.vjp.scalar_without_v | 04 | torch docs: vjp
out, g = mg.autograd.functional.vjp(lambda x: (x ** 2).sum(), mg.tensor([1.0, 2.0]))

# %% functional.vjp.vector_without_v | 04 | torch docs: vjp
mg.autograd.functional.vjp(lambda x: x ** 2, mg.tensor([1.0, 2.0]))

# %% functional.vjp.v_shape | 04 | torch docs: vjp
mg.autograd.functional.vjp(lambda x: x ** 2, mg.tensor([1.0, 2.0]), mg.ones(3))

# %% functional.vjp.two_inputs | 04 | torch docs: vjp
out, g = mg.autograd.functional.vjp(lambda a, b: a * b, (mg.tensor([1.0, 2.0]), mg.tensor([3.0, 4.0])), mg.ones(2))

# %% functional.vjp.independent | 04 | torch docs: vjp
out, g = mg.autograd.functional.vjp(lambda x: mg.tensor(1.0), mg.tensor([1.0, 2.0]))

# %% functional.vjp.count | 04 | torch docs: vjp
mg.autograd.functional.vjp(lambda x: (x, x), mg.tensor([1.0, 2.0]), mg.ones(2))

# %% functional.vjp.create_graph | 04 09 | torch docs: vjp
x = mg.tensor([1.0, 2.0], requires_grad=True)
out, g = mg.autograd.functional.vjp(lambda x: x ** 3, x, mg.ones(2), create_graph=True)
print(out.requires_grad, g.requires_grad)
del out, g

# %% functional.jvp.basic | 10 | torch docs: jvp
out, t = mg.autograd.functional.jvp(lambda x: x ** 2, mg.tensor([1.0, 2.0]), mg.tensor([1.0, 10.0]))

# %% functional.jvp.without_v | 10 | torch docs: jvp
mg.autograd.functional.jvp(lambda x: x ** 2, mg.tensor([1.0, 2.0]))

# %% functional.jvp.scalar_without_v | 10 | torch docs: jvp
out, t = mg.autograd.functional.jvp(lambda x: x ** 2 * mg.ones(3), mg.tensor(2.0))

# %% functional.jvp.v_shape | 10 | torch docs: jvp
mg.autograd.functional.jvp(lambda x: x.sum(), mg.tensor([1.0, 2.0]), mg.ones(1))

# %% functional.jvp.two_inputs | 10 | torch docs: jvp
out, t = mg.autograd.functional.jvp(lambda a, b: a * b, (mg.tensor([1.0, 2.0]), mg.tensor([3.0, 4.0])), (mg.ones(2), mg.tensor([10.0, 10.0])))

# %% functional.jvp.independent | 10 | torch docs: jvp
out, t = mg.autograd.functional.jvp(lambda x: mg.ones(2), mg.tensor([1.0, 2.0]), mg.ones(2))

# %% functional.hvp.basic | 09 | torch docs: hvp
out, h = mg.autograd.functional.hvp(lambda x: (x ** 3).sum(), mg.tensor([1.0, 2.0]), mg.tensor([1.0, -1.0]))

# %% functional.hvp.two_inputs | 09 | torch docs: hvp
out, h = mg.autograd.functional.hvp(lambda a, b: (a * b ** 2).sum(), (mg.tensor([1.0]), mg.tensor([3.0])), (mg.ones(1), mg.ones(1)))

# %% functional.hvp.not_scalar | 09 | torch docs: hvp
mg.autograd.functional.hvp(lambda x: x ** 2, mg.tensor([1.0, 2.0]), mg.ones(2))

# %% functional.hvp.without_v | 09 | torch docs: hvp
mg.autograd.functional.hvp(lambda x: (x ** 2).sum(), mg.tensor([1.0, 2.0]))

# %% functional.hvp.linear | 09 | torch docs: hvp
out, h = mg.autograd.functional.hvp(lambda x: x.sum(), mg.tensor([1.0, 2.0]), mg.ones(2))

# %% functional.vhp.basic | 09 | torch docs: vhp
out, h = mg.autograd.functional.vhp(lambda x: x[0] ** 2 * x[1], mg.tensor([1.0, 2.0]), mg.tensor([1.0, -1.0]))

# %% functional.vhp.v_shape | 09 | torch docs: vhp
mg.autograd.functional.vhp(lambda x: (x ** 2).sum(), mg.tensor([1.0, 2.0]), mg.ones(3))
