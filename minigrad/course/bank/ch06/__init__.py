"""Accumulation and zeroing.

Exercises 06.1 to 06.6: what `.grad` holds, how it is cleared and kept, and what a running total keeps alive.
"""

from minigrad.course.bank import names_of
from minigrad.course.helpers.ch06 import descent, descents, shares

__getattr__ = names_of(__name__)
