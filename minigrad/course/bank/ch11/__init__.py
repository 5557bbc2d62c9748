"""In place I: leaves, versions, no_grad, detach vs data.

Exercises 11.1 to 11.9: which writes are refused at once, which are noticed by backward, and which by nobody.
"""

from minigrad.course.bank import names_of

__getattr__ = names_of(__name__)
