"""Parity: the same weights and tokens into a framework and into the reference, and out the same.

``cases.py`` draws what goes in, ``bounds.py`` says how far floating point may lead what comes
out astray, ``differences.py`` how far it does.
"""
