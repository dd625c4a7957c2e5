"""docs/frameworks.md has a row for every framework; ``tests/builders`` tests its sample."""

import re

from docs.writers.frameworks_page import PAGE
from paramproof.builders.registry import frameworks


def test_every_framework_has_a_row():
    table = PAGE.read_text("utf-8").partition("## Installing")[0]
    named = re.findall(r"`([a-z-]+)`", "".join(re.findall(r"^\|(.*?)\|", table, re.MULTILINE)))
    assert sorted(named) == sorted(frameworks())
