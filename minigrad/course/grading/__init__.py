"""Grading a class: answers run in a sandbox, and are judged outside of it.

`python -m minigrad.course grade FOLDER`; docs/teachers-grading.md says how, and docs/teachers-safety.md what it protects against.
"""
