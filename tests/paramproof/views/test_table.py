"""One table, as its four renderers write it."""

import io

import pytest
from rich.console import Console

from paramproof.formulas.expression import letter, text
from paramproof.formulas.printing import legible
from paramproof.tables import (
    Column,
    Table,
    TableRow,
    markdown,
    markdown_rows,
    numbers,
    percent,
    signed_or_zero,
)
from paramproof.views.html import Html, html_table, joined, lines, notebook_table, tag
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


def one_cell(text):
    return Table.of([Column("n")], [TableRow((text,), level=1)])


NARROW = Table.of(
    [
        Column("component"),
        Column("shape", is_whole=True, is_optional=True),
        numbers("each"),
        numbers("share", is_optional=True),
    ],
    [TableRow(("norm", "(4096, 16)", 4096, "1.0 %"))],
)
VAST = Table.of(
    [Column("component"), numbers("first"), numbers("other")],
    [TableRow(("layers", 10**11, 10**12))],
)
PRINTED = {
    "a table": (TABLE, 80),
    # After dots and between words, not in numbers; in a word only if there is no other way.
    "names": (one_cell("model.layers.*.input_layernorm"), 20),
    "numbers in names": (one_cell("layers.0.mlp.12.bias"), 14),
    "versions": (one_cell("torch 2.13.0+cpu, rounded to 3"), 16),
    "paths": (one_cell("/home/someone/config.json"), 18),
    "words": (one_cell("no_room_for_this_word"), 14),
    "a long word": (one_cell("incomprehensibility"), 14),
    **{f"{width} columns": (NARROW, width) for width in (40, 34, 28, 22, 17)},
    # A table that does not fit is wider than the terminal: no digit is left out.
    "no room for numbers": (VAST, 10),
}
RENDERED = {
    "markdown": lambda: markdown(TABLE),
    "cells of markdown": lambda: markdown_rows(["what"], [("a|b",), ("`x || y`",)], ["--:"]),
    "no rows": lambda: markdown_rows(["what"], []),
    "chosen columns": lambda: markdown(TABLE.only("number", "component")),
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
    "differences": lambda: " ".join(map(signed_or_zero, (1024, 0, -1024))),
}


@pytest.mark.parametrize("name", PRINTED)
def test_printed(name, snapshot):
    assert "\n".join(printed(*PRINTED[name])) == snapshot


def test_headings_and_bold_rows_are_bold():
    out = Console(width=80, file=io.StringIO(), color_system="standard", force_terminal=True)
    print_table(out, TABLE)
    bold = [line for line in out.file.getvalue().splitlines() if "\x1b[1m" in line]
    assert ["component" in bold[0], "total" in bold[1], len(bold)] == [True, True, 2]


@pytest.mark.parametrize("how", RENDERED)
def test_rendered(how, snapshot):
    assert str(RENDERED[how]()).replace("><", ">\n<") == snapshot


def test_a_table_has_a_cell_for_each_column():
    chosen = TABLE.only("number", "component")
    assert ([row.level for row in chosen.rows], chosen.notes) == ([0, 1, 0], TABLE.notes)
    with pytest.raises(KeyError, match="absent"):
        TABLE.only("absent")
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
