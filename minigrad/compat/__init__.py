"""What is there because PyTorch has it: its words, its way with dtypes, its refusals, the rest of its Tensor."""
