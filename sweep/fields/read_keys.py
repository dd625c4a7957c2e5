"""Record which keys a type's classes read, and the defaults of those that they read.

For a key that no class reads, an entry lists the kinds of values that the configuration class
accepts. For one that is read, it has the default.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from paramproof.catalogue.files import TypeFile, parse_type
from paramproof.catalogue.value_kinds import ROTARY_FACTOR, equal, kind_of, sort_of
from paramproof.formulas.path import leaf, parent
from sweep.fields.layer_lists import find_patterns
from sweep.fields.probe_values import PROBES
from sweep.fields.saved_values import SavedValues
from sweep.fields.unread_fields import UnreadFields, pack_unread
from sweep.store import in_order, pack_accepted


def with_read_keys(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return a file's JSON with unread keys and defaults, and without what they imply."""
    file = parse_type(dict(data))
    unread = UnreadFields(file)
    kinds = unread.find()
    if file.unread and not kinds:
        # Some variant cannot be built here, so nothing new is known.
        return dict(data)
    saved = SavedValues(file, unread)
    constants = saved.constants()
    new = [path for path in constants if path in file.decides and path not in file.fields]
    bare = {path: saved.value_in_given_part(path) for path in new if parent(path)}
    given = {path: one for path, one in bare.items() if not equal(one, constants[path])}
    names = unread.unused_names()
    free = {path: sorts for path, sorts in file.free.items() if path not in names}
    free |= {path: ["share"] for path in unread.irrelevant_shares()}
    texts = {path: values for path, values in file.texts.items() if path not in names}
    found = unread.values_like_absent()
    absent = {path: value for path, value in found.items() if path not in names}
    refused = tuple(path for path in file.refused if path not in {*names, *absent})
    lenient = tuple(unread.lenient_parts())
    layers = {**find_patterns(saved), **file.layers}
    fields = {**absent, **file.fields}
    file = replace(
        file,
        free=free,
        texts=texts,
        refused=refused,
        lenient_parts=lenient,
        layers=layers,
        fields=fields,
    )
    return updated_entry(file, data, kinds, constants, given)


def updated_entry(
    file: TypeFile,
    data: Mapping[str, Any],
    unread: Mapping[str, Sequence[str]],
    constants: Mapping[str, Any],
    bare: Mapping[str, Any],
) -> dict[str, Any]:
    """Return a file's JSON with these unread keys and constants.

    ``bare`` has the constants that differ in a part that is given without them.
    """
    chosen = _selecting_fields(file)
    free = {
        path: [one for one in sorts if not _covers(unread.get(path, ()), PROBES[one])]
        for path, sorts in file.free.items()
    }
    texts = {path: v for path, v in file.texts.items() if "text" not in unread.get(path, ())}
    below = {p: " ".join(v) for p, v in file.below.items() if "int" not in unread.get(p, ())}
    layers = {p: v for p, v in file.layers.items() if "texts" not in unread.get(p, ())}
    fields = dict(file.fields)
    known = {*file.computed, *layers, *chosen}
    for path, value in constants.items():
        is_accepted = kind_of(value) in unread.get(path, ()) or sort_of(value) in free.get(path, ())
        if path not in fields and path not in known and not is_accepted:
            fields[path] = value
    dropped = {
        path
        for path, kinds in unread.items()
        if path not in chosen
        and path not in file.kinds
        and (path not in constants or kind_of(constants[path]) in kinds)
        and leaf(path) != ROTARY_FACTOR
    }
    fields = {path: v for path, v in fields.items() if path not in dropped or path in below}
    given = {path: v for path, v in ({**file.given, **bare}).items() if path not in dropped}
    # Another class may accept values of other kinds, which decide in this one.
    gone = {path for path in dropped if not free.get(path)}
    classes = {name: _class_without(one, gone) for name, one in file.classes.items()}
    new = {
        **data,
        "given": given,
        "fields": dict(sorted(fields.items())),
        "unread": pack_unread(unread),
        "free": pack_accepted(free),
        "texts": texts,
        "layers": layers,
        "below": below,
        "buffered": " ".join(path for path in file.buffered if path not in dropped),
        "refused": " ".join(file.refused),
        "lenient_parts": " ".join(file.lenient_parts),
        "classes": classes,
    }
    return in_order(new)


def _selecting_fields(file: TypeFile) -> set[str]:
    found: set[str] = set()
    for data in file.classes.values():
        for variant in (data, *data.get("also", ())):
            for name in ("where", "sized", "computed", "follows"):
                found |= set(variant.get(name, ()))
    return found


def _covers(kinds: Sequence[str], values: Sequence[Any]) -> bool:
    return all(kind_of(value) in kinds for value in values)


def _class_without(data: Mapping[str, Any], gone: set[str]) -> dict[str, Any]:
    """Return a class in which these paths do not select variants."""
    new = dict(data)
    if "decides" in data:
        new["decides"] = [path for path in data["decides"] if path not in gone]
    if "only" in data:
        new["only"] = {path: v for path, v in data["only"].items() if path not in gone}
    if "also" in data:
        new["also"] = [_class_without(one, gone) for one in data["also"]]
    return {key: value for key, value in new.items() if value or key not in ("decides", "only")}
