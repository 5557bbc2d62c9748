"""VJPs and the gradient argument.

Exercises 04.1 to 04.7: what `backward(v)` computes, when it refuses, the rules behind it, and how to test a rule.
"""

from minigrad.course.bank import names_of

__getattr__ = names_of(__name__)
