"""The files of the catalogue, their index, and the list of what could not be derived."""

from __future__ import annotations

import fcntl
import json
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

from paramproof.catalogue.derivations import not_withdrawn
from paramproof.catalogue.files import own_classes, type_in

ROOT = Path(__file__).parent.parent
DATA = ROOT / "paramproof" / "catalogue" / "data"
INDEX = ROOT / "paramproof" / "catalogue" / "index.json"
FAILED = ROOT / "sweep" / "failed.json"


def read(model_type: str) -> dict[str, Any] | None:
    """Return what the file of a type has, None where there is none."""
    path = DATA / f"{model_type}.json"
    return json.loads(path.read_text("utf-8")) if path.exists() else None


def write(model_type: str, entry: dict[str, Any]) -> None:
    """Write the file of a type, and its classes in the index.

    If every variant of every class is withdrawn, the type has no file, and the index lacks it.
    """
    path = DATA / f"{model_type}.json"
    file = type_in(entry, model_type)
    with _rewritten(INDEX) as index:
        index.pop(model_type, None)
        if any(not_withdrawn(file, name) for name in file.classes):
            path.write_text(laid_out(entry) + "\n", "utf-8")
            index[model_type] = own_classes(file)
        else:
            path.unlink(missing_ok=True)


@contextmanager
def _rewritten(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the object in a JSON file, to be changed, and write it sorted by its keys.

    Processes that do this at the same time wait for each other.
    """
    with path.open("a+", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        known: dict[str, Any] = json.loads(file.read() or "{}")
        yield known
        file.truncate(0)
        file.write(laid_out(dict(sorted(known.items()))) + "\n")


WIDTH = 100
"""Characters of a line that has the whole of an object or a list."""


def laid_out(value: Any, depth: int = 0) -> str:
    """Return a value as JSON, what fits into a line on one."""
    short = json.dumps(value, ensure_ascii=False)
    if len(short) + depth <= WIDTH or not isinstance(value, dict | list):
        return short
    if isinstance(value, list):
        inside = [laid_out(one, depth + 1) for one in value]
    else:
        inside = [f"{json.dumps(key)}: {laid_out(one, depth + 1)}" for key, one in value.items()]
    first, last = "[]" if isinstance(value, list) else "{}"
    before = "\n" + " " * (depth + 1)
    return f"{first}{before}{f',{before}'.join(inside)}\n{' ' * depth}{last}"


def digest() -> int:
    """Return a number that is another one where any file is."""
    whole = sha256(b"".join(path.read_bytes() for path in sorted(DATA.glob("*.json"))))
    return int.from_bytes(whole.digest()[:4])


def failed() -> dict[str, dict[str, str]]:
    """Return what could not be derived, by type and class, with the reason."""
    if not FAILED.exists() or not (text := FAILED.read_text("utf-8")):
        return {}
    found: dict[str, dict[str, str]] = json.loads(text)
    return found


def write_failed(model_type: str, reasons: dict[str, str]) -> None:
    """Write what could not be derived of a type, in place of what was there.

    Parts that run at one time write the same list, one after the other.
    """
    with FAILED.open("a+", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        known = failed()
        known.pop(model_type, None)
        if reasons:
            known[model_type] = dict(sorted(reasons.items()))
        file.truncate(0)
        file.write(json.dumps(dict(sorted(known.items())), indent=1, ensure_ascii=False) + "\n")


REASONS = {
    "requires the": "a package is missing",
    "No module named": "a package is missing",
    "is not made": "its own configuration is not made",
    "not derived within": "no time was left",
    "no time was left": "no time was left",
    "not explained": "a shape or a number is not explained",
    "was not found why": "other tensors at other sizes, and it was not found why",
    "refuses sizes inside": "sizes inside the conditions are refused",
    "not as derived at": "not as derived at other sizes",
    "is not as derived": "not as transformers fills in a configuration",
    "refused by transformers": "an entry's configuration is refused",
    "no configuration was drawn": "no configuration was drawn inside the conditions",
    "no sizes meet": "no sizes meet the conditions",
    "no parameters": "no parameters",
    "is not made of a configuration": "a class of another configuration",
}
"""Classes of reasons, by what stands in a reason."""


def reason_class(why: str) -> str:
    """Return the class of a reason."""
    found = (said for part, said in REASONS.items() if part in why)
    return next(found, "an error in the constructor or the configuration")


def by_reason() -> dict[str, list[str]]:
    """Return what could not be derived by the class of the reason, most first."""
    found: dict[str, list[str]] = {}
    for model_type, reasons in failed().items():
        for name, why in reasons.items():
            found.setdefault(reason_class(why), []).append(
                name if name == model_type else f"{model_type}: {name}"
            )
    return dict(sorted(found.items(), key=lambda pair: -len(pair[1])))
