"""Lab: plot f and f′.

Exercises 05.1 to 05.5: many slopes from one pass, a figure of them, when one pass is not enough, kinks, and branches.
"""

from minigrad.course.bank import names_of
from minigrad.course.helpers.ch05 import slopes_at_kinks as sine_and_kinks

__getattr__ = names_of(__name__)
