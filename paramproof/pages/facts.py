"""The first screen of a model: active parameters, memory, published numbers, how sure it is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

from paramproof.formulas.conventions import as_named
from paramproof.formulas.errors import UnknownName
from paramproof.formulas.models import Published
from paramproof.pages.viewing import View, has_experts
from paramproof.resolver import Model
from paramproof.views.conventions import (
    Counts,
    Verdict,
    routing,
    shown_first,
    total_and_active,
    verdict_on_active,
)
from paramproof.views.dtypes import BITS, bytes_text, require_dtype, size_text
from paramproof.views.html import Html, tag
from paramproof.views.published import verdict_on

DTYPE = "float32"
"""The precision that is shown if nothing says in which one a model is published."""

NARROW = 8
"""The most bits of a precision to which weights are quantized."""


def dtype_of(model: Model) -> str:
    """Return the precision in which a model is published, "" if nothing says it."""
    reading = model.reading
    said = [model.named.dtype] if model.named else []
    said += [reading.stored, reading.dtype] if reading else []
    for one in filter(None, said):
        with suppress(UnknownName):
            return require_dtype(one)
    return ""


class Active(NamedTuple):
    """The active parameters per token by convention, how many experts are used, or a problem."""

    counts: Counts
    lines: tuple[str, ...] = ()
    problem: str = ""


def active_of(model: Model) -> Active:
    """Return the active parameters of a model; there are no counts if it has no experts."""
    if model.architecture.family:
        return Active({})
    try:
        counts = total_and_active(model) if has_experts(model) else {}
        return Active(counts, (*routing(model),))
    except ValueError as error:
        return Active({}, problem=str(error))


def facts(view: View, active: Active, dtype: str, published: str = "") -> Html:
    """Return what a reader wants to know first, besides the number of parameters.

    ``published`` is the precision in which the model is published, "" if nothing says it.
    """
    return tag(
        "dl",
        *_active(active),
        *_fact("Memory", size_text(view.number, dtype), *_memory(view, dtype, published)),
        *_published(view.model, active),
        *_fact(
            "How sure",
            *_certainty(view.model),
            tag("a", "How do you know?", href="#evidence-heading"),
        ),
        class_="facts",
    )


def _fact(name: str, value: object, *notes: object) -> Iterator[Html]:
    """Yield a name and its value, with smaller lines below it."""
    small = (tag("small", one) for one in notes if one)
    yield tag("div", tag("dt", name), tag("dd", tag("b", value), *small))


def _active(active: Active) -> Iterator[Html]:
    convention, found = shown_first(active.counts) if active.counts else ("", None)
    if found:
        number = tag("span", f"{found.active:,}", id="active")
        rounded = f"≈ {as_named(found.active, 3)}, {convention}"
        yield from _fact("Active per token", number, rounded, *active.lines)
    elif active.counts or active.problem:
        yield from _fact("Active per token", "undecided", active.problem, *active.lines)


def _memory(view: View, dtype: str, published: str) -> Iterator[object]:
    yield tag("span", bytes_text(view.number, dtype), id="bytes")
    if dtype != published:
        yield f"published in {published or 'a precision that is not known here'}"
    elif BITS[dtype] <= NARROW:
        yield "as published; scales, and tensors that are not quantized, come on top"
    else:
        yield "as published"


def _published(model: Model, active: Active) -> Iterator[Html]:
    named = model.named
    if named is None:
        return
    of = f" for {named.component}" if named.component else ""
    found = verdict_on(named, model)
    source = _source(named, named.source)
    yield from _fact("Published", f"{named.published}{of}", _verdict(found), source)
    if named.active:
        source = _source(named, named.active_source or named.source)
        said = _verdict(verdict_on_active(named.active, active.counts)) if active.counts else ""
        yield from _fact("Published as active", named.active, said, source)


def _verdict(found: Verdict) -> Html:
    return tag("span", found.text, class_="verdict" if found.conventions else "none")


def _source(named: Published, source: str) -> str:
    return f"{named.year}, {source}" if named.year and str(named.year) not in source else source


def _certainty(model: Model) -> tuple[str, str]:
    """Return the status of the formula in a word, and what it means in one line."""
    if model.architecture.family:
        return (
            "Written by hand, twice",
            "tensor by tensor and as a polynomial; compared with the models that frameworks build",
        )
    one = model.architecture
    library = model.reading.library if model.reading else "transformers"
    code = " ".join(filter(None, (library, one.versions.get(library))))
    if model.reasons:
        return "Fitted", f"not every size was traced through the code of {code}"
    return (
        "Proved",
        f"every shape and number was traced through the code of {code}, and compared with "
        f"{one.held} models that were not used to find the formula",
    )
