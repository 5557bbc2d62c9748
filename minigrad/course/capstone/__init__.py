"""The capstone: facts that a learner's own engine is measured by, and the board that shows them."""

from minigrad.course.capstone.assemble import assemble
from minigrad.course.capstone.board import Board, conformance, examine
from minigrad.course.capstone.copies import edited
from minigrad.course.capstone.facts import describe
from minigrad.course.capstone.house import engine_board
from minigrad.course.capstone.moons import moons
from minigrad.course.capstone.own import reference

__all__ = ["Board", "assemble", "conformance", "describe", "edited", "engine_board", "examine", "moons", "reference"]
