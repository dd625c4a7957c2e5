"""Explain a number of parameters: what of which model it counts."""
