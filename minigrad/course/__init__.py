"""The course's own tools: checks, hints and progress for learners, expected errors for lessons.

from minigrad.course import check, hint, progress, solution
"""

from minigrad.course.capstone import conformance
from minigrad.course.notebook.check import Result, check, hint, progress, report, solution
from minigrad.course.notebook.explain import explain
from minigrad.course.notebook.resume import resume
from minigrad.course.notebook.start import start
from minigrad.course.showing.expect import expect_error, expect_warning, show_error

__all__ = [
    "Result", "check", "conformance", "expect_error", "expect_warning", "explain", "hint", "progress", "report", "resume",
    "show_error", "solution", "start",
]  # fmt: skip
