"""One file per framework: its own layers, in its own idiom.

A file here imports its framework, ``formulas.spec``, ``formulas.weight`` and
``builders.protocol``, and nothing else of the project. It never sees an inventory or a
closed form. Its ``FRAMEWORKS`` header is a literal, since it is read without importing the
file: a framework may be absent, heavy or broken.
"""
