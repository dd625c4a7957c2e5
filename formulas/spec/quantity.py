"""What the formulas compute with."""

from typing import Any, TypeAlias

Quantity: TypeAlias = Any
"""An int (exact), a NumPy int64 array (a sweep) or a SymPy expression (the algebra).

The formulas use nothing but ``+``, ``-`` and ``*`` on it, so one code serves all three.
NumPy's int64 wraps silently beyond 2**63 - 1 (9.2e18 parameters): no model is near,
but a product of several large arrays can be. Ints have no limit.
"""
