"""Random polynomials, both as our expressions and in SymPy."""

import math

import sympy
from hypothesis import strategies as st

from paramproof.formulas.expression import Expression, letter

NAMES = ("A", "H", "L")
SYMBOLS = {name: sympy.Symbol(name, positive=True, integer=True) for name in NAMES}
NUMBERS = st.integers(-6, 6)


@st.composite
def polynomials(draw):
    ours, theirs = Expression(), sympy.Integer(0)
    for _ in range(draw(st.integers(0, 4))):
        number, powers = draw(NUMBERS), [draw(st.integers(0, 2)) for _ in NAMES]
        ours += number * math.prod(map(pow, map(letter, NAMES), powers))
        theirs += number * sympy.prod(SYMBOLS[n] ** p for n, p in zip(NAMES, powers, strict=True))
    return ours, sympy.expand(theirs)
