"""Derive a formula from traces of a constructor: the half that knows algebra.

``pipeline`` goes from a constructor to its derivation: ``alignment`` finds traces that agree up to
symbols, and ``generalization`` writes their tensors in symbols. Where nothing is traced, ``fit``
fits them to models, and ``unfollowed`` names the lines that may decide. Then ``guard_probing``
keeps the guards that matter, ``validation`` compares the result with held-out models, at sizes that
``sampling`` draws, and ``conclusion`` writes the derivation. ``process`` runs all of that in a
process of its own. The package ``tracing`` makes the traces.
"""
