"""Counts in letters: symbols, terms, residuals."""
