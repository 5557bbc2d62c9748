"""The tables of rules: one module per family of operations."""
