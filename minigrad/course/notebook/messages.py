"""Every message of the engine, with its cause, its cure and a program that raises it: the data of `explain` and of the
page "I get this message".

The wording itself stands in minigrad/messages.toml; an entry names it there.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass


@dataclass(frozen=True)
class Message:
    """One message. ``name``: what it is called in messages.toml."""

    name: str
    chapter: str  # where it is taught; empty when it is not about gradients
    why: str
    fix: str
    example: str  # a program that raises it, with `mg` and `np` in its namespace


def _m(name: str, chapter: str, why: str, fix: str, example: str) -> Message:
    return Message(name, chapter, why, fix, textwrap.dedent(example).strip())


def _function(forward: str, backward: str, call: str, args: str = "x", rule: str = "backward", grads: str = "g") -> str:
    """A program with a custom Function F; ``;`` separates lines, ``|`` indents one."""
    lines = ["class F(mg.autograd.Function):"]
    for name, parameters, body in (("forward", args, forward), (rule, grads, backward)):
        if body:
            lines += ["    @staticmethod", f"    def {name}(ctx, {parameters}):"]
            lines += [f"        {line.strip()}".replace("|", "    ") for line in body.split(";")] + [""]
    return "\n".join([*lines[:-1], "", *(line.strip().replace("|", "    ") for line in call.split(";"))])


_V = "x = mg.tensor([1.0, 2.0], requires_grad=True)"  # a vector
_S = "x = mg.tensor(3.0, requires_grad=True)"  # a single number
_D = "x = mg.tensor([1.0, 2.0], dtype=mg.float64, requires_grad=True)"  # for gradcheck
_FW = "fw = mg.autograd.forward_ad\n"
_FN = "functional = mg.autograd.functional\n"
_F = "F = mg.nn.functional\n"

AREAS: dict[str, tuple[Message, ...]] = {
    "Backward and grad": (
        _m(
            "NO_GRAPH",
            "01",
            "You called `backward()` on a tensor without history: none of its inputs requires grad, or it was computed "
            "under `no_grad`, or it was detached.",
            "Make the leaf with `requires_grad=True` before you compute with it, and look for `detach()`, `.data`, "
            "`.item()` and `no_grad` on the way. `t.grad_fn` is None where the history ends.",
            """
            w = mg.tensor([1.0, 2.0])
            (w * w).sum().backward()
            """,
        ),
        _m(
            "SCALAR_ONLY",
            "04",
            "`backward()` without arguments starts from one number. This tensor has several, or none.",
            "Reduce it to one number first (`.sum()`, `.mean()`: which one is your choice), or say how much each element "
            "counts: `y.backward(v)` with `v` of the shape of `y`.",
            f"{_V}\n(x * x).backward()",
        ),
        _m(
            "REAL_ONLY",
            "09",
            "The output is complex. What a slope of a complex number is has no single answer, so nothing is assumed.",
            "Call `backward(v)` with a complex `v`, or begin from a real number, such as `(y.abs() ** 2).sum()`.",
            "x = mg.tensor([1 + 1j], requires_grad=True)\n(x * x).backward()",
        ),
        _m(
            "GRADIENT_SHAPE",
            "04",
            "The argument of `backward` holds one number for each element of the output. Its shape differs, and it is not broadcast.",
            "Give it the shape of the output, not of the input: `mg.ones_like(y)` is a safe beginning.",
            f"{_V}\n(x * x).backward(mg.ones(3))",
        ),
        _m(
            "GRADIENT_DTYPE",
            "04",
            "The output is complex and the gradient that you gave is not, or the other way round.",
            "Make the gradient with the dtype of the output: `v.to(y.dtype)`.",
            "x = mg.tensor([1 + 1j], requires_grad=True)\n(x * x).backward(mg.tensor([1.0]))",
        ),
        _m(
            "GRADIENT_TYPE",
            "04",
            "The gradient must be a Tensor. A list, a number or a NumPy array is not turned into one.",
            "Wrap it: `y.backward(mg.tensor([1.0, 0.0]))`.",
            f"{_V}\n(x * x).backward(np.ones(2))",
        ),
        _m(
            "COUNT",
            "04",
            "Every output needs an entry of its own in the list of gradients.",
            "Give a list as long as the list of outputs, with None for an output of one element.",
            f"{_V}\nmg.autograd.backward([x * x, x * 3], [mg.ones(2)])",
        ),
        _m(
            "NO_INPUTS",
            "08",
            "You asked for the gradients of no tensors: the list is empty.",
            "List the tensors that you want, or leave `inputs` out of `backward()` to have all leaves.",
            f"{_S}\nmg.autograd.grad(x * x, [])",
        ),
        _m(
            "INPUT_TYPE",
            "08",
            "Something in the list of inputs is no Tensor: perhaps a number that was read out with `.item()`.",
            "Pass the tensors themselves, the same objects that you computed with.",
            f"{_S}\nmg.autograd.grad(x * x, [1.0])",
        ),
        _m(
            "ROOT_TYPE",
            "08",
            "An output that is to be differentiated is a number, an array or None, and no Tensor.",
            "Look where it stopped being a Tensor: `.item()`, `float()` and `.numpy()` all leave the graph.",
            "mg.autograd.backward([1.0])",
        ),
        _m(
            "MATERIALIZE",
            "08",
            "`materialize_grads=True` gives zeros for inputs that are not used; `allow_unused=False` forbids such inputs. "
            "Both at once contradict each other.",
            "Leave `allow_unused` out.",
            f"{_S}\nmg.autograd.grad(x * x, x, allow_unused=False, materialize_grads=True)",
        ),
        _m(
            "BATCHED_SHAPE",
            "10",
            "With `is_grads_batched=True` the gradients are a stack: the first axis counts them, and each one has the shape "
            "of the output.",
            "Give shape `(number of vectors, *y.shape)`.",
            "x = mg.tensor([1.0, 2.0, 3.0], requires_grad=True)\nmg.autograd.grad(x * x, x, mg.eye(2), is_grads_batched=True)",
        ),
        _m(
            "BATCHED_SIZES",
            "10",
            "With `is_grads_batched=True` each output has a stack of gradients, and the stacks hold different numbers of them.",
            "Give every stack the same first axis.",
            "x = mg.tensor([1.0, 2.0], requires_grad=True)\n"
            "mg.autograd.grad([x * 2, x * 3], x, [mg.ones(3, 2), mg.ones(2, 2)], is_grads_batched=True)",
        ),
        _m(
            "INPUT_NO_GRAD",
            "08",
            "You asked for the gradient of a tensor that was not tracked when the outputs were computed.",
            "Call `requires_grad_()` on it before you compute, not after.",
            f"{_S}\nc = mg.tensor(5.0)\nmg.autograd.grad(x * c, [x, c])",
        ),
        _m(
            "INPUT_UNUSED",
            "08",
            "No path leads from the outputs to this input. Often the name was given to a new tensor in between, or the "
            "value was detached, or the output really does not depend on it.",
            "Ask for the tensor that the outputs were computed from. If independence is what you expect, "
            "`allow_unused=True` gives None, and `materialize_grads=True` gives zeros.",
            f"{_S}\nw = mg.tensor(2.0, requires_grad=True)\nmg.autograd.grad(x * x, [x, w])",
        ),
        _m(
            "FREED",
            "07",
            "A backward pass frees what the graph saved. You walked through the same nodes once more: a second `backward()` "
            "on the same output, or a part of the graph that two outputs share, or state carried over from the last step.",
            "Compute the forward anew in every step (most often this is what you want; `detach()` what you carry over). "
            "For two outputs, add them and go back once. Else give the earlier call `retain_graph=True`.",
            f"{_S}\ny = x * x\ny.backward()\ny.backward()",
        ),
        _m(
            "MODIFIED",
            "11",
            "An operation saved this tensor for its backward rule, and later somebody wrote into it. The saved value is "
            "gone, so the gradient would be wrong. The versions count the writes.",
            "The note names both lines. Write out of place there (`h = h + 1`, not `h += 1`), or into a `clone()`.",
            f"{_S}\nh = x.clone()\ny = h * h\nh += 1\ny.backward()",
        ),
        _m(
            "MODIFIED_HINT",
            "13",
            "This is the end of the message about a value that was overwritten. It names a tool that finds the forward line.",
            "In minigrad the note below the error names the line already. In PyTorch run it again in anomaly mode.",
            f"{_S}\nh = x.clone()\ny = h * h\nh += 1\ny.backward()",
        ),
        _m(
            "MODIFIED_HINT_ANOMALY",
            "13",
            "A value that backward needs was overwritten, and anomaly mode is on: the warning above the error holds the forward line.",
            "Look at the line that the warning names, then for the write that comes after it.",
            """
            with mg.autograd.set_detect_anomaly(True):
                x = mg.tensor([1.0, 2.0], requires_grad=True)
                y = x.exp()
                y.add_(1)
                y.sum().backward()
            """,
        ),
        _m(
            "WRONG_GRADIENT",
            "14",
            "A backward rule returned a gradient whose shape is not that of the input it belongs to.",
            "A gradient has the shape of its input. If the input was broadcast in forward, sum over the axes that were added.",
            _function("return x * 2", "return mg.ones(3)", f"{_V}; F.apply(x).sum().backward()"),
        ),
        _m(
            "CREATE_GRAPH_CYCLE",
            "09",
            "A warning: with `create_graph=True`, `.grad` has a graph that leads back to the leaf, and the leaf holds "
            "`.grad`: a cycle, which keeps memory alive.",
            "Use `mg.autograd.grad(y, x, create_graph=True)`, which returns the gradient and stores it nowhere.",
            f"{_S}\n(x ** 3).backward(create_graph=True)",
        ),
        _m(
            "NOT_DIFFERENTIABLE",
            "09",
            "The operation has no derivative rule for this argument.",
            "Write it with operations that have one, or detach the argument when it is meant to be a constant.",
            f"{_S}\n(x // 2).backward()",
        ),
    ),
    "Leaves, requires_grad and .grad": (
        _m(
            "NONLEAF_FLAG",
            "01",
            "`requires_grad` of a computed tensor is decided by its inputs. Only a leaf can be switched.",
            "Switch the leaf. To cut a branch off, continue with `y.detach()`.",
            f"{_V}\ny = x * 2\ny.requires_grad = False",
        ),
        _m(
            "NONLEAF_DETACH",
            "01",
            "The end of the message about `requires_grad` of a tensor that is no leaf.",
            "`y.detach()` gives a tensor with the same values and without history.",
            f"{_V}\ny = x * 2\ny.requires_grad_(False)",
        ),
        _m(
            "FLOATS_ONLY_NEW",
            "01",
            "A slope asks what a tiny change does. Integers and bools have no tiny changes.",
            "Make it with floats: `mg.tensor([1.0, 2.0])`, or give `dtype=mg.float32`.",
            "mg.tensor([1, 2], requires_grad=True)",
        ),
        _m(
            "FLOATS_ONLY_FLAG",
            "01",
            "You set `requires_grad` on a tensor of integers or bools.",
            "Convert it first: `x = x.float()`.",
            "x = mg.tensor([1, 2])\nx.requires_grad = True",
        ),
        _m(
            "FLOATS_ONLY_METHOD",
            "01",
            "You called `requires_grad_()` on a tensor of integers or bools.",
            "Convert it first: `x = x.float().requires_grad_()`.",
            "mg.tensor([1, 2]).requires_grad_()",
        ),
        _m(
            "FLAG_TYPE",
            "01",
            "`requires_grad` was set to something that is neither True nor False.",
            "Write `x.requires_grad = True`.",
            "x = mg.tensor([1.0])\nx.requires_grad = 1",
        ),
        _m(
            "READ_ONLY",
            "01",
            "What the engine keeps about a tensor's history cannot be set from outside.",
            "Use the operation that changes it: `detach()` for a tensor without `grad_fn`, for instance.",
            "x = mg.tensor([1.0])\nx.grad_fn = None",
        ),
        _m(
            "NONLEAF_GRAD",
            "01",
            "A warning: you read `.grad` of a computed tensor. It is None, because only leaves keep their gradient.",
            "Call `y.retain_grad()` before `backward()`. If you meant the leaf, look whether its name was given to a "
            "computed tensor: `x = mg.ones(3, requires_grad=True) * 2` is a product, and the leaf has no name.",
            f"{_S}\ny = x * 2\ny.backward()\ny.grad",
        ),
        _m(
            "GRAD_TYPE",
            "06",
            "`.grad` holds a Tensor or None.",
            "Assign a Tensor, `x.grad = None` to empty it, or `x.grad.zero_()` to keep the buffer.",
            f"{_V}\nx.grad = 0.0",
        ),
        _m(
            "GRAD_SHAPE",
            "06",
            "A gradient has one number for each element of its tensor, so their shapes agree.",
            "Assign a Tensor of the same shape.",
            f"{_V}\nx.grad = mg.tensor([1.0])",
        ),
        _m(
            "GRAD_DTYPE",
            "06",
            "The gradient that you assigned has another dtype than the tensor.",
            "Convert it: `x.grad = g.to(x.dtype)`.",
            f"{_V}\nx.grad = mg.tensor([1.0, 2.0], dtype=mg.float64)",
        ),
        _m(
            "DATA_TYPE",
            "11",
            "`.data` was set to something that is no Tensor.",
            "Write values into a leaf with `with mg.no_grad(): x.copy_(...)`.",
            "x = mg.tensor([1.0, 2.0])\nx.data = [3.0, 4.0]",
        ),
        _m(
            "DATA_INTEGERS",
            "11",
            "Only floating point and complex numbers have gradients, and this tensor requires one.",
            "Convert what you assign: `x.data = t.float()`.",
            "x = mg.ones(2, requires_grad=True)\nx.data = mg.tensor([1, 2])",
        ),
        _m(
            "RETAIN_NO_GRAD",
            "13",
            "A tensor that does not require grad gets no gradient that it could keep.",
            "Set `requires_grad=True` on the leaf that it comes from, or remove `retain_grad()`.",
            "mg.tensor([1.0]).retain_grad()",
        ),
        _m(
            "DEEPCOPY",
            "01",
            "A computed tensor is tied to its graph, and the graph is not copied.",
            "Copy the values: `y.detach().clone()`. Often such a tensor is kept as an attribute of a model: keep the detached one.",
            f"import copy\n\n{_V}\ncopy.deepcopy(x * 2)",
        ),
        _m(
            "NUMPY_GRAD",
            "05",
            "A NumPy array cannot carry a history, so a tracked tensor does not become one silently. Plotting does this, too.",
            "`y.detach().numpy()`. Where you want the result differentiated, use `mg.exp` and its like, not `np.exp`.",
            f"{_V}\nx.numpy()",
        ),
        _m(
            "TO_SCALAR",
            "01",
            "A warning: a tracked tensor was read as a plain number, which drops its history.",
            "Use `.item()` or `detach()` when you want the number. To build a tensor of tracked ones, use `mg.stack`.",
            "a = mg.tensor(2.0, requires_grad=True)\nmg.tensor([a, 3.0])",
        ),
    ),
    "In place, and views": (
        _m(
            "LEAF_INPLACE",
            "11",
            "An in-place operation on a leaf would turn it into a computed tensor, and its `.grad` would have no place.",
            "An update of a parameter belongs into `with mg.no_grad():`. Else compute a new tensor: `y = w - 0.1 * g`.",
            f"{_V}\nx -= 0.1",
        ),
        _m(
            "LEAF_VIEW_INPLACE",
            "12",
            "A view shares the memory of the leaf: a write into the view is a write into the leaf.",
            "Write under `no_grad`, or write to a view of a computed tensor, such as `y = x.clone()`.",
            f"{_V}\nx[0].add_(1)",
        ),
        _m(
            "MULTI_VIEW",
            "12",
            "`unbind`, `split` and `chunk` make several views in one node. Such a node cannot be rewritten when one of them "
            "is written to.",
            "Write out of place, or index instead: `h[0]` is a view of its own.",
            f"{_V}\na, b = (x * 1).unbind()\na.mul_(2)",
        ),
        _m(
            "MODE_VIEW",
            "12",
            "The view was made under `no_grad` or `inference_mode` and written to outside: the engine cannot know whether "
            "you want the write recorded.",
            "Make the view and write to it in one place, both inside or both outside.",
            """
            x = mg.tensor([1.0, 2.0], requires_grad=True)
            with mg.no_grad():
                v = x[:1]
            v.mul_(2)
            """,
        ),
        _m(
            "FUNCTION_VIEW",
            "14",
            "A custom Function returned a view of its input. If that were written to, the engine would bypass your backward.",
            "Return a `clone()` from forward, or clone the output before you write.",
            _function("return x.view(-1)", "return g.view(2, 2)", "x = mg.ones(2, 2, requires_grad=True); F.apply(x * 1).mul_(2)"),
        ),
        _m(
            "OVERLAP",
            "12",
            "The tensor that you write to was expanded: many elements are one place in memory.",
            "`clone()` it first, or write out of place.",
            "mg.zeros(1).expand(3).add_(1)",
        ),
        _m(
            "RESULT_CAST",
            "11",
            "An in-place operation cannot change the dtype of the tensor that it writes to.",
            "Write out of place, or convert the tensor first.",
            "mg.tensor([1, 2]).mul_(0.5)",
        ),
        _m(
            "INTEGER_RESULT",
            "05",
            "A result in integers has no gradient, and an input here requires one.",
            "Leave `dtype` away, or take the sum of `x.detach()`.",
            "mg.ones(2, requires_grad=True).sum(dtype=mg.int64)",
        ),
        _m(
            "OUTPUT_SHAPE",
            "11",
            "An in-place operation cannot change the shape of the tensor that it writes to. Broadcasting would make it larger.",
            "Write out of place: `a = a + b`.",
            "mg.zeros(1).add_(mg.zeros(3))",
        ),
        _m(
            "DETACH_VIEW",
            "12",
            "A view cannot leave the graph while it shares memory with a base that stays in it.",
            "Use `detach()`, without the underscore.",
            f"{_V}\n(x * 1)[:1].detach_()",
        ),
        _m(
            "INTERIOR",
            "11",
            "Between forward and backward a leaf became a computed tensor: its `requires_grad` was cleared, and then "
            "something tracked was written into it.",
            "Write into a `clone()` of it.",
            """
            x, w = mg.ones(2, requires_grad=True), mg.ones(2, requires_grad=True)
            y = (x * 3).sum()
            x.requires_grad = False
            x *= w
            y.backward()
            """,
        ),
    ),
    "Modes: no_grad, inference, anomaly": (
        _m(
            "ANOMALY",
            "13",
            "A warning, as long as anomaly mode is on: every operation keeps a traceback, which costs time.",
            "Use it to look for a bug, and take it out again.",
            "with mg.autograd.detect_anomaly():\n    pass",
        ),
        _m(
            "ANOMALY_NAN",
            "13",
            "Anomaly mode stopped backward at the first node whose gradient is NaN. Typical: 0 · inf after `sqrt`, `log` or "
            "a division at 0.",
            "The warning above names the forward line. Keep the input away from the bad point before the operation "
            "(`clamp`, or `where` on the input), not after it.",
            """
            with mg.autograd.set_detect_anomaly(True):
                x = mg.tensor(-1.0, requires_grad=True)
                x.sqrt().backward()
            """,
        ),
        _m(
            "ANOMALY_TRACE",
            "13",
            "A warning that comes with an error in backward: it names the forward line that made the failing node.",
            "Read the last line of its traceback: that operation's backward failed.",
            """
            with mg.autograd.set_detect_anomaly(True):
                x = mg.tensor(-1.0, requires_grad=True)
                x.sqrt().backward()
            """,
        ),
        _m(
            "ANOMALY_NO_TRACE",
            "13",
            "Anomaly mode was on in backward only. The forward line was not written down.",
            "Put the forward into the `with` block, too.",
            """
            x = mg.tensor(-1.0, requires_grad=True)
            y = x.sqrt()
            with mg.autograd.set_detect_anomaly(True):
                y.backward()
            """,
        ),
        _m(
            "ANOMALY_PARENT",
            "13",
            "The failing node was itself made in a backward pass, with `create_graph=True`. This names where that came from.",
            "Look at the first derivative: its rule is what fails when it is differentiated.",
            """
            x = mg.tensor(1.0, requires_grad=True)
            with mg.autograd.set_detect_anomaly(True):
                y = (x - 1) ** 1.5
                (g,) = mg.autograd.grad(y, x, create_graph=True)
                mg.autograd.grad(g * 0, x)
            """,
        ),
        _m(
            "INFERENCE_SAVED",
            "11",
            "A tensor made in inference mode has no version counter, so no backward rule may rely on it.",
            "Make it under `no_grad` instead, or use `c.clone()` outside.",
            "with mg.inference_mode():\n    c = mg.ones(2)\nx = mg.tensor([1.0, 2.0], requires_grad=True)\nx * c",
        ),
        _m(
            "INFERENCE_WRITE",
            "11",
            "A tensor made in inference mode cannot be written to outside: nobody would count the write.",
            "`clone()` it outside, and write to the clone.",
            "with mg.inference_mode():\n    c = mg.ones(2)\nc[0] = 5.0",
        ),
        _m(
            "INFERENCE_VERSION",
            "11",
            "A tensor made in inference mode has no version counter.",
            "Make it under `no_grad` if you need one.",
            "with mg.inference_mode():\n    c = mg.ones(2)\nc._version",
        ),
        _m(
            "INFERENCE_FLAG",
            "11",
            "A tensor made in inference mode cannot take part in a graph.",
            "`c.clone().requires_grad_()` outside the mode.",
            "with mg.inference_mode():\n    c = mg.ones(2)\nc.requires_grad = True",
        ),
    ),
    "Hooks": (
        _m(
            "HOOK_NO_GRAD",
            "13",
            "No gradient comes to a tensor that does not require grad, so its hook would never run.",
            "Register it on a tensor of the graph.",
            "mg.tensor([1.0]).register_hook(print)",
        ),
        _m(
            "HOOK_VALUE",
            "13",
            "A tensor's hook returns a Tensor, which replaces the gradient, or None, which leaves it. It returned something else.",
            "Return `g * 0.5`, for instance. A hook that only looks returns nothing; beware of a lambda's value.",
            f"{_V}\nh = x * 2\nh.register_hook(lambda g: 1.0)\nh.sum().backward()",
        ),
        _m(
            "HOOK_TUPLE",
            "13",
            "A node's hook gets a tuple of gradients and must return a tuple, or None.",
            "Return `(g,)`, with the comma.",
            f"{_S}\ny = x * x\ny.grad_fn.register_prehook(lambda grads: grads[0] * 10)\ny.backward()",
        ),
        _m(
            "HOOK_NONE",
            "13",
            "Where a gradient is None the input is a constant. A hook cannot invent one.",
            "Leave None in its place.",
            f"{_V}\ny = x * 3\ny.grad_fn.register_hook(lambda ins, outs: (ins[0], mg.ones(2)))\ny.sum().backward()",
        ),
        _m(
            "HOOK_POST",
            "13",
            "A post-accumulate hook runs when `.grad` is complete. It may change `t.grad`, but returns nothing.",
            "Write into `t.grad` inside the hook and return None.",
            f"{_V}\nx.register_post_accumulate_grad_hook(lambda t: t * 2)\n(x * 2).sum().backward()",
        ),
        _m(
            "HOOK_POST_LEAF",
            "13",
            "Only a leaf accumulates into `.grad`, so only a leaf has such a hook.",
            "Use `register_hook` on a computed tensor.",
            f"{_V}\n(x * 2).register_post_accumulate_grad_hook(print)",
        ),
        _m(
            "HOOK_SIZE",
            "13",
            "A hook may change the values of a gradient, not its shape.",
            "Return a Tensor of the shape that came in.",
            "h = mg.ones(2, 3, requires_grad=True) * 2\nh.register_hook(lambda g: g.t())\nh.sum().backward()",
        ),
        _m(
            "HOOK_TYPE",
            "13",
            "A hook may change the values of a gradient, not its dtype.",
            "Convert the result back: `.to(g.dtype)`.",
            f"{_V}\nh = x * 2\nh.register_hook(lambda g: g.double())\nh.sum().backward()",
        ),
        _m(
            "SAVED_DETACHED",
            "11",
            "An operation saved this tensor with its history, and `detach_()` has since thrown that history away.",
            "Write `y = x.detach()`, and leave x as it is; or call `detach_()` after `backward()`.",
            """
            x = mg.tensor([1.0, 2.0], requires_grad=True)
            h = x * 2
            y = h * h
            h.detach_()
            y.sum().backward()
            """,
        ),
        _m(
            "PACK_WRITES",
            "13",
            "A pack hook gets the saved tensor itself. A write into it would change the forward.",
            "Return a new tensor: `t * 2`, not `t.mul_(2)`.",
            """
            h = mg.tensor([1.0, 2.0], requires_grad=True) * 1
            with mg.autograd.graph.saved_tensors_hooks(lambda t: t.mul_(2), lambda t: t):
                h.sin()
            """,
        ),
        _m(
            "UNPACK_TYPE",
            "13",
            "An unpack hook must give back the Tensor that was packed.",
            "Return a Tensor from the second function.",
            """
            x = mg.tensor([1.0, 2.0], requires_grad=True)
            with mg.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: 5):
                y = x.sin()
            y.sum().backward()
            """,
        ),
    ),
    "Your own Function": (
        _m(
            "NO_FORWARD",
            "14",
            "A custom Function needs a static method called `forward`.",
            "Define it, with `@staticmethod` above and `ctx` as its first parameter.",
            "class F(mg.autograd.Function):\n    pass\n\nF.apply(mg.ones(1))",
        ),
        _m(
            "NO_BACKWARD",
            "14",
            "A backward pass came to a custom Function that has no rule for it.",
            "Define `backward(ctx, g)`, with one gradient for each argument of forward.",
            _function("return x * 2", "", f"{_S}; F.apply(x).backward()"),
        ),
        _m(
            "NO_JVP",
            "14",
            "A tangent came to a custom Function that has no rule for forward mode.",
            "Define `jvp(ctx, t)`: the tangent of the output from the tangents of the inputs.",
            _FW + _function("return x.exp()", "return g", "with fw.dual_level():;|F.apply(fw.make_dual(mg.ones(1), mg.ones(1)))"),
        ),
        _m(
            "BACKWARD_TWICE_DEFINED",
            "14",
            "`vjp` is another name of `backward`, and the class has both.",
            "Keep one.",
            "class F(mg.autograd.Function):\n    forward = staticmethod(lambda ctx, x: x * x)\n"
            f"    backward = vjp = staticmethod(lambda ctx, g: g)\n\n{_S}\nF.apply(x).backward()",
        ),
        _m(
            "FUNCTION_INSTANCE",
            "14",
            "A warning: an object of the class was made. Its methods are static, and no object is needed.",
            "Write `F.apply(x)`, not `F()`.",
            _function("return x * 2", "", "F()"),
        ),
        _m(
            "FUNCTION_CALL",
            "14",
            "The Function was called like a function. Then nothing would be recorded.",
            "Write `F.apply(x)`.",
            _function("return x * 2", "", "F()(mg.ones(1))"),
        ),
        _m(
            "GRADIENT_COUNT",
            "14",
            "backward must return one gradient for each argument of forward.",
            "Return a tuple of that length, with None for what is no Tensor.",
            _function("return x * y", "return g", f"{_S}; F.apply(x, x).backward()", args="x, y"),
        ),
        _m(
            "GRADIENT_FOR_CONSTANT",
            "14",
            "backward returned a gradient for an argument that is no Tensor.",
            "Return None at its place.",
            _function("return x * k", "return g * 3, g", f"{_S}; F.apply(x, 3).backward()", args="x, k"),
        ),
        _m(
            "GRADIENT_VALUE",
            "14",
            "backward returned a number or an array in place of a Tensor.",
            "Compute the gradient from `g`, with operations on Tensors.",
            _function("return x * 2", "return 2.0", f"{_S}; F.apply(x).backward()"),
        ),
        _m(
            "GRADIENT_COMPLEX",
            "14",
            "The input is real and the gradient that backward returned for it is complex.",
            "Return its real part: `(g * w).real`.",
            _function("return x * 2", "return g * (1 + 1j)", f"{_V}; F.apply(x).sum().backward()"),
        ),
        _m(
            "SAVE_TYPE",
            "14",
            "`save_for_backward` watches Tensors: it checks their versions and frees them. A number needs no watching.",
            "Keep it as an attribute: `ctx.k = k`.",
            _function("ctx.save_for_backward(x, 5); return x * 5", "return g * 5", f"{_S}; F.apply(x)"),
        ),
        _m(
            "SAVED_AS_IS",
            "14",
            "An input is returned as it is and saved as well. Its history would have to be two things at once.",
            "Return `x.view_as(x)`.",
            "class F(mg.autograd.Function):\n    forward = staticmethod(lambda x: x)\n"
            "    setup_context = staticmethod(lambda ctx, inputs, output: ctx.save_for_backward(*inputs))\n"
            f"    backward = staticmethod(lambda ctx, g: g)\n\n{_S}\nF.apply(x * 1)",
        ),
        _m(
            "MARK_DIRTY",
            "14",
            "`mark_dirty` was given something that is no Tensor.",
            "Give it the input Tensors that forward wrote to.",
            _function("ctx.mark_dirty(5); return x * 2", "return g * 2", f"{_S}; F.apply(x)"),
        ),
        _m(
            "MARK_NON_DIFFERENTIABLE",
            "14",
            "`mark_non_differentiable` was given something that is no Tensor.",
            "Give it outputs of forward.",
            _function("ctx.mark_non_differentiable(5); return x * 2", "return g * 2", f"{_S}; F.apply(x)"),
        ),
        _m(
            "LEAF_DIRTY",
            "14",
            "forward wrote into a leaf that requires grad.",
            "Call the Function with a computed tensor, such as `x.clone()`, or compute out of place.",
            _function("x.mul_(3); ctx.mark_dirty(x); return x", "return g * 3", f"{_S}; F.apply(x)"),
        ),
        _m(
            "DIRTY_NO_INPUT",
            "14",
            "A warning: `mark_dirty` is for inputs that forward wrote to, and this tensor is none.",
            "Remove the call.",
            _function("y = x * 2; ctx.mark_dirty(y); return y", "return g * 2", f"{_S}; F.apply(x * 1)"),
        ),
        _m(
            "DIRTY_NOT_RETURNED",
            "14",
            "An input that forward wrote to must be returned: it has a new history now.",
            "Return the input that you marked.",
            _function("ctx.mark_dirty(x); return x * 2", "return g * 2", f"{_S}; F.apply(x * 1)"),
        ),
        _m(
            "DIRTY_VIEW",
            "14",
            "forward wrote to a view and returns several tensors, which the engine cannot put together.",
            "Return the written one only, or call the Function with a `clone()` of the view.",
            _function(
                "ctx.mark_dirty(x); return x.mul_(2), x * 3",
                "return g * 2",
                f"{_V}; h = x * 1; F.apply(h[:1])",
                grads="g, h",
            ),
        ),
        _m(
            "ONCE",
            "14",
            "The rule is marked `@once_differentiable`: it computed without a graph, so it has no second derivative.",
            "Write backward with operations on Tensors and drop the mark, or do without the second derivative.",
            f"""
