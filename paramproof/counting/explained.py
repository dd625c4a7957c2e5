"""A number explained by one model, or by all that have names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache

from paramproof.counting.active import total_and_active, verdict_on_active
from paramproof.counting.published import verdict_on
from paramproof.explanation.answer import ACTIVE, Explanations, PublishedNumber
from paramproof.explanation.number import WrittenNumber, read
from paramproof.explanation.published import Verdict, verdict_on_total
from paramproof.explanation.search import explain
from paramproof.explanation.searched import SearchedModel
from paramproof.formulas.architecture import Architecture
from paramproof.formulas.models import (
    AlsoPublished,
    NamedConfiguration,
    Published,
    named_configurations,
    named_models,
)
from paramproof.resolver import Model, resolve


def explained(number: WrittenNumber, model: Model | None = None) -> Explanations:
    """Return what explains ``number`` in ``model``, or else in any that has a name."""
    if model is None:
        answer = explain(number, named())
        published = _published(number, _all_published(), answer)
        return replace(answer, published=published, nearest=None if published else answer.nearest)
    name = "the spec given" if model.name.startswith("{") else model.title
    own = explain(number, [SearchedModel(name, model.canonical)])
    if model.heads and not _is_plain(own):
        loaded = explain(number, [SearchedModel(f"{name} as loaded", model.as_loaded)])
        own = loaded if _is_plain(loaded) else own
    published = _published(number, [model.named] if model.named else [], own)
    own = replace(own, published=published)
    if own.found or published:
        return own
    elsewhere = explained(number)
    if elsewhere.found:
        return replace(elsewhere, none_in=(name,))
    if elsewhere.published:
        return replace(own, none_in=(name,), published=elsewhere.published)
    return own


def _is_plain(answer: Explanations) -> bool:
    """Return whether a number is one count of one component, and not a sum."""
    return bool(answer.found) and answer.found[0].explanation.is_plain


@cache
def named() -> tuple[SearchedModel, ...]:
    """Return every model that has a name, as numbers are looked for in it.

    Every form is tried on the models of a family. The forms of several parts take seconds on
    the others, and would find much by chance.
    """
    families = (
        _searched(model, resolve(name).architecture, every_form=True)
        for name, model in named_models().items()
    )
    others = (
        _searched(model, resolve(name).architecture, every_form=False)
        for name, model in named_configurations().items()
    )
    return (*families, *others)


def _searched(model: Published, architecture: Architecture, *, every_form: bool) -> SearchedModel:
    active = model.active if isinstance(model, NamedConfiguration) else ""
    return SearchedModel(
        model.name,
        architecture,
        every_form,
        printed=None if model.component else read(model.published),
        printed_active=read(active) if active else None,
    )


def _all_published() -> list[Published]:
    return [*named_models().values(), *named_configurations().values()]


def _published(
    number: WrittenNumber, models: Iterable[Published], answer: Explanations
) -> tuple[PublishedNumber, ...]:
    """Return for which models a number is printed, but those whose count it was found to be."""
    counts = {
        (name, one.explanation.parts[0].component)
        for one in answer.found
        if one.explanation.is_plain
        for name in one.models
    }
    return tuple(
        one
        for model in models
        if (model.name, model.component) not in counts
        for one in _printed(number, model)
    )


def _printed(number: WrittenNumber, model: Published) -> Iterator[PublishedNumber]:
    """Yield what is published of a model that writes ``number``, with the verdict."""
    if number.same_as(read(model.published)):
        verdict = verdict_on(model, resolve(model.name))
        yield PublishedNumber(
            model.name, model.published, model.source, verdict, of=model.component
        )
    further = [*model.also]
    if isinstance(model, NamedConfiguration) and model.active:
        source = model.active_source or model.source
        further.append(AlsoPublished(published=model.active, source=source, of_active=True))
    for one in further:
        if number.same_as(read(one.published)):
            yield PublishedNumber(
                model.name,
                one.published,
                one.source,
                _verdict_on_further(one, model),
                of=ACTIVE if one.of_active else "",
                note=one.includes,
            )


def _verdict_on_further(one: AlsoPublished, model: Published) -> Verdict:
    found = resolve(model.name)
    if one.of_active:
        return verdict_on_active(one.published, total_and_active(found))
    return verdict_on_total(one.published, found.inventory())
