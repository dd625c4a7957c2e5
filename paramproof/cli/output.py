"""Write to the terminal, and to the file that --json or --html names."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, TextIO

from rich.console import Console
from rich.text import Text

from paramproof.cli.signals import READER_LEFT, Ended
from paramproof.cli.signs import in_signs_of
from paramproof.formulas.printing import MAX_MESSAGE_SHOWN, legible, path_text
from paramproof.json_form import json_text
from paramproof.whole_file import write_whole

STANDARD_OUTPUT = "-"
"""What --json takes for standard output, in place of a file."""

WHERE = "to FILE; - is standard output, and what is printed then goes to standard error."
"""How the help of --json goes on."""

UNBOUNDED = 1000
"""The width of a pipe."""


class _Signs(Console):
    """A console that lays out its tables in the signs that the terminal has."""

    def render_str(self, text: str, **how: Any) -> Text:
        return super().render_str(in_signs_of(text, self.encoding), **how)

    def on_broken_pipe(self) -> None:
        raise Ended(READER_LEFT)


def _width(stream: TextIO | None) -> int | None:
    """The columns that tables have: those of COLUMNS, or None for the terminal's own.

    In a pipe there is no width to fit, unless somebody asks for one.
    """
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns):
        return int(columns)
    return None if stream and stream.isatty() else UNBOUNDED


console = _Signs(emoji=False, width=_width(sys.stdout))
errors = Console(stderr=True)
_beside_json = _Signs(stderr=True, emoji=False, width=_width(sys.stderr))


def say(line: str) -> None:
    """Print ``line`` as it is, however wide."""
    console.print(line, markup=False, highlight=False, soft_wrap=True)


def remark(line: str) -> None:
    """Print a remark on standard error, as one line, where nobody waits for it."""
    with suppress(OSError):
        errors.print(f"note: {line}", markup=False, highlight=False, soft_wrap=True)


def complain(error: Exception) -> None:
    """Print an error on standard error, as one line; where nobody can be told it is lost."""
    with suppress(OSError):
        if sys.stderr:
            line = legible(" ".join(str(error).split()), MAX_MESSAGE_SHOWN)
            print(f"paramproof: {line}", file=sys.stderr, flush=True)


def width_of(out: Console) -> int | None:
    """Return the columns that ``out`` has; None for a pipe, where there is no width to fit."""
    return None if out.width == UNBOUNDED else out.width


def tables_beside(json_file: Path | None) -> Console:
    """Return where tables go: standard error, where standard output is for the JSON."""
    return _beside_json if _is_standard_output(json_file) else console


def _is_standard_output(path: Path | None) -> bool:
    return str(path) == STANDARD_OUTPUT


def require_writable(path: Path, option: str = "--json") -> None:
    """Check that ``path`` can be written, before a long run and without touching it.

    Raises ``ValueError``, in one line, for a directory, and where there is none to write into.
    """
    if _is_standard_output(path):
        return
    file = os.path.realpath(path)
    folder = os.path.dirname(file)
    try:
        mode = os.stat(file).st_mode
    except FileNotFoundError:
        writable = os.path.isdir(folder) and os.access(folder, os.W_OK)
    except OSError:  # A file in place of a directory, or a name that is too long.
        writable = False
    else:
        writable = not stat.S_ISDIR(mode) and os.access(file, os.W_OK)
        if writable and stat.S_ISREG(mode) and not os.access(folder, os.W_OK):
            raise ValueError(f"{option} {path_text(path)}: cannot be replaced in its directory")
    if not writable:
        raise ValueError(f"{option} {path_text(path)}: cannot be written")


def write_json(path: Path, data: Mapping[str, Any]) -> None:
    """Write a document as JSON to ``path``, or to standard output for ``-``.

    Raises ``ValueError`` as ``write_file`` does.
    """
    write_file(path, json_text(data, indent=1) + "\n")


def write_file(path: Path, text: str, option: str = "--json") -> None:
    """Write ``text`` to ``path``, whole or not at all; to standard output for ``-``.

    Where ``path`` is a symbolic link, the file that it leads to is written, and the link stays.

    Raises ``ValueError`` where that fails, as on a full disk: a file that exists is as it was.
    """
    if _is_standard_output(path):
        sys.stdout.flush()
        # JSON is UTF-8, whatever the terminal is.
        sys.stdout.buffer.write(text.encode("utf-8"))
        return
    try:
        file = Path(os.path.realpath(path))
        if file.exists() and not file.is_file():  # A device or a pipe, which nothing can replace.
            file.write_text(text, encoding="utf-8")
        else:
            write_whole(file, text)
    except OSError as error:
        where = path_text(path)
        raise ValueError(f"{option} {where}: cannot be written: {error.strerror}") from error
