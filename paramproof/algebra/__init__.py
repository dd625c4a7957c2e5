"""Counts as formulas: the letters of sizes, families in symbols, and residuals."""
