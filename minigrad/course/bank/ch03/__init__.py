"""Jacobians, and finite differences as the oracle.

Exercises 03.1 to 03.6: the Jacobian by differences, by thought and by the chain rule, its shape, and the step to take.
"""

from minigrad.course.bank import names_of

__getattr__ = names_of(__name__)
