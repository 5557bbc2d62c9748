"""Forward mode, JVPs, batched gradients.

Exercises 10.1 to 10.7: numbers that carry a direction, the choice of the mode, and many passes in one call.
"""

from minigrad.course.bank import names_of
from minigrad.course.helpers.ch10 import fillings

__getattr__ = names_of(__name__)
