"""Read the real one.

Exercises 17.1 to 17.6: changes of the engine itself. But for 17.4, an answer is a function that names the file that was changed;
it takes the place of the real one, and facts run against the engine that this gives.
"""

from minigrad.course.bank import names_of

__getattr__ = names_of(__name__)
