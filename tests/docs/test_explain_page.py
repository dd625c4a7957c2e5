"""The samples of docs/explain.md match the commands' output."""

import pytest

from docs.writers.blocks import AGAIN, block, samples, trimmed
from docs.writers.explain_page import PAGE


@pytest.mark.parametrize("command", samples(PAGE))
def test_samples_match_the_output(paramproof, command):
    printed = trimmed(paramproof(*command.split()[1:]).stdout)
    page = PAGE.read_text("utf-8")
    assert block(command, page).strip() == printed.strip(), AGAIN


def test_there_are_samples():
    assert samples(PAGE)
