"""Run a constructor with symbolic sizes and record what it does: the half that knows Python.

``constructors`` are the things that make a model: a function, or a class of transformers.
``symbolic`` has the ints, floats and strings that they receive in place of plain sizes, and
``instrumented`` the form in which their code runs. ``recorder`` keeps the guards, loops and caveats
of a trace; ``torch_mode`` and ``abstract_build`` record the shapes of tensors. The package
``derivation`` makes a formula of it.
"""
