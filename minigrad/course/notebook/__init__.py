"""What a learner calls in a notebook, and what a lesson does: start, check, explain, resume, errors that must come."""
