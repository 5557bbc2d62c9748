"""The capstone: facts that a learner's own engine is measured by, and the board that shows them."""

from minigrad.course.capstone.assemble import assemble
from minigrad.course.capstone.board import Board, conformance, examine

__all__ = ["Board", "assemble", "conformance", "examine"]
