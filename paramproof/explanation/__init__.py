"""Explain a number: find the model, and the part of it, whose parameters it counts."""
