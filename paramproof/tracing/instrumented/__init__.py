"""Instrumented code of the model's packages, which loses no size unobserved.

``code_transform`` rewrites the syntax tree of a file, and ``code_swap`` gives functions the new
code during a trace. That code calls hooks in ``calls``, ``builtin_models``, ``containers``,
``iteration`` and ``lengths``.
"""
