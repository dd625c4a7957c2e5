"""What the formulas compute with, and the kinds of letters."""

from functools import cache
from typing import Annotated, Any, TypeAlias, get_type_hints

Quantity: TypeAlias = Any
"""An int (exact), a NumPy int64 array (a sweep) or a SymPy expression (the algebra).

The formulas use nothing but ``+``, ``-`` and ``*`` on it, so one code serves all three.
NumPy's int64 wraps silently beyond 2**63 - 1 (9.2e18 parameters): no model is near,
but a product of several large arrays can be. Ints have no limit.
"""

KINDS = ("an indicator", "a number of layers", "rows of a table", "a width")
"""The kinds of letters, in the order in which a product has them."""

INDICATOR, LAYERS, ROWS, WIDTH = KINDS

Indicator: TypeAlias = Annotated[Any, INDICATOR]
"""A letter that is 0 or 1: whether a model has some part."""

Layers: TypeAlias = Annotated[Any, LAYERS]
"""A letter that says how often the layers of a stack are repeated."""

Rows: TypeAlias = Annotated[Any, ROWS]
"""A letter for the rows of a table: tokens, positions, types."""

Width: TypeAlias = Annotated[Any, WIDTH]
"""A letter for any other size: of vectors, of heads, of what is inside a layer."""


@cache
def letter_kinds(letters: Any) -> dict[str, str]:
    """Return the kind of each letter of a family, in their order; "" for one that has none."""
    hints = get_type_hints(letters, include_extras=True)
    said = {name: getattr(hints[name], "__metadata__", ("",))[0] for name in letters._fields}
    return {name: kind if kind in KINDS else "" for name, kind in said.items()}
