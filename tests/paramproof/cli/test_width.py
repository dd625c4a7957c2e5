"""Tables at 80 columns: no line is longer, nothing is cut off, numbers are not broken."""

import io
import re
from dataclasses import replace

import pytest
from rich.console import Console

from paramproof.differences.answer import difference_tables, recorded
from paramproof.formulas import inventory
from paramproof.formulas.models import named_models
from paramproof.tables import Column, Table
from paramproof.views.terminal import UNBOUNDED, print_table
from paramproof.views.tree import tree_table

NUMBER = re.compile(r"[+−-]?\d[\d,]*\d")


def without_spaces(text):
    return re.sub(r"\s", "", text)


@pytest.fixture
def run_at_80_columns(paramproof):
    """Run a command at 80 columns, and in a pipe; return both outputs."""

    def run(*arguments):
        folded, whole = (
            paramproof(*arguments, **columns).stdout for columns in ({"COLUMNS": "80"}, {})
        )
        assert max(map(len, folded.splitlines())) <= 80
        assert "…" not in folded
        return folded, whole

    return run


@pytest.mark.parametrize("arguments", [("models",), ("explain", "16GB", "llama-3.1-8b")])
def test_numbers_are_whole(run_at_80_columns, arguments):
    folded, whole = run_at_80_columns(*arguments)
    tables = [text.partition("published:")[0] for text in (folded, whole)]
    folded_numbers, numbers = (set(NUMBER.findall(text)) for text in tables)
    assert {n for n in numbers if "," in n} <= folded_numbers


@pytest.mark.parametrize("model", named_models())
def test_the_tree_of_every_model(model):
    lines = printed(tree_table(inventory(named_models()[model].spec.letters())), 80)
    assert max(map(len, lines)) <= 80
    assert "…" not in "".join(lines)


def test_verify(run_at_80_columns, outsider):
    """Including a difference, whose sentence is folded."""
    asked = "verify", "--framework", "toy-wrong", "--model", "bert-base", "--examples", "0"
    folded, _ = run_at_80_columns(*asked)
    assert "spec = EncoderSpec(vocab_size=30522, " in folded
    said = "  −36,864  layers 0-11: feed_forward.intermediate.bias is missing: (3072)"
    assert said in folded.splitlines()


def test_prove(run_at_80_columns, outsider):
    """The folded polynomial is the same as in a pipe."""
    asked = ("verify", "--prove", "--framework", "toy", "--family", "encoder")
    folded, whole = run_at_80_columns(*asked)
    polynomial = re.search(r"^ +formula +(\S.*?) *$", whole, re.MULTILINE)[1]
    assert without_spaces(polynomial) in without_spaces(folded)


FRAMEWORKS = [("torch", "keras-tensorflow"), ("mlx", "transformers", "flax-nnx"), recorded()[0]]


@pytest.mark.parametrize("frameworks", FRAMEWORKS, ids=len)
@pytest.mark.parametrize("width", [80, 200])
def test_differences(frameworks, width):
    """Every cell is there, whole, between the same columns of characters in each of its lines."""
    answers = [answer for answer in recorded()[1] if answer.framework in frameworks]
    tables = [*difference_tables(answers, [*frameworks], apart=True)]
    assert len(tables) == 3
    for table in tables:
        lines = printed(replace(table, notes=()), width)
        assert max(map(len, lines)) <= width
        for column, text in zip(table.columns, columns_of(lines), strict=True):
            place = table.columns.index(column)
            cells = (column.write(row.cells[place]) for row in table.rows)
            assert text == without_spaces(column.heading + "".join(cells))


def test_no_note_is_folded_in_a_pipe():
    note = "word " * UNBOUNDED + "end"
    assert note in printed(Table((Column("name", "name"),), (), (note,)), UNBOUNDED)


def printed(table, width):
    out = Console(width=width, file=io.StringIO())
    print_table(out, table)
    return out.file.getvalue().splitlines()


def columns_of(lines):
    """Return the text of each column without spaces. In all lines, two spaces lie between them."""
    _, *lines = (line for line in lines if "─" not in line)
    longest = max(map(len, lines))
    is_blank = [all(line.ljust(longest)[at] == " " for line in lines) for at in range(longest)]
    gaps = [all(is_blank[max(at - 2, 0) : at]) for at in range(longest)]
    starts = [at for at in range(longest) if gaps[at] and not is_blank[at]]
    ends = [*starts[1:], longest]
    return [
        without_spaces("".join(line.ljust(longest)[a:b] for line in lines))
        for a, b in zip(starts, ends, strict=True)
    ]
