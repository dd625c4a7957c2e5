"""docs/published.md: published numbers of parameters, and the verdict on each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TypeAlias

from docs.writers.blocks import ROOT
from docs.writers.markdown import table
from paramproof.cli.models import active_rows, family_name
from paramproof.counting.published import verdict_on
from paramproof.explanation.published import DEFAULT, Verdict
from paramproof.formulas.active import ACTIVE_CONVENTIONS
from paramproof.formulas.models import (
    NamedConfiguration,
    Published,
    named_configurations,
    named_models,
)
from paramproof.resolver import AnyModel, DerivedModel, resolve

PAGE = ROOT / "docs" / "published.md"

Models: TypeAlias = list[tuple[Published, AnyModel]]

TEXT = """\
# Published numbers

What others have published about the {number} models that have names, and what the formulas say.
Each number stands as its source prints it, right or wrong. Parameters are those that are trained,
tied ones once. The verdict names the way to count that gives the published number at the precision
in which it is printed, where that is another: `total` has fixed tensors too, as Whisper's sinusoids
in the encoder. `paramproof models` prints the same, `paramproof explain NUMBER MODEL` says more
about a number that no convention gives.

{summary}

## Total

{total}

## Active

Of a model with experts one token passes k of E. What is meant by active parameters differs by the
embedding and the head, so the convention has to be named:

{conventions}

The model card of gpt-oss (arXiv:2508.10925, table 1) counts the unembedding towards active
parameters and the embedding not: `head-only`. Model cards of Qwen3 print "Number of Parameters
(Non-Embedding)" beside the total: `neither`. DeepSeek's README_WEIGHTS.md prints 36.7B for
DeepSeek-V3, "including 0.9B for Embedding and 0.9B for the output Head": no convention gives
that, and with one of them it is 36.6B.

{active}

`paramproof count MODEL --active` prints this of any model. Shared experts, routers and dense layers
are active as they are. Where the number differs from token to token it is refused: zero experts
(`zero_expert_num`), experts that a table of token ids chooses, or a number of experts per token
that no field says.

## Sources

Where a number is printed, and where the sizes are from. Sizes of public configurations are written
out without the keys that say nothing about what there is to count.

{sources}
"""


def models() -> Models:
    """Return every named model with its formula at its sizes."""
    published = {**named_models(), **named_configurations()}
    return [(one, resolve(name)) for name, one in published.items()]


def render(found: Models) -> str:
    """Return the page about these models."""
    verdicts = [(one, model, verdict_on(one, model)) for one, model in found]
    counted = Counter(kind(said, one) for one, _, said in verdicts)
    meant = (f"- `{name}`: {how.__doc__}" for name, how in ACTIVE_CONVENTIONS.items())
    return TEXT.format(
        number=len(found),
        summary=table(("verdict", "models"), ((what, str(counted[what])) for what in KINDS)),
        total=table(
            ("model", "class or family", "parameters", "published", "verdict"),
            (_row(*one) for one in verdicts),
            ("---", "---", "---:", "---:", "---"),
        ),
        conventions="\n".join(meant),
        active=table(
            ("model", *(f"`{name}`" for name in ACTIVE_CONVENTIONS), "published", "verdict"),
            active_rows(found),
            ("---", *["---:"] * (len(ACTIVE_CONVENTIONS) + 1), "---"),
        ),
        sources=table(("model", "published in", "sizes from"), _sources(one for one, _ in found)),
    )


KINDS = ("exact", "exact, under a convention", "rounded or cut off", "none")


def kind(said: Verdict, one: Published) -> str:
    """Return which of ``KINDS`` a verdict is."""
    if not said.conventions:
        return KINDS[3]
    if not said.is_exact:
        return KINDS[2]
    return KINDS[0] if said.conventions[0] in (DEFAULT, one.component) else KINDS[1]


def _row(one: Published, model: AnyModel, said: Verdict) -> tuple[str, ...]:
    what = f" for `{one.component}`" if one.component else ""
    described = model.derivation.name if isinstance(model, DerivedModel) else family_name(model)
    how = said.how if one.component else said.text
    parameters = f"{model.inventory().total():,}"
    return one.name, described, parameters, f"{one.published}{what}", how


def _sources(found: Iterable[Published]) -> Iterable[tuple[str, ...]]:
    for one in found:
        active = one.active_source if isinstance(one, NamedConfiguration) else ""
        where = f"{one.source}; active: {active}" if active else one.source
        yield one.name, where, one.config


def write() -> None:
    """Write the page."""
    PAGE.write_text(render(models()), "utf-8")
