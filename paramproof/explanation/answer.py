"""The answer of ``explain``: the explanations of a number, or the difference from a model.

``lines`` prints an answer, for the command, for notebooks and for pages.
"""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from html import escape
from typing import Any

from paramproof.explanation.index import (
    KNOWN,
    Described,
    PublishedNumber,
    Way,
    component,
    notes,
    words,
)
from paramproof.explanation.number import RoundedReading, WrittenNumber
from paramproof.formulas.active import ACTIVE_CONVENTIONS
from paramproof.formulas.conventions import CONVENTIONS
from paramproof.formulas.expression import SUPERSCRIPTS, Expression, letter, text
from paramproof.formulas.notation import expression_in
from paramproof.formulas.path import leaf
from paramproof.formulas.printing import and_more, legible, shown, signed, some_of
from paramproof.json_form import document

NAME = re.compile(r"[^\W\d⁰¹²³⁴⁵⁶⁷⁸⁹][^\W⁰¹²³⁴⁵⁶⁷⁸⁹]*")
"""A letter in a formula."""


@dataclass(frozen=True)
class Match:
    """An explanation with its count, and the ``models`` to which it applies.

    It counts ``way``, with ``n`` labels or at rank ``n``, ``without`` some components, or with one
    of another class ``beside`` it. ``rounded`` is the way in which the count was rounded to the
    number, or None if it was not. ``published`` is what was published for the same parameters, and
    ``is_published`` is set if that, or the model's name, is the number.
    """

    model: Described = field(repr=False)
    way: Way
    n: int = 0
    without: tuple[Way, ...] = ()
    beside: Way | None = None
    rounded: RoundedReading | None = None
    published: str = ""
    is_published: bool = False
    models: tuple[str, ...] = ()
    equal: tuple[str, ...] = ()

    @property
    def count(self) -> int:
        more = self.beside.number if self.beside else 0
        less = sum(way.number for way in self.without)
        return self.way.number + self.n * self.way.step + more - less

    @property
    def text(self) -> str:
        own = words(self.way, self.n)
        if self.without:
            own += f" without {' and '.join(component(way, self.way) for way in self.without)}"
        return f"{own} and {words(self.beside)}" if self.beside else own

    @property
    def reading(self) -> str:
        """How the count was rounded to the number, in words; "" if it was not."""
        return self.rounded.of(self.count) if self.rounded else ""

    @cached_property
    def expression(self) -> Expression:
        whole = expression_in(self.way.formula)
        if self.way.kind == "adapters":
            whole = letter("r") * whole
        for way in self.without:
            whole -= expression_in(way.formula)
        return whole + expression_in(self.beside.formula) if self.beside else whole

    @property
    def formula(self) -> str:
        """The count in letters, as text."""
        return text(self.expression)

    @property
    def formula_at_sizes(self) -> str:
        """The formula with numbers for letters: the same in models that name a size otherwise."""
        sizes = {name: str(size) for name, (_, size) in self.model.letters.items()}
        return NAME.sub(lambda found: sizes.get(found[0], found[0]), self.formula)

    def legend(self, formula: Expression) -> dict[str, tuple[str, int]]:
        known = {"k": ("num_labels", self.n or 2), "r": ("rank", self.n), **self.model.letters}
        return {name: of for name, of in known.items() if name in formula.letters}

    @property
    def base(self) -> Way:
        """What this is a variation of: the whole model, or the component that it begins with."""
        is_whole = self.way.kind in ("under", "loaded", "class", "labels")
        return self.model.ways[0] if is_whole else self.way

    @property
    def difference(self) -> int:
        """How many parameters this counts beyond ``base``."""
        return self.count - self.base.number if self.way.kind != "adapters" else 0

    @cached_property
    def residual(self) -> Expression:
        """``difference`` in letters; 0 also if the two formulas have different letters."""
        residual = self.expression - expression_in(self.base.formula)
        sizes = {name: size for name, (_, size) in self.legend(residual).items()}
        is_right = residual.letters <= sizes.keys() and residual.value(sizes) == self.difference
        return residual if is_right else Expression()

    def as_json(self) -> dict[str, Any]:
        legend = self.legend(self.expression).items()
        return {
            "explanation": self.text,
            "kind": self.way.kind,
            "count": self.count,
            "reading": self.reading,
            "bytes_each": self.rounded.bytes_each if self.rounded else 0,
            "models": list(self.models),
            "synthetic": self.model.synthetic,
            "published": self.published,
            "letters": self.formula,
            "sizes": [{"letter": name, "field": of, "size": size} for name, (of, size) in legend],
            "difference": self.difference,
            "residual": text(self.residual) if self.residual.terms else "",
            "equal": list(self.equal),
        }


