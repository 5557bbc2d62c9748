"""The engine, to be read from top to bottom: seams, tensor, tape, rule, record, walk, views.

It imports nothing but NumPy and itself. With the operations of ``ops/`` on top it runs alone: it then promotes as NumPy
does, checks nothing and speaks briefly. Everything else in the package joins it at the places that ``seams.py``
declares; beside these, ``around/hooks.py`` puts methods onto Tensor and Node, and ``fast.py`` takes the place of
``OpNode.apply``. A reader who changes ``core/`` may make it longer: the test that counts its lines then turns red.
"""
