"""An answer as lines of text."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from paramproof.explanation import letters as algebra
from paramproof.explanation.answer import Explanations
from paramproof.explanation.explanation import TRAINABLE
from paramproof.explanation.number import WrittenNumber
from paramproof.explanation.rendering import Rendered, limit, render
from paramproof.explanation.tree import Tree
from paramproof.formulas import inventory
from paramproof.formulas.active import ACTIVE_CONVENTIONS
from paramproof.formulas.conventions import CONVENTIONS
from paramproof.formulas.notation import SUPERSCRIPTS
from paramproof.formulas.printing import MINUS, and_more, signed

WIDTH = 80
"""Columns that the text fits."""

MAX_SHOWN = 6
"""So many explanations are printed."""

MAX_PUBLISHED_SHOWN = 3
"""So many models are printed that the number was published for."""

MAX_UNNAMED_SHOWN = 3
"""So many are printed of those that rest on a size that no named model has."""


def lines(answer: Explanations, *, everything: bool = False, width: int = WIDTH) -> Iterator[str]:
    """Yield what is printed: the explanations, or that there is none and what is near.

    The first few, and of their models, unless ``everything`` is asked for. A line that is longer
    than ``width`` goes on in the next.
    """
    for line in (*_retracted(answer), *_lines(answer, everything), *_near(answer)):
        yield from _folded(line, width)


def _folded(line: str, width: int) -> list[str]:
    """The line in lines of at most ``width``, if its words are, each further one indented."""
    margin = " " * (len(line) - len(line.lstrip()) + 2)
    folded = textwrap.wrap(
        line,
        width,
        subsequent_indent=margin,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return folded or [""]


def _retracted(answer: Explanations) -> Iterator[str]:
    """What was withdrawn of the number: for which models, by whom, and what they have."""
    for model in answer.retracted:
        count = Tree(inventory(model.spec.letters())).whole(TRAINABLE)
        yield f"{answer.number.text} was published for {model.name}, and is wrong"
        yield f"  {model.name} has {count:,}, published since as {model.published}"
        yield f"  {model.retracted_source}"
        yield ""


def _lines(answer: Explanations, everything: bool) -> Iterator[str]:
    number, where = answer.number, ", ".join(answer.none_in)
    if answer.found:
        other = f"{number}: not explained by {where}; other models have it:"
        yield other if where else f"{number} is"
        rendered = render(answer.found)
        shown = rendered[: limit(MAX_SHOWN, everything)]
        yield from _numbered(rendered, len(shown), everything)
        yield from _perhaps_by_chance(number)
        yield from _legend(shown)
        yield from _published(answer, everything)
        return
    if where:
        yield f"{number}: not explained by {where}"
    elif not answer.published:
        yield f"{number}: no {'other ' if answer.retracted else ''}explanation found"
    yield from _published(answer, everything)
    if answer.unnamed and not answer.published:
        yield (
            "at another size of one table, which no named model has, it would be the following; "
            "but one number in hidden_size fits so by chance:"
        )
        rendered = render(answer.unnamed)
        yield from _numbered(rendered, limit(MAX_UNNAMED_SHOWN, everything), everything)


def _published(answer: Explanations, everything: bool) -> Iterator[str]:
    """For which models the number is printed, though it is not their count, and what is true."""
    shown = answer.published[: limit(MAX_PUBLISHED_SHOWN, everything)]
    for number, one in enumerate(shown):
        if number or answer.found or answer.none_in:
            yield ""
        of = f", {one.of}" if one.of else ""
        yield f"{one.number} is published for {one.model}{of} ({one.source})"
        if one.note:
            yield f"  it includes {one.note}"
        yield f"  {one.verdict.in_full}"
    if more := len(answer.published) - len(shown):
        yield ""
        yield f"and for {more} more models"


def _near(answer: Explanations) -> Iterator[str]:
    """The count that is nearest, where the number has no explanation."""
    number, near = answer.number, answer.nearest
    if answer.found or near is None:
        return
    yield ""
    size = f", {near.reading}" if near.reading else ""
    yield f"nearest: {near.count:,}{size}, {near.text} of {', '.join(near.models)}"
    if number.exact:
        residual = number.exact - near.count
        powers = algebra.in_powers(residual, near.spec)
        same = powers.replace(MINUS, "").isdigit()
        yield f"claimed − formula = {signed(residual)}{'' if same else f' = {powers}'}"


def _perhaps_by_chance(number: WrittenNumber) -> Iterator[str]:
    """A warning where every product of powers of two is as good an explanation."""
    if (power := number.power_of_two) is not None:
        yield ""
        yield (
            f"{number} is 2{str(power).translate(SUPERSCRIPTS)}: where sizes are powers of two "
            "their products are too, so that each of these may fit by chance"
        )


def _numbered(rendered: list[Rendered], most: int, everything: bool) -> Iterator[str]:
    for one in rendered[:most]:
        yield ""
        yield from one.lines(everything)
    for more in and_more([""] * len(rendered), most)[most:]:
        yield ""
        yield f"  {more}"


def _legend(rendered: list[Rendered]) -> Iterator[str]:
    """What the conventions mean that were named."""
    explanations = [one.match.explanation for one in rendered]
    parts = [part for one in explanations for part in one.parts]
    names = dict.fromkeys(name for part in parts for name in part.conventions)
    meant = {name: CONVENTIONS[name] for name in names if name != "trainable"}
    meant |= {one.active: ACTIVE_CONVENTIONS[one.active] for one in explanations if one.active}
    if meant:
        yield ""
    for name, convention in meant.items():
        yield f"{name}: {convention.__doc__}"
