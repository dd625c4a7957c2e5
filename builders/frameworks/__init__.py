"""One file or one package per framework: its own layers, in its own idiom.

A module here imports its framework, ``paramproof.formulas.spec``, ``paramproof.formulas.layout``,
the contract (``protocol``, ``arrays``, ``names`` and ``huggingface`` of ``paramproof.builders``)
and, within a package, its siblings, and nothing else of the project. It never sees an inventory
or a closed form. The ``FRAMEWORKS`` header, in a package's ``__init__.py``, is a literal, since it
is read without importing the module: a framework may be absent, heavy or broken.
"""