class Exp(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(y := x.exp())
        return y

    @staticmethod
    @mg.autograd.function.once_differentiable
    def backward(ctx, g):
        return g * ctx.saved_tensors[0]

{_S}
(g,) = mg.autograd.grad(Exp.apply(x) ** 2, x, create_graph=True)
g.backward()
            """,
        ),
    ),
    "Forward mode": (
        _m(
            "NO_LEVEL",
            "10",
            "A dual number lives inside a level, and none is open.",
            "`with fw.dual_level():` around all of it.",
            f"{_FW}fw.make_dual(mg.tensor(1.0), mg.tensor(1.0))",
        ),
        _m(
            "NESTED_LEVEL",
            "10",
            "Levels cannot be nested.",
            "For a second derivative use backward over forward: `autograd.grad` of a tangent.",
            f"{_FW}with fw.dual_level():\n    with fw.dual_level():\n        pass",
        ),
        _m(
            "EXIT_LEVEL",
            "10",
            "A level was closed that was never opened.",
            "Use `with fw.dual_level():`, which opens and closes it.",
            "mg.autograd.forward_ad.exit_dual_level()",
        ),
        _m(
            "EXIT_OTHER_LEVEL",
            "10",
            "The level that was closed is not the one that is open.",
            "Use `with fw.dual_level():`, which opens and closes it.",
            f"{_FW}with fw.dual_level():\n    fw.exit_dual_level(level=5)",
        ),
        _m(
            "DUAL_TWICE",
            "10",
            "The tensor has a tangent already.",
            "Start from the plain tensor: `fw.unpack_dual(d).primal`.",
            f"{_FW}one = mg.tensor(1.0)\nwith fw.dual_level():\n    fw.make_dual(fw.make_dual(one, one), one)",
        ),
        _m(
            "PRIMAL_TYPE",
            "10",
            "Integers have no tiny changes, so they have no tangents.",
            "Use floats.",
            f"{_FW}with fw.dual_level():\n    fw.make_dual(mg.tensor([1, 2]), mg.tensor([1.0, 2.0]))",
        ),
        _m(
            "TANGENT_TYPE",
            "10",
            "The tangent must be of floats.",
            "`t.float()`, or write its numbers with a point.",
            f"{_FW}with fw.dual_level():\n    fw.make_dual(mg.tensor([1.0, 2.0]), mg.tensor([1, 2]))",
        ),
        _m(
            "TANGENT_SHAPE",
            "10",
            "The tangent has one number for each element of its tensor.",
            "Give it the shape of the input. (A cotangent, in reverse mode, has the shape of the output.)",
            f"{_FW}with fw.dual_level():\n    fw.make_dual(mg.zeros(2), mg.zeros(3))",
        ),
        _m(
            "TANGENT_VALUE",
            "14",
            "A custom `jvp` returned a number in place of a Tensor.",
            "Compute it from the tangents that came in, with operations on Tensors.",
            _FW
            + _function(
                "return x * 2",
                "return 2.0",
                "with fw.dual_level():;|F.apply(fw.make_dual(mg.ones(2), mg.ones(2)))",
                rule="jvp",
                grads="t",
            ),
        ),
        _m(
            "TANGENT_COUNT",
            "14",
            "A custom `jvp` must return one tangent for each output of forward.",
            "Return as many as forward does.",
            _FW
            + _function(
                "return x * 2",
                "return t, t",
                "with fw.dual_level():;|F.apply(fw.make_dual(mg.ones(2), mg.ones(2)))",
                rule="jvp",
                grads="t",
            ),
        ),
        _m(
            "TANGENT_NOT_DIFFERENTIABLE",
            "14",
            "A custom `jvp` returned a tangent for an output of integers, or for one marked as not differentiable.",
            "Return None at its place.",
            _FW
            + _function(
                "return (x > 0).long()",
                "return t",
                "with fw.dual_level():;|F.apply(fw.make_dual(mg.ones(2), mg.ones(2)))",
                rule="jvp",
                grads="t",
            ),
        ),
    ),
    "autograd.functional": (
        _m(
            "FUNCTIONAL_TYPE",
            "09",
            "These functions take Tensors, or tuples of them, and so must the function that you give.",
            "Pass Tensors. Put other arguments into a lambda: `lambda x: f(x, 3)`.",
            f"{_FN}functional.jacobian(lambda x: x, 1.0)",
        ),
        _m(
            "V_COUNT",
            "09",
            "`v` needs one Tensor for each output (`vjp`) or each input (`jvp`, `hvp`, `vhp`).",
            "Give a tuple of that length.",
            f"{_FN}functional.vjp(lambda x: (x, x), mg.tensor([1.0, 2.0]), mg.ones(2))",
        ),
        _m(
            "V_SINGLE",
            "09",
            "There is one Tensor on the other side, and `v` has several.",
            "Give a single Tensor.",
            f"{_FN}functional.vjp(lambda x: x * 2, mg.tensor([1.0, 2.0]), (mg.ones(2), mg.ones(2)))",
        ),
        _m(
            "V_SIZE",
            "09",
            "A cotangent has the shape of the output, a tangent that of the input.",
            "For `vjp` give the shape of `f(x)`, for `jvp`, `hvp` and `vhp` that of `x`.",
            f"{_FN}functional.vjp(lambda x: x ** 2, mg.tensor([1.0, 2.0]), mg.ones(3))",
        ),
        _m(
            "V_MISSING_OUTPUT",
            "09",
            "Without `v` the output must be one number, as in `backward()`.",
            "Give `v` with the shape of the output.",
            f"{_FN}functional.vjp(lambda x: x ** 2, mg.tensor([1.0, 2.0]))",
        ),
        _m(
            "V_MISSING_INPUT",
            "09",
            "Without `v` the input must be one number: otherwise it is not clear in which direction you go.",
            "Give `v` with the shape of the input.",
            f"{_FN}functional.jvp(lambda x: x ** 2, mg.tensor([1.0, 2.0]))",
        ),
        _m(
            "SINGLE_TENSOR",
            "09",
            "A Hessian belongs to a single number, and the function returns several Tensors.",
            "Return one, such as their sum.",
            f"{_FN}functional.hessian(lambda x: (x.sum(), x.sum()), mg.tensor([1.0, 2.0]))",
        ),
        _m(
            "SINGLE_ELEMENT",
            "09",
            "A Hessian belongs to a single number, and the function returns a vector.",
            "Return a number, such as `.sum()`. The slopes of a vector are `jacobian`.",
            f"{_FN}functional.hessian(lambda x: x ** 2, mg.tensor([1.0, 2.0]))",
        ),
        _m(
            "STRATEGY",
            "10",
            "The strategy is a word that is not known.",
            'Use `"reverse-mode"`, or `"forward-mode"` for few inputs and many outputs.',
            f'{_FN}functional.jacobian(lambda x: x, mg.ones(2), strategy="sideways")',
        ),
        _m(
            "OUTER_STRATEGY",
            "10",
            "The strategy is a word that is not known.",
            'Use `"reverse-mode"` or `"forward-mode"`.',
            f'{_FN}functional.hessian(lambda x: x.sum(), mg.ones(2), outer_jacobian_strategy="sideways")',
        ),
        _m(
            "FORWARD_VECTORIZE",
            "10",
            "Forward mode is implemented here for all columns at once only.",
            "Add `vectorize=True`.",
            f'{_FN}functional.jacobian(lambda x: x, mg.ones(2), strategy="forward-mode")',
        ),
        _m(
            "FORWARD_CREATE_GRAPH",
            "10",
            "A Jacobian by forward mode has no graph here.",
            "Use the reverse strategy when you differentiate once more.",
            f'{_FN}functional.jacobian(lambda x: x, mg.ones(2), strategy="forward-mode", create_graph=True)',
        ),
    ),
    "gradcheck": (
        _m(
            "CHECK_MISMATCH",
            "14",
            "The rule and the finite differences disagree. The note guesses what kind of mistake it is.",
            "Look at where the two matrices differ. At a corner of the function the numerical side is the wrong one.",
            "x = mg.tensor([0.0], dtype=mg.float64, requires_grad=True)\nmg.autograd.gradcheck(mg.relu, x)",
        ),
        _m(
            "CHECK_NO_INPUT",
            "14",
            "None of the inputs requires grad, so there is nothing to check.",
            "Make them with `dtype=mg.float64, requires_grad=True`.",
            "mg.autograd.gradcheck(mg.sin, mg.ones(2))",
        ),
        _m(
            "CHECK_PRECISION",
            "14",
            "A warning: in float32 the rounding is larger than the difference that is measured.",
            "Use `dtype=mg.float64`.",
            f"{_V}\nmg.autograd.gradcheck(lambda x: x * 2, x, eps=1e-2, atol=1e-2)",
        ),
        _m(
            "CHECK_OVERLAP",
            "14",
            "The elements of an expanded input are one place in memory, so they cannot be moved one by one.",
            "Pass `x.contiguous()`.",
            "x = mg.ones(1, dtype=mg.float64, requires_grad=True)\nmg.autograd.gradcheck(mg.sin, x.expand(3))",
        ),
        _m(
            "CHECK_UNSTABLE",
            "14",
            "A small change of the input changes the shape or the dtype of the output.",
            "Check at a point away from the place where the shape changes.",
            "x = mg.tensor([0.0, 1.0], dtype=mg.float64, requires_grad=True)\nmg.autograd.gradcheck(lambda x: x[x > 0], x)",
        ),
        _m(
            "CHECK_NOT_ZERO",
            "14",
            "The output says that it depends on nothing, but it moves when the input moves.",
            "Look for `detach()`, `.data` or NumPy inside the function.",
            f"{_D}\nmg.autograd.gradcheck(lambda x: x.detach() * 2, x)",
        ),
        _m(
            "CHECK_NOT_MULTIPLIED",
            "14",
            "backward returned something for a cotangent of zeros: it forgot to multiply by what came in.",
            "Scale by `g`: `return g * slope`, not `return slope`. (This rule is wrong for every cotangent but ones.)",
            _function(
                "return x * 2",
                "return mg.full_like(g, 2.0)",
                "x = mg.ones(1, dtype=mg.float64, requires_grad=True); mg.autograd.gradcheck(F.apply, x)",
            ),
        ),
        _m(
            "CHECK_NONDETERMINISTIC",
            "14",
            "Two backward passes through the same graph gave different gradients: the rule keeps state, or draws random numbers.",
            "Draw in forward and save; keep no counters.",
            "count = [0]\n\n"
            + _function(
                "return x * 2",
                "count[0] += 1; return g * (2 + 1e-9 * count[0])",
                "x = mg.ones(1, dtype=mg.float64, requires_grad=True); mg.autograd.gradcheck(F.apply, x)",
            ),
        ),
    ),
    "Shapes and indices": (
        _m(
            "BROADCAST",
            "",
            "Two axes can be combined when they are equal, or when one of them has size 1. "
            "Axes are matched from the last one backward.",
            "Compare both shapes from the right. `unsqueeze` or `reshape` adds the missing axis.",
            "mg.zeros(2) + mg.zeros(3)",
        ),
        _m(
            "MATMUL",
            "",
            "The inner sizes of a matrix product must agree: (n×k) times (k×m).",
            "Transpose one of them, or swap their order.",
            "mg.zeros(2, 3) @ mg.zeros(2, 3)",
        ),
        _m(
            "DIM_RANGE",
            "",
            "There is no such axis. Axes count from 0, negative ones from the end.",
            "Look at `x.shape`.",
            "mg.zeros(3).sum(1)",
        ),
        _m(
            "DIM_REPEAT",
            "",
            "The same axis is named twice. A negative number may be the same as a positive one.",
            "Name each axis once.",
            "mg.zeros(2, 3).sum((0, 0))",
        ),
        _m(
            "NO_DIMENSIONS",
            "",
            "A tensor of one number has no axes.",
            "Leave the axis out, or `reshape(1)` the tensor first.",
            "mg.tensor(1.0).unbind()",
        ),
        _m(
            "INDEX_RANGE",
            "",
            "The index is past the end: the last one is size − 1.",
            "Look at `x.shape`; use −1 for the last element.",
            "mg.zeros(2, 3)[2]",
        ),
        _m("TRANSPOSED_0D", "", "A warning: a single number has nothing to transpose.", "Leave it out.", "mg.tensor(1.0).T"),
        _m("TOO_MANY_INDICES", "", "There are more indices than axes.", "Look at `x.ndim`.", "mg.zeros(2, 3)[0, 0, 0]"),
        _m(
            "INDEX_ZERO_DIM",
            "",
            "A tensor of one number cannot be indexed.",
            "`x.item()` gives the number, and leaves the graph.",
            "mg.tensor(1.0)[0]",
        ),
        _m(
            "INDEX_TYPE",
            "",
            "An index is an integer, a slice, None, `...`, or a Tensor of integers or bools.",
            "Convert it: `int(i)`, or `i.long()` for a Tensor.",
            "mg.zeros(3)[1.5]",
        ),
        _m(
            "INDEX_MASK",
            "",
            "A mask has the shape of what it chooses from.",
            "Look at both shapes.",
            "mg.zeros(2, 3)[mg.tensor([True, False, True])]",
        ),
        _m(
            "INDEX_SHAPES",
            "",
            "Several index Tensors are broadcast together, and these do not fit.",
            "Give them the same length, or add axes to choose a grid: `x[i[:, None], j]`.",
            "mg.zeros(3, 3)[mg.tensor([0, 1]), mg.tensor([0, 1, 2])]",
        ),
        _m("SLICE_STEP", "", "Tensors cannot be sliced backward.", "`x.flip(0)`.", "mg.zeros(3)[::-1]"),
        _m(
            "MASKED_FILL",
            "",
            "All chosen elements get one number.",
            "Give a number. For one value each, use `mg.where`.",
            "mg.zeros(2).masked_fill(mg.tensor([True, False]), mg.ones(2))",
        ),
        _m(
            "GATHER_SIZE",
            "",
            "Along all axes but the chosen one, the index may not be larger than the tensor.",
            "Look at both shapes.",
            "mg.zeros(2, 3).gather(0, mg.zeros(2, 4, dtype=mg.int64))",
        ),
        _m(
            "SCATTER_SIZE",
            "",
            "The index may not be larger than what is written, nor, but for the chosen axis, than what is written to.",
            "Look at the three shapes.",
            "mg.zeros(2, 3).scatter_add(0, mg.zeros(2, 4, dtype=mg.int64), mg.zeros(2, 4))",
        ),
        _m(
            "VIEW_SIZE",
            "",
            "The new shape has another number of elements.",
            "Their product must stay the same; one size may be −1.",
            "mg.zeros(2, 3).view(4)",
        ),
        _m(
            "VIEW_AMBIGUOUS",
            "",
            "There are no elements, and another size is 0, so that any number could stand for the -1.",
            "Give all sizes.",
            "mg.zeros(0, 3).view(-1, 0)",
        ),
        _m(
            "VIEW_STRIDE",
            "",
            "`view` never copies, and these elements do not lie in memory in that order, as after a transpose.",
            "`reshape` copies where it must.",
            "mg.zeros(2, 3).t().view(6)",
        ),
        _m(
            "ONE_INFERRED",
            "",
            "Two sizes are −1, and only one can be worked out.",
            "Write the others.",
            "mg.zeros(2, 3).view(-1, -1)",
        ),
        _m(
            "EXPAND_SIZE",
            "",
            "`expand` stretches axes of size 1 only.",
            "Use `repeat` to copy, or `unsqueeze` the axis that is to be stretched.",
            "mg.zeros(2, 3).expand(4, 3)",
        ),
        _m(
            "EXPAND_RANK",
            "",
            "`expand` can add axes in front, and takes none away.",
            "Give a size for each axis.",
            "mg.zeros(2, 3).expand(3)",
        ),
        _m(
            "MOVEDIM",
            "",
            "Each axis that moves needs one place where it goes.",
            "Give as many destinations as sources.",
            "mg.zeros(2, 3).movedim((0, 1), (0,))",
        ),
        _m(
            "T_RANK",
            "",
            "A warning: `.T` of a tensor that is no matrix.",
            "`x.mT` transposes each matrix of a batch.",
            "mg.zeros(2, 3, 4).T",
        ),
        _m(
            "SCHEDULER_FIRST",
            "15",
            "A warning: the learning rate was changed before the first step with it.",
            "In each round `optimizer.step()` first, then `scheduler.step()`.",
            "w = mg.ones(2, requires_grad=True)\n"
            "scheduler = mg.optim.lr_scheduler.StepLR(mg.optim.SGD([w], lr=0.1), 5)\n"
            "scheduler.step()",
        ),
        _m(
            "FREEDOM",
            "",
            "A warning: the variance of one number, divided by n − 1 = 0, is NaN.",
            "Give more numbers, or `correction=0`.",
            "mg.tensor([1.0]).var()",
        ),
        _m(
            "EMPTY_ALL",
            "",
            "The largest of no elements does not exist.",
            "Look why the tensor is empty.",
            "mg.zeros(0).max()",
        ),
        _m(
            "EMPTY_DIM",
            "",
            "The largest along an axis without elements does not exist.",
            "Look why the axis is empty.",
            "mg.zeros(0, 2).max(0)",
        ),
        _m(
            "NORM_EMPTY",
            "",
            "The largest of no elements does not exist.",
            "Look why the tensor is empty.",
            "mg.zeros(0).norm(float('inf'))",
        ),
        _m(
            "EINSUM_NOTHING",
            "",
            "There is nothing to multiply.",
            "Give an equation and at least one tensor.",
            "mg.einsum('ij->i')",
        ),
        _m("EINSUM_SUBSCRIPT", "", "Axes are named by letters.", "Use a to z.", "mg.einsum('i1->i', mg.zeros(2, 3))"),
        _m(
            "EINSUM_MORE",
            "",
            "The equation names more axes than the tensor has.",
            "One letter for each axis, besides the `...`.",
            "mg.einsum('...ijk->i', mg.zeros(2, 3))",
        ),
        _m(
            "EINSUM_RANK",
            "",
            "The equation names another number of axes than the tensor has.",
            "One letter for each axis.",
            "mg.einsum('ijk->i', mg.zeros(2, 3))",
        ),
        _m(
            "EINSUM_DIAGONAL",
            "",
            "A letter that stands twice at one tensor means its diagonal, and the two sizes differ.",
            "Use two letters.",
            "mg.einsum('ii->i', mg.zeros(2, 3))",
        ),
        _m(
            "EINSUM_SIZE",
            "",
            "One letter means one size, and here it has two.",
            "Look which axes are meant to be summed together.",
            "mg.einsum('ij,jk->ik', mg.zeros(2, 3), mg.zeros(2, 3))",
        ),
        _m(
            "SINGULAR_INV",
            "",
            "The matrix has no inverse: its rows depend on each other.",
            "Add a small multiple of `mg.eye(n)`, or ask why it is singular.",
            "mg.linalg.inv(mg.zeros(2, 2))",
        ),
        _m(
            "SINGULAR_SOLVE",
            "",
            "The equations depend on each other, so there is no single solution.",
            "Add a small multiple of `mg.eye(n)`, or ask why it is singular. "
            "In Newton's method: the curvature is zero in some direction.",
            "mg.linalg.solve(mg.zeros(2, 2), mg.zeros(2))",
        ),
        _m(
            "SOLVE_SHAPES",
            "",
            "The right side must have as many rows as the matrix.",
            "Look at both shapes.",
            "mg.linalg.solve(mg.eye(2), mg.zeros(3))",
        ),
    ),
    "Types and values": (
        _m(
            "ARGUMENT",
            "",
            "An argument has the wrong type: often a Python number or an array where a Tensor is needed.",
            "Wrap it: `mg.tensor(1.0)`.",
            "mg.sin(1)",
        ),
        _m(
            "COMBINATION",
            "",
            "The arguments fit none of the forms of this function. The lines below list the forms, with `!` around what does not fit.",
            "Compare your call with the forms.",
            'mg.zeros(2).sum("a")',
        ),
        _m(
            "ELEMENT",
            "",
            "A list of Tensors holds something else.",
            "`mg.stack` and `mg.cat` take Tensors; `mg.tensor` makes one of numbers.",
            "mg.cat([1.0, 2.0])",
        ),
        _m(
            "RAGGED",
            "",
            "The rows have different lengths.",
            "All rows of a tensor are equally long.",
            "mg.tensor([[1.0, 2.0], [3.0]])",
        ),
        _m(
            "NO_BFLOAT16",
            "",
            "minigrad computes with NumPy, and NumPy has no numbers of this kind; PyTorch has.",
            "Take `mg.float32`. To see what few digits do, take `mg.float16`.",
            "mg.zeros(2, dtype=mg.bfloat16)",
        ),
        _m(
            "UNIFORM_RANGE",
            "",
            "The lower end of the range is above the upper end.",
            "Give the smaller number first: `uniform_(-0.1, 0.1)`.",
            "mg.empty(2).uniform_(1, 0)",
        ),
        _m(
            "NORMAL_STD",
            "",
            "A standard deviation says how far numbers spread, so it is not negative.",
            "Give its absolute value, or exchange mean and deviation: `normal_(mean, std)`.",
            "mg.empty(2).normal_(0, -1)",
        ),
        _m("NEGATIVE_SIZE", "", "A size counts elements, so it is not negative.", "Give 0 or more.", "mg.ones(2, -1)"),
        _m("NEW_TYPE", "", "A tensor holds numbers, no text.", "Convert the text to numbers first.", 'mg.tensor("one")'),
        _m(
            "COPY_TENSOR",
            "",
            "What is already a Tensor is copied, without its history, and without a word that says so.",
            "Write `t.clone()` for a copy with history, `t.detach().clone()` for one without.",
            "mg.tensor(mg.ones(2))",
        ),
        _m(
            "CONTENT_TYPE",
            "",
            "A tensor cannot be made of this: perhaps a None that a function returned by mistake.",
            "Look for a forgotten `return`.",
            "mg.tensor(None)",
        ),
        _m("ITEM", "", "`item()` reads one number.", "`tolist()` reads all; or index first.", "mg.tensor([1.0, 2.0]).item()"),
        _m("NUMBER", "", "A Python number is one element.", "Reduce or index first.", "float(mg.tensor([1.0, 2.0]))"),
        _m(
            "INTEGER",
            "",
            "Python wanted an integer here, for instance as an index or to repeat a list.",
            "Use `mg.tensor([...])` in place of a list when you want to multiply numbers.",
            "mg.zeros(2) * [1.0, 2.0]",
        ),
        _m(
            "TRUTH",
            "",
            "`if t:` asks for one truth, and the tensor has several elements, or none.",
            "`.any()` or `.all()`; for element by element use `mg.where`.",
            "bool(mg.tensor([True, False]))",
        ),
        _m("LEN_0D", "", "A single number has no length.", "`t.numel()` is 1.", "len(mg.tensor(1.0))"),
        _m(
            "ITER_0D",
            "",
            "A single number cannot be looped over.",
            "Use it as it is, or `t.reshape(1)`.",
            "list(mg.tensor(1.0))",
        ),
        _m(
            "OVERFLOW",
            "",
            "The number does not fit into that type.",
            "Take a larger dtype.",
            "mg.full((1,), 300, dtype=mg.uint8)",
        ),
        _m("LONG_LONG", "", "The integer has more than 64 bits.", "Write it as a float.", "mg.tensor([2 ** 70])"),
        _m(
            "CASTS_COMPLEX",
            "",
            "A warning: the imaginary part is dropped.",
            "Say what you want: `.real` or `.abs()`.",
            "mg.tensor([1 + 2j]).float()",
        ),
        _m(
            "COMPLEX_KINDS",
            "",
            "Real and imaginary part must have one dtype.",
            "Convert one of them.",
            "mg.complex(mg.zeros(1), mg.zeros(1, dtype=mg.float64))",
        ),
        _m(
            "COMPLEX_FLOATS",
            "",
            "Real and imaginary part must be floats.",
            "`x.float()`.",
            "mg.complex(mg.tensor([1]), mg.tensor([1]))",
        ),
        _m(
            "BOOL_MINUS",
            "",
            "Bools cannot be subtracted.",
            "`a ^ b` is true where they differ.",
            "mg.tensor([True]) - mg.tensor([True])",
        ),
        _m("BOOL_MINUS_ONE", "", "Bools cannot be subtracted.", "`~mask` inverts a mask.", "1 - mg.tensor([True])"),
        _m("BOOL_NEG", "", "Bools cannot be negated with a minus.", "`~mask` inverts a mask.", "-mg.tensor([True])"),
        _m(
            "ROUNDING_MODE",
            "",
            "Division knows three ways to round.",
            'None, `"trunc"` or `"floor"`.',
            'mg.div(mg.ones(1), 2, rounding_mode="up")',
        ),
        _m(
            "MATRIX_KINDS",
            "",
            "A matrix product needs one dtype; element-wise operations would convert.",
            "Convert one: `a @ b.to(a.dtype)`.",
            "mg.tensor([[1.0, 2.0]]) @ mg.tensor([[3], [4]])",
        ),
        _m(
            "VECTOR_KINDS",
            "",
            "A matrix and a vector need one dtype for their product.",
            "Convert one: `a @ v.to(a.dtype)`.",
            "mg.mv(mg.zeros(2, 2), mg.tensor([1, 2]))",
        ),
        _m(
            "SOLVE_KINDS",
            "",
            "Both sides need one dtype.",
            "Convert one: `b.to(a.dtype)`.",
            "mg.linalg.solve(mg.eye(2), mg.ones(2, dtype=mg.float64))",
        ),
        _m(
            "WHERE_CONDITION",
            "",
            "The condition must be true or false for each element.",
            "Compare: `mg.where(x > 0, a, b)`.",
            "mg.where(mg.tensor([1.0]), mg.zeros(1), mg.zeros(1))",
        ),
    ),
    "Layers, losses and optimizers": (
        _m(
            "OPTIM_EMPTY",
            "15",
            "The optimizer got no parameters. Often a generator was used up before, or the layers are in a plain list.",
            "Pass `model.parameters()` anew; keep layers in `nn.ModuleList`.",
            "mg.optim.SGD([], lr=0.1)",
        ),
        _m(
            "OPTIM_LEAF",
            "15",
            "A parameter must be a leaf, and this one was computed.",
            "Make it without an operation, or `detach().requires_grad_()` it.",
            "w = mg.ones(2, requires_grad=True) * 0.1\nmg.optim.SGD([w], lr=0.1)",
        ),
        _m(
            "OPTIM_TWICE",
            "15",
            "The same parameter is twice in a list of parameters, so that each step would move it twice.",
            "Give each parameter once; `model.parameters()` does.",
            """
            w = mg.zeros(1, requires_grad=True)
            mg.optim.SGD([w, w], lr=0.1)
            """,
        ),
        _m(
            "OPTIM_PARAMS",
            "15",
            "A single Tensor was given.",
            "Put it into a list: `[w]`.",
            "mg.optim.SGD(mg.zeros(1, requires_grad=True), lr=0.1)",
        ),
        _m(
            "MSE_SIZE",
            "15",
            "A warning: prediction and target have different shapes, and broadcasting compares each with each. "
            "The loss goes down and the model learns the mean.",
            "Give them one shape, often with `squeeze(-1)` or `unsqueeze(-1)`.",
            "mg.nn.functional.mse_loss(mg.zeros(4, 1), mg.zeros(4))",
        ),
        _m(
            "IMPLICIT_DIM",
            "15",
            "A warning: softmax must know along which axis its numbers sum to 1.",
            "Add `dim=-1`.",
            "mg.nn.functional.softmax(mg.zeros(2))",
        ),
        _m(
            "NLL_WEIGHT",
            "15",
            "There must be one weight for each class.",
            "Look at the number of classes, the second axis of the input.",
            "mg.nn.functional.nll_loss(mg.zeros(2, 3), mg.tensor([0, 1]), weight=mg.ones(2))",
        ),
        _m(
            "BCE_WEIGHT",
            "15",
            "The weights of this loss are constants.",
            "`detach()` them.",
            "mg.nn.functional.binary_cross_entropy_with_logits(mg.zeros(1), mg.ones(1), weight=mg.ones(1, requires_grad=True))",
        ),
        _m(
            "CONV_PAIR",
            "",
            "A size of a convolution is one integer, or two.",
            "Give `3` or `(3, 3)`.",
            "mg.nn.functional.conv2d(mg.zeros(1, 1, 5, 5), mg.zeros(1, 1, 3, 3), stride=(1, 1, 1))",
        ),
        _m(
            "CONV_GROUPS",
            "",
            "The number of output channels must be a multiple of the number of groups.",
            "Change one of them.",
            "mg.nn.functional.conv2d(mg.zeros(1, 2, 5, 5), mg.zeros(3, 1, 3, 3), groups=2)",
        ),
        _m(
            "CONV_CHANNELS",
            "",
            "The weight expects another number of channels.",
            "The second size of the weight is the number of input channels, divided by groups.",
            "mg.nn.functional.conv2d(mg.zeros(1, 3, 5, 5), mg.zeros(2, 2, 3, 3))",
        ),
        _m(
            "CONV_BIAS",
            "",
            "The bias needs one number for each output channel.",
            "Give it the first size of the weight.",
            "mg.nn.functional.conv2d(mg.zeros(1, 1, 5, 5), mg.zeros(2, 1, 3, 3), mg.zeros(3))",
        ),
        _m(
            "CONV_BIAS_KIND",
            "",
            "Input and bias need one dtype.",
            "Convert the bias.",
            "mg.nn.functional.conv2d(mg.zeros(1, 1, 5, 5), mg.zeros(1, 1, 3, 3), mg.zeros(1, dtype=mg.float64))",
        ),
        _m(
            "CONV_KERNEL",
            "",
            "The kernel is larger than the image.",
            "Pad the image, or take a smaller kernel.",
            "mg.nn.functional.conv2d(mg.zeros(1, 1, 2, 2), mg.zeros(1, 1, 3, 3))",
        ),
        _m(
            "CONV_SMALL",
            "",
            "Nothing is left of the image.",
            "Pad less, or begin with a larger image.",
            "mg.nn.functional.conv_transpose2d(mg.zeros(1, 1, 1, 1), mg.zeros(1, 1, 1, 1), padding=1)",
        ),
        _m(
            "CONV_OUTPUT_PADDING",
            "",
            "Output padding only settles what the stride leaves open.",
            "Keep it below the stride.",
            "mg.nn.functional.conv_transpose2d(mg.zeros(1, 1, 3, 3), mg.zeros(1, 1, 3, 3), output_padding=1)",
        ),
        _m(
            "POOL_PAD",
            "",
            "With so much padding a window could hold nothing but padding.",
            "Pad by half of the window at most.",
            "mg.nn.functional.max_pool2d(mg.zeros(1, 1, 4, 4), 2, padding=2)",
        ),
        _m(
            "POOL_SMALL",
            "",
            "The window is larger than the image.",
            "Take a smaller window.",
            "mg.nn.functional.max_pool2d(mg.zeros(1, 1, 2, 2), 3)",
        ),
        _m(
            "PAD_LENGTH",
            "",
            "There are two widths for each axis, and more than there are axes.",
            "Give two for each axis, the last axis first.",
            "mg.nn.functional.pad(mg.zeros(2), (1, 1, 1, 1))",
        ),
        _m(
            "PAD_SIZE",
            "",
            "A negative padding cuts away more than there is.",
            "Cut less.",
            "mg.nn.functional.pad(mg.zeros(2), (-2, -2))",
        ),
    ),
    "minigrad.testing": (
        _m(
            "CLOSE_TOLERANCES",
            "",
            "Both tolerances are given, or none.",
            "Give `rtol` and `atol`.",
            "mg.testing.assert_close(mg.ones(1), mg.ones(1), rtol=0.1)",
        ),
    ),
}
