"""The course's own tools: checks, hints and progress for learners, expected errors for lessons.

from minigrad.course import check, hint, progress, solution
"""

from minigrad.course.check import Result, check, hint, progress, report, solution
from minigrad.course.expect import expect_error, expect_warning
from minigrad.course.explain import explain
from minigrad.course.resume import resume
from minigrad.course.start import start

__all__ = ["Result", "check", "expect_error", "expect_warning", "explain", "hint", "progress", "report", "resume", "solution", "start"]
