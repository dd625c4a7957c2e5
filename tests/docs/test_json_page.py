"""docs/json.md: its sample, its tables, and its validation example."""

from docs.writers.blocks import AGAIN, block, samples, script_in, trimmed
from docs.writers.json_page import PAGE, blocks
from tests.json_schema import kinds

TEXT = PAGE.read_text("utf-8")


def test_sample(paramproof):
    (command,) = samples(PAGE)
    printed = trimmed(paramproof(*command.split()[1:]).stdout)
    assert block(command, TEXT).strip() == printed.strip(), AGAIN


def test_tables():
    assert {name: block(name, TEXT).strip() for name in blocks()} == blocks(), AGAIN


def test_every_kind_has_a_row_and_a_section():
    for kind in kinds():
        assert f"| [{kind}](#{kind}) |" in TEXT
        assert f"\n### {kind}\n" in TEXT


def test_the_validation_example_works():
    exec(script_in(TEXT, "validate"), {})
