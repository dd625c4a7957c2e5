"""The catalogue's files, their index, and the list of what could not be derived."""

from __future__ import annotations

import fcntl
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

from paramproof.catalogue.derivations import kept_variants
from paramproof.catalogue.files import own_classes, parse_type
from paramproof.catalogue.value_kinds import encode_infinity
from sweep.failure import Failure, Reason

ROOT = Path(__file__).parent.parent
DATA = ROOT / "paramproof" / "catalogue" / "data"
INDEX = ROOT / "paramproof" / "catalogue" / "index.json"
FAILED = ROOT / "sweep" / "failed.json"


def read_entry(name: str) -> dict[str, Any] | None:
    """Return the JSON of an entry's file, or None if there is none."""
    path = DATA / f"{name}.json"
    return json.loads(path.read_text("utf-8")) if path.exists() else None


def write_entry(name: str, entry: dict[str, Any]) -> None:
    """Write an entry's file, and its classes into the index.

    If every variant of every class is withdrawn, the file and its line in the index are removed.
    """
    path = DATA / f"{name}.json"
    file = parse_type(entry)
    with _rewrite(INDEX) as index:
        index.pop(name, None)
        if any(kept_variants(file, one) for one in file.classes):
            path.write_text(format_json(in_order(entry)) + "\n", "utf-8")
            index[name] = own_classes(file)
        else:
            path.unlink(missing_ok=True)


@contextmanager
def _rewrite(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the object in a JSON file, and write it back sorted by its keys.

    Processes that do this at the same time wait for each other.
    """
    with path.open("a+", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        known: dict[str, Any] = json.loads(file.read() or "{}")
        yield known
        file.truncate(0)
        file.write(format_json(dict(sorted(known.items()))) + "\n")


KEY_ORDER = """
    format model_type versions letters null parts other_parts given fixed_parts lenient_parts
    named_parts instead classes_of aliases late fields computed unread free texts layers stages
    filled kinds spelt joined repeated pairs beside below buffered flat refused classes
"""
"""The keys of a file, in order."""


def in_order(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return a file's JSON with its keys in order, and without empty values."""
    return {key: data[key] for key in KEY_ORDER.split() if data.get(key)}


def pack_accepted(free: Mapping[str, Iterable[str]]) -> dict[str, str]:
    """Return the accepted sorts of values, each with its fields, as the file has them."""
    found: dict[str, str] = {}
    for path in sorted(free):
        if key := " ".join(sorted(free[path])):
            found[key] = f"{found[key]} {path}" if key in found else path
    return dict(sorted(found.items()))


WIDTH = 100
"""The length up to which an object or a list is on one line."""


def format_json(value: Any, depth: int = 0) -> str:
    """Return a value as JSON, with short objects and lists on one line."""
    short = json.dumps(encode_infinity(value), ensure_ascii=False, allow_nan=False)
    if len(short) + depth <= WIDTH or not isinstance(value, dict | list):
        return short
    if isinstance(value, list):
        inside = [format_json(one, depth + 1) for one in value]
    else:
        inside = [f"{json.dumps(key)}: {format_json(one, depth + 1)}" for key, one in value.items()]
    first, last = "[]" if isinstance(value, list) else "{}"
    before = "\n" + " " * (depth + 1)
    return f"{first}{before}{f',{before}'.join(inside)}\n{' ' * depth}{last}"


def data_digest() -> int:
    """Return a number that changes with any file."""
    whole = sha256(b"".join(path.read_bytes() for path in sorted(DATA.glob("*.json"))))
    return int.from_bytes(whole.digest()[:4])


def read_failures() -> dict[str, dict[str, Failure]]:
    """Return what could not be derived, by type and class, with the reason."""
    found = json.loads(FAILED.read_text("utf-8"))
    return {
        model_type: {name: Failure.read(one) for name, one in failures.items()}
        for model_type, failures in found.items()
    }


def write_failures(model_type: str, failures: Mapping[str, Failure]) -> None:
    with _rewrite(FAILED) as known:
        known.pop(model_type, None)
        if failures:
            known[model_type] = {name: one.data for name, one in sorted(failures.items())}


def failures_by_reason() -> dict[Reason, list[str]]:
    """Return what could not be derived by its class of reasons, largest class first."""
    found: dict[Reason, list[str]] = {}
    for model_type, failures in read_failures().items():
        for name, failure in failures.items():
            found.setdefault(failure.reason, []).append(
                name if name == model_type else f"{model_type}: {name}"
            )
    return dict(sorted(found.items(), key=lambda pair: -len(pair[1])))
