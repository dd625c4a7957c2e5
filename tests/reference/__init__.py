"""The encoder as the papers write it, in NumPy and float64: what every framework is held to.

It shares nothing with a framework's file or with the formulas but the spec and the names of
canonical tensors; ``test_reference.py`` reads the imports and says so. Nothing is fused, cached or
rearranged for speed: each function is an equation.

It also computes in complex128, for derivatives by the complex step, and in arithmetic that is
off by a random rounding error at each step, for what a floating-point computation may be off by.
"""
