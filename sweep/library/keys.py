"""The keys of a configuration, by path; this needs neither PyTorch nor transformers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

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


def own_keys(keys: Keys) -> Iterator[tuple[Keys, str]]:
    """Yield each key with the object that it is in. A part is an object with a model type."""
    for name, value in keys.items():
        if isinstance(value, dict) and "model_type" in value and "." not in name:
            yield from own_keys(value)
        else:
            yield keys, name
