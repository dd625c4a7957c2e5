"""Symbolic ints, floats and text: what a constructor is given in place of plain numbers.

They carry the expression by which they were computed. ``size`` has the ints, ``ratio`` the floats,
``text`` what sizes were written into, ``arithmetic`` the operators of the numbers, and ``escapes``
hears where one of them becomes a plain value.
"""

# The classes have no operators before this is imported.
from paramproof.tracing.symbolic import arithmetic as _arithmetic  # noqa: F401
