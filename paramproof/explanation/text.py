"""The answer of ``explain`` as lines of text."""

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
"""The width of the text."""

MAX_SHOWN = 6
"""The most explanations that are printed."""

MAX_PUBLISHED_SHOWN = 3
"""The most published numbers that are printed."""

MAX_UNNAMED_SHOWN = 3
"""The most explanations printed that need a size of no named model."""


def lines(answer: Explanations, *, everything: bool = False, width: int = WIDTH) -> Iterator[str]:
    """Yield the explanations of a number, or else the nearest count.

    Without ``everything``, only the first explanations and models are printed. A line longer than
    ``width`` is wrapped.
    """
    for line in (*_retracted(answer), *_lines(answer, everything), *_near(answer)):
        yield from _folded(line, width)


def _folded(line: str, width: int) -> list[str]:
    """Wrap a line to ``width`` without breaking words, indenting the continuation lines."""
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
    """Yield the models for which the number was published and withdrawn, with their counts."""
    for model in answer.retracted:
        count = Tree(inventory(model.spec.letters())).whole(TRAINABLE)
        yield f"{answer.number.text} was published for {model.name}, and is wrong"
        yield f"  {model.name} has {count:,}, since published as {model.published}"
        yield f"  {model.retracted_source}"
        yield ""


def _lines(answer: Explanations, everything: bool) -> Iterator[str]:
    number, where = answer.number, ", ".join(answer.none_in)
    if answer.found:
        other = f"{number} is not explained by {where}, but by other models:"
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
            "with an embedding table of a size that no named model has, it could be the following, "
            "but one number in every hidden_size fits like this by chance:"
        )
        rendered = render(answer.unnamed)
        yield from _numbered(rendered, limit(MAX_UNNAMED_SHOWN, everything), everything)


def _published(answer: Explanations, everything: bool) -> Iterator[str]:
    """Yield the models for which the number was published, and the verdicts on it."""
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
    """Yield the nearest count, if the number has no explanation."""
    number, near = answer.number, answer.nearest
    if answer.found or near is None:
        return
    yield ""
    size = f", {near.reading}" if near.reading else ""
    yield f"nearest: {near.count:,}{size}, {near.text} of {', '.join(near.models)}"
    if number.exact:
        residual = number.exact - near.count
        powers = algebra.in_powers(residual, near.architecture)
        same = powers.replace(MINUS, "").isdigit()
        yield f"claimed − formula = {signed(residual)}{'' if same else f' = {powers}'}"


def _perhaps_by_chance(number: WrittenNumber) -> Iterator[str]:
    """Yield a warning if the number is a power of two, as many products of sizes are."""
    if (power := number.power_of_two) is not None:
        yield ""
        yield (
            f"{number} is 2{str(power).translate(SUPERSCRIPTS)}: sizes are often powers of two, "
            "and so are their products, so each of these may fit by chance"
        )


def _numbered(rendered: list[Rendered], most: int, everything: bool) -> Iterator[str]:
    for one in rendered[:most]:
        yield ""
        yield from one.lines(everything)
    for more in and_more([""] * len(rendered), most)[most:]:
        yield ""
        yield f"  {more}"


def _legend(rendered: list[Rendered]) -> Iterator[str]:
    """Yield the meanings of the conventions that were named."""
    explanations = [one.match.explanation for one in rendered]
    parts = [part for one in explanations for part in one.parts]
    names = dict.fromkeys(name for part in parts for name in part.conventions)
    meant = {name: CONVENTIONS[name] for name in names if name != "trainable"}
    meant |= {one.active: ACTIVE_CONVENTIONS[one.active] for one in explanations if one.active}
    if meant:
        yield ""
    for name, convention in meant.items():
        yield f"{name}: {convention.__doc__}"
