"""Write the answer of a command to the terminal, and to the file that --json or --html names.

A command returns its answer, and ``finish`` writes it. Files are written completely or not at all.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple, TextIO

import click
from rich.console import Console

from paramproof.formulas.printing import MAX_MESSAGE_SHOWN, legible, path_text
from paramproof.json_form import json_text
from paramproof.tables import Table
from paramproof.views.terminal import UNBOUNDED, print_lines, print_table

STANDARD_STREAM = "-"  # Standard input as a model, standard output as a file.
JSON = "paramproof.json"  # In a context: the file of --json, and whether it replaces the text.


def _width(stream: TextIO | None) -> int | None:
    """Return the width in COLUMNS, or else None for a terminal's own, or no limit for a pipe."""
    columns = os.environ.get("COLUMNS", "")
    given = int(columns) if columns.isdecimal() else 0
    return given or (None if stream and stream.isatty() else UNBOUNDED)


console = Console(emoji=False, highlight=False, width=_width(sys.stdout))
errors = Console(stderr=True, emoji=False, width=_width(sys.stderr))


class Unwrapped(str):
    """A line to copy, which is not broken into lines."""


def show(out: Console, parts: Iterable[Table | str]) -> None:
    for part in parts:
        if isinstance(part, Table):
            print_table(out, part)
        elif isinstance(part, Unwrapped):
            out.print(part, markup=False, soft_wrap=True)
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


@contextmanager
def writing(path: Path, option: str = "--json") -> Iterator[None]:
    """Raise ``ValueError``, in one line, if the file of an option cannot be written in here."""
    try:
        yield
    except OSError as error:
        if str(path) == STANDARD_STREAM:  # The command ends as its reader, or the disk, makes it.
            raise
        problem = f"cannot be written: {error.strerror or error}"
        raise ValueError(f"{option} {path_text(path)}: {problem}") from error


def require_writable(path: Path, option: str = "--json") -> None:
    """Check that ``path`` can be written, before a long run and without touching it."""
    if str(path) == STANDARD_STREAM:
        return
    file = Path(os.path.realpath(path))
    with writing(path, option):
        try:
            mode = file.stat().st_mode
        except FileNotFoundError:
            if not file.parent.is_dir():
                raise OSError("its directory does not exist") from None
            mode, needed = stat.S_IFREG, [file.parent]
        else:
            # A device or a pipe is written itself; any other file is replaced as a whole.
            needed = [file, file.parent] if stat.S_ISREG(mode) else [file]
        if stat.S_ISDIR(mode):
            raise OSError("it is a directory")
        if not all(os.access(one, os.W_OK) for one in needed):
            raise OSError("Permission denied")


class CommandAnswer(NamedTuple):
    """The answer of a command: what is printed, its document, and its exit status.

    ``parts`` are tables and lines, for a width, or for None if they may be as wide as they are.
    """

    parts: Callable[[int | None], Iterable[Table | str]]
    document: Callable[[], Mapping[str, Any]]
    status: int = 0


def finish(answer: CommandAnswer | None) -> None:
    """Write the document if --json is given, print the parts, and end with the status."""
    if answer is None:
        return
    file, is_alone = click.get_current_context().meta.get(JSON, (None, False))
    if file:
        write_file(file, json_text(answer.document(), indent=1) + "\n")
    if not (file and is_alone):
        out = errors if str(file) == STANDARD_STREAM else console
        show(out, answer.parts(None if out.width == UNBOUNDED else out.width))
    if answer.status:
        raise SystemExit(answer.status)


def write_file(path: Path, text: str, option: str = "--json") -> None:
    """Write ``text`` to ``path``, completely or not at all; to standard output for ``-``."""
    with writing(path, option):
        if str(path) == STANDARD_STREAM:
            sys.stdout.flush()
            # JSON is UTF-8, whatever the encoding of the terminal.
            sys.stdout.buffer.write(text.encode("utf-8"))
            return
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
