"""The walk, by the names that the rest of the package uses. See core/walk.py."""

from .core.walk import Plan, fit, on_a_path, run
