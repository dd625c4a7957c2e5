"""Make models of a constructor, and follow its code: the half that knows Python.

``constructors`` are the things that make a model: a function, or a class of transformers.
``abstract_build`` makes them without values, and ``tensor_groups`` puts equal layers together.
``configuration`` is the interpreter that follows their code with every size unknown. The package
``derivation`` makes a formula of it.
"""
