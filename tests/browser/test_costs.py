"""What docs/site.md says of sizes is so."""

import re

from docs.writers.blocks import ROOT
from tests.browser.measure import sizes

UNITS = {"kB": 10**3, "MB": 10**6}


def test_the_sizes_that_are_said(site):
    text = " ".join((ROOT / "docs/site.md").read_text("utf-8").split())
    for what, size in sizes(site).items():
        number, unit = re.search(rf"{what}[^.]*? at most ([\d.]+) (kB|MB)", text, re.I).groups()
        said = float(number) * UNITS[unit]
        # At most, and not much less: no size of long ago.
        assert 0.7 * said < size <= said, what
