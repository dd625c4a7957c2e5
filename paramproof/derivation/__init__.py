"""Derive a formula of a constructor: the half that knows algebra.

``pipeline`` goes from a constructor to its derivation. ``followed`` reads it off programs: what
``letters`` makes of them, computing with the symbolic numbers of ``sizes``. Where code is not
followed, ``fit`` fits it to models, and ``unfollowed`` names the lines that may decide. Then
``guard_probing`` keeps the guards that matter, and ``validation`` compares the result with held-out
models, at sizes that ``sampling`` draws, and writes the derivation. ``process`` runs all of that in
a process of its own. The package ``tracing`` follows the code, and makes the models.
"""
