"""Counts as formulas: the symbols of a family, its terms, and differences of models."""
