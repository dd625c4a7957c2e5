"""docs/parity.md, from what was measured."""

from __future__ import annotations

import json
from typing import Any

from docs.writers.blocks import ROOT
from docs.writers.markdown import table
from tests.parity.bounds import FACTOR, FLOAT32_STEPS, SAMPLES
from tests.parity.cases import DTYPES, HIDDEN_SIZE
from tests.parity.differences import FORMATS
from tests.parity.measure import CASES

PAGE = ROOT / "docs" / "parity.md"
RESULTS = ROOT / "docs" / "parity.json"

TEXT = """\
# Parity: the same encoder, number for number

Equal counts do not make equal models. Here every framework has been given the same weights,
tokens and mask as a reference that is in no framework: the papers' formulas in NumPy and float64,
`tests/reference`, which imports nothing of this project but the spec. What comes out is compared
at tokens: the last hidden states (sequence), the pooled output, the probabilities of the MLM
and NSP heads, and the gradient of all outputs, times random numbers, along a random direction in
the space of all weights.

Each figure is the largest difference over {cases} random encoders of hidden size {hidden}, drawn
by a seed, with weights of standard deviation 0.25 to 1; that of the gradient is relative to the
reference's derivative. In parentheses is the largest share of what rounding explains.

{tables}

## What rounding explains

A bound is computed for every comparison, not chosen: the reference runs {samples} times with a
random rounding error at each step, of the unit roundoff of the step and of the magnitude of the
terms that went into it (Parker 1997, Monte Carlo Arithmetic), and a framework may be off by
{factor} times the root mean square of how far those runs are off. So the bound follows depth,
width and condition: a norm of nearly equal numbers amplifies errors a thousandfold, and that is
no fault of a framework. The derivatives are by the complex step, exact to rounding.

With float64 weights some frameworks still take some steps in float32, or with constants of
float32; for these steps the bound has float32's unit roundoff. Tests show that it is needed, so
that a repair is noticed:

{steps}

keras-bert's norms have an epsilon of their own and take no other: it and the reference compute
at that one. Its mask follows from token id 0, so padding is token 0 for all.

## What parity sees, and what not

Ten mistakes that leave every count as it is are made on purpose, one by one, and seen in every
framework, in both dtypes: another epsilon (1e-3), the other gelu, no attention scale, positions
off by one, types ignored, a square kernel not transposed, heads interleaved, query and key
swapped, the mask inverted, norms before instead of after. An epsilon of 1e-6 for 1e-12 is seen in
float64 where all steps are. In PyTorch the same is done to real model code: [faults.md](faults.md).

The families after BERT are held to the same reference and the same bounds, with the positions of
the Transformer of 2017 at odd widths too. Every family is run once over 300 tokens, so that a
window of attention would show, and the encoder with each activation, which must be none of the
others.

Three things no output shows: a key bias (it moves all scores of a query alike), a value bias (it
can be folded into the output bias) and a row of types (it can be folded into the positions).
Tests show that outputs are then equal, and that the count sees each. So neither kind of evidence
stands for the other.

Versions: {versions}.

Written by `python -m tests.parity`, which takes some minutes; `tests/builders/test_parity.py`
holds each framework to the same bounds at every run.
"""


def render(measured: dict[str, Any]) -> str:
    """The page."""
    versions = {k: v for found in measured.values() for k, v in found["versions"].items()}
    return TEXT.format(
        cases=CASES,
        hidden=HIDDEN_SIZE,
        samples=SAMPLES,
        factor=FACTOR,
        tables="\n\n".join(f"### {dtype}\n\n{figures(measured, dtype)}" for dtype in DTYPES),
        steps="\n".join(f"- {k}: {', '.join(v)}" for k, v in sorted(FLOAT32_STEPS.items())),
        versions=", ".join(f"{name} {version}" for name, version in sorted(versions.items())),
    )


def figures(measured: dict[str, Any], dtype: str) -> str:
    """Return a table with a row for each framework."""
    rows = []
    for name, found in sorted(measured.items()):
        own = [found["figures"][dtype][kind] for kind in FORMATS]
        rows.append([name, *(f"{each['found']:.1e} ({each['share']:.2f})" for each in own)])
    return table(["framework", *FORMATS], rows)


def known() -> dict[str, Any]:
    """Return what was measured last, by framework."""
    return json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}


def write() -> None:
    """Rewrite the page from what was measured last."""
    PAGE.write_text(render(known()), "utf-8")
