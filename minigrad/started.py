"""For `python -m minigrad…`: files in the folder where it is started must not take the place of Python's own modules.

Students' files may lie there. Where this package itself lies there, in a clone that is not installed, the folder stays: before
another minigrad, or last of all.
"""

import os
import sys

if not sys.flags.safe_path and any(word.startswith(("minigrad", "-mminigrad")) for word in sys.orig_argv):
    start = sys.path.pop(0)
    if os.path.dirname(os.path.dirname(os.path.abspath(__file__))) == start:
        others = (k for k, place in enumerate(sys.path) if os.path.isdir(os.path.join(place, "minigrad")))
        sys.path.insert(next(others, len(sys.path)), start)
