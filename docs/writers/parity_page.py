"""docs/parity.md, from what was measured."""

from __future__ import annotations

import json
from typing import Any

from docs.writers.blocks import ROOT
from paramproof.builders.registry import frameworks
from paramproof.views.table import markdown_rows
from tests.parity.bounds import FACTOR, SAMPLES
from tests.parity.cases import DTYPES, HIDDEN_SIZE
from tests.parity.differences import FORMATS
from tests.parity.measure import CASES

PAGE = ROOT / "docs" / "parity.md"
RESULTS = ROOT / "docs" / "parity.json"

TEXT = """\
# Parity: the same encoder, number for number

Equal counts do not make equal models. For this page, every framework ran with the same weights,
tokens and mask as a reference outside all frameworks: the papers' formulas in NumPy and float64.
The reference, `tests/reference`, imports only the spec from this project. These outputs are
compared at all tokens that are not masked: the last hidden states (sequence), the pooled output,
the probabilities of the MLM and NSP heads, and a directional derivative. It is the gradient of all
outputs, weighted by random numbers, along a random direction in the space of all weights.

Each figure is the largest difference over {cases} random encoders of hidden size {hidden}, drawn
from a seed, with weights of standard deviation 0.25 to 1. For the gradient, the difference is
relative to the reference's derivative. The figure in parentheses is the largest difference as a
share of its rounding bound.

{tables}

## What rounding explains

The bound of every comparison is computed, not chosen. The reference runs {samples} times with a
random rounding error at each step. The error depends on the step's unit roundoff and on the
magnitude of its terms (Parker 1997, Monte Carlo Arithmetic). A framework may differ by
{factor} times the root mean square of the differences of these runs. So the bound follows depth,
width and condition: a norm of nearly equal numbers amplifies errors a thousandfold, which is
not an error of the framework. Derivatives use the complex step, which is exact to rounding.

Even with float64 weights, some frameworks compute some steps in float32, or use float32
constants. For these steps the bound uses float32's unit roundoff. Tests show that each exception
is needed, so a fix in a framework is noticed:

{steps}

The epsilon of keras-bert's norms cannot be changed, so the reference uses the same one for it.
keras-bert derives its mask from token id 0, so padding is token 0 in every framework.

## What parity detects, and what it does not

Tests plant ten mistakes that do not change any count, one at a time. Parity detects each in every
framework, in both dtypes: a different epsilon (1e-3), the other gelu, no attention scale, positions
off by one, types ignored, a square kernel not transposed, heads interleaved, query and key
swapped, the mask inverted, and norms before instead of after. It detects an epsilon of 1e-6 for
1e-12 where every step is in float64. In PyTorch, the same mistakes are planted in real model code:
[faults.md](faults.md).

The families after BERT are compared with the same reference and the same bounds, with the positions
of the Transformer of 2017 at odd widths too. Every family runs once over 300 tokens, which would
show a window of attention. The encoder runs with each activation, whose outputs must differ from
those of all others.

Outputs do not show three tensors: a key bias (it shifts all scores of a query equally), a value
bias (it can be folded into the output bias) and a row of types (it can be folded into the
positions). Tests show that outputs stay equal without them, and that the count detects each. So
neither kind of evidence can replace the other.

Versions: {versions}.

`python -m tests.parity` writes this page in a few minutes. `tests/builders/test_parity.py` compares
each framework with the same bounds in every run.
"""


def render(measured: dict[str, Any]) -> str:
    """Return the page."""
    versions = {k: v for found in measured.values() for k, v in found["versions"].items()}
    return TEXT.format(
        cases=CASES,
        hidden=HIDDEN_SIZE,
        samples=SAMPLES,
        factor=FACTOR,
        tables="\n\n".join(f"### {dtype}\n\n{figures(measured, dtype)}" for dtype in DTYPES),
        steps="\n".join(
            f"- {one.name}: {', '.join(one.float32_steps)}"
            for one in sorted(frameworks().values(), key=lambda one: one.name)
            if one.float32_steps
        ),
        versions=", ".join(f"{name} {version}" for name, version in sorted(versions.items())),
    )


def figures(measured: dict[str, Any], dtype: str) -> str:
    """Return a table with a row for each framework."""
    rows = []
    for name, found in sorted(measured.items()):
        own = [found["figures"][dtype][kind] for kind in FORMATS]
        rows.append([name, *(f"{each['found']:.1e} ({each['share']:.2f})" for each in own)])
    return markdown_rows(["framework", *FORMATS], rows)


def known() -> dict[str, Any]:
    """Return what was measured last, by framework."""
    return json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}


def write() -> None:
    """Rewrite the page from what was measured last."""
    PAGE.write_text(render(known()), "utf-8")
