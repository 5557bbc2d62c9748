# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # What your engine must offer
#
# **The contract, for beside the editor.** The milestones M1 to M7 are asked in eight of the chapters from 02 on; the
# whole board is in [chapter 16](16-capstone.ipynb). M5 comes before M4, as chapter 09 before 11. Where this page is
# silent, do what minigrad does: try it, with `mg.tensor([0.0], dtype=mg.float64, requires_grad=True)` for example, or
# with `--show` (below).
#
# Your engine is one file, `my_engine.py`. It may import NumPy and the standard library, and nothing else. All numbers are
# float64. The names are PyTorch's. (`grad` is `torch.autograd.grad` there, and `fit` is ours.)
#
# Four things save you work later:
#
# 1. **One operation, one function.** Forward, rule and what is saved belong side by side. Let a rule *get* what was saved
#    as arguments, `rule(g, b)`, from a list at the node, and do not hide it in a closure: M3 empties that list, and M6
#    compares versions in it.
# 2. **Write the rules with operations on tensors from the start**, and switch recording off while the walk runs. A
#    global flag is enough; in M4 it becomes `no_grad`. Then M5 needs no new rules.
# 3. **Let a node point to the *nodes* of its inputs**, and for a leaf to the leaf. In M6 a write gives a tensor a new
#    node, and what was computed before must go on leading to the old one.
# 4. **Keep the old board green.** Run all milestones after each change, not only the one you work on.
#
# **Check yourself.** The second sounds like a circle: the rule of `*` uses `*`, which records a node with the rule of `*`,
# and so on. Why does this end?
#
# <details><summary>Answer</summary>A rule runs only when a backward pass asks for it. With recording on, a pass makes new nodes; their rules wait
# for another pass.</details>
#
# | | Name and arguments | What it is |
# |:--|:--|:--|
# | **M1**, chapter 02 | `tensor(data, requires_grad=False)` | a `Tensor` with a *copy* of a number, a NumPy array or nested lists |
# | | `Tensor` | the class; has `.requires_grad`, and `.grad`: None, or a `Tensor`; it can be set |
# | | `x.numpy()` | the numbers as a NumPy array, also when x requires grad (minigrad and PyTorch refuse there) |
# | | `a + b`, `a - b`, `a * b`, `a / b`, `-a`, `a**n` | a or b may be a plain number, and n must be a plain number (for n = 0 the slope is 0, at a = 0 too) |
# | | `x.exp()`, `x.log()`, `x.tanh()` | |
# | | `x.backward()` | adds the gradients to the `.grad` of the leaves, in place or as a new tensor; any order in which a node comes after all that send to it will do |
# | **M2**, chapter 04 | `x.shape` | a tuple |
# | | all of M1, with broadcasting | as NumPy broadcasts |
# | | `x.sum(dim=None, keepdim=False)`, `x.mean(dim=None)` | dim: None or one int, perhaps negative |
# | | `a @ b` | one or two axes each |
# | | `x.T`, `x.reshape(*shape)` | `x.T`: two axes. `reshape`: any number, with at most one -1 |
# | | `x[index]` | an int, a slice, a tuple of these, a list of ints, a tuple of two lists |
# | | `x.relu()` | its slope at 0 is 0 |
# | | `x.backward(gradient=None)` | gradient: the v of vᵀJ, a `Tensor` |
# | **M3**, chapter 07 | `x.is_leaf`, `x.requires_grad = flag` | |
# | | `x.backward(gradient=None, retain_graph=False)` | with the errors of the table below |
# | **M4**, chapter 11, 13 | `with no_grad():`, `with enable_grad():`, `is_grad_enabled()` | |
# | | `x.detach()` | the same numbers, no history |
# | | `x.register_hook(hook)` | returns an object with `remove()`; a hook returns a `Tensor` or None |
# | **M5**, chapter 09 | `grad(outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False, allow_unused=False)` | one output; one input or several. Returns a tuple. With `allow_unused` an unused input gets None, and no error |
# | | `x.backward(gradient=None, retain_graph=None, create_graph=False)` | retain_graph=None means: the same as create_graph |
# | **M6**, chapter 12 | `x._version` | the number of writes |
# | | `x.add_(y)`, `x.sub_(y)`, `x.mul_(y)`, `x.zero_()` | in place; return x |
# | | `x += y`, `x -= y`, `x *= y`, `x[index] = y` | in place; y: a `Tensor` or a number |
# | | `x[1]`, `x[1:3]`, `x.T`, `x.reshape(…)`, `x.detach()` | views: they share numbers and version with x (`reshape` only where NumPy makes a view: `np.shares_memory` tells) |
# | | what a rule saves | `exp`, `tanh`: the output; `log`, `**`: the input; `relu`: the output or a mask, not the input; `+`, `-`, `sum`, `mean`, `.T`, `reshape`, `x[index]`: nothing; `*`, `@`: a factor only if the other requires grad; `a / b`: b, and a only if b requires grad. In place, `y.mul_(w)`: a *copy* of the old y, with its history, because y is overwritten |
# | **M7**, chapter 15 | `fit(points, labels, weights, rate, steps)` | trains `score = tanh(points @ W1 + b1) @ W2 + b2`; the loss is the mean of (score − label)². `weights` is `[W1, b1, W2, b2]`, all are NumPy arrays; `points`: (n, 2), `labels`: (n,). Returns the list of losses, each before its step, and the list of the four weights |
#
# And these are the errors. The message must contain the words, in upper or lower case; the rest is yours.
#
# | | When | Type | Words |
# |:--|:--|:--|:--|
# | **M3** | no gradient given, and not exactly one element | RuntimeError | scalar |
# | | the gradient has another shape than the output | RuntimeError | shape |
# | | the gradient is no `Tensor` | TypeError | |
# | | the root requires no grad | RuntimeError | does not require grad |
# | | what a rule had saved was freed (a graph that has saved nothing, as that of `a + b`, may be refused too) | RuntimeError | second time |
# | | `requires_grad = False` for what an operation has recorded | RuntimeError | leaf |
# | **M4** | a hook on a tensor that requires no grad | RuntimeError | require |
# | **M5** | an input that the output does not depend on | RuntimeError | not have been used |
# | | an input that requires no grad | RuntimeError | does not require grad |
# | **M6** | writing a leaf that requires grad, or a view of one (not what `detach` gave), while recording | RuntimeError | leaf |
# | | a saved value was written since | RuntimeError | modified by an inplace operation |
#
# ## The runner
#
# The board runs in a notebook: `conformance("my_engine.py", "M3")`. While you write in an editor, a terminal beside it is handier:
#
# ```sh
# python -m minigrad.course conformance my_engine.py                    # everything; M8 if there is my_facts.py
# python -m minigrad.course conformance my_engine.py --milestone M3     # one milestone
# python -m minigrad.course conformance my_engine.py --milestone M3.retain   # one fact
# python -m minigrad.course conformance my_engine.py --milestone M8 --facts my_facts.py
# python -m minigrad.course conformance my_engine.py --milestone M9 --seed 1
# python -m minigrad.course conformance --show M3.retain                # its program and result
# python -m minigrad.course conformance my_engine.py --bars bars.svg        # a picture of the board
# ```
#
# The exit code is 0 when everything that was asked is green, and 1 otherwise.
#
# Your engine runs in a process of its own. If it hangs or crashes, that costs one fact, and the others still run. Each
# program has five seconds (one, after two have hung), each milestone a minute.
