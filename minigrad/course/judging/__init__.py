"""What the judge works with: how an answer is run, looked at and compared. Its way through these files is told in judge.py."""
