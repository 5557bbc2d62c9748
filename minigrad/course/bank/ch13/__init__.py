"""Looking inside: hooks, retain_grad, anomaly mode, NaN.

Exercises 13.1 to 13.8: watch gradients on their way, change them, find where a NaN is born, and write what bears none.
"""

from minigrad.course.bank import names_of
from minigrad.course.helpers.ch13 import expect_nan, log_share
from minigrad.course.helpers.graphs import class_of, nodes_of

__getattr__ = names_of(__name__)
