"""The explanations of a number: the text of ``explain``, with links to the models."""

from __future__ import annotations

import re
from collections.abc import Iterator

from paramproof.explanation.number import WrittenNumber
from paramproof.explanation.search import explained
from paramproof.explanation.text import lines
from paramproof.formulas.models import model_names
from paramproof.resolver import Model
from paramproof.views.html import Html, joined, tag

UNFOLDED = 10**6
"""A width at which lines are not wrapped, since the browser wraps them."""


def explanations(wanted: WrittenNumber, model: Model | None) -> Html:
    """Return the explanations of a number, by one model or by all named ones."""
    found = [*lines(explained(wanted, model), width=UNFOLDED)]
    if model and model.architecture.spec is None:
        found += ["", *model.origin()]
    blocks = "\n".join(found).split("\n\n")
    return joined(*(tag("div", *_block(one), class_="block") for one in blocks))


def _block(text: str) -> Iterator[Html]:
    """Yield the lines of an explanation: its words, its formula, its models."""
    for line in text.split("\n"):
        bare = line.lstrip()
        shown = tag("code", bare) if bare.startswith("=") else _linked(bare)
        yield tag("p", shown, class_=f"i{len(line) - len(bare)}")


def _linked(line: str) -> Html:
    """Return a line in which each model name links to the model."""
    known = {*model_names()}
    words = re.split(r"([\w.-]*\w)", line)
    links = (
        tag("a", one, href=f"model.html#model={one}") if one in known else one for one in words
    )
    return joined(*links)
