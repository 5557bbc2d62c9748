"""Right answers of chapter 07 in other styles, and its known mistakes written another way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch07.ex03.mistakes import unsaved_leaves
from minigrad.course.bank.ch07.ex05.mistakes import door
from minigrad.course.helpers.graphs import nodes_of, suitcase

ALTERNATIVES: dict[str, dict[str, Callable[..., Any]]] = {}
AGAIN: dict[str, dict[str, Callable[..., Any]]] = {}


# --- 07.1 Suitcase or not? ----------------------------------------------------------------------------------


# --- 07.2 Two heads, three gradients ------------------------------------------------------------------------


def three_gradients_difference(x, trunk, head1, head2):
    h = trunk(x)
    l1, l2 = head1(h), head2(h)
    l1.backward(retain_graph=True)
    g1 = x.grad.clone()
    l2.backward()
    both = x.grad.clone()
    return [g1, both - g1, both]


def three_gradients_grad(x, trunk, head1, head2):
    h = trunk(x)
    (g1,) = mg.autograd.grad(head1(h), x, retain_graph=True)
    (g2,) = mg.autograd.grad(head2(h), x)
    return g1, g2, g1 + g2


def three_gradients_late_head(x, trunk, head1, head2):
    h = trunk(x)
    head1(h).backward(retain_graph=True)
    g1, x.grad = x.grad, None
    head2(h).backward()
    g2, x.grad = x.grad, None
    return g1, g2, g2 + g1


def three_gradients_cut(x, trunk, head1, head2):
    h = trunk(x)
    cut = h.detach().requires_grad_()
    slopes = []
    for head in (head1, head2):
        cut.grad = None
        head(cut).backward()
        slopes.append(cut.grad)
    h.backward(slopes[0], retain_graph=True)
    g1 = x.grad.clone()
    h.backward(slopes[1])
    return g1, x.grad - g1, x.grad


def two_trunks_grad(x, trunk, head1, head2):
    (g1,), (g2,) = (mg.autograd.grad(head(trunk(x)), x) for head in (head1, head2))
    return g1, g2, g1 + g2


def three_trunks_grad(x, trunk, head1, head2):
    losses = [head1(trunk(x)), head2(trunk(x))]
    h = trunk(x)
    losses.append(head1(h) + head2(h))
    return [mg.autograd.grad(loss, x)[0] for loss in losses]


def kept_to_the_end_grad(x, trunk, head1, head2):
    h = trunk(x)
    g1, g2 = (mg.autograd.grad(head(h), x, retain_graph=True)[0] for head in (head1, head2))
    return g1, g2, g1 + g2


def created_first(x, trunk, head1, head2):
    h = trunk(x)
    l1, l2 = head1(h), head2(h)
    g2 = mg.autograd.grad([l2], [x], create_graph=True)[0]
    l1.backward()
    return x.grad, g2, g2 + x.grad


def three_passes_roots(x, trunk, head1, head2):
    h = trunk(x)
    l1, l2 = head1(h), head2(h)
    mg.autograd.backward([l1, l2], retain_graph=True)
    both, x.grad = x.grad, None
    l1.backward(retain_graph=True)
    g1, x.grad = x.grad, None
    l2.backward()
    return g1, x.grad, both


def three_passes_kept_grad(x, trunk, head1, head2):
    h = trunk(x)
    l1, l2 = head1(h), head2(h)
    return [mg.autograd.grad(loss, x, retain_graph=True)[0] for loss in (l1, l2, l1 + l2)]


def never_retained(x, trunk, head1, head2):
    h = trunk(x)
    (g1,) = mg.autograd.grad(head1(h), x)
    (g2,) = mg.autograd.grad(head2(h), x)
    return g1, g2, g1 + g2


def retained_too_rarely_grad(x, trunk, head1, head2):
    h = trunk(x)
    l1, l2 = head1(h), head2(h)
    (g2,) = mg.autograd.grad(l2, x, retain_graph=True)
    (both,) = mg.autograd.grad(l1 + l2, x)
    (g1,) = mg.autograd.grad(l1, x)
    return g1, g2, both


def not_cleared_again(x, trunk, head1, head2):
    h = trunk(x)
    gradients = []
    for head in (head1, head2):
        head(h).backward(retain_graph=True)
        gradients.append(x.grad + 0)
    return gradients[0], gradients[1], sum(gradients)


def same_object_again(x, trunk, head1, head2):
    h = trunk(x)
    gradients = []
    for head in (head1, head2):
        head(h).backward(retain_graph=True)
        gradients.append(x.grad)
    return gradients[0], gradients[1], gradients[0] + gradients[1]


def zeroed_object_again(x, trunk, head1, head2):
    h = trunk(x)
    gradients = []
    for head in (head1, head2):
        if x.grad is not None:
            x.grad *= 0
        head(h).backward(retain_graph=True)
        gradients.append(x.grad)
    return gradients[0], gradients[1], gradients[0] + gradients[1]


def running_total_roots(x, trunk, head1, head2):
    h = trunk(x)
    l1, l2 = head1(h), head2(h)
    l1.backward(retain_graph=True)
    g1 = x.grad.clone()
    l2.backward(retain_graph=True)
    g2 = x.grad.clone()
    mg.autograd.backward([l1, l2])
    return g1, g2, x.grad


def three_under_one_name_roots(x, trunk, head1, head2):
    h = trunk(x)
    l1, l2 = head1(h), head2(h)
    l1.backward(retain_graph=True)
    g1 = x.grad
    l2.backward(retain_graph=True)
    g2 = x.grad
    mg.autograd.backward([l1, l2])
    return g1, g2, x.grad


def in_tuples_of_lists(x, trunk, head1, head2):
    h = trunk(x)
    first, second = (list(mg.autograd.grad(head(h), x, retain_graph=head is head1)) for head in (head1, head2))
    return first, second, [*first, *second]


def another_order_grad(x, trunk, head1, head2):
    h = trunk(x)
    l1, l2 = head1(h), head2(h)
    (both,) = mg.autograd.grad(l1 + l2, x, retain_graph=True)
    (g1,) = mg.autograd.grad(l1, x)
    return [both, g1, both - g1]


def up_to_h_retained(x, trunk, head1, head2):
    h = trunk(x)
    h.retain_grad()
    head1(h).backward(retain_graph=True)
    g1, h.grad = h.grad, None
    head2(h).backward()
    return g1, h.grad, g1 + h.grad


def cut_at_h_again(x, trunk, head1, head2):
    h = trunk(x)
    (g1,) = mg.autograd.grad(head1(h), x)
    with mg.no_grad():
        l2 = head2(h)
    (g2,) = mg.autograd.grad(l2, x)
    return g1, g2, g1 + g2


def difference_with_itself_again(x, trunk, head1, head2):
    h = trunk(x)
    head1(h).backward(retain_graph=True)
    first = x.grad
    head2(h).backward()
    both = x.grad
    second = both - first
    return [first, second, first + second]


def cut_for_both_again(x, trunk, head1, head2):
    with mg.no_grad():
        h = trunk(x)
    (g1,) = mg.autograd.grad(head1(h), x, retain_graph=True)
    (g2,) = mg.autograd.grad(head2(h), x)
    return g1, g2, g1 + g2


ALTERNATIVES["07.2"] = {
    "by the difference": three_gradients_difference,
    "autograd.grad": three_gradients_grad,
    "the second head after the first pass": three_gradients_late_head,
    "the graph cut at h": three_gradients_cut,
}

def as_arrays_of_sums(x, trunk, head1, head2):
    h = trunk(x)
    head1(h).backward(retain_graph=True)
    first = np.array(x.grad)
    head2(h).backward()
    both = np.array(x.grad)
    return [first, both - first, both]


def exchanged_heads(x, trunk, head1, head2):
    h = trunk(x)
    l1, l2 = head1(h), head2(h)
    l2.backward(retain_graph=True)
    g2, x.grad = x.grad, None
    l1.backward()
    return g2, x.grad, g2 + x.grad


def in_tuples_and_added_again(x, trunk, head1, head2):
    h = trunk(x)
    g1 = mg.autograd.grad(head1(h), [x], retain_graph=True)
    g2 = mg.autograd.grad(head2(h), [x])
    return [g1, g2, sum(g1 + g2)]


def a_grad_and_two_passes(x, trunk, head1, head2):
    h = trunk(x)
    l1, l2 = head1(h), head2(h)
    (g1,) = mg.autograd.grad(l1, x, retain_graph=True)
    l2.backward(retain_graph=True)
    g2 = x.grad.clone()
    mg.autograd.backward([l1, l2])
    return [g1, g2, x.grad]


def added_in_place(x, trunk, head1, head2):
    h = trunk(x)
    head1(h).backward(retain_graph=True)
    g1 = x.grad.clone()
    head2(h).backward()
    return g1, x.grad, x.grad.clone()


AGAIN["07.2"] = {
    "the first two exchanged": exchanged_heads,
    "not cleared before the third": a_grad_and_two_passes,
    "the sum for the second": added_in_place,
    "in tuples, and added": in_tuples_and_added_again,
    "NumPy arrays": as_arrays_of_sums,
    "two trunks": two_trunks_grad,
    "three trunks": three_trunks_grad,
    "kept to the end": kept_to_the_end_grad,
    "created instead of retained": created_first,
    "three passes": three_passes_roots,
    "three passes, kept to the end": three_passes_kept_grad,
    "retained too late": never_retained,
    "retained once, passed three times": retained_too_rarely_grad,
    "cut off": cut_at_h_again,
    "not cleared": not_cleared_again,
    "one object under two names": same_object_again,
    "zeroed under your hands": zeroed_object_again,
    "three under one name": three_under_one_name_roots,
    "in tuples": in_tuples_of_lists,
    "another order": another_order_grad,
    "up to h": up_to_h_retained,
    "a running total": running_total_roots,
    "a difference with itself": difference_with_itself_again,
    "cut off for both": cut_for_both_again,
}


# --- 07.3 Weigh it ------------------------------------------------------------------------------------------


def saved_bytes_set(root):
    return sum(size for _, size in {pair for node in nodes_of(root) for pair in suitcase(node)})


def saved_bytes_list(root):
    nodes = [root.grad_fn]
    for node in nodes:
        for child, _ in node.next_functions:
            if child is not None and child not in nodes:
                nodes.append(child)
    return sum(dict(pair for node in nodes for pair in suitcase(node)).values())


def bytes_shared_twice_again(root):
    total, seen, todo = 0, set(), [root.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None and node not in seen:
            seen.add(node)
            for _, size in suitcase(node):
                total += size
            todo += [child for child, _ in node.next_functions]
    return total


def bytes_once_a_node_again(root):
    return sum(sum(dict(suitcase(node)).values()) for node in nodes_of(root))


def bytes_of_paths_again(root):
    def below(node: Any) -> int:
        if node is None:
            return 0
        return sum(size for _, size in suitcase(node)) + sum(below(child) for child, _ in node.next_functions)

    return below(root.grad_fn)


def bytes_without_seen_again(root):
    arrays = {}

    def visit(node: Any) -> None:
        if node is not None:
            arrays.update(suitcase(node))
            for child, _ in node.next_functions:
                visit(child)

    visit(root.grad_fn)
    return sum(arrays.values())


def bytes_of_the_last_again(root):
    return sum(size for _, size in set(suitcase(root.grad_fn)))


def bytes_of_first_edge_again(root):
    def below(node: Any) -> set[tuple[int, int]]:
        first = node.next_functions[0][0] if node.next_functions else None
        return set(suitcase(node)) | (below(first) if first else set())

    return sum(size for _, size in below(root.grad_fn))


def bytes_with_leaves_again(root):
    arrays = dict(pair for node in nodes_of(root) for pair in suitcase(node))
    arrays.update((-k, leaf.nbytes) for k, leaf in enumerate(unsaved_leaves(root), 1))
    return sum(arrays.values())


def bytes_with_root_again(root):
    pairs = {pair for node in nodes_of(root) for pair in suitcase(node)}
    return sum(size for _, size in pairs) + root.numel() * root.detach().numpy().itemsize


def bytes_of_the_tensor_again(root):
    arrays = {}
    arrays.update(suitcase(root))
    for node in nodes_of(root):
        arrays.update(suitcase(node))
    return sum(arrays.values())


def bytes_with_none_again(root):
    seen = {root.grad_fn}

    def visit(node: Any) -> None:
        for child, _ in node.next_functions:
            if child not in seen:
                seen.add(child)
                visit(child)

    visit(root.grad_fn)
    return sum(dict(pair for node in seen for pair in suitcase(node)).values())


def bytes_of_pairs_again(root):
    def visit(node: Any) -> dict[int, int]:
        return {} if node is None else dict(suitcase(node)) | dict(p for c in node.next_functions for p in visit(c).items())

    return sum(visit(root.grad_fn).values())


def bytes_by_type(root):
    types, todo, pairs = [], [root.grad_fn], set()
    while todo:
        node = todo.pop()
        if node is not None and type(node).__name__ not in types:
            types.append(type(node).__name__)
            pairs |= set(suitcase(node))
            todo += [child for child, _ in node.next_functions]
    return sum(size for _, size in pairs)


def arrays_counted_again(root):
    return len(dict(pair for node in nodes_of(root) for pair in suitcase(node)))


def sizes_in_a_set_again(root):
    sizes: list[int] = []
    for node in nodes_of(root):
        for _, size in suitcase(node):
            if size not in sizes:
                sizes.append(size)
    return sum(sizes)


def bytes_of_two_levels_again(root):
    nodes = [root.grad_fn, *(child for child, _ in root.grad_fn.next_functions)]
    return sum(size for _, size in {pair for node in nodes for pair in suitcase(node)})


def bytes_of_four_again(root):
    saved = [getattr(node, name) for node in nodes_of(root) for name in dir(node) if name.startswith("_saved_")]
    return sum(value.numel() * 4 for value in saved if isinstance(value, mg.Tensor))


def bytes_with_all_leaves_again(share: int) -> Callable[..., Any]:
    def answer(root):
        total = sum(size for _, size in {pair for node in nodes_of(root) for pair in suitcase(node)})
        for node in nodes_of(root):
            if type(node).__name__ == "AccumulateGrad":
                total += node.variable.numel() * 8 // share
        return total

    return answer


ALTERNATIVES["07.3"] = {"a set of pairs": saved_bytes_set, "lists": saved_bytes_list}

def bytes_of_two_edges_again(root):
    seen, found = set(), set()

    def visit(node):
        if node is not None and node not in seen:
            seen.add(node)
            found.update(suitcase(node))
            for child, _ in list(node.next_functions)[:2]:
                visit(child)

    visit(root.grad_fn)
    return sum(size for _, size in found)


AGAIN["07.3"] = {
    "two edges of each node": bytes_of_two_edges_again,
    "shared arrays counted twice": bytes_shared_twice_again,
    "once for each node": bytes_once_a_node_again,
    "every path is walked": bytes_without_seen_again,
    "every path is walked and weighed": bytes_of_paths_again,
    "the last node only": bytes_of_the_last_again,
    "only the first edge is followed": bytes_of_first_edge_again,
    "leaves counted though not saved": bytes_with_leaves_again,
    "the result counted though not saved": bytes_with_root_again,
    "the tensor for its node": bytes_of_the_tensor_again,
    "None is no node": bytes_with_none_again,
    "pairs for nodes": bytes_of_pairs_again,
    "one node of a kind": bytes_by_type,
    "arrays instead of bytes": arrays_counted_again,
    "equal sizes taken for one array": sizes_in_a_set_again,
    "one step behind root": bytes_of_two_levels_again,
    "four bytes a number": bytes_of_four_again,
    "all leaves besides": bytes_with_all_leaves_again(1),
    "all leaves besides, four bytes a number": bytes_with_all_leaves_again(2),
}


# --- 07.4 The wrong fix -------------------------------------------------------------------------------------


def learn_in_place(w, h, xs, step, loss_of):
    for x in xs:
        h = step(w, h, x)
        loss_of(h).backward()
        h.detach_()
    return h


def learn_by_numbers(w, h, xs, step, loss_of):
    for x in xs:
        h = step(w, h, x)
        loss_of(h).backward()
        h = mg.tensor(h.tolist(), dtype=h.dtype)
    return h


def learn_data(w, h, xs, step, loss_of):
    state = h
    for x in xs:
        state = step(w, state.data, x)
        loss_of(state).backward()
    return state


def learn_losses_first(w, h, xs, step, loss_of):
    losses = []
    for x in xs:
        h = step(w, h.detach(), x)
        losses.append(loss_of(h))
    sum(losses).backward()
    return h


def learn_grad(w, h, xs, step, loss_of):
    total = mg.zeros_like(w)
    for x in xs:
        h = step(w, h.detach(), x)
        total += mg.autograd.grad(loss_of(h), w)[0]
    w.grad = total
    return h


def broken_roots(w, h, xs, step, loss_of):
    for x in xs:
        h = step(w, h, x)
        mg.autograd.backward([loss_of(h)])
    return h


def all_at_the_end_roots(w, h, xs, step, loss_of):
    losses = []
    for x in xs:
        h = step(w, h, x)
        losses.append(loss_of(h))
    mg.autograd.backward(losses)
    return h


def weight_copied(w, h, xs, step, loss_of):
    for x in xs:
        h = step(w.clone().detach(), h, x)
        loss = loss_of(h)
        loss.backward()
        h = h.detach()
    return h


def weight_another_leaf_again(w, h, xs, step, loss_of):
    for x in xs:
        h = step(w.clone().detach().requires_grad_(True), h.detach(), x)
        loss_of(h).backward()
    return h


def state_made_a_leaf_again(w, h, xs, step, loss_of):
    for x in xs:
        h = step(w, h, x)
        h = h.detach()
        h.requires_grad = True
        loss = loss_of(h)
        loss.backward()
    return h


def learn_leaf_state(w, h, xs, step, loss_of):
    for x in xs:
        h = step(w, h.detach().requires_grad_(), x)
        loss_of(h).backward()
    return h


def retained_clone(w, h, xs, step, loss_of):
    for x in xs:
        h = step(w, h.clone(), x)
        loss_of(h).backward(retain_graph=True)
    return h


def detached_too_soon_again(w, h, xs, step, loss_of):
    for x in xs:
        h = step(w, h, x)
        loss = loss_of(h.detach())
        loss.backward()
    return h


def without_record_again(w, h, xs, step, loss_of):
    for x in xs:
        with mg.no_grad():
            h = step(w, h, x).clone()
        loss = loss_of(h)
        loss.backward()
        h = h.detach()
    return h


def state_forgotten_again(w, h, xs, step, loss_of):
    last = h
    for x in xs:
        last = step(w, h.clone(), x)
        loss_of(last).backward()
    return last.detach()


def last_loss_only_again(w, h, xs, step, loss_of):
    for k, x in enumerate(xs, 1):
        h = step(w, h, x)
        if k == len(xs):
            mg.autograd.backward(loss_of(h))
    return h.detach()


def cleared_each_step(w, h, xs, step, loss_of):
    for x in xs:
        w.grad = None
        h = step(w, h.detach(), x)
        loss_of(h).backward()
    return h


def weight_moved_and_cleared(w, h, xs, step, loss_of):
    for x in xs:
        w.grad = None
        h = step(w, h, x)
        loss_of(h).backward()
        w.data -= 0.01 * w.grad
        h = h.detach()
    return h


def error_suppressed(w, h, xs, step, loss_of):
    import contextlib

    for x in xs:
        h = step(w, h, x)
        with contextlib.suppress(Exception):
            loss_of(h).backward()
    return h


def retained_and_detached_again(w, h, xs, step, loss_of):
    for x in xs:
        h = step(w, h.detach(), x)
        mg.autograd.backward(loss_of(h), retain_graph=True)
    return h


def state_of_a_number_again(w, h, xs, step, loss_of):
    state = h
    for x in xs:
        new = step(w, state, x)
        mg.autograd.backward(loss_of(new))
        number = new.item()
        state = mg.tensor(number)
    return state


ALTERNATIVES["07.4"] = {
    "detach_": learn_in_place,
    "through a list": learn_by_numbers,
    "data": learn_data,
    "one pass over all cut losses": learn_losses_first,
    "autograd.grad": learn_grad,
    "each state a new leaf": learn_leaf_state,
}

def cleared_after_each_pass(w, h, xs, step, loss_of):
    for x in xs:
        h = step(w, h, x)
        loss_of(h).backward()
        w.grad = None
        h = h.detach()
    return h


def next_state_of_numbers(w, h, xs, step, loss_of):
    for x in xs:
        h = step(w, h, x)
        loss_of(h).backward()
        h = mg.tensor(h.detach().numpy(), requires_grad=True)
    return h


def cut_by_turns(w, h, xs, step, loss_of):
    cut = False
    for x in xs:
        h = step(w, h, x)
        mg.autograd.backward(loss_of(h), retain_graph=True)
        if cut:
            h = h.detach()
        cut = not cut
    return h


AGAIN["07.4"] = {
    "cut at every other step": cut_by_turns,
    "the gradient is not kept": cleared_after_each_pass,
    "the next state is a leaf": next_state_of_numbers,
    "retained as well": retained_and_detached_again,
    "retain_graph": retained_clone,
    "all steps, one pass at the end": all_at_the_end_roots,
    "still broken": broken_roots,
    "the weight detached": weight_copied,
    "another weight": weight_another_leaf_again,
    "the state made a leaf": state_made_a_leaf_again,
    "detached before use": detached_too_soon_again,
    "nothing recorded": without_record_again,
    "w was moved": weight_moved_and_cleared,
    "the error is caught": error_suppressed,
    "the state forgotten": state_forgotten_again,
    "the last loss only": last_loss_only_again,
    "only the last step counts": cleared_each_step,
    "a number of another dtype": state_of_a_number_again,
}


# --- 07.5 Three doors to one error --------------------------------------------------------------------------


class DoorsWithV:
    """Vectors, and a gradient for each."""

    @staticmethod
    def twice(x):
        y = x * x
        for _ in range(2):
            y.backward(mg.ones_like(y))

    @staticmethod
    def grad_first(x):
        y = 2 * x
        (g,) = mg.autograd.grad(y, [x], mg.ones_like(y))
        y.backward(g)

    @staticmethod
    def look(x):
        y = x**2
        mg.autograd.grad(y.sum(), x)
        print(y.grad_fn._saved_self)


class DoorsWithTwoRoots:
    """Two losses on one trunk."""

    @staticmethod
    def twice(x):
        h = mg.tanh(x)
        l1, l2 = h.sum(), (h * h).sum()
        l1.backward()
        l2.backward()

    @staticmethod
    def grad_first(x):
        h = mg.tanh(x)
        l1, l2 = h.sum(), (h * h).sum()
        mg.autograd.grad(l2, x)
        mg.autograd.backward([l1])

    @staticmethod
    def look(x):
        y = (x * x).sum()
        mg.autograd.backward([y, y * 2])
        return y.grad_fn.next_functions[0][0]._saved_other


def twice_nothing_saved_again(x):
    y = -x.mean() + x[0]
    mg.autograd.backward(y)
    mg.autograd.backward(y)


def twice_kept(x):
    y = (x**2).sum()
    y.backward(retain_graph=True)
    y.backward()


def twice_vector_again(x):
    y = x * x
    for _ in range(2):
        y.backward()


def once_squares(x):
    (x**2).sum().backward()


def grad_vector_again(x):
    y = x**2
    mg.autograd.grad([y], [x])
    y.sum().backward()


def grad_nothing_saved_again(x):
    y = (x + x).sum() - 3
    mg.autograd.grad(y, x)
    y.backward()


def backward_first_again(x):
    y = (x * x).sum()
    mg.autograd.backward([y])
    mg.autograd.grad([y], [x])


def grad_made_anew(x):
    mg.autograd.grad((x**2).sum(), x)
    (x**2).sum().backward()


def grad_twice_again(x):
    y = (x**3).sum()
    for _ in range(2):
        mg.autograd.grad(y, x)


def look_at_shape_again(x):
    y = mg.exp(x).sum()
    y.backward()
    return y.grad_fn._saved_self_sym_sizes


def look_too_soon_again(x):
    y = x * x
    return y.grad_fn._saved_self


def look_misspelled_again(x):
    y = mg.sin(x)
    y.sum().backward()
    return y.grad_fn._saved_result


def look_walks_again(x):
    y = (x * x).sum()
    for _ in range(2):
        mg.autograd.backward(y)


def raised_again(x):
    y = (x * x).sum()
    raise RuntimeError(f"Trying to backward through the graph a second time: {y.shape}")


def raised_after_a_pass_again(x):
    (x * x).sum().backward()
    raise RuntimeError("Trying to backward through the graph a second time")


ALTERNATIVES["07.5"] = {"with v": DoorsWithV, "with two roots": DoorsWithTwoRoots}

def look_at_a_number(x):
    y = 2 * x
    y.sum().backward()
    print(y.grad_fn._saved_self)


AGAIN["07.5"] = {
    "twice: nothing saved": door("twice", twice_nothing_saved_again),
    "twice: kept or made anew": door("twice", twice_kept),
    "twice: once": door("twice", once_squares),
    "grad_first: nothing saved": door("grad_first", grad_nothing_saved_again),
    "grad_first: kept or made anew": door("grad_first", grad_made_anew),
    "grad_first: the other way round": door("grad_first", backward_first_again),
    "grad_first: grad twice": door("grad_first", grad_twice_again),
    "look: no array": door("look", look_at_shape_again),
    "look: nothing saved": door("look", look_at_a_number),
    "look: too soon": door("look", look_too_soon_again),
    "look: another name": door("look", look_misspelled_again),
    "look: a second pass": door("look", look_walks_again),
    "twice: raised by hand": door("twice", raised_again),
    "twice: raised by hand after a pass": door("twice", raised_after_a_pass_again),
    "grad_first: raised by hand": door("grad_first", raised_again),
    "grad_first: raised by hand after a pass": door("grad_first", raised_after_a_pass_again),
    "look: raised by hand": door("look", raised_again),
    "look: raised by hand after a pass": door("look", raised_after_a_pass_again),
}


# --- 07.6 retain or create? ---------------------------------------------------------------------------------


def twice_kept_and_a_third_again(x):
    y = (x**2).sum()
    for keep in (True, False, False):
        y.backward(retain_graph=keep)


def grad_kept_and_a_third_again(x):
    y = x.sin().sum()
    mg.autograd.grad(y, x, create_graph=True)
    mg.autograd.grad(y, x)
    y.backward()


def look_kept_and_a_second_again(x):
    y = x.sin()
    total = y.sum()
    mg.autograd.grad(total, x, retain_graph=True)
    total.backward()
    return y.grad_fn._saved_self


AGAIN["07.5"] |= {
    "twice: kept, and a third": door("twice", twice_kept_and_a_third_again),
    "grad_first: kept, and a third": door("grad_first", grad_kept_and_a_third_again),
    "look: kept, and a second": door("look", look_kept_and_a_second_again),
    "twice: a vector": door("twice", twice_vector_again),
    "grad_first: a vector": door("grad_first", grad_vector_again),
    "look: a vector": door("look", twice_vector_again),
    "twice: nothing happens": door("twice", lambda x: mg.exp(x.sum())),
    "grad_first: nothing happens": door("grad_first", lambda x: mg.exp(x.sum())),
}
