"""The small graph of chapter 02, and five engines on it that are broken."""

from __future__ import annotations

import numpy as np


class Value:
    """A number or an array that knows from which inputs it was made, and how to hand a gradient on to them."""

    def __init__(self, data, inputs=(), rule=lambda g: ()):
        self.data = data
        self.inputs = inputs  # a tuple of Values, with None for a constant; empty for a leaf
        self.rule = rule  # from the gradient of this Value to a tuple: one message for each input

    def fire(self, g):
        """Hand on the gradient g: a list of pairs (input, its message). Constants are left out."""
        return [(i, message) for i, message in zip(self.inputs, self.rule(g), strict=True) if i is not None]

    def __repr__(self):
        return f"Value({self.data})"

    @staticmethod
    def made(f, rule, *inputs):
        data = [i.data if isinstance(i, Value) else i for i in inputs]
        return Value(f(*data), tuple(i if isinstance(i, Value) else None for i in inputs), lambda g: rule(g, *data))

    def __add__(self, other):
        return Value.made(np.add, lambda g, a, b: (g, g), self, other)

    def __sub__(self, other):
        return Value.made(np.subtract, lambda g, a, b: (g, -g), self, other)

    def __mul__(self, other):
        return Value.made(np.multiply, lambda g, a, b: (g * b, g * a), self, other)

    def exp(self):
        return Value.made(np.exp, lambda g, a: (g * np.exp(a),), self)

    def sum(self):
        return Value.made(np.sum, lambda g, a: (g * np.ones_like(a),), self)


def topo(root):
    """An order in which the Values behind root may fire. For small graphs: it walks every path."""
    behind = [value for i in root.inputs if i is not None for value in topo(i)]
    return [root, *reversed(dict.fromkeys(reversed(behind)))]  # each once, after all that send to it


def engine_A(root):
    grads = {root: np.ones_like(root.data)}
    for value in topo(root):
        for i, message in value.fire(grads[value]):
            grads[i] = message
    return grads


def engine_B(root):
    grads, arriving = {}, [(root, np.ones_like(root.data))]
    while arriving:
        value, message = arriving.pop()
        grads[value] = grads.get(value, 0) + message
        arriving += value.fire(grads[value])
    return grads


def engine_C(root):
    grads, line = {root: np.ones_like(root.data)}, [root]
    for value in line:  # the line grows while we walk along it
        for i, message in value.fire(grads[value]):
            grads[i] = grads.get(i, 0) + message
            if i not in line:
                line.append(i)
    return grads


def engine_D(root):
    grads = {root: np.ones_like(root.data)}
    for value in topo(root):
        for i, message in value.fire(np.ones_like(value.data)):
            grads[i] = grads.get(i, 0) + message
    return grads


def engine_E(root):
    grads = {root: np.ones_like(root.data)}
    for value in topo(root):
        for i, message in value.fire(grads[value]):
            if i in grads:
                grads[i] += message
            else:
                grads[i] = message
    return grads
