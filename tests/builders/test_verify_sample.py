"""The sample of ``paramproof verify`` in docs/frameworks.md, framework by framework."""

import re

import pytest

from docs.writers.blocks import PAGES, block
from docs.writers.evidence import VERIFY
from paramproof.formulas import closed_form
from tests import literals
from tests.strategies import random_specs


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

    examples = int(VERIFY[-1])
    specs = random_specs(builder, examples, 0, **framework.fixed)
    total = f"{sum(closed_form(spec.letters()) for spec in specs):,}"
    assert random[:4] == [f"{examples} random encoder specs", total, total, "0"]
    assert re.fullmatch(r"[\d,.]+", random[4])
