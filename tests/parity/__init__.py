"""Parity: the same weights and tokens give the same outputs in a framework and the reference.

``cases.py`` draws the inputs, ``bounds.py`` gives bounds on the rounding error, and
``differences.py`` measures how far a framework is from the reference.
"""
