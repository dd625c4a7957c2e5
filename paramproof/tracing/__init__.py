"""Make models of a constructor, and follow its code: the half that knows Python.

``constructors`` are the things that make a model: a function, or a class of transformers.
``abstract_build`` makes them without values, and ``tensor_groups`` puts equal layers together.
``configuration`` follows their code with every size unknown; ``derivation`` makes it a formula.
"""
