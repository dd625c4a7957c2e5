"""Symbolic ints, floats and strings, which a constructor receives in place of plain ones.

They carry the expression by which they were computed. ``symint`` and ``symfloat`` have the numbers,
``arithmetic`` their operators, and ``symstr`` strings that contain sizes. Where one of them becomes
a plain value, ``symint`` records it.
"""

# The classes have no operators before this is imported.
from paramproof.tracing.symbolic import arithmetic as _arithmetic  # noqa: F401
