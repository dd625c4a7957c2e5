"""Keys that decide which lists of layers there are, and nothing where the lists are given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import deepcopy
from typing import Any

import transformers

from sweep.model import at, put, whole
from sweep.normal import moved, normalised
from sweep.one import Sweep
from sweep.reads import reads_of
from sweep.unread import VALUES


def idle(
    sweep: Sweep,
    name: str,
    data: Mapping[str, Any],
    where: Mapping[str, Any],
    lists: Iterable[str],
) -> list[str]:
    """Return those of the keys that decide in a class which nothing reads where these are given."""
    given = {path: list(at(sweep.start, path)) for path in lists}
    keys = whole(sweep.start, {**sweep.values, **sweep.needed, **where, **given})
    plain = normalised(sweep.config_class, keys)
    try:
        config = sweep.config_class.from_dict(deepcopy(keys))
        reads = reads_of(getattr(transformers, name), config)
    except Exception:  # Anybody's constructor may raise anything.
        return []
    found = []
    known = {*given, *where, *reads.missing, *reads.fields}
    for path in data.get("decides", ()):
        if plain is None or path in known:
            continue
        free = ({path} | plain.keys()) - reads.fields
        for value in VALUES:
            more = deepcopy(keys)
            put(more, path, value)
            there = normalised(sweep.config_class, more)
            if there is not None and not moved(plain, there) <= free:
                break
        else:
            found.append(path)
    return found
