"""How an operation is declared, by the names that the rest of the package uses. See core/rule.py."""

from .core.rule import REGISTRY, Op, checked
