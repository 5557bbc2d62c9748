"""Training loop: five lines, Adam, an honest score.

Exercises 15.1 to 15.7: a loss, a network, an optimizer, the loop around them, and two tests before a long run.
"""

from minigrad.course.bank import names_of

__getattr__ = names_of(__name__)
