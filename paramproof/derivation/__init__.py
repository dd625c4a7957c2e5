"""Derive a formula of a constructor: the half that knows algebra.

``pipeline`` goes from a constructor to its derivation. ``followed`` reads it off programs, which
``letters`` runs with the symbolic numbers of ``sizes``. If the code cannot be followed, ``fit``
fits it to models, and ``unfollowed`` names the lines that may decide something. Then
``guard_probing`` keeps the guards that matter, and ``validation`` compares the result with held-out
models, at sizes that ``sampling`` draws, and writes the derivation. ``process`` runs all of that in
a process of its own. The package ``tracing`` follows the code, and makes the models.
"""
