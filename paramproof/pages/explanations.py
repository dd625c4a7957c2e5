"""A number explained: what ``explain`` prints, its models as links."""

from __future__ import annotations

import re
from collections.abc import Iterator

from paramproof.counting.explained import explained
from paramproof.explanation.number import WrittenNumber
from paramproof.explanation.text import lines
from paramproof.formulas.models import model_names
from paramproof.pages.markup import Html, joined, tag
from paramproof.resolver import AnyModel, DerivedModel

UNFOLDED = 10**6
"""Columns of a text that a page folds."""


def explanations(wanted: WrittenNumber, model: AnyModel | None) -> Html:
    """Return what explains a number, by one model or by all that have names."""
    found = [*lines(explained(wanted, model), width=UNFOLDED)]
    if isinstance(model, DerivedModel):
        found += ["", *model.origin()]
    blocks = "\n".join(found).split("\n\n")
    return joined(*(tag("div", *_block(one), class_="block") for one in blocks))


def _block(text: str) -> Iterator[Html]:
    """Yield the lines of an explanation: what it is, its algebra, its models."""
    for line in text.split("\n"):
        said = line.lstrip()
        shown = tag("code", said) if said.startswith("=") else _linked(said)
        yield tag("p", shown, class_=f"i{len(line) - len(said)}")


def _linked(line: str) -> Html:
    """Return a line in which each name of a model leads to it."""
    known = {*model_names()}
    words = re.split(r"([\w.-]*\w)", line)
    links = (
        tag("a", one, href=f"model.html#model={one}") if one in known else one for one in words
    )
    return joined(*links)
