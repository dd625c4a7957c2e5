"""docs/configurations.md shows how configurations are read and refused."""

import pytest

from docs.writers.blocks import AGAIN, block, refusal, samples, trimmed
from docs.writers.configs_page import PAGE, refusals

TEXT = PAGE.read_text("utf-8")


@pytest.mark.parametrize("command", samples(PAGE))
def test_samples_match_the_output(paramproof, command):
    printed = trimmed(paramproof(*command.split()[1:]).stdout)
    assert block(command, TEXT).strip() == printed.strip(), AGAIN


def test_there_are_samples():
    assert len(samples(PAGE)) == 1


def test_refusals_match_the_page():
    assert block("refusals", TEXT).strip() == refusals(), AGAIN


def test_a_counted_configuration_is_not_a_refusal():
    with pytest.raises(ValueError, match="status 0, not 2"):
        refusal("count", "bert-base")
