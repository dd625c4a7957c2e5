"""``paramproof count --jsonl``: one configuration per line in, one count or error per line out."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from paramproof.bulk import count_lines, digest_of, json_line, lines_of
from paramproof.cli.output import STANDARD_OUTPUT, remark
from paramproof.formulas.errors import InvalidInput
from paramproof.formulas.printing import path_text
from paramproof.resolver import STANDARD_INPUT
from paramproof.sources.strict_json import require_file

REFUSED = 2
"""The exit status if a line was refused."""


@dataclass(slots=True)
class LinesDone:
    """How many lines are written, and how many of them have an error instead of a count.

    ``line`` is the number in the input of the last line written, and ``digest`` identifies it.
    """

    written: int = 0
    refused: int = 0
    line: int = 0
    digest: str = ""

    def add(self, body: Mapping[str, Any]) -> None:
        self.written += 1
        self.refused += "error" in body
        self.line, self.digest = body["line"], body["digest"]


def write_lines(source: str, json_file: Path | None, *, resume: bool) -> int:
    """Write the count of each configuration in ``source``; return the exit status.

    The counts go to ``json_file`` or standard output. With ``resume``, a file is continued after
    its last line; without, a file that exists is refused, so that no results are overwritten.

    Raises ``InvalidInput`` for a file that cannot be read or written, and for a file to resume
    whose lines come from another input.
    """
    out = None if json_file is None or str(json_file) == STANDARD_OUTPUT else json_file
    progress = _done(out, resume)
    before = progress.written
    try:
        with _opened(source) as file, _target(out) as target:
            lines = lines_of(file)
            if before:
                _require_same_input(lines, progress, source)
            for body in count_lines(lines, first=progress.line + 1):
                target.write(json_line(body))
                # A reader sees each line as soon as its chunk is counted.
                target.flush()
                progress.add(body)
    except KeyboardInterrupt:
        how = "; --resume continues" if out else ""
        remark(f"stopped after {progress.written:,} lines{how}")
        raise
    counted = progress.written - progress.refused
    earlier = f" ({before:,} lines in earlier runs)" if before else ""
    remark(f"{counted:,} of {progress.written:,} configurations counted{earlier}")
    return REFUSED if progress.refused else 0


def _done(out: Path | None, resume: bool) -> LinesDone:
    """Return the progress recorded in the output file, after removing an incomplete last line.

    Raises ``InvalidInput`` for a file that ``count --jsonl`` did not write.
    """
    if resume and out is None:
        raise InvalidInput("--resume needs --json FILE, the output of the earlier run")
    progress = LinesDone()
    # A pipe or a device has no earlier lines.
    if out is None or not out.is_file():
        return progress
    where = f"--json {path_text(out)}"
    if not resume:
        problem = "already exists: give --resume to continue it, or name another file"
        raise InvalidInput(problem, where=where)
    whole = 0
    with out.open("rb+") as file:
        for line in file:
            if not line.endswith(b"\n"):
                break
            try:
                progress.add(json.loads(line))
            except (ValueError, KeyError, TypeError):
                problem = f"line {progress.written + 1} was not written by count --jsonl"
                raise InvalidInput(problem, where=where) from None
            whole += len(line)
        file.truncate(whole)
    return progress


def _require_same_input(lines: Iterator[bytes], progress: LinesDone, source: str) -> None:
    """Skip the lines that are done. Raises ``InvalidInput`` if they are not the same lines."""
    last = b""
    for number in range(1, progress.line + 1):
        last = next(lines, b"")
        if not last:
            problem = f"has only {number - 1:,} lines, but the output has line {progress.line:,}"
            raise InvalidInput(problem, where=path_text(source))
    if digest_of(last) != progress.digest:
        problem = f"line {progress.line:,} is not the line that was counted"
        raise InvalidInput(f"{problem}: --resume needs the same input", where=path_text(source))


def _opened(source: str) -> AbstractContextManager[BinaryIO]:
    if source == STANDARD_INPUT:
        if sys.stdin is None:
            raise InvalidInput("standard input is closed")
        return nullcontext(sys.stdin.buffer)
    path = Path(source)
    require_file(path)
    try:
        return path.open("rb")
    except OSError as error:
        raise InvalidInput(f"cannot be read: {error.strerror}", where=path_text(source)) from None


@contextmanager
def _target(out: Path | None) -> Iterator[BinaryIO]:
    sys.stdout.flush()
    try:
        with out.open("ab") if out else nullcontext(sys.stdout.buffer) as file:
            yield file
    except OSError as error:
        if out is None:  # The command ends as its reader, or the disk, makes it end.
            raise
        where = f"--json {path_text(out)}"
        raise InvalidInput(f"cannot be written: {error.strerror}", where=where) from None
