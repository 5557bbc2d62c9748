"""16.7 Training: the mistakes that are known."""

from __future__ import annotations

from minigrad.course.bank.ch16.ex06.mistakes import M6
from minigrad.course.bank.ch16.known import mistake, patched, training
from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}

BY_HAND = """
def fit(points, labels, weights, rate, steps):
    W1, b1, W2, b2 = (np.array(w, dtype=np.float64) for w in weights)
    losses = []
    for _ in range(steps):
        h = np.tanh(points @ W1 + b1)
        e = h @ W2 + b2 - labels.reshape(-1, 1)
        losses.append(float((e * e).mean()))
        ds = 2 * e / len(e)
        dh = ds @ W2.T * (1 - h * h)
        W2, b2 = W2 - rate * h.T @ ds, b2 - rate * ds.sum(0)
        W1, b1 = W1 - rate * points.T @ dh, b1 - rate * dh.sum(0)
    return losses, [W1, b1, W2, b2]
"""

MISTAKES["trains without the engine"] = mistake("borrowed", patched((*M6, BY_HAND)))
M7 = (*M6, training)
MISTAKES["gradients are not forgotten"] = mistake("zeroing", patched(M7, ("            p.grad = None\n", "            pass\n")))
MISTAKES["labels as a row"] = mistake("shapes", patched(M7, ("tensor(labels).reshape(-1, 1)", "tensor(labels)")))
MISTAKES["another step"] = mistake("step", patched(M7, ("p -= rate * p.grad", "p += rate * p.grad")))

MISTAKES["trains the caller's arrays"] = mistake(
    "untouched", patched(M7, ("np.array(data, dtype=np.float64)", "np.asarray(data, dtype=np.float64)"))
)
