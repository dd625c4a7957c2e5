"""Compare formulas with what frameworks build: at many sizes, and in letters."""
