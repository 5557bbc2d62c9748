"""retain_graph and freed buffers.

Exercises 07.1 to 07.6: what a graph keeps, when it is given up, and who needs to keep it longer.
"""

from minigrad.course.bank import names_of

__getattr__ = names_of(__name__)
