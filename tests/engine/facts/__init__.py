"""Facts about PyTorch, one file an area; `_executor` runs them, `recorded.json` holds what PyTorch did."""
