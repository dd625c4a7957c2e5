"""One file or one package per framework: its own layers, in its own idiom.

A module here may import from the project only ``paramproof.formulas.spec``,
``paramproof.formulas.layout``, the modules of ``paramproof.builders`` except the registry, and,
within a package, its siblings. It never sees an inventory or a closed form. The ``FRAMEWORKS``
header, in a package's ``__init__.py``, is a literal, since it is read without importing the module:
a framework may be absent, heavy or broken.
"""
