"""My facts for M8: below each name a short program that passes on minigrad and fails on this friend's engine.

A program finds `engine` and `np`, and rand, positive, leaf, const as in the facts of the board. It passes when it raises nothing:
say what must hold with `assert`. The claims of the friends are in exercise 16.8.
"""

# %% ada
...

# %% ben
...

# %% cleo
...

# %% dan
...

# %% eva
...
