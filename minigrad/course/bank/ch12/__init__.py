"""In place II: views and y[0] = x**2.

Exercises 12.1 to 12.9: what shares memory, what a write to a part records, and which windows may not be written through.
"""

from minigrad.course.bank import names_of
from minigrad.course.helpers.ch12 import addresses, memory_cells

__getattr__ = names_of(__name__)
