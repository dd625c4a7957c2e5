"""Derive a formula from traces of a constructor: the half that knows algebra.

``pipeline`` goes from a constructor to its derivation: ``alignment`` finds traces that agree up to
symbols, ``generalization`` writes their tensors in symbols, ``guard_probing`` keeps the guards that
matter, and ``validation`` compares the result with held-out models, at sizes that ``sampling``
draws. ``process`` runs all of that in a process of its own. The package ``tracing`` makes the
traces.
"""
