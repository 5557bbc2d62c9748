"""The graph: leaves, grad_fn, requires_grad.

Exercises 01.1 to 01.6: predictions of small programs, graphs to build, and walks over graphs.
"""

from minigrad.course.bank import names_of
from minigrad.course.helpers.ch01 import target_graph

__getattr__ = names_of(__name__)