@dataclass(frozen=True)
class Apart:
    """The difference of a number from the total of a ``model``, which has ``count``.

    ``letters`` is the difference in powers of H, the size ``hidden``; both are "" if it is less.
    """

    model: str
    count: int
    difference: int
    letters: str = ""
    hidden: str = ""


def apart(number: WrittenNumber, model: Described) -> Apart:
    readings = number.bytes_readings or number.readings
    wanted = int(readings[0].stated) if number.exact is None else number.exact
    found = Apart(model.name, model.total, wanted - model.total)
    widths = (one for one in model.letters.values() if leaf(one[0]) in KNOWN["width"])
    of, size = next(widths, ("", 0))
    if not 0 < size <= abs(found.difference):
        return found
    return replace(found, letters=in_powers(found.difference, size), hidden=f"{of} = {size:,}")


def in_powers(difference: int, hidden: int) -> str:
    """Return a difference in powers of the hidden size: ``−3·H² + 12·H − 5``."""
    rest, powers = difference, Expression()
    for step, power in ((hidden * hidden, 2), (hidden, 1), (1, 0)):
        times = (2 * rest + step) // (2 * step)
        rest -= times * step
        powers += times * letter("H") ** power
    return text(powers)


@dataclass(frozen=True)
class Explanations:
    """The explanations of a number that were ``found``, the best first.

    ``published`` has what was published under the number. If a model was named and does not explain
    the number, ``apart`` is the difference from it, and ``elsewhere`` has the other models whose
    total the number is.
    """

    number: WrittenNumber
    found: tuple[Match, ...]
    published: tuple[PublishedNumber, ...] = ()
    apart: Apart | None = None
    elsewhere: tuple[Match, ...] = ()

    @property
    def says_something(self) -> bool:
        """Whether the number is explained, or was published, right or wrong."""
        return bool(self.found or self.published or self.elsewhere)

    def __repr__(self) -> str:
        number = shown(self.number.text)
        if not self.found:
            names = [legible(one.model) for one in self.published]
            printed = f", published for {some_of(names, 1)}" if names else ""
            if self.apart:
                difference = signed(self.apart.difference)
                printed += f"; it differs from {legible(self.apart.model)} by {difference}"
            return f"<Explanations of {number}: none{printed}>"
        first, *more = self.found
        others = f", and {len(more)} more" if more else ""
        models = some_of([*map(legible, first.models)], 1)
        return f"<Explanations of {number}: {first.text} of {models}{others}>"

    def _repr_html_(self) -> str:
        """Return what the command prints, for a notebook."""
        printed = "\n".join(lines(self))
        return f"<pre>{escape(printed)}</pre>"

    def to_dict(self) -> dict[str, Any]:
        """Return the explanations as data for JSON, as ``paramproof/schema.json`` specifies."""
        return document(
            "explanation",
            {
                "number": self.number.text,
                "exact": self.number.exact,
                "found": [one.as_json() for one in self.found],
                "apart": self.apart and asdict(self.apart),
                "elsewhere": [one.as_json() for one in self.elsewhere],
                "power_of_two": self.number.power_of_two,
                "published": [asdict(one) for one in self.published],
            },
        )


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
