"""The README is short, and its samples match the commands' output."""

import pytest

from docs.writers.blocks import AGAIN, ROOT, block, samples, trimmed
from docs.writers.readme import PAGE
from paramproof.catalogue.files import model_types

TEXT = PAGE.read_text("utf-8")


@pytest.mark.parametrize("command", samples(PAGE))
def test_samples_match_the_output(paramproof, command):
    printed = trimmed(paramproof(*command.split()[1:]).stdout)
    assert block(command, TEXT).strip() == printed.strip(), AGAIN


def test_there_are_samples():
    assert len(samples(PAGE)) == 2


def test_it_is_short():
    assert len(TEXT.splitlines()) <= 150


def test_the_number_of_model_types():
    assert "more than 500 model types" in " ".join(TEXT.split())
    assert len(model_types()) > 500


def test_commands_exist():
    assert "[testenv:verify]" in (ROOT / "tox.ini").read_text("utf-8")
    assert ".venv/bin/tox\n" in TEXT
