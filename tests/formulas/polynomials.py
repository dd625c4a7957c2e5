"""Random polynomials in a few letters, as expressions and as SymPy has them."""

import sympy
from hypothesis import strategies as st

from paramproof.formulas.expression import Expression, letter

NAMES = ("A", "H", "L")
A, H, L = map(letter, NAMES)
SYMBOLS = {name: sympy.Symbol(name, positive=True, integer=True) for name in NAMES}

numbers = st.integers(-6, 6)


@st.composite
def polynomials(draw):
    """The same polynomial as an expression and as SymPy has it."""
    ours, theirs = Expression(), sympy.Integer(0)
    for _ in range(draw(st.integers(0, 4))):
        number, powers = draw(numbers), [draw(st.integers(0, 2)) for _ in NAMES]
        ours += number * A ** powers[0] * H ** powers[1] * L ** powers[2]
        theirs += number * sympy.prod(SYMBOLS[n] ** p for n, p in zip(NAMES, powers, strict=True))
    return ours, sympy.expand(theirs)
