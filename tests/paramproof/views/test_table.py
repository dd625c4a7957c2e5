"""One table, as its four renderers write it."""

import io

import pytest
from rich.console import Console

from paramproof.formulas.expression import letter
from paramproof.formulas.notation import text
from paramproof.formulas.printing import legible
from paramproof.views.html import Html, html_table, joined, lines, notebook_table, tag
from paramproof.views.table import (
    Column,
    Table,
    TableRow,
    markdown,
    markdown_rows,
    numbers,
    percent,
)
from paramproof.views.terminal import print_table

HOSTILE = "<b>[red]|\x1b"
TABLE = Table.of(
    [
        Column("component", "component", legible),
        Column("formula", "formula", text),
        numbers("number", "number", absent="-"),
        numbers("share", "share", percent),
    ],
    [
        TableRow((HOSTILE, letter("L") * letter("H"), 1024, 50.0)),
        TableRow(("inside", letter("H"), None, None), level=1),
        TableRow(("total", letter("L"), -2048, 100), is_bold=True, starts_section=True),
    ],
    ["a [note]"],
)


def printed(table, width=80):
    out = Console(width=width, file=io.StringIO(), emoji=False)
    print_table(out, table)
    return [line.rstrip() for line in out.file.getvalue().splitlines()]


RENDERED = {
    "terminal": lambda: "\n".join(printed(TABLE)),
    "markdown": lambda: markdown(TABLE),
    # The caption and the scopes of headings are for screen readers; the classes align numbers.
    "html": lambda: html_table("A <caption>", TABLE, headings=["a", "b", "c", "d"]),
    "html of a page": lambda: html_table(
        "A <caption>",
        TABLE,
        first=lambda row: tag("i", row.cells[0]),
        attributes_of=[{"data_level": row.level} for row in TABLE.rows],
        class_="wide-one",
        id="it",
    ),
    "notebook": lambda: notebook_table(TABLE, "it"),
    "notebook without a caption": lambda: notebook_table(TABLE),
    "records": lambda: "\n".join(map(str, TABLE.records())),
}


@pytest.mark.parametrize("how", RENDERED)
def test_rendered(how, snapshot):
    assert str(RENDERED[how]()).replace("><", ">\n<") == snapshot


@pytest.mark.parametrize(
    ("cell", "width", "lines"),
    [
        ("model.layers.*.input_layernorm", 20, ["model.layers.*.", "input_layernorm"]),
        ("layers.0.mlp.12.bias", 14, ["layers.0.", "mlp.12.", "bias"]),
        ("torch 2.13.0+cpu, rounded to 3", 16, ["torch", "2.13.0+cpu,", "rounded to 3"]),
        ("/home/someone/config.json", 18, ["/home/someone/", "config.json"]),
        ("no_room_for_this_word", 14, ["no_room_", "for_this_", "word"]),
    ],
)
def test_where_a_text_is_broken(cell, width, lines):
    """After dots and between words, not in numbers; in a word only if there is no other way."""
    table = Table.of([Column("n")], [TableRow((cell,), level=1)])
    _, _, _, *found, _ = printed(table, width)
    assert found == [f"   {line}" for line in lines]
    assert not any("…" in line for line in found)


@pytest.mark.parametrize(
    ("width", "headings", "left_out"),
    [
        (40, ["component", "shape", "each", "share"], ""),
        (34, ["component", "shape", "each"], "share"),
        (28, ["component", "each", "share"], "shape"),
        (22, ["component", "each"], "shape and share"),
        (17, ["componen", "t", "each"], "shape and share"),
    ],
)
def test_what_a_narrow_terminal_leaves_out(width, headings, left_out):
    columns = [
        Column("component"),
        Column("shape", is_whole=True, is_optional=True),
        numbers("each"),
        numbers("share", is_optional=True),
    ]
    table = Table.of(columns, [TableRow(("norm", "(4096, 16)", 4096, "1.0 %"))])
    _, *lines = printed(table, width)
    first = next(index for index, line in enumerate(lines) if "──" in line)
    assert " ".join(lines[:first]).split() == headings
    note = f"no room in {width} columns for {left_out}" if left_out else ""
    assert " ".join(lines[lines.index("") + 1 :]) == note


def test_no_digit_is_left_out_of_a_narrow_terminal():
    """A table that does not fit is wider than the terminal."""
    columns = [Column("component"), numbers("first"), numbers("other")]
    lines = printed(Table.of(columns, [TableRow(("layers", 10**11, 10**12))]), width=10)
    assert any(" 100,000,000,000  1,000,000,000,000" in line for line in lines)


def test_cells_of_markdown():
    rows = [("a|b", "1"), ("", "`x || y`")]
    assert markdown_rows(["what", "number"], rows, ["---", "--:"]).splitlines() == [
        "| what | number |",
        "| --- | --: |",
        r"| a\|b | 1 |",
        r"|  | `x \|\| y` |",
    ]
    assert markdown_rows(["what"], []) == "| what |\n| --- |"


def test_chosen_columns():
    chosen = TABLE.only("number", "component")
    assert [column.heading for column in chosen.columns] == ["number", "component"]
    assert [row.cells for row in chosen.rows] == [
        (1024, HOSTILE),
        (None, "inside"),
        (-2048, "total"),
    ]
    assert [row.level for row in chosen.rows] == [0, 1, 0]
    assert chosen.notes == TABLE.notes
    with pytest.raises(KeyError, match="absent"):
        TABLE.only("absent")


def test_a_row_has_a_cell_for_each_column():
    short = Table.of([Column("a"), Column("b")], [TableRow(("1",))])
    with pytest.raises(ValueError, match="shorter"):
        markdown(short)


MARKUP = "<b>\"&'"
ESCAPED = "&lt;b&gt;&quot;&amp;&#x27;"


def test_text_is_escaped_and_markup_is_not():
    assert joined(MARKUP, tag("i", MARKUP), None, 3) == f"{ESCAPED}<i>{ESCAPED}</i>3"
    assert tag("a", href=MARKUP, title=None, hidden=True, disabled=False) == (
        f'<a href="{ESCAPED}" hidden></a>'
    )
    assert tag("input", name="n", data_of="x", class_="y") == (
        '<input name="n" data-of="x" class="y">'
    )
    assert lines([MARKUP]) == f'<ul class="lines"><li>{ESCAPED}</li></ul>'


def test_joined_markup_is_markup():
    assert isinstance(joined("a"), Html)
    assert joined(joined("&")) == "&amp;"
