"""``paramproof count --jsonl``: one configuration per line in, one count or error per line out."""

from __future__ import annotations

import json
import sys
from collections import deque
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path
from typing import Any

import click

from paramproof.bulk import count_lines, digest_of, json_line, lines_of
from paramproof.cli.output import JSON, STANDARD_STREAM, remark, writing
from paramproof.formulas.errors import InvalidInput
from paramproof.formulas.printing import path_text
from paramproof.sources.strict_json import require_file


def write_lines(source: str, *, resume: bool) -> int:
    """Write the count of each configuration in ``source``; return 2 if one was refused, or else 0.

    The counts go to the file of --json, or to standard output. With ``resume``, a file is continued
    after its last line; without, one that exists is refused, so that no results are overwritten.
    """
    named, _ = click.get_current_context().meta.get(JSON, (Path(STANDARD_STREAM), False))
    out = None if str(named) == STANDARD_STREAM else named
    written, refused, done, digest = 0, 0, 0, digest_of(b"")
    for body in _earlier(out, resume):
        written, refused = written + 1, refused + ("error" in body)
        done, digest = body["line"], body["digest"]
    earlier = f" ({written:,} lines in earlier runs)" if written else ""
    if source != STANDARD_STREAM:
        require_file(Path(source))
    elif sys.stdin is None:
        raise InvalidInput("standard input is closed")
    try:
        with (
            click.open_file(source, "rb") as file,
            writing(named),
            click.open_file(str(named), "ab") as target,
        ):
            lines = lines_of(file)
            ((number, line),) = deque(enumerate(chain([b""], islice(lines, done))), maxlen=1)
            if (number, digest_of(line)) != (done, digest):
                problem = f"line {done:,} is not the line that was counted"
                where = path_text(source)
                raise InvalidInput(f"{problem}: --resume needs the same input", where=where)
            for body in count_lines(lines, first=done + 1):
                target.write(json_line(body))
                # A reader sees each line as soon as its chunk is counted.
                target.flush()
                written, refused = written + 1, refused + ("error" in body)
    except KeyboardInterrupt:
        remark(f"stopped after {written:,} lines{'; --resume continues' if out else ''}")
        raise
    remark(f"{written - refused:,} of {written:,} configurations counted{earlier}")
    return 2 if refused else 0


def _earlier(out: Path | None, resume: bool) -> Iterator[dict[str, Any]]:
    """Yield the documents in the output file, and remove an incomplete last line."""
    if resume and out is None:
        raise InvalidInput("--resume needs --json FILE, the output of the earlier run")
    # A pipe or a device has no earlier lines.
    if out is None or not out.is_file():
        return
    where = f"--json {path_text(out)}"
    if not resume:
        problem = "already exists: give --resume to continue it, or name another file"
        raise InvalidInput(problem, where=where)
    whole = 0
    with out.open("rb+") as file:
        for number, line in enumerate(file, 1):
            if not line.endswith(b"\n"):
                break
            try:
                body = json.loads(line)
                _ = islice(b"", 0 + body["line"]), body["digest"]  # A number of lines to skip.
            except (ValueError, KeyError, TypeError, RecursionError):
                problem = f"line {number} was not written by count --jsonl"
                raise InvalidInput(problem, where=where) from None
            yield body
            whole += len(line)
        file.truncate(whole)
