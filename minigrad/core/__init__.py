"""The engine, to be read from top to bottom: seams, tensor, tape, rule, record, walk, views.

It imports nothing but NumPy and itself. With the operations of ``ops/`` on top it runs alone: it then promotes as NumPy
does, checks nothing and speaks briefly. Everything else in the package joins it at the places that ``seams.py``
declares.
"""
