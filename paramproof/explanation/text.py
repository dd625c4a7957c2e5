"""The answer of ``explain`` as lines of text."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterator

from paramproof.explanation.answer import Explanations, Match
from paramproof.explanation.index import notes
from paramproof.formulas.active import ACTIVE_CONVENTIONS
from paramproof.formulas.conventions import CONVENTIONS
from paramproof.formulas.notation import SUPERSCRIPTS, text
from paramproof.formulas.printing import and_more, signed, some_of

WIDTH = 80
MAX_SHOWN = 6
"""The most explanations, and the most models of one, that are printed."""

MAX_EQUAL_SHOWN, MAX_PUBLISHED_SHOWN = 3, 3
MAX_WITH_FORMULAS = 2
"""The most rounded counts that are printed with formulas."""


def lines(answer: Explanations, *, everything: bool = False, width: int = WIDTH) -> Iterator[str]:
    """Yield what is published under a number, its explanations, or the difference from a model.

    A number published by mistake comes after a model with this total. Without ``everything``, only
    the first explanations and models are printed. Lines longer than ``width`` are wrapped.
    """
    blocks = [*_published(answer, everything), *_found(answer, everything)]
    total = None if any(one.conventions for one in answer.published) else answer.number.exact
    if any(one.is_published or one.model.total == total for one in answer.found):
        blocks = [*_found(answer, everything), *_published(answer, everything)]
    for line in [line for block in blocks for line in ("", *block)][1:]:
        margin = " " * (len(line) - len(line.lstrip()) + 2)
        wrapper = textwrap.TextWrapper(
            width, subsequent_indent=margin, break_long_words=False, break_on_hyphens=False
        )
        yield from wrapper.wrap(line) or [""]


def _published(answer: Explanations, everything: bool) -> Iterator[list[str]]:
    """Yield the models for which the number was published, and the verdicts on it."""
    shown = answer.published[: None if everything else MAX_PUBLISHED_SHOWN]
    for one in shown:
        of = f", {one.of}" if one.of else ""
        was = "was published, and withdrawn," if one.withdrawn else "is published"
        includes = [f"  it includes {one.includes}"] if one.includes else []
        verdict = ": ".join(filter(None, (one.verdict, ", ".join(one.conventions))))
        yield [
            f"{one.published} {was} for {one.model}{of} ({one.source})",
            *includes,
            f"  {verdict}",
        ]
    if more := len(answer.published) - len(shown):
        yield [f"and for {more} more models"]


def _found(answer: Explanations, everything: bool) -> Iterator[list[str]]:
    """Yield the explanations, or the difference from a model, and what the terms mean."""
    number, found = answer.number, answer.found
    if found:
        several = number.exact is None and len(found) > MAX_WITH_FORMULAS
        yield [f"{number} is, rounded:" if several else f"{number} is"]
        yield from _rows(found, everything)
        if (power := number.power_of_two) is not None:
            yield [
                f"{number} is 2{str(power).translate(SUPERSCRIPTS)}: sizes are often powers of "
                "two, and so are their products, so each of these may fit by chance"
            ]
        named = {name for one in found for name in one.way.what.split(", ")} - {"trainable"}
        meanings = {**CONVENTIONS, **ACTIVE_CONVENTIONS}
        if meant := [f"{name}: {meanings[name].__doc__}" for name in meanings if name in named]:
            yield meant
    elif apart := answer.apart:
        said = f"{number}: no explanation found in {apart.model}, which has {apart.count:,}"
        letters = f" = {apart.letters}, where H = {apart.hidden}" if apart.letters else ""
        yield [said, f"  claimed − formula = {signed(apart.difference)}{letters}"]
        if answer.elsewhere:
            yield ["But other models have it:"]
            yield from _rows(answer.elsewhere, everything)
    elif not answer.published:
        more = "name a model after the number to see the difference from it"
        yield [f"{number}: no explanation found; {more}"]


def _rows(found: tuple[Match, ...], everything: bool) -> Iterator[list[str]]:
    """Yield the explanations; many rounded counts are a line each, without a formula."""
    most = sys.maxsize if everything else MAX_SHOWN
    more = [f"  {one}" for one in and_more([""] * len(found), most)[most:]]
    if found[0].rounded and len(found) > MAX_WITH_FORMULAS:
        yield [*map(_line, found[:most]), *more]
        return
    yield from ([*_block(one, everything)] for one in found[:most])
    yield from ([one] for one in more)


def _line(one: Match) -> str:
    what = "" if one.way.what == "trainable" else f" {one.text},"
    printed = f"; published as {one.published}" if one.published else ""
    return f"  {', '.join(one.models)}: {one.count:,},{what} {one.reading}{printed}"


def _block(one: Match, everything: bool) -> Iterator[str]:
    """Yield an explanation, its formula with the meaning of its letters, and its models."""
    printed = f"; published as {one.published}" if one.published else ""
    yield f"  {one.text}{f' = {one.count:,}, {one.reading}{printed}' if one.rounded else ''}"
    is_variation = one.residual.terms and abs(one.difference) < one.count
    formula = one.residual if is_variation else one.expression
    left = f"claimed − formula = {signed(one.difference)} " if is_variation else ""
    yield f"    {left}= {text(formula)}"
    if legend := [f"{name} = {of} = {size:,}" for name, (of, size) in one.legend(formula).items()]:
        yield f"    where {', '.join(legend)}"
    if one.equal:
        yield f"    equally: {some_of(one.equal, sys.maxsize if everything else MAX_EQUAL_SHOWN)}"
    yield f"    of {some_of(one.models, sys.maxsize if everything else MAX_SHOWN)}"
    yield from (f"    {note}" for note in notes(one.way, one.formula, one.model.letters))
