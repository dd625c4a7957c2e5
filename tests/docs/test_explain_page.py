"""The samples of docs/explain.md are what the commands print today."""

import pytest

from docs.writers.blocks import AGAIN, block, samples, trimmed
from docs.writers.explain_page import PAGE


@pytest.mark.parametrize("command", samples(PAGE))
def test_the_page_shows_what_is_printed(paramproof, command):
    printed = trimmed(paramproof(*command.split()[1:]).stdout)
    page = PAGE.read_text("utf-8")
    assert block(command, page).strip() == printed.strip(), AGAIN


def test_there_are_samples():
    assert samples(PAGE)
