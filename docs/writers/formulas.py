"""The pages of the formulas and of the families, from docstrings and inventories."""

import inspect
import re
from collections.abc import Iterator
from functools import partial
from textwrap import indent
from types import FunctionType

from docs.writers.blocks import place
from paramproof.algebra.symbols import symbols
from paramproof.formulas import FAMILIES, Family, Tensor, closed_form, inventory
from paramproof.formulas import terms as parts_module
from paramproof.formulas.expression import text
from paramproof.formulas.spec import FIELDS, INDICATOR, letter_kinds
from paramproof.tables import markdown_rows
from paramproof.views.formula import Term, terms


@place("families", "families")
def families() -> str:
    rows = (
        (f"`{name}`", f"`{one.spec.__name__}`", text(closed_form(symbols(one.letters))))
        for name, one in FAMILIES.items()
    )
    return markdown_rows(["family", "specification", "trainable parameters"], rows)


@place("parts", "formulas")
def parts() -> str:
    """Return the parts that models share, each with its count and source."""
    return "\n\n".join(f"### `{one.__name__}`\n\n{markdown(one)}" for one in part_functions())


def part_functions() -> list[FunctionType]:
    own = vars(parts_module).values()
    return [f for f in own if isinstance(f, FunctionType) and "Count: " in (f.__doc__ or "")]


def family(found: Family) -> str:
    """Return a family's letters, the terms of its count with sources, and its closed form."""
    letters, kinds = symbols(found.letters), letter_kinds(found.letters).items()
    named = inventory(letters)
    fields = ((k, "indicator" if of == INDICATOR else f"`{FIELDS[k]}`") for k, of in kinds)
    rows = (
        (
            f"`{term.path}`",
            "; ".join(_shapes(term)),
            text(term.each),
            text(term.times),
            "; ".join(dict.fromkeys(tensor.source for tensor in term.tensors)),
        )
        for term in terms(named)
    )
    return "\n\n".join(
        [
            markdown(found.inventory),
            markdown(found.letters),
            markdown_rows(["letter", "is"], fields),
            markdown_rows(["component", "tensors", "count", "times", "sources"], rows),
            f"Together, sorted by what is repeated or may be absent:\n\n    {text(named.total())}",
            f"The closed form:\n\n    {text(closed_form(letters))}",
            markdown(found.closed_form),
        ]
    )


for _name, _family in FAMILIES.items():
    place(_name, "formulas")(partial(family, _family))


def markdown(function: object) -> str:
    """Return a docstring as Markdown, with sums as code."""
    found = (inspect.getdoc(function) or "").replace("``", "`")
    return "\n\n".join(map(_paragraph, found.split("\n\n")))


def _paragraph(lines: str) -> str:
    return indent(lines, "    ") if re.search("^[+] ", lines, re.MULTILINE) else lines


def _shapes(term: Term) -> Iterator[str]:
    groups: dict[tuple[str, str, str], list[str]] = {}
    for tensor in term.tensors:
        inside = tensor.path.removeprefix(f"{term.path}.")
        owner, _, leaf = inside.rpartition(".")
        shape = ", ".join(map(text, tensor.shape))
        groups.setdefault((leaf, shape, _note(tensor)), []).append(owner)
    for (leaf, shape, note), owners in groups.items():
        whose = f"{', '.join(owners)}: " if owners[0] else ""
        yield f"{whose}{leaf} ({shape}){note}"


def _note(tensor: Tensor) -> str:
    tied = f", tied to `{tensor.tied_to}`" if tensor.tied_to else ""
    fixed = "" if tensor.trainable else ", not trainable"
    present = f", if {text(tensor.present)}" if tensor.present != 1 else ""
    return f"{tied}{fixed}{present}"
