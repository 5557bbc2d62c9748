"""How an operation is declared, by the names that the rest of the package uses. See core/rule.py."""

from .core.rule import INPUT, NUMEL, OUTPUT, REGISTRY, REQUIRED, SIZES, STATIC, Op, Recipe, checked, parameters_of
