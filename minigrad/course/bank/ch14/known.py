"""What answers and mistakes of several exercises of chapter 14 share. No sandbox sees it."""

from __future__ import annotations

FORGOTTEN = (
    "Your `backward` returns the derivative, but not multiplied by `g`. It owes a **VJP**: the cotangent that comes in, times "
    "the derivative. With `y.sum().backward()` nobody notices, since there `g` is all ones."
)

DEAD = (
    "The first derivative is right, the second is dead, **without an error**. Your `backward` multiplies by a number that has "
    "no history: a NumPy array, or a Tensor that `forward` computed on the way (nothing is recorded inside `forward`). Only "
    "the inputs and the Tensor that `forward` *returns* know how they hang on x. Save one of those with "
    "`ctx.save_for_backward`, and compute with Tensors. (`@once_differentiable` does the same: leave it out.)"
)

CUT = (
    "The first derivative is right, the second is dead, **without an error**. What you saved knows how it hangs on x, and your "
    "`backward` cuts it off, or takes something else. Look for `detach`, `.data`, `no_grad`, NumPy or `@once_differentiable` there, "
    "and leave it out: compute with what `ctx.saved_tensors` gives, as it is."
)

V_CUT = (
    "By `x` the second derivative is right. By the cotangent it is dead, **without an error**: your `backward` cuts `g` off, by "
    "`detach` or the like. In a larger graph `g` hangs on x too, and that part of the second derivative is lost. Compute with `g` "
    "as it is."
)

NO_RETURN = (
    "Your `backward` returns None, which means: no gradient for this input. So the engine finds no way to x, and says that x "
    "was *not used*. Did you forget `return`?"
)
