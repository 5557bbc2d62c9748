"""07.5 Three doors to one error: the mistakes that are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import minigrad as mg
from minigrad.course.bank.ch07.ex05.answer import Doors
from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}


def door(name: str, wrong: Callable[..., Any]) -> Any:
    """The right answer with one other program."""
    return type("Doors", (Doors,), {name: staticmethod(wrong)})


def wrong_door(name: str, wrong: Callable[..., Any], hint: str) -> Mistake:
    return Mistake(door(name, wrong), f"{name}: {hint}")


def twice_nothing_saved(x):
    y = (x + 1).sum()
    y.backward()
    y.backward()


NOTHING_SAVED = (
    "both passes went well, because **nothing was saved** that could be missed: sums, minus signs and means need no array for their "
    "way back. Put an operation in that saves one, such as `exp`, `**` or a product. (And no `retain_graph`.)"
)

MISTAKES["twice: nothing saved"] = wrong_door("twice", twice_nothing_saved, NOTHING_SAVED)


def twice_made_anew(x):
    mg.exp(x).sum().backward()
    mg.exp(x).sum().backward()


KEPT_OR_ANEW = (
    "both passes went well. Either the first kept the graph (`retain_graph=True`, and `create_graph=True` keeps it too), or the "
    "second had a graph of its own, because the forward was computed anew. Compute `y` once, and go back through it twice."
)

MISTAKES["twice: kept or made anew"] = wrong_door("twice", twice_made_anew, KEPT_OR_ANEW)


def twice_vector(x):
    y = mg.exp(x)
    y.backward()
    y.backward()


def grad_vector(x):
    y = mg.exp(x)
    mg.autograd.grad(y, x)
    y.backward()


A_VECTOR = (
    "another error came first. `x` has several entries, so make `y` a scalar with `.sum()`. Or give a gradient of the shape of "
    "`y` (chapter 04)."
)

MISTAKES |= {
    f"{name}: a vector": wrong_door(name, wrong, A_VECTOR)
    for name, wrong in (("twice", twice_vector), ("grad_first", grad_vector), ("look", twice_vector))
}


def forward_only(x):
    y = mg.exp(x).sum()
    print(y)


MISTAKES |= {
    f"{name}: nothing happens": wrong_door(name, forward_only, "no error, and no pass has reached `x` yet. Write this one too.")
    for name in ("twice", "grad_first")
}


def once(x):
    y = mg.exp(x).sum()
    y.backward()


MISTAKES["twice: once"] = wrong_door(
    "twice", once, "no error came out. One pass is always fine: the error comes with the second. Or did you catch it? Let it out."
)


def grad_nothing_saved(x):
    y = x.sum()
    mg.autograd.grad(y, x)
    y.backward()


MISTAKES["grad_first: nothing saved"] = wrong_door("grad_first", grad_nothing_saved, NOTHING_SAVED)


def grad_kept(x):
    y = mg.exp(x).sum()
    mg.autograd.grad(y, x, retain_graph=True)
    y.backward()


MISTAKES["grad_first: kept or made anew"] = wrong_door("grad_first", grad_kept, KEPT_OR_ANEW)


def backward_first(x):
    y = mg.exp(x).sum()
    y.backward()
    mg.autograd.grad(y, x)


MISTAKES["grad_first: the other way round"] = wrong_door(
    "grad_first",
    backward_first,
    "that is the same door from the other side: `backward` frees, `autograd.grad` finds it empty. Asked for is "
    "`mg.autograd.grad(y, x)` first, and then `y.backward()`.",
)


def grad_twice(x):
    y = mg.exp(x).sum()
    mg.autograd.grad(y, x)
    mg.autograd.grad(y, x)


MISTAKES["grad_first: grad twice"] = wrong_door(
    "grad_first", grad_twice, "you called `autograd.grad` twice. The second call should be `y.backward()`."
)


def look_at_shape(x):
    y = x**2
    y.sum().backward()
    return y.grad_fn._saved_exponent


MISTAKES["look: no array"] = wrong_door(
    "look",
    look_at_shape,
    "a pass was made, and no error came out. The look must come **after** the pass, which may not retain the graph. And it must "
    "be at an **array**, `_saved_self`, `_saved_other` or `_saved_result`: an exponent or a shape is not freed and stays readable.",
)


def look_where_nothing_is(x):
    y = x + 1
    y.sum().backward()
    return y.grad_fn


MISTAKES["look: nothing saved"] = wrong_door(
    "look",
    look_where_nothing_is,
    "a pass was made, but no operation has saved an array that it could free. Take one that does, such as `exp` or `sin`, and read "
    "its `_saved_…` after the pass.",
)


def look_too_soon(x):
    y = mg.exp(x)
    return y.grad_fn._saved_result


MISTAKES["look: too soon"] = wrong_door(
    "look", look_too_soon, "no pass was made. Before it the suitcase is full: first go backward, then look."
)


def look_misspelled(x):
    y = mg.exp(x)
    y.sum().backward()
    return y.grad_fn._saved_self


MISTAKES["look: another name"] = wrong_door(
    "look",
    look_misspelled,
    "nothing has that name here. The suitcase belongs to the **node**, `y.grad_fn`, not to the tensor; and after "
    "`.sum()` that is the node of the sum, which saves no array. `exp` has its `_saved_result`, `sin` its "
    "`_saved_self`, a product both `_saved_self` and `_saved_other`.",
)


def look_walks(x):
    y = mg.exp(x).sum()
    y.backward()
    y.backward()


MISTAKES["look: a second pass"] = wrong_door(
    "look", look_walks, "here the error should come without a second pass: from *reading* `y.grad_fn._saved_…` after the first."
)


def raised_by_hand(x):
    raise RuntimeError("Trying to backward through the graph a second time")


def raised_after_a_pass(x):
    once(x)
    raised_by_hand(x)


MISTAKES |= {
    f"{name}: {how}": wrong_door(name, wrong, "the error is a `raise` of your own. Let the engine raise it.")
    for name in ("twice", "grad_first", "look")
    for how, wrong in (("raised by hand", raised_by_hand), ("raised by hand after a pass", raised_after_a_pass))
}


def twice_kept_and_a_third(x):
    y = mg.exp(x).sum()
    y.backward(retain_graph=True)
    y.backward()
    y.backward()


def grad_kept_and_a_third(x):
    y = mg.exp(x).sum()
    mg.autograd.grad(y, x, retain_graph=True)
    mg.autograd.grad(y, x)
    y.backward()


def look_kept_and_a_second(x):
    y = mg.exp(x)
    y.sum().backward(retain_graph=True)
    y.sum().backward()
    return y.grad_fn._saved_result


MISTAKES |= {
    f"{name}: kept, and a {which}": wrong_door(
        name, wrong, "the error came, but more than one pass went well before it. One pass is enough, without `retain_graph`."
    )
    for name, which, wrong in (
        ("twice", "third", twice_kept_and_a_third),
        ("grad_first", "third", grad_kept_and_a_third),
        ("look", "second", look_kept_and_a_second),
    )
}
