"""docs/kerashub.md: KerasHub's backbones and the same models of transformers, in letters."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from docs.writers.blocks import ROOT
from docs.writers.kerashub.comparison import Comparison, compare
from docs.writers.kerashub.pairs import Pair, pairs
from docs.writers.kerashub.store import RESULTS, derivation_in, known, written
from paramproof.catalogue import read_type
from paramproof.formulas.derivation import Derivation, DerivedTensor
from paramproof.formulas.expression import sum_of
from paramproof.formulas.notation import text
from paramproof.views.formula import factor, grouped
from paramproof.views.table import markdown_rows

PAGE = ROOT / "docs" / "kerashub.md"

TEXT = """\
# KerasHub and transformers

This page compares the same architecture in two libraries. The formulas of {backbones} backbones of
KerasHub, each derived from its own constructor, are compared symbolically with the base model of a
model type of Hugging Face transformers, taken from the [catalogue](model-types.md). Of {number}
pairs, {equal} have equal formulas. For the others the page gives the difference, and the tensors
that cause it. No formula on this page was written by hand.

{versions}.

The letters are those of the catalogue, listed with the fields of transformers.
`docs/writers/kerashub/backbones.toml` maps the arguments of KerasHub to letters. Each formula of
KerasHub was fitted to five models or more, and validated on {held} others, tensor by tensor, at
distant sizes. Keras converts sizes to plain ints, so shapes cannot be traced, and the formulas are
[fitted](derive.md#proved-or-fitted). The counts that KerasHub publishes for its presets are
compared with the formulas too. Flags have their default values unless a section names them.

{summary}

The numbers are counts at the sizes that each section names: the defaults of the configuration where
it has any. Formulas do not include non-trainable weights.
{sections}"""

SECTION = """
## {name}

KerasHub's `{backbone}`, and `{model}`{config} of transformers. {letters}.

{formulas}

{result}

{holds} Traced {traces} times, validated on {held} held-out models.{presets}
"""


def write() -> None:
    """Derive every backbone anew, and write the page and its data."""
    entries = measured()
    RESULTS.write_text(json.dumps(entries, indent=1, ensure_ascii=False) + "\n", "utf-8")
    PAGE.write_text(render(entries), "utf-8")


def measured() -> dict[str, Any]:
    """Derive every backbone; return the data of the page."""
    return {name: entry(pair) for name, pair in pairs().items()}


def entry(pair: Pair) -> dict[str, Any]:
    """Derive a backbone; return its data."""
    from docs.writers.kerashub.backbones import derived, published

    presets = {preset: published(pair, preset) for preset in pair.presets}
    return {**written(derived(pair)), "presets": presets}


def render(entries: Mapping[str, Any] | None = None) -> str:
    """Return the page that the data say, and the catalogue's."""
    entries = known() if entries is None else entries
    found = {name: compare(pairs()[name], derivation_in(data)) for name, data in entries.items()}
    headings = ("backbone", "model type", "KerasHub has more", "KerasHub", "transformers")
    first = next(iter(found.values()))
    versions = {**first.ours.evidence.versions, **first.theirs.evidence.versions}
    del versions["python"]
    return TEXT.format(
        backbones=len({one.pair.backbone for one in found.values()}),
        number=len(found),
        equal=sum(not one.difference for one in found.values()),
        versions=", ".join(f"{name} {version}" for name, version in versions.items()),
        held=min(one.ours.evidence.held for one in found.values()),
        summary=markdown_rows(
            headings, map(_row, found, found.values()), ["---"] * 3 + ["---:"] * 2
        ),
        sections="".join(_section(n, one, entries[n]["presets"]) for n, one in found.items()),
    )


def difference_text(found: Comparison) -> str:
    """Return KerasHub's formula minus that of transformers, in letters, or ``equal``."""
    return text(found.difference) if found.difference else "equal"


def _row(name: str, found: Comparison) -> tuple[str, ...]:
    sizes = found.pair.sizes
    numbers = (one.formula.evaluate(sizes) for one in (found.ours, found.theirs))
    return (
        f"[{name}](#{name.lower()})",
        found.pair.type,
        difference_text(found),
        *(f"{number:,}" for number in numbers),
    )


def _section(name: str, found: Comparison, presets: Mapping[str, int]) -> str:
    pair, ours = found.pair, found.ours
    config = ", ".join(f"{key}={json.dumps(value)}" for key, value in pair.config.items())
    conditions = "; ".join(map(str, found.conditions))
    fixed = f" {', '.join(ours.fixed)} did not vary." if ours.fixed else ""
    return SECTION.format(
        name=name,
        backbone=pair.backbone,
        model=found.theirs.name,
        config=f" (`{config}`)" if config else "",
        letters=_letters(pair, ours, found.theirs),
        formulas="\n\n".join(_formulas(found)),
        result="\n".join(_result(found)),
        holds=f"Holds where {conditions or 'sizes are 1 or more'}.{fixed}",
        traces=ours.evidence.traces,
        held=ours.evidence.held,
        presets="".join(_presets(found, presets)),
    )


def _letters(pair: Pair, ours: Derivation, theirs: Derivation) -> str:
    """Return each letter with its field in transformers, if it has one, and its size."""
    said = {name: size.path for name, size in read_type(pair.type).letters.items()}
    moving = ours.formula.letters | theirs.formula.letters
    sizes = {name: size for name, size in pair.sizes.items() if name in moving}
    letters = (
        f"{name} `{said[name]}` = {size:,}" if name in said else f"{name} = {size:,}"
        for name, size in sizes.items()
    )
    equal = (f"`{said[name]}` is {one}" for name, one in pair.equal.items())
    return ", ".join([*letters, *equal])


def _formulas(found: Comparison) -> Iterator[str]:
    """Yield both formulas, or one if they are equal."""
    ours, theirs = (
        "\n".join(f"    {line}" for line in grouped(one)) for one in (found.ours, found.theirs)
    )
    if not found.difference:
        yield ours
        return
    yield f"KerasHub:\n\n{ours}"
    yield f"transformers:\n\n{theirs}"


def _result(found: Comparison) -> Iterator[str]:
    if not found.difference:
        yield "Equal."
        return
    yield f"KerasHub has {difference_text(found)} more parameters:\n"
    for sign, tensors in (("+", found.more), ("−", found.fewer)):
        for one in tensors:
            yield f"- {sign} `{one.path}`, {_size(one)}{_why(found.pair, one)}"


def _size(tensor: DerivedTensor) -> str:
    shape = " × ".join(map(factor, tensor.shape))
    return shape if tensor.times == 1 else f"{text(tensor.times)} times {shape}"


def _why(pair: Pair, tensor: DerivedTensor) -> str:
    why = pair.why.get(tensor.path)
    return f": {why}" if why else ""


def _presets(found: Comparison, published: Mapping[str, int]) -> Iterator[str]:
    """Yield the published count of each preset, and whether the formula gives it."""
    frozen = sum_of(one.size for one in found.ours.tensors if one.role == "frozen")
    for preset, sizes in found.pair.presets.items():
        at = {**found.pair.sizes, **sizes}
        number, others = (one.evaluate(at) for one in (found.ours.formula, frozen))
        verdict = f"the formula gives {number:,}"
        if number == published[preset]:
            verdict = "the formula gives the same"
        elif number + others == published[preset]:
            verdict = f"the formula gives the same, with {others:,} non-trainable parameters"
        yield f" KerasHub publishes {published[preset]:,} for `{preset}`: {verdict}."
