"""The models as the papers describe them, in NumPy and float64: the oracle for every framework.

It shares only the spec and the names of canonical tensors with the frameworks' files and the
formulas; ``test_reference.py`` checks its imports. Nothing is fused, cached or rearranged for
speed: each function is an equation.

It also computes in complex128, for derivatives by the complex step, and in an arithmetic with a
random rounding error at each step, to estimate how far a floating-point computation may be off.
"""
