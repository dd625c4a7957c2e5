"""Count many configurations, one per line of JSON, in order and on all processors.

Only the lines that are being counted are in memory, however long the input is. Counts come from
the catalogue and from families; nothing is derived.
"""

from __future__ import annotations

import gc
import os
import signal
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import suppress
from hashlib import sha256
from itertools import islice
from typing import IO, Any

from paramproof.algebra.letters import with_experts_per_token
from paramproof.catalogue import Entry
from paramproof.catalogue.names import versions_of
from paramproof.child_process import end_with_parent
from paramproof.formulas.active import has_experts
from paramproof.formulas.errors import InvalidInput, NotInCatalogue
from paramproof.formulas.printing import shown
from paramproof.json_form import document, json_text
from paramproof.resolver import entry_of
from paramproof.resolver.models import ConfigReading
from paramproof.resolver.spellings import as_transformers
from paramproof.sources.strict_json import MAX_FILE_BYTES, object_in_text
from paramproof.views.conventions import ACTIVE, active_formula
from paramproof.views.counted import reading_data, source_of

LINES_AT_ONCE = 128
"""The number of lines in a chunk, the unit of work of a process."""

AHEAD = 4
"""The number of chunks that wait for each process."""

Line = tuple[int, bytes]
"""A line with its number, from 1."""


def lines_of(file: IO[bytes]) -> Iterator[bytes]:
    """Yield the lines of a file, each cut off after ``MAX_FILE_BYTES``."""
    while line := file.readline(MAX_FILE_BYTES + 1):
        yield line
        while len(line) > MAX_FILE_BYTES and not line.endswith(b"\n"):
            line = file.readline(MAX_FILE_BYTES + 1)


def count_lines(
    lines: Iterable[bytes], *, first: int = 1, processes: int | None = None
) -> Iterator[dict[str, Any]]:
    """Yield a document for each line, numbered from ``first``, with its count or an error.

    A blank line has a number, but no document. A line is a configuration, or an object with the
    configuration under ``config``; the other keys of the object are repeated under ``about``. The
    default is one process for each processor.
    """
    numbered = enumerate(lines, first)
    chunk = list(islice(numbered, LINES_AT_ONCE))
    if len(chunk) < LINES_AT_ONCE:
        yield from _count_chunk(chunk)
        return
    # Windows allows at most 61 processes in a pool.
    workers = min(processes or os.cpu_count() or 1, 61)
    waiting: deque[Future[list[dict[str, Any]]]] = deque()
    with ProcessPoolExecutor(workers, initializer=_begin_worker) as pool:
        try:
            while chunk:
                waiting.append(pool.submit(_count_chunk, chunk))
                if len(waiting) >= AHEAD * workers:
                    yield from waiting.popleft().result()
                chunk = list(islice(numbered, LINES_AT_ONCE))
            while waiting:
                yield from waiting.popleft().result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _begin_worker() -> None:
    """Leave Ctrl-C to the parent, end at once when asked to, and end where the parent is gone."""
    # The programs stay, and to look for garbage among them takes a third of the time.
    gc.set_threshold(50_000, 20, 100)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    end_with_parent()


def _count_chunk(chunk: Iterable[Line]) -> list[dict[str, Any]]:
    return [count_line(number, line) for number, line in chunk if line.strip()]


def count_line(number: int, line: bytes) -> dict[str, Any]:
    """Return the document of a line, of the kind ``line``, with a ``total`` or an ``error``."""
    about: Mapping[str, Any] = {}
    try:
        keys, about = _keys_in(line)
        body = _counted(keys)
    except (InvalidInput, NotInCatalogue) as error:
        body = {"error": _error_data(error)}
    except (ValueError, ArithmeticError, RecursionError) as error:
        body = {"error": {"kind": type(error).__name__, "reason": str(error)}}
    start = {"line": number, "digest": digest_of(line), **({"about": about} if about else {})}
    return document("line", {**start, **body})


def digest_of(line: bytes) -> str:
    """Return the digest that identifies an input line: 16 hexadecimal digits of its SHA-256."""
    return sha256(line.strip()).hexdigest()[:16]


def _keys_in(line: bytes) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    if len(line) > MAX_FILE_BYTES:
        raise InvalidInput(f"is longer than {MAX_FILE_BYTES:,} bytes")
    try:
        text = line.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidInput("is not text in UTF-8") from None
    found = object_in_text(text, "the line")
    wrapped = found.get("config")
    is_whole = isinstance(wrapped, dict) and "model_type" in wrapped
    if "config" not in found or ("model_type" in found and not is_whole):
        return found, {}
    if not isinstance(wrapped, dict):
        raise InvalidInput(f"config={shown(found['config'])} is not an object", key="config")
    return wrapped, {key: value for key, value in found.items() if key != "config"}


def _counted(keys: Mapping[str, Any]) -> dict[str, Any]:
    """Return the count of a configuration, with its details.

    The catalogue entry is used directly, since making a whole model takes longer than its total.
    """
    spelled, notes = as_transformers(keys)
    found = entry_of(spelled)
    reading = ConfigReading.of(spelled, found)
    return {
        **reading_data(reading),
        "total": found.count,
        **({"loaded": found.loaded} if found.heads else {}),
        "active": _active(found, spelled),
        "convention": ACTIVE,
        "source": source_of(versions_of(found.model_type), found.class_name),
        "status": found.status,
        "notes": [*notes, *reading.remarks()],
    }


def _active(found: Entry, keys: Mapping[str, Any]) -> int | None:
    """Return the active parameters, None if names and shapes do not decide what is active."""
    every = (one for part in found.parts.values() for one in part.values.items())
    if not has_experts(name for name, value in every if type(value) is int and value > 0):
        return found.count
    # Only mixtures need it.
    from paramproof.derivation.letters import formula_in_experts

    with suppress(ValueError):
        formula = with_experts_per_token(formula_in_experts(found), keys)
        active = active_formula(formula)
        return None if active is None else active.evaluate(formula.sizes)
    return None


def _error_data(error: InvalidInput | NotInCatalogue) -> dict[str, Any]:
    found = {"kind": type(error).__name__, "reason": error.reason, "key": error.key or None}
    return found | ({"install": error.install or None} if isinstance(error, NotInCatalogue) else {})


def json_line(body: Mapping[str, Any]) -> bytes:
    return json_text(body, separators=(",", ":")).encode() + b"\n"
