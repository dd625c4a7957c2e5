"""One table, as its four renderers write it."""

import io

import pytest
from rich.console import Console

from paramproof.formulas.expression import letter
from paramproof.formulas.notation import text
from paramproof.formulas.printing import MINUS, legible
from paramproof.views.html import html_table, notebook_table, tag
from paramproof.views.table import (
    Column,
    Table,
    TableRow,
    markdown,
    markdown_rows,
    numbers,
    percent,
    signed_or_zero,
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


def test_terminal():
    assert printed(TABLE) == [
        "",
        " component      formula  number     share",
        " ────────────────────────────────────────",
        r" <b>[red]|\x1b  L·H       1,024   50.00 %",
        "   inside       H             -",
        "",
        " total          L        -2,048  100.00 %",
        "",
        "a [note]",
    ]


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


def test_markdown():
    assert markdown(TABLE).splitlines() == [
        "| component | formula | number | share |",
        "| --- | --- | ---: | ---: |",
        r"| <b>[red]\|\x1b | L·H | 1,024 | 50.00 % |",
        "| inside | H | - |  |",
        "| total | L | -2,048 | 100.00 % |",
    ]


def test_cells_of_markdown():
    rows = [("a|b", "1"), ("", "`x || y`")]
    assert markdown_rows(["what", "number"], rows, ["---", "--:"]).splitlines() == [
        "| what | number |",
        "| --- | --: |",
        r"| a\|b | 1 |",
        r"|  | `x \|\| y` |",
    ]
    assert markdown_rows(["what"], []) == "| what |\n| --- |"


def test_html():
    """The caption and the scopes of headings are for screen readers; the classes align numbers."""
    page = html_table(
        "A <caption>",
        TABLE,
        first=lambda row: tag("i", row.cells[0]),
        attributes_of=[{"data_level": row.level} for row in TABLE.rows],
        class_="wide-one",
        id="it",
    )
    assert page.startswith(
        '<div class="wide" tabindex="0" role="region" aria-label="A &lt;caption&gt;">'
        '<table class="n3 n4 wide-one" id="it"><caption>A &lt;caption&gt;</caption>'
        '<thead><tr><th scope="col">component</th><th scope="col">formula</th>'
    )
    assert (
        '<tr data-level="0"><th scope="row"><i>&lt;b&gt;[red]|\x1b</i></th>'
        "<td>L·H</td><td>1,024</td><td>50.00 %</td></tr>"
    ) in page
    assert '<th scope="row">inside</th>' in html_table("c", TABLE)
    assert '<th scope="col">else</th>' in html_table("c", TABLE, headings=["else"] * 4)


def test_notebook():
    page = notebook_table(TABLE, "it")
    assert page.startswith("<table><caption>it</caption><tr><th>component</th><th>formula</th>")
    assert (
        '<td>&lt;b&gt;[red]|\\x1b</td><td>L·H</td><td style="text-align:right">1,024</td>' in page
    )
    assert "<caption>" not in notebook_table(TABLE)


def test_records():
    """Numbers stay numbers, names stay as they are, and a formula becomes text."""
    first, inside, _ = TABLE.records()
    assert first == {"component": HOSTILE, "formula": "L·H", "number": 1024, "share": 50.0}
    assert (inside["number"], inside["share"]) == (None, None)


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


def test_differences_have_a_sign():
    assert [signed_or_zero(number) for number in (1024, 0, -1024)] == [
        "+1,024",
        "0",
        f"{MINUS}1,024",
    ]
