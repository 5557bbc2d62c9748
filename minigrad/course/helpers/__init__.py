"""What lessons use beside minigrad: pictures, small graphs, and ways to look at them. No answers are here; those are in the bank."""
