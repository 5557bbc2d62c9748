"""How verdicts, hints and progress look, in a notebook and in a terminal."""
