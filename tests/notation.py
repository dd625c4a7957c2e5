"""Read printed expressions as ordinary arithmetic, to check that they mean what they should."""

import math
import re
from fractions import Fraction

from paramproof.formulas.computed import FUNCTIONS

NAME = "[^\\W\\d⁰¹²³⁴⁵⁶⁷⁸⁹][^\\W⁰¹²³⁴⁵⁶⁷⁸⁹]*"
TOKEN = re.compile(
    r"(?P<float>[0-9]+(?:\.[0-9]+)?e[-+−]?[0-9]+|[0-9]+\.[0-9]+)"
    rf"|(?P<function>{NAME})\(|(?P<letter>{NAME}'*)|(?P<power>[⁰¹²³⁴⁵⁶⁷⁸⁹]+)|."
)
SIGNS = {"·": "*", "−": "-", "⌊": "floor(", "⌋": ")", "⌈": "ceil(", "⌉": ")"}
# A quotient is exact; ÷ and × are Python's operations on ints and floats.
SIGNS |= {"/": "*Exact(1)/", "÷": "/", "×": "*"}


def value(text, letters):
    """Return the value of a printed expression, as Python's precedence of the signs has it.

    ``letters`` has a number for each letter or, for a text without quotients, an expression.
    """
    python = "".join(map(_python, TOKEN.finditer(text)))
    names = {"floor": math.floor, "ceil": math.ceil, "Exact": Fraction}
    return eval(python, names | {"letters": letters, "functions": FUNCTIONS})


def _python(token):
    kind, written = token.lastgroup, token[0].replace("−", "-")
    if kind == "function":
        return f"functions[{token['function']!r}]("
    if kind == "letter":
        return f"letters[{written!r}]"
    if kind == "power":
        return "**" + "".join(str("⁰¹²³⁴⁵⁶⁷⁸⁹".index(digit)) for digit in written)
    return written if kind == "float" else SIGNS.get(token[0], token[0])


def from_latex(text):
    text = re.sub(r"\\mathrm\{(\w+)\}", r"\1", text)
    text = text.replace(r"\left(", "(").replace(r"\right)", ")").replace("-", "−")
    text = re.sub(r"\^\{(\d+)\}", lambda found: found[1].translate(SUPERSCRIPTS), text)
    return re.sub(r"(?<=[\w)]) (?=[\w(])", "·", text)


SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
