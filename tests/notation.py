"""Parse printed expressions, to check that they mean what they should."""

import re

from paramproof.formulas.division import ceiling, floor
from paramproof.formulas.expression import letter

DIGITS = "⁰¹²³⁴⁵⁶⁷⁸⁹"
ROUNDED = re.compile(r"[⌊⌈]((?:[^⌊⌋⌈⌉/()]|\([^()]*\))*)/((?:[^⌊⌋⌈⌉/()]|\([^()]*\))*)[⌋⌉]")


def parsed(text):
    """Return the expression for ``text``, as Python computes it."""
    while found := ROUNDED.search(text):
        call = "floor" if found[0][0] == "⌊" else "ceiling"
        text = text.replace(found[0], f"{call}({found[1]}, {found[2]})", 1)
    python = re.sub(
        f"[{DIGITS}]+", lambda m: "**" + "".join(str(DIGITS.index(d)) for d in m[0]), text
    )
    python = python.replace("·", "*").replace("−", "-")
    names = set(re.findall(r"[A-Za-z]+", python)) - {"floor", "ceiling"}
    return eval(python, {"floor": floor, "ceiling": ceiling} | {n: letter(n) for n in names})


def parsed_latex(text):
    """Return the expression for LaTeX without quotients."""
    text = re.sub(r"\\mathrm\{(\w+)\}", r"\1", text)
    text = text.replace(r"\left(", "(").replace(r"\right)", ")")
    text = re.sub(r"\^\{(\d+)\}", r"**\1", text)
    return parsed(re.sub(r"(?<=[\w)]) (?=[\w(])", "*", text))
