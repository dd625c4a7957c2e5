"""The keys of a configuration, by path; this needs neither PyTorch nor transformers."""

from __future__ import annotations

from typing import Any

from paramproof.formulas.path import leaf, parent

Keys = dict[str, Any]


def set_key(keys: Keys, path: str, value: Any) -> None:
    """Set the value at a path, such as ``vision_config.hidden_size`` or ``depths[1]``."""
    *parts, name = path.split(".")
    for part in parts:
        keys = keys.setdefault(part, {})
    base, bracket, index = name.partition("[")
    if not bracket:
        keys[name] = value
        return
    items = keys.setdefault(base, [])
    items.extend([None] * (int(index[:-1]) + 1 - len(items)))
    items[int(index[:-1])] = value


def part_in(keys: Keys, path: str) -> Keys | None:
    here: Any = keys
    for name in path.split(".") if path else ():
        here = here.get(name) if isinstance(here, dict) else None
    return here if isinstance(here, dict) else None


def has_key(keys: Keys, path: str) -> bool:
    part = part_in(keys, parent(path))
    return part is not None and leaf(path) in part


def remove_key(keys: Keys, path: str) -> None:
    if (part := part_in(keys, parent(path))) is not None:
        part.pop(leaf(path), None)
