"""Write to the terminal, and to the file that --json or --html names.

Files are written completely or not at all.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from rich.console import Console

from paramproof.formulas.printing import MAX_MESSAGE_SHOWN, legible, path_text
from paramproof.json_form import json_text
from paramproof.views.table import Table
from paramproof.views.terminal import UNBOUNDED, print_lines, print_table

STANDARD_OUTPUT = "-"
"""The file name of standard output in --json."""

WHERE = "to FILE, or to standard output (-), with the text on standard error."
"""The end of the help of --json."""


def _width(stream: TextIO | None) -> int | None:
    """Return the width of tables: that of COLUMNS, or None for the terminal's own.

    Without COLUMNS, tables in a pipe are as wide as they need to be.
    """
    columns = os.environ.get("COLUMNS", "")
    given = int(columns) if columns.isdecimal() else 0
    return given or (None if stream and stream.isatty() else UNBOUNDED)


console = Console(emoji=False, highlight=False, width=_width(sys.stdout))
errors = Console(stderr=True, emoji=False, width=_width(sys.stderr))


def say(line: str) -> None:
    console.print(line, markup=False, soft_wrap=True)


def show(out: Console, parts: Iterable[Table | str]) -> None:
    """Print tables and lines; those wider than a terminal are wrapped."""
    for part in parts:
        if isinstance(part, Table):
            print_table(out, part)
        else:
            print_lines(out, [part])


def remark(line: str) -> None:
    with suppress(OSError):
        errors.print(f"note: {line}", markup=False, highlight=False, soft_wrap=True)


def complain(problem: object) -> None:
    with suppress(OSError):
        if sys.stderr:
            line = legible(" ".join(str(problem).split()), MAX_MESSAGE_SHOWN)
            print(f"paramproof: {line}", file=sys.stderr, flush=True)


def require_writable(path: Path, option: str = "--json") -> None:
    """Check that ``path`` can be written, before a long run and without touching it.

    Raises ``ValueError``, in one line, if it is a directory or its directory does not exist.
    """
    if str(path) != STANDARD_OUTPUT and (problem := _why_unwritable(os.path.realpath(path))):
        raise ValueError(f"{option} {path_text(path)}: cannot be written: {problem}")


def _why_unwritable(file: str) -> str:
    """Return why a file cannot be written as a whole, or "" if it can."""
    folder = os.path.dirname(file)
    try:
        mode = os.stat(file).st_mode
    except FileNotFoundError:
        if not os.path.isdir(folder):
            return "its directory does not exist"
        file, mode = folder, stat.S_IFREG
    except OSError as error:  # A file in place of a directory, or a name that is too long.
        return error.strerror or str(error)
    # A device or a pipe is written itself; any other file is replaced as a whole.
    needed = (file, folder) if stat.S_ISREG(mode) else (file,)
    if stat.S_ISDIR(mode):
        return "it is a directory"
    return "" if all(os.access(one, os.W_OK) for one in needed) else "Permission denied"


class CommandAnswer(NamedTuple):
    """The answer of a command: its document, whether it is a success, and what is printed.

    ``parts`` are tables and lines, for a width, or for None if they may be as wide as they are.
    """

    document: Mapping[str, Any]
    is_success: bool
    parts: Callable[[int | None], Iterable[Table | str]]


def finish(answer: CommandAnswer, json_file: Path | None) -> None:
    """Write the document, print the parts, and end with status 1 after a failure."""
    if json_file:
        write_json(json_file, answer.document)
    out = errors if str(json_file) == STANDARD_OUTPUT else console
    show(out, answer.parts(None if out.width == UNBOUNDED else out.width))
    if not answer.is_success:
        raise SystemExit(1)


def write_json(path: Path, data: Mapping[str, Any]) -> None:
    write_file(path, json_text(data, indent=1) + "\n")


def write_file(path: Path, text: str, option: str = "--json") -> None:
    """Write ``text`` to ``path``, completely or not at all; to standard output for ``-``.

    If ``path`` is a symbolic link, its target is written, and the link stays. A file that exists
    keeps its permissions.

    Raises ``ValueError`` if that fails, as on a full disk; an existing file is then unchanged.
    """
    if str(path) == STANDARD_OUTPUT:
        sys.stdout.flush()
        # JSON is UTF-8, whatever the encoding of the terminal.
        sys.stdout.buffer.write(text.encode("utf-8"))
        return
    try:
        file = Path(os.path.realpath(path))
        if file.exists() and not file.is_file():  # A device or a pipe, which cannot be replaced.
            file.write_text(text, encoding="utf-8")
            return
        import tempfile  # Takes long to import, and most commands write no file.

        with tempfile.TemporaryDirectory(dir=file.parent, prefix=".paramproof-") as beside:
            whole = Path(beside) / "whole"
            with whole.open("w", encoding="utf-8", newline="\n") as out:
                out.write(text)
                out.flush()
                os.fsync(out.fileno())
            if file.exists():
                whole.chmod(stat.S_IMODE(file.stat().st_mode))
            os.replace(whole, file)
    except OSError as error:
        where = path_text(path)
        raise ValueError(f"{option} {where}: cannot be written: {error.strerror}") from error
