"""Chain rule and topological order.

Exercises 02.1 to 02.6: the rules of single operations, the order in which nodes fire, the loop of a backward pass,
engines that are broken, and the price of the two directions. `Value` is the small graph on which they run, and
`firings` draws the lesson's pictures.
"""

from minigrad.course.bank import names_of
from minigrad.course.helpers.ch02 import bars, firings

__getattr__ = names_of(__name__)
