"""The code of a model's packages, changed so that no size is lost without a word.

``code`` rewrites a file's syntax tree, ``swapping`` gives functions that code while they are
traced; ``calls``, ``models``, ``containers``, ``iterating`` and ``lengths`` are what it calls.
"""
