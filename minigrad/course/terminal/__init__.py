"""The commands of `python -m minigrad.course`, but for the grader's."""
