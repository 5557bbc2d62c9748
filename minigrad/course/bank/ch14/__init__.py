"""Your own Function; gradcheck.

Exercises 14.1 to 14.9: what forward and backward owe to the engine, and how to find out whether they pay.
"""

from minigrad.course.bank import names_of
from minigrad.course.helpers.ch14 import contract_card, fit, fit_picture

__getattr__ = names_of(__name__)
