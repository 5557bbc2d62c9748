"""What is said about a red fact whose cause is known, by the name of the trouble. The text is Markdown."""

TROUBLES = {
    # M1
    "forward": "This is no gradient: the value itself is wrong. Look at what makes it before you look at any rule.",
    "nothing_came": "`.grad` is None: nothing has come here. Does the walk begin at the output, go on from each node to the nodes of "
    "its inputs, and write what arrives at a leaf?",
    "factor": "The message of a product to one factor is the incoming message times the *other* factor.",
    "message": "A rule gets `g`, and hands on `g` times its own slope. Is the slope right: that of exp, of log, of "
    "tanh? And is the incoming message in it: what if the next operation multiplies by 10?",
    "reflected": "`2.5 * a` asks the *number* first, and it does not know tensors. Python then asks your class for `__rmul__`; so "
    "for `__radd__`, `__rsub__` and `__rtruediv__`.",
    "plain_number": "A plain number is no tensor, and has neither numbers nor a node to ask for. Make a tensor of it first.",
    "overwrite": "A tensor that is used twice gets two messages: **add** them. Did the second erase the first? Or did it come when "
    "the node had fired already?",
    "fires_early": "A node hands on the **sum** of its messages: it fires **once**, after all of its consumers. In chapter 02 one "
    "that fires early, and then once more, gives 40 where 26 is right.",
    "paths": "This took too long, as a walk of every path does: there are 2⁴⁰. Walk every *node* once: add up what comes to it, and "
    "let it fire when all of its consumers have fired. (To skip a node that was seen before is not enough: its messages would be "
    "lost.)",
    "whole": "All numbers are float64, also where whole numbers, nested lists or float32 were given: "
    "`np.array(data, dtype=np.float64)`.",
    "recursion": "A function that calls itself once per node does not get through a deep graph, and a higher limit only moves the "
    "end. Use an explicit stack, or a queue ordered by creation numbers.",
    "list": "Does the time grow with the square of the graph? `in` on a list looks at every entry; use a set of nodes.",
    # M2
    "copy": "`tensor` makes a *copy* of the numbers: `np.array(…)`. `np.asarray` hands on the caller's array, and who writes there "
    "changes your tensor.",
    "cotangent": "`backward(v)` begins with v, and every rule multiplies by the message that comes in. Is v used, entry by entry, "
    "and nowhere replaced by ones?",
    "unbroadcast": "What was copied forward is added up backward: sum the message over the **new axes in front**, and give it the "
    "shape of the input.",
    "keepdims": "An axis of length 1 was stretched. Sum the message over it and **keep the axis** (`keepdims=True`), so that the "
    "shape is that of the input.",
    "sum_axis": "The message of `sum(dim)` lacks the axis that was summed over. Put it back (also for a negative `dim`), then copy "
    "along it.",
    "mean": "A mean is a sum divided by N, and so is its message. N is the number of entries that *one* mean is taken of.",
    "matmul": "The rule of `A @ B`: `v @ B.T` for A, `A.T @ v` for B. Both factors transposed, in this order; the shapes remind you.",
    "matmul_vectors": "A vector has one axis. Make it a table with one row (on the left) or one column (on the right), multiply, "
    "and take the axis away again; backward as well.",
    "transpose": "The way back from a transposition is a transposition. `reshape` puts the right numbers in the wrong places.",
    "repeated": "Repeated rows must add. `g[rows] += v` keeps only the last message to a row: `np.add.at(g, rows, v)`.",
    # M3
    "non_leaf": "Only leaves keep a gradient in `.grad`. Let the messages in the middle live in a dict of the walk.",
    "stays_none": "Nothing comes to a tensor that requires no grad, or on which the root does not depend: its `.grad` stays None. "
    "Zeros would say that something had come.",
    "leaf_root": "A leaf can be the root as well: no rule runs, and v is added to its `.grad`. Does your walk begin at what adds to "
    "the `.grad` of a leaf, where there is no operation?",
    "retains": "`retain_graph=True` frees nothing in this pass: what the rules have saved is there for the next one.",
    "replaces": "`.grad` is added to: a second pass gives the sum of both gradients.",
    "shared": "Two places hold the **same array**: `+=` on one changes the other. Let each leaf have an array of its own, or write "
    "`a = a + b`.",
    "flag_of_middle": "`requires_grad` of a tensor that an operation has made follows from its inputs. Switching it off there must "
    "raise a RuntimeError that says *leaf*.",
    "scalar_only": "Without a v the output must have one element. Else raise a RuntimeError that says *scalar*.",
    "one_element": "The rule counts elements, not axes: shapes `()`, `(1,)` and `(1, 1)` need no v, and the gradient has that shape.",
    "shape_of_v": "v must have exactly the shape of the output. Compare the two shapes before the walk; nothing is broadcast.",
    "type_of_v": "Everything but a Tensor is a TypeError, whatever numbers it holds.",
    "no_graph": "A root that does not require grad has no graph. Raise a RuntimeError that says *does not require grad*.",
    "freed": "The contract: a pass frees what the rules had saved, and the next one that needs it raises a RuntimeError that says "
    "*second time*. Does the first free it, and does this error come out?",
    "late": "A call that must be refused has changed a `.grad`. **Check before you write**: look at v before the walk begins.",
    "left_over": "Here a pass must end with an error, and the next one must not notice. Does the first raise? Does each pass begin "
    "with a dict of messages of its own?",
    # M4
    "recorded_inside": "Inside of `no_grad` a result requires no grad and gets no node. Ask for the mode where you make the node.",
    "left_off": "After the block the mode must be what it was before the block. `__enter__` notes it, and `__exit__` puts it back.",
    "enables": "Inside of `enable_grad` everything is recorded, also where a `no_grad` is around it.",
    "detached": "`detach` gives a **new** tensor with the same numbers. It has no node and requires no grad, so no gradient passes "
    "it. The old one stays as it was.",
    "hook_called": "The hook was not called with the gradient of its tensor. Call it when all messages have been added, and before "
    "the rule runs.",
    "nested": "After an inner block the mode must be what it was *before* that block, which need not be on. Remember it on entry.",
    "flag": "The mode was not restored after an exception. A context manager does that in `__exit__`; with "
    "`contextlib.contextmanager`, put the `yield` into `try: … finally:`.",
    "hook_return": "What a hook returns is the gradient from there on; None means: as it was.",
    "hook_each": "The hook ran once for each consumer. It must run once, when all messages have been added.",
    "leaf_hook": "On a leaf too, the hook comes first, with the whole gradient of this pass, and what it returns is added to `.grad`.",
    "hook_order": "Hooks run in the order of registration, each on what the last one returned.",
    "remove": "`register_hook` returns an object whose `remove()` takes away that one hook.",
    "root_hook": "The root is a tensor like any other: its hooks run on what the pass begins with, and what they return goes on.",
    "own_place": "Each registration needs a place of its own. Under the function, or under the *number* of hooks, a new one replaces "
    "another.",
    "removes_itself": "A hook took itself away while its tensor's hooks were called. Walk over a copy: `list(hooks.values())`.",
    # M5
    "a_tuple": "`grad` takes a tensor, or several. It always returns a **tuple**, with one gradient for each.",
    "middle": "A tensor in the middle has a node as well. Its gradient is what has arrived there when all messages have been added: "
    "note it when the node's turn comes, and not for leaves alone.",
    "plain": "Without `create_graph` nothing of the pass is recorded: walk inside of `no_grad`. Else the gradient holds on to a graph "
    "that nobody asked for.",
    "create_switches_on": "`create_graph=True` records the pass, whatever the mode outside is: switch recording on for the walk, and "
    "put the mode back.",
    "pollutes": "`grad` returns the gradients and writes into no `.grad`, not even for a moment.",
    "keeps": "`create_graph=True` keeps the graph as well: where `retain_graph` is None, it is taken to be `create_graph`.",
    "raw_numpy": "Is the second derivative missing? If the rules work on raw NumPy arrays, the gradient has no history. Write the "
    "rules with **operations on tensors**, and record them when `create_graph=True`.",
    "raw_rule": "Look at the rules in this program: does one still compute with raw NumPy, or with a saved array that has lost its "
    "history? If all are right, ask whether recording is on while they run.",
    "no_means_no": "`retain_graph` follows `create_graph` only where it is None. False means False: free the graph.",
    "sum_of_histories": "With `create_graph=True` the sum of the old `.grad` and the new one is an operation like any other: record "
    "it, and replace neither.",
    "history_of_v": "The pass begins with v itself, not with a copy of its numbers: a gradient that was recorded depends on v.",
    "unused": "An input that was not reached: a RuntimeError that says *not have been used*, or None with `allow_unused=True`.",
    # M6
    "counts": "A new tensor begins with version 0. Each write in place adds one: `+=` and its like, the methods with `_`, and "
    "`x[…] = …`.",
    "one_number": "What NumPy computes of arrays of shape `()` is a plain number, and nobody can write into that. `np.asarray(…)` "
    "makes an array of it.",
    "new_object": "In place means: the same object, with other numbers. `__iadd__` and its like must return `self`.",
    "copies": "Slices, rows, `.T`, `reshape` and `detach` are **views**: they look at the same memory. Even `x[1]` of a row is one; "
    "in NumPy that takes `array[1, ...]`.",
    "counter": "All that look at the same numbers share **one** count: each write through any of them raises it by one, also inside "
    "of `no_grad`. Does the counter belong to the storage, and not to the tensor? And is what you look through a view, not a copy?",
    "saved_check": "Save the version with the tensor, compare when the rule needs it, and raise a RuntimeError that says *modified "
    "by an inplace operation*.",
    "saved_output": "`exp` and `tanh` need their **output** in backward. Is it guarded? And does `+=` write into it, and not make a "
    "new tensor?",
    "saves_too_much": "A rule guards only what it needs: `+` and `sum` need nothing, a product with a constant needs the constant, "
    "`exp` and `relu` their output.",
    "saves_late": "A value was changed that no rule should need. Does one of them look at its input when backward comes, instead of "
    "what was saved in forward?",
    "leaf_rule": "A leaf that requires grad, and every view of it, must refuse to be written while recording is on: a RuntimeError "
    "that says *leaf*, before anything is written.",
    "update": "`w -= …` inside of `no_grad` writes the numbers and raises the version. It stays a leaf, with its `.grad`.",
    "history": "After `y.mul_(w)` the tensor y is the product: its node is now that of the result.",
    "old_factor": "This is your own guard. `y.mul_(w)` needs the old y for the slope of w, and has just overwritten it: let the rule "
    "save a copy of the old y, with its history.",
    "zero": "`zero_` writes zeros. Times 0, or minus itself, an inf becomes NaN.",
    "overwritten": "Overwritten cells no longer matter: the message to the old tensor is zero where something was written.",
    "setitem_value": "The written value gets the message of its place, summed where it was broadcast.",
    "rebase": "A write to a view is a write to its base. The base then has a node with two inputs: the old base, with zeros in the "
    "window, and the new numbers, with the window. Has yours? And does a view of a view look through its windows in their order?",
    "stale": "A view keeps the history that it was born with. When its base has got a new one, take the view anew.",
    # M7
    "shapes": "One loss for each step, before its update: the *mean* of the squares. And look at the shapes: labels of shape (n,) "
    "against scores of shape (n, 1) broadcast to n × n differences. Reshape the labels to (n, 1).",
    "kinds": "Return plain numbers, one loss for each step, and the four weights as NumPy arrays. A Tensor would hold on to the "
    "graph of its step.",
    "step": "Gradient descent: each weight minus `rate` times its gradient. The loss is the *mean* of the squares.",
    "zeroing": "Where the first step alone is right, look at the second: is every `.grad` set to None before each backward? And is "
    "each loss noted before its update?",
    "borrowed": "`fit` trains with *your* engine: tensors from `tensor`, the loss by their operations, its gradients by `backward` or "
    "`grad`. Here the backward pass of the engine was not used once for each step.",
    "untouched": "Train copies: the arrays that were handed in belong to the caller, and each training begins with lists of its own. "
    "Does `tensor` copy, and is anything kept from call to call?",
    "curve": "The short trainings above tell more. Where they are green, ask: do all four weights take part in every step, and "
    "are those of the end returned?",
    "slow": "600 steps take too long. How many operations does one step record, and is anything kept from step to step?",
    # 17.1, a new operation
    "forgets_g": "A rule hands on `g`, the cotangent of the result, times a slope: self / result in the rule of self, w / result in "
    "that of w. Is each in its place, and `g` in both? (If the value is wrong too, begin there.)",
    "one_rule": "Nothing came to `w`. An input without a rule is a constant to the engine: give `op` one rule for each input, "
    "`self=…` and `w=…`.",
    "raw": "First order is right, and the second derivative is not: a rule gets Tensors in a recorded pass, and must compute "
    "with what is recorded. NumPy's functions are not: use `*`, `/`, `**` and the operations of this file. See Note [Arrays or "
    "Tensors].",
    # 17.2, a walk that counts
    "leaves_too": "Some nodes are not counted. The walk runs a node in **two** places: one for almost every node, and one for "
    "those that somebody watches, that end the walk, or that accumulate.",
    "shown": "Python's class of a node is `OpNode` until somebody looks at it: the walk is faster so. `node.shown()` gives it "
    "its own class, and `node.shown().name()` is what you want.",
    "never_reset": "Names of an earlier pass are still in the table. Empty it where a pass begins, whatever the pass is for.",
    "edges": "A node with two consumers was counted twice. It gets two cotangents and runs once: do you count where something "
    "**arrives**? Count where it runs.",
    "not_run": "A node was counted that did not run. The inputs of `grad` are taken from the heap, but what arrives there is "
    "only captured: `runs` is False. Count below that line.",
    # 17.3, computed again
    "held": "The value is still held by somebody: by the node, as a saved tensor, or by what you put in its place. That must "
    "hold the *arguments* of the call, and not its result.",
    "unguarded": "An argument was overwritten, and the value computed again from it is silently wrong. When the call is made, "
    "keep each argument with its version, by `save`; take it back by `unpack`, which compares.",
    "no_history": "In a recorded pass the value must have its history. Call the operation as anybody would: the walk has "
    "already set whether it is recorded.",
    "written_since": "The value was written to after it was made, so the call does not give it any more. Remember its version "
    "when it was made; where it is another one, save as before.",
    "by_id": "A tensor that `cheap` has never seen got the gradient of another one. Do you find the call by the `id` of its value? "
    "Python gives an `id` again when the first tensor is gone. Put what you need onto the tensor itself.",
    # 17.5, a rounded cotangent
    "rounds_forward": "The forward must give the same numbers. It is the rule that rounds.",
    "shares": "The result is the array of the input, so a write to one changes the other, and nobody knows of it: it is no "
    "view. Give it an array of its own.",
    "not_nearest": "The *nearest* multiple of the step is wanted, also for negative cotangents: `floor` and `trunc` go to another "
    "one. How many steps are nearest is only half of it: times the step, that is the cotangent.",
    "only_arrays": "In a recorded pass `g` is a Tensor, and NumPy's functions do not take it. Round with the operation `round` "
    "of this file: it works on both.",
    # 17.6, a write to a slice
    "not_zero": "What was overwritten no longer counts: in the cotangent of the old base the window is zero, or what the rule "
    "of the inner node says.",
    "not_part": "The inner node wrote a *part* of the base, so its rule gets that part of the cotangent: `self.replay(…)` "
    "takes it. Give the rule a copy: it may hand on what it got, and the window is written to afterwards.",
    "inner": "The old numbers in the window were multiplied, not thrown away: put what the inner node returns for its first "
    "input into the window.",
    "came_in": "The cotangent that came in was changed. Somebody else may hold it, here the caller: work on a copy, which "
    "`laid_out` makes.",
    "unfreed": "After a pass what the inner node had saved is gone. Raise the error `FREED` when `self._freed` is set, before "
    "anything else.",
    "only_arrays_here": "First order is right, and the recorded pass is not: there `g` is a Tensor with a history. Cut, clone "
    "and write with operations of Tensors: `part.clone()`, `part.zero_()`, `part.copy_(…)`.",
    # whatever the milestone
    "import": "The engine may import NumPy and the standard library, and nothing else. That is what makes it yours.",
}
