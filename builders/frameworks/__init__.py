"""One file or one package per framework: its own layers, in its own idiom.

Of the project, a module here imports ``paramproof.formulas.spec``, ``paramproof.formulas.layout``,
what the modules of ``paramproof.builders`` beside this package share, except the registry, and,
within a package, its siblings. It never sees an inventory or a closed form. The ``FRAMEWORKS``
header, in a package's ``__init__.py``, is a literal, since it is read without importing the module:
a framework may be absent, heavy or broken.
"""
