"""The engine, to be read from top to bottom: seams, tensor, tape, rule, record, walk, views. Its errors are in words.

It imports nothing but NumPy and itself. With the operations of ``ops/`` on top it runs alone: it then promotes as NumPy
does, checks nothing and speaks briefly. Everything else in the package joins it at the places that ``seams.py``
declares, and in five other ways:

- ``compat/attributes.py`` has Tensor's ``requires_grad_``, the setter of ``requires_grad``, ``grad``, ``_version``,
  ``shape``, ``dtype``, ``item``, ``numpy``, ``__len__`` and ``__bool__`` again; ``methods.py`` gives indexing, the
  comparisons and whatever else ``_OTHERS`` at the end of ``tensor.py`` names again, and puts the hot path before the
  methods of ``+ - * /``;
- ``around/hooks.py`` puts hooks, ``retain_grad`` and ``metadata`` onto Tensor and Node;
- ``fast.py`` takes the place of ``OpNode.apply``; at the seam ``recorder`` it also does what ``call``, ``edges_of``,
  ``record`` and ``new_node`` in ``record.py`` and ``save_output`` in ``tape.py`` do, for most calls;
- ``modes.py`` makes ``state`` a ``_State``, with the switches for what is rarely on;
- ``autograd/__init__.py`` has PyTorch's ``backward`` and ``grad``, which check more and call ``Plan`` and ``run``
  themselves: ``vjp`` serves only ``y.backward()`` without a gradient, inputs or create_graph.

Look there too before you change one of these. A change of what others read is felt there: ``compat/complaints.py`` finds
the lines of writes in ``_counter`` and shortens the names of nodes, ``around/saved.py`` shows saved tuples, and
``autograd/function.py``, whose Functions write by themselves, calls ``save``, ``unpack``, ``bump``,
``check_inplace`` and ``set_history``, and has a ``_release`` and some refusals of its own.

A reader who changes ``core/`` may make it longer: the test that counts its lines then turns red.
"""
