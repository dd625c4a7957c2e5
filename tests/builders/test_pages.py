"""What two pages say of each framework: the sample of ``verify``, and how a kernel is stored."""

import re

import pytest

from docs.writers.blocks import PAGES, block
from docs.writers.evidence import VERIFY
from paramproof.formulas import closed_form
from tests import literals
from tests.porting.guide import SPEC, TEXT
from tests.strategies import random_specs

QUERY = "layers.0.attention.query.kernel"


@pytest.mark.documented
def test_verify_sample(framework, builder):
    """Compare versions, totals and the sums over the random specs, but not times and memory."""
    lines = block("verify", PAGES["frameworks"].read_text("utf-8")).splitlines()
    (head,) = (index for index, line in enumerate(lines) if line.startswith(f" {framework.name} "))
    base, random = (re.split(r"  +", line.strip()) for line in lines[head + 1 : head + 3])

    # A local version, such as +cpu, names a build.
    assert lines[head].split()[1].split("+")[0] == framework.version.split("+")[0]
    total = f"{literals.TOTALS['bert-base-uncased']:,}"
    assert base[:4] == ["bert-base-uncased", total, total, "0"]

    examples = int(VERIFY.split()[-1])
    specs = random_specs(builder, examples, 0, **framework.fixed)
    total = f"{sum(closed_form(spec.letters()) for spec in specs):,}"
    assert random[:4] == [f"{examples} random encoder specs", total, total, "0"]
    assert re.fullmatch(r"[\d,.]+", random[4])


def test_how_the_query_kernel_is_stored(framework, builder):
    rows = [line.strip("| ").split(" | ") for line in TEXT.splitlines() if line.startswith("|")]
    (row,) = (row for row in rows if f"`{framework.name}`" in row[0])
    names = {QUERY, QUERY.replace(".0.", ".*.")}
    (stored,) = (w for w in builder.build(SPEC).weights() if names.intersection(w.parts))
    assert row[1:3] == [f"`{stored.path}`", str(stored.shape)]
    said = {
        "q, k and v in one": len(stored.parts) == 3,
        "transposed": "transposed" in stored.layout,
        "heads split": "heads_out" in stored.layout,
        "stacked over the layers": stored.stacked,
        "as it is": not stored.layout,
    }
    assert row[3] == ", ".join(words for words, so in said.items() if so)
