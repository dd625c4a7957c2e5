"""Keys that determine the default lists of layers, and have no effect if the lists are given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import deepcopy
from typing import Any

import transformers

from sweep.entries.type_sweep import TypeSweep
from sweep.fields.field_reads import record_reads
from sweep.fields.normalization import changed_fields, normalize
from sweep.fields.unread_fields import ANY_VALUES
from sweep.library.keys import set_key
from sweep.library.model import attribute_at, full_keys
from sweep.library.refusal import Attempt


def idle_keys_of(
    sweep: TypeSweep,
    name: str,
    data: Mapping[str, Any],
    where: Mapping[str, Any],
    lists: Iterable[str],
) -> list[str]:
    """Return the selecting keys of a class that nothing reads if these lists are given."""
    given = {path: list(attribute_at(sweep.start, path)) for path in lists}
    keys = full_keys(sweep.start, {**sweep.values, **sweep.needed, **where, **given})
    plain = normalize(sweep.config_class, keys)
    with Attempt() as attempt:
        config = sweep.config_class.from_dict(deepcopy(keys))
        reads = record_reads(getattr(transformers, name), config)
    if attempt.refusal or plain is None:
        return []
    found = []
    known = {*given, *where, *reads.missing, *reads.fields}
    for path in data.get("decides", ()):
        if path in known:
            continue
        free = ({path} | plain.keys()) - reads.fields
        for value in ANY_VALUES:
            more = deepcopy(keys)
            set_key(more, path, value)
            changed = normalize(sweep.config_class, more)
            if changed is not None and not changed_fields(plain, changed) <= free:
                break
        else:
            found.append(path)
    return found
