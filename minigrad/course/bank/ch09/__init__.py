"""Higher order: HVP, Hessian, Newton.

Exercises 09.1 to 09.8: what a second backward pass gives, what it costs, and what to do with it.
"""

from minigrad.course.bank import names_of

__getattr__ = names_of(__name__)
