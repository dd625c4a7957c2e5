"""Tables in a terminal: laid out here, in the styles of rich's console.

A table that is too wide becomes narrower in this order: its texts are broken between words and
after the dots of names, the widest first; then its optional columns are left out; then names are
broken at hyphens and underscores, and last anywhere. If it is too wide even so, lines are longer
than the terminal: no number is ever broken. rich would lay a table out too, but it measures every
cell anew, which took a third of the time of a whole count.
"""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import TextIO

from rich.cells import cell_len, chop_cells
from rich.console import Console
from rich.text import Text

from paramproof.formulas.expression import SUPERSCRIPTS
from paramproof.formulas.printing import MINUS
from paramproof.tables import Table

UNBOUNDED = 1000
"""The width of a pipe, whose lines are not wrapped."""

INDENT = GAP = "  "
RULE = "─"

LONGEST_PIECE = 8
"""Pieces up to this length stay whole, even if there is too little room."""

BREAKS = re.compile(r"(?<=[./])(?=[^\s./\d])|(?<=[^\s\d./][./])(?=\d)|(?<=\s)(?=\S)")
"""Where a text may be broken: between words, and after a dot or slash that is not in a number."""

FINE_BREAKS = re.compile(rf"{BREAKS.pattern}|(?<=[-_])(?=\w)")
"""Where a text may be broken if that is not enough."""


def print_table(out: Console, table: Table) -> None:
    whole, most = table, out.width
    for table in (whole, *whole.narrower()):
        if _total(_least_widths(table, _columns(table), BREAKS, most)) <= most:
            break
    columns = [[in_signs_of(text, out.encoding) for text in texts] for texts in _columns(table)]
    widths = _fitting_widths(table, columns, most)
    broken = [
        [_broken(text, width) for text in texts]
        for texts, width in zip(columns, widths, strict=True)
    ]
    lines = _lines(table, broken, widths)
    out.print(Text("\n").join(lines), soft_wrap=True)
    if left_out := [one.heading for one in whole.columns if one not in table.columns]:
        print_lines(out, [f"no room in {most} columns for {' and '.join(left_out)}"])
    print_lines(out, table.notes)


def print_lines(out: Console, lines: Iterable[str]) -> None:
    """Print lines as they are; those wider than a terminal are wrapped."""
    for line in lines:
        out.print(line, markup=False, highlight=False, soft_wrap=out.width == UNBOUNDED)


def _lines(
    table: Table, columns: Sequence[Iterable[list[str]]], widths: Sequence[int]
) -> Iterator[Text]:
    """Yield the lines of a table: the headings, a rule, and the rows. A cell is a list of lines."""

    def row_lines(cells: Iterable[list[str]], is_bold: bool) -> Iterator[Text]:
        for line in zip_longest(*cells, fillvalue=""):
            padded = []
            for column, text, width in zip(table.columns, line, widths, strict=True):
                room = " " * (width - cell_len(text))
                padded.append(f"{room}{text}" if column.is_number else f"{text}{room}")
            yield Text(f" {GAP.join(padded)}".rstrip(), "bold" if is_bold else "")

    heads, *rows = zip(*columns, strict=True)
    height = max(map(len, heads))
    yield Text()
    yield from row_lines(([""] * (height - len(one)) + one for one in heads), True)
    yield Text(f" {RULE * (_total(widths) - 2)}")
    for number, (row, cells) in enumerate(zip(table.rows, rows, strict=True)):
        if number and row.starts_section:
            yield Text()
        yield from row_lines(cells, row.is_bold)
    yield Text()


def _columns(table: Table) -> list[tuple[str, ...]]:
    """Return the texts of each column, its heading first; those of the first are indented."""
    rows = [[column.heading for column in table.columns]]
    for row in table.rows:
        first, *others = table.written(row)
        rows.append([f"{INDENT * row.level}{first}", *others])
    return list(zip(*rows, strict=True))


def _fitting_widths(table: Table, columns: Sequence[Sequence[str]], most: int) -> list[int]:
    """Return the width of each column, so that the table is at most ``most`` wide if it can be.

    The widest text is made narrower first. A column of numbers is as wide as its longest number.
    """
    widths = [max(map(cell_len, texts)) for texts in columns]
    for breaks, longest in ((BREAKS, most), (FINE_BREAKS, most), (FINE_BREAKS, LONGEST_PIECE)):
        least = _least_widths(table, columns, breaks, longest)
        while _total(widths) > most:
            wide = [i for i, width in enumerate(widths) if width > least[i]]
            if not wide:
                break
            widths[max(wide, key=lambda i: widths[i])] -= 1
    return widths


def _least_widths(
    table: Table, columns: Sequence[Sequence[str]], breaks: re.Pattern[str], longest: int
) -> list[int]:
    """Return the width of the longest piece of each column, of which ``longest`` is enough."""
    widths = []
    for column, texts in zip(table.columns, columns, strict=True):
        broken = texts[:1] if column.is_whole else texts
        pieces = ((_indent(text), one) for text in broken for one in breaks.split(text.strip(" ")))
        least = (indent + min(longest, cell_len(piece.rstrip(" "))) for indent, piece in pieces)
        widths.append(max([*least, *map(cell_len, texts[len(broken) :])]))
    return widths


def _broken(text: str, width: int) -> list[str]:
    """Return a text in lines of ``width``, all of them indented alike."""
    before = " " * _indent(text)
    lines, room = [before], max(1, width - len(before))
    for piece in BREAKS.split(text.strip(" ")):
        parts = [piece]
        if cell_len(piece.rstrip(" ")) > room:
            parts = [one for part in FINE_BREAKS.split(piece) for one in chop_cells(part, room)]
        for part in parts:
            if cell_len(lines[-1] + part.rstrip(" ")) > width and lines[-1] != before:
                lines.append(before)
            lines[-1] += part
    return [line.rstrip(" ") for line in lines]


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip(" "))


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + 2 * len(widths)


SIGNS: dict[str, str | int | None] = {
    MINUS: "-",
    "·": "*",
    "×": "x",
    "±": "+-",
    "→": "->",
    "√": "sqrt ",
    "½": "1/2",
    "⌊": "floor(",
    "⌋": ")",
    "⌈": "ceil(",
    "⌉": ")",
    "…": "...",
    **dict.fromkeys("─━╸╺", "-"),
}
"""The replacements for signs that a terminal lacks: ``−L·H²`` is printed as ``-L*H^2``."""


def in_signs_of(text: str, encoding: str) -> str:
    """Return ``text`` unchanged if ``encoding`` can encode it, or else in ASCII.

    Mathematical signs become their ASCII notation; other characters are escaped as in Python.
    """
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return _in_ascii(text)
    return text


def _in_ascii(text: str) -> str:
    digits = {sign: digit for digit, sign in SUPERSCRIPTS.items()}
    powers = re.sub(rf"[{''.join(map(chr, digits))}]+", lambda found: f"^{found[0]}", text)
    signs = powers.translate(str.maketrans(SIGNS)).translate(digits)
    return signs.encode("ascii", "backslashreplace").decode("ascii")


def write_any_sign(stream: TextIO | None) -> None:
    """Make ``stream`` write characters outside its encoding in ASCII instead of failing."""

    def written(error: UnicodeError) -> tuple[str, int]:
        if not isinstance(error, UnicodeEncodeError):
            raise error
        return _in_ascii(error.object[error.start : error.end]), error.end

    if isinstance(stream, io.TextIOWrapper):
        codecs.register_error("paramproof.signs", written)
        stream.reconfigure(errors="paramproof.signs")
