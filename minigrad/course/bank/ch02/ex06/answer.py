"""02.6 Which way is cheaper?: the answer, its hints and why it is right."""

from __future__ import annotations

from minigrad.course.exercise import Part


def cost(sizes, mode):
    """How many multiplications it takes to multiply the tables of slopes of a chain of steps.

    sizes: how many numbers there are before the first step, between the steps, and after the last.
    mode: "forward", "reverse" or "best". Returns an int.
    """
    n, steps = sizes, len(sizes) - 1
    if mode == "forward":
        return sum(n[i + 1] * n[i] * n[0] for i in range(1, steps))
    if mode == "reverse":
        return sum(n[-1] * n[i + 1] * n[i] for i in range(steps - 1))
    price = {(i, i + 1): 0 for i in range(steps)}  # of all tables from place i to place j, multiplied
    for length in range(2, steps + 1):
        for i in range(steps - length + 1):
            j = i + length
            price[i, j] = min(price[i, k] + price[k, j] + n[j] * n[k] * n[i] for k in range(i + 1, j))
    return price[0, steps]


def cost_tables(sizes, mode):
    """Multiplies tables of nothing but their shapes."""
    shapes = [(rows, columns) for columns, rows in zip(sizes, sizes[1:], strict=False)]

    def times(left, right):
        return left[0] * left[1] * right[1], (left[0], right[1])

    def cheapest(tables):
        if len(tables) == 1:
            return 0, tables[0]
        ways = []
        for k in range(1, len(tables)):
            (first, right), (second, left) = cheapest(tables[:k]), cheapest(tables[k:])
            price, shape = times(left, right)
            ways.append((first + second + price, shape))
        return min(ways)

    if mode == "best":
        return cheapest(shapes)[0]
    total, done = 0, shapes[0] if mode == "forward" else shapes[-1]
    for table in shapes[1:] if mode == "forward" else shapes[-2::-1]:
        price, done = times(table, done) if mode == "forward" else times(done, table)
        total += price
    return total


ANSWER = Part(
    reference=cost,
    alternatives={
        "with shapes of tables": cost_tables,
    },
    hints=(
        "Write down the shape of each table: step i has `sizes[i + 1]` rows and `sizes[i]` columns. A product of a "
        "(p, q) table with a (q, r) table costs p·q·r. Then follow the products, one after the other.",
        "Sizes 4, 3, 2, 5, so the tables are (3, 4), (2, 3), (5, 2):\n\n```text\n"
        "forward   (2, 3)·(3, 4) = (2, 4)   24      then  (5, 2)·(2, 4) = (5, 4)   40      together 64\n"
        "reverse   (5, 2)·(2, 3) = (5, 3)   30      then  (5, 3)·(3, 4) = (5, 4)   60      together 90\n```\n\n"
        "For the best one ask which product comes last: it cuts the chain in two parts, at some place k, and each part "
        "is a shorter chain with a best price of its own.",
        "```python\ndef cost(sizes, mode):\n    if len(sizes) <= 2:\n        return 0\n"
        "    if mode == \"forward\":\n        return cost(sizes[:-1], mode) + sizes[-1] * sizes[-2] * ___\n"
        "    if mode == \"reverse\":\n        return cost(sizes[1:], mode) + ___ * sizes[1] * sizes[0]\n"
        "    return min(\n        cost(sizes[: k + 1], mode) + cost(___, mode) + sizes[0] * ___ * sizes[-1]\n"
        "        for k in range(1, len(sizes) - 1)\n    )\n```",
    ),
    explanation="""\
However the brackets are set, the product is the same table. The price is not.

* **Forward** begins at the input. Each product on the way has a column for each **input**: the price grows with
  `sizes[0]`.
* **Reverse** begins at the output. Each product has a row for each **output**: the price grows with `sizes[-1]`. A loss
  is one number, so there is one row, and every step costs no more than its own table has entries. That is why a
  backward pass runs backward.
* **Best** may begin anywhere. The last product cuts the chain in two; each part is again such a chain. With the prices
  of short chains in a table, and longer ones made from them, this takes about k³ steps for a chain of k. Plain recursion
  computes the same prices again and again; for these short chains it does no harm.

Engines do not search for the best: with one output, reverse is hard to beat, and it needs to know nothing in advance.
""",
)
