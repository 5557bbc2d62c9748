"""autograd.grad: ask for the gradient that you want.

Exercises 08.1 to 08.6: gradients that are handed out instead of being written into .grad.
"""

from minigrad.course.bank import names_of

__getattr__ = names_of(__name__)
