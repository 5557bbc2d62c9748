"""01.5 Freeze: the mistakes that are known."""

from __future__ import annotations

import minigrad as mg
from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}


def freeze_grad_none(params, keep):
    for name, p in params.items():
        if name not in keep:
            p.grad = None


MISTAKES[".grad is set to None"] = Mistake(
    freeze_grad_none,
    "`p.grad = None` throws one gradient away; the next backward pass brings another. What decides is `requires_grad`.",
)


def freeze_and_clear(params, keep):
    for name, p in params.items():
        p.requires_grad = name in keep
        if name not in keep:
            p.grad = None


MISTAKES[".grad is thrown away, too"] = Mistake(
    freeze_and_clear, "The flags are right. But you also threw away gradients that were there: leave `.grad` alone."
)


def freeze_rebind(params, keep):
    for name in params:
        if name not in keep:
            params[name] = params[name].detach()


NEWCOMER = (
    "You put **another** tensor into the dict. But the model still holds the old one, and that is as it "
    "was. Change the flag on the tensor itself: `p.requires_grad = …`."
)

MISTAKES["a new tensor in the dict"] = Mistake(freeze_rebind, NEWCOMER)


def freeze_rebind_all(params, keep):
    for name in params:
        params[name] = params[name].detach().requires_grad_(name in keep)


MISTAKES["new tensors in the whole dict"] = Mistake(freeze_rebind_all, NEWCOMER)


def freeze_local(params, keep):
    for name, p in params.items():
        if name not in keep:
            p = p.detach()


ELSEWHERE = (
    "What was to be frozen still requires grad. Something must switch it **off**. "
    "If you wrote `detach()`, `.data` or `clone()`: each makes **another** "
    "tensor; the one in `params`, which the model holds too, never hears of it. Set the flag on the tensor itself: "
    "`p.requires_grad = …`."
)

MISTAKES["a new tensor in a local name"] = Mistake(freeze_local, ELSEWHERE)


def freeze_local_and_on(params, keep):
    for name, p in params.items():
        if name not in keep:
            p = p.detach()
        else:
            p.requires_grad_()


MISTAKES["a new tensor in a local name, and the kept ones on"] = Mistake(freeze_local_and_on, ELSEWHERE)


def freeze_rebind_and_on(params, keep):
    for name, p in params.items():
        if name in keep:
            p.requires_grad_()
        else:
            params[name] = p.detach()


MISTAKES["a new tensor in the dict, and the kept ones on"] = Mistake(freeze_rebind_and_on, NEWCOMER)


def freeze_inverted(params, keep):
    for name, p in params.items():
        p.requires_grad_(name not in keep)


INVERTED = "You froze exactly those that were to be kept. `keep` names the ones that go on learning."
MISTAKES["the wrong half"] = Mistake(freeze_inverted, INVERTED)


def freeze_inverted_flag(params, keep):
    for name, p in params.items():
        p.requires_grad = name not in keep


MISTAKES["the wrong half, by the attribute"] = Mistake(freeze_inverted_flag, INVERTED)


def freeze_off_only(params, keep):
    for name, p in params.items():
        if name not in keep:
            p.requires_grad = False


MISTAKES["kept ones are not switched on"] = Mistake(
    freeze_off_only,
    "A parameter named in `keep` had been frozen before, and you left it so. *Exactly* those "
    "in `keep` require grad afterwards: switch on, too.",
)


def freeze_detach(params, keep):
    for name, p in params.items():
        if name in keep:
            p.requires_grad_()
        else:
            p.detach_()


MISTAKES["detach_ on anything"] = Mistake(
    freeze_detach,
    "For leaves that is right. But on a computed tensor `detach_()` silently cuts its history "
    "away, where setting the flag would have told you that this is no parameter. Set "
    "`requires_grad`.",
)


def freeze_substring(params, keep):
    for name, p in params.items():
        p.requires_grad = any(part in name for part in keep)


MISTAKES["part of a name"] = Mistake(
    freeze_substring, "`w1` is a part of `w10`, but another parameter: compare whole names, `name in keep`."
)


def freeze_any_case(params, keep):
    named = {name.lower() for name in keep}
    for name, p in params.items():
        p.requires_grad = name.lower() in named


MISTAKES["small letters for large ones"] = Mistake(
    freeze_any_case, "`w` and `W` are two parameters: compare the names as they are, `name in keep`."
)


def freeze_swallow(params, keep):
    for name, p in params.items():
        try:
            p.requires_grad = name in keep
        except RuntimeError:
            continue


MISTAKES["the error is swallowed"] = Mistake(
    freeze_swallow,
    "A tensor that is no leaf cannot be frozen, and your function passes over it in silence: "
    "it goes on taking part in training. Let the error come out; it says what to do.",
)


def freeze_and_fill(params, keep):
    for name, p in params.items():
        p.requires_grad = name in keep
        if name in keep and p.grad is None:
            p.grad = mg.zeros_like(p)


MISTAKES[".grad is filled with zeros"] = Mistake(
    freeze_and_fill,
    "The flags are right. But a parameter that is kept had no `.grad`, and now it has one: zeros are not None. Leave `.grad` alone; "
    "the next backward pass makes it.",
)
