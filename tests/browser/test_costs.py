"""The sizes in docs/site.md are true."""

import re

from docs.writers.blocks import ROOT
from tests.browser.measure import sizes

UNITS = {"kB": 10**3, "MB": 10**6}


def test_the_documented_sizes(site):
    text = " ".join((ROOT / "docs/site.md").read_text("utf-8").split())
    for what, size in sizes(site).items():
        number, unit = re.search(rf"{what}[^.]*? at most ([\d.]+) (kB|MB)", text, re.I).groups()
        said = float(number) * UNITS[unit]
        # At most, and not much less: the docs must not be out of date.
        assert 0.7 * said < size <= said, what
