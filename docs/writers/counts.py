"""Counts compared with numbers from elsewhere: published ones, and those of public files.

``write_index`` writes the index of ``paramproof explain``: a line for each named model, with its
counts and published numbers.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, replace
from functools import cache, partial
from typing import TYPE_CHECKING

from docs.writers.blocks import figures, place
from paramproof.catalogue.names import has_type, model_types
from paramproof.explanation.index import FILE, PublishedNumber
from paramproof.explanation.search import ACTIVE
from paramproof.explanation.ways import describe
from paramproof.formulas.active import ACTIVE_CONVENTIONS
from paramproof.formulas.models import SHORT_NAMES, AlsoPublished, NamedModel, Published
from paramproof.resolver import Model
from paramproof.tables import markdown, markdown_rows
from paramproof.views.conventions import (
    DEFAULT,
    Verdict,
    every_named_model,
    published_table,
    total_and_active,
    verdict_on,
    verdict_on_active,
    verdict_on_total,
)

if TYPE_CHECKING:
    from sweep.samples.coverage import PublicResult

KINDS = ("exact", "exact, under a convention", "rounded or cut off", "none")


def kind(said: Verdict, one: Published) -> str:
    """Return which of ``KINDS`` a verdict is."""
    if said.how == "exact":
        return KINDS[said.conventions[0] not in (DEFAULT, one.component)]
    return KINDS[2 if said.conventions else 3]


place("named models", "published")(lambda: str(len(every_named_model())))


@place("verdicts", "published")
def _verdicts() -> str:
    counted = Counter(kind(verdict_on(*pair), pair[0]) for pair in every_named_model())
    return markdown_rows(("verdict", "models"), ((what, str(counted[what])) for what in KINDS))


@place("total", "published")
def _total() -> str:
    shown = ("model", "class", "parameters", "published", "verdict")
    return markdown(published_table(every_named_model()).only(*shown))


@place("active", "published")
def _active() -> str:
    shown = ("model", *ACTIVE_CONVENTIONS, "published as active", "verdict on active")
    models = [pair for pair in every_named_model() if pair[0].active]
    return markdown(published_table(models).only(*shown))


@place("sources", "published")
def _sources() -> str:
    rows = []
    for one, _ in every_named_model():
        active = f"; active: {one.active_source}" if one.active_source else ""
        rows.append((one.name, f"{one.source}{active}", one.config))
    return markdown_rows(("model", "published in", "sizes from"), rows)


def _published_numbers(one: Published, model: Model) -> Iterator[PublishedNumber]:
    own, named = verdict_on(one, model), model.inventory()
    number = partial(PublishedNumber, one.name)
    yield number(one.published, one.source, own.how, own.conventions, one.component)
    source = one.active_source or one.source
    of_active = AlsoPublished(published=one.active, source=source, of_active=True)
    for more in (*one.also, *[of_active] * bool(one.active)):
        if more.of_active:
            found, of = verdict_on_active(more.published, total_and_active(model)), ACTIVE
        else:
            found, of = verdict_on_total(more.published, named), ""
        how = found.how, found.conventions, of, more.includes
        yield number(more.published, more.source, *how)
    if one.retracted:
        since = f"wrong: it has {named.total():,}, since published as {one.published}"
        yield number(one.retracted, one.retracted_source, since, withdrawn=True)


def index_line(one: Published, model: Model) -> str:
    found = replace(
        describe(model),
        name=one.name,
        year=one.year,
        has_family=isinstance(one, NamedModel),
        synthetic=one.synthetic,
        short_names=tuple(short for short, name in SHORT_NAMES.items() if name == one.name),
        published=tuple(_published_numbers(one, model)),
    )
    return json.dumps(asdict(found), ensure_ascii=False, separators=(",", ":"))


def write_index() -> None:
    models = sorted(every_named_model(), key=lambda pair: pair[0].name)
    FILE.write_text("".join(f"{index_line(*pair)}\n" for pair in models), "utf-8")


place("types", "readme")(lambda: str(sum(map(has_type, model_types()))))


@cache
def public() -> tuple[PublicResult, ...]:
    """Return the results of all public configurations, without building any."""
    from sweep.samples.coverage import count_configs

    return tuple(count_configs())


place("all", "public-configurations")(lambda: f"{len(public()):,}")
place("model types", "public-configurations")(
    lambda: f"{len({one.model_type for one in public()})}"
)


@place("configurations", "public-configurations")
def _configurations() -> str:
    reasons = Counter(one.reason for one in public() if one.reason).most_common()
    rows = {
        "configurations": len(public()),
        "counted, each equal to transformers": sum(one.parameters is not None for one in public()),
        **{f"refused: {reason}": number for reason, number in reasons},
    }
    return figures(["", ""], rows.items())


@place("refused", "public-configurations")
def _refused() -> str:
    lines = []
    for reason, _ in Counter(one.reason for one in public() if one.reason).most_common():
        said = Counter((one.model_type, one.why) for one in public() if one.reason == reason)
        lines.append(f"\n### {reason.capitalize()}\n")
        for (model_type, why), number in sorted(said.items(), key=lambda one: (-one[1], one[0])):
            what = why.removeprefix(f"{model_type}: ") or "its classes are unknown"
            lines.append(f"- {number}, `{model_type}`: {what}")
    return "\n".join(lines)
