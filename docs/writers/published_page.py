"""docs/published.md: published numbers of parameters, and the verdict on each."""

from __future__ import annotations

from collections import Counter

from docs.writers.blocks import ROOT
from paramproof.formulas.active import ACTIVE_CONVENTIONS
from paramproof.formulas.models import NamedConfiguration, Published
from paramproof.resolver import Model
from paramproof.views.conventions import DEFAULT, Verdict
from paramproof.views.published import (
    NamedModels,
    every_named_model,
    published_active_table,
    published_table,
    verdict_on,
)
from paramproof.views.table import markdown, markdown_rows

PAGE = ROOT / "docs" / "published.md"

SHOWN = ("model", "class", "parameters", "published", "verdict")
SHOWN_OF_ACTIVE = ("model", *ACTIVE_CONVENTIONS, "published", "verdict")

TEXT = """\
# Published numbers

This page compares published parameter counts of the {number} named models with the formulas. Each
number is shown as its source prints it, right or wrong. The column of parameters counts trainable
parameters, and tied tensors once. If the published number follows another convention, the verdict
names it: a convention matches if it gives the number at the printed precision. For example, `total`
includes fixed tensors, such as Whisper's sinusoids in the encoder. `paramproof models` prints the
same table, and `paramproof explain NUMBER MODEL` explains numbers that no convention gives.

{summary}

## Total

{total}

## Active

In a mixture-of-experts model, each token passes through k of E experts. Sources disagree on whether
active parameters include the embedding and the head, so the convention has to be named:

{conventions}

The model card of gpt-oss (arXiv:2508.10925, table 1) counts the unembedding as active, but not the
embedding: `head-only`. Model cards of Qwen3 print "Number of Parameters (Non-Embedding)" next to
the total: `neither`. DeepSeek's README_WEIGHTS.md prints 36.7B for DeepSeek-V3, "including 0.9B for
Embedding and 0.9B for the output Head". No convention gives that number; with one of the two
matrices the count is 36.6B.

{active}

`paramproof count MODEL --active` prints active parameters of any model. Shared experts, routers and
dense layers are always active. If the number varies from token to token, or no field gives the
number of experts per token, the command refuses the model. That concerns zero experts
(`zero_expert_num`) and experts chosen by a table of token ids.

## Sources

Where each number is printed, and where the sizes come from. Public configurations are stored
without the keys that do not affect the count.

{sources}
"""


def render(found: NamedModels) -> str:
    """Return the page of these models."""
    counted = Counter(kind(verdict_on(*pair), pair[0]) for pair in found)
    meant = (f"- `{name}`: {how.__doc__}" for name, how in ACTIVE_CONVENTIONS.items())
    return TEXT.format(
        number=len(found),
        summary=markdown_rows(
            ("verdict", "models"), ((what, str(counted[what])) for what in KINDS)
        ),
        total=markdown(published_table(found, *SHOWN)),
        conventions="\n".join(meant),
        active=markdown(published_active_table(found).only(*SHOWN_OF_ACTIVE)),
        sources=markdown_rows(("model", "published in", "sizes from"), map(_source, found)),
    )


KINDS = ("exact", "exact, under a convention", "rounded or cut off", "none")


def kind(said: Verdict, one: Published) -> str:
    """Return which of ``KINDS`` a verdict is."""
    if not said.conventions:
        return KINDS[3]
    if not said.is_exact:
        return KINDS[2]
    return KINDS[0] if said.conventions[0] in (DEFAULT, one.component) else KINDS[1]


def _source(pair: tuple[Published, Model]) -> tuple[str, ...]:
    one, _ = pair
    active = one.active_source if isinstance(one, NamedConfiguration) else ""
    where = f"{one.source}; active: {active}" if active else one.source
    return one.name, where, one.config


def write() -> None:
    """Write the page."""
    PAGE.write_text(render(every_named_model()), "utf-8")
