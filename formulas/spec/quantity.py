"""The numbers that formulas compute with, and the kinds of letters."""

from functools import cache
from typing import Annotated, Any, TypeAlias, get_type_hints

Quantity: TypeAlias = Any
"""An int (exact), a NumPy int64 array (many sizes at once) or an ``Expression`` (symbolic).

Formulas use only ``+``, ``-`` and ``*``, so the same code serves all three. NumPy's int64 wraps
silently beyond 2**63 - 1 (9.2e18 parameters). No model is near that, but a product of large values
can be. Ints have no limit.
"""

KINDS = ("an indicator", "a number of layers", "rows of a table", "a width")
"""The kinds of letters, in their order in a product."""

INDICATOR, LAYERS, ROWS, WIDTH = KINDS

Indicator: TypeAlias = Annotated[Any, INDICATOR]
"""A letter that is 1 if a model has some part, else 0."""

Layers: TypeAlias = Annotated[Any, LAYERS]
"""A letter for the number of layers in a stack."""

Rows: TypeAlias = Annotated[Any, ROWS]
"""A letter for the rows of a table: tokens, positions, types."""

Width: TypeAlias = Annotated[Any, WIDTH]
"""A letter for any other size: of vectors, of heads, or inside a layer."""


@cache
def letter_kinds(letters: Any) -> dict[str, str]:
    """Return the kind of each letter of a family, in order; "" for a letter without a kind."""
    hints = get_type_hints(letters, include_extras=True)
    annotated = {name: getattr(hints[name], "__metadata__", ("",))[0] for name in letters._fields}
    return {name: kind if kind in KINDS else "" for name, kind in annotated.items()}
