"""What the tensors of a checkpoint are: a name in a file, the canonical tensor, its layout.

A name is Hugging Face's, as ``names.toml`` has them, or the canonical one itself. What is
neither has no canonical name, and is an extra tensor.
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from paramproof.formulas import Inventory
from paramproof.formulas.tensors import LAYER

KINDS: dict[str, dict[str, tuple[str, tuple[str, ...]]]] = {
    "table": {"weight": ("weight", ())},
    "norm": {
        "weight": ("scale", ()),
        "gamma": ("scale", ()),
        "bias": ("bias", ()),
        "beta": ("bias", ()),
    },
    "linear": {"weight": ("kernel", ("transposed",)), "bias": ("bias", ())},
    "conv1d": {"weight": ("kernel", ()), "bias": ("bias", ())},
}
"""Kind of a module: its tensors' names in a file, and canonical names and layouts."""


class Meaning(NamedTuple):
    """The canonical tensors side by side in a stored one, none where nobody knows the name."""

    parts: tuple[str, ...]
    layout: tuple[str, ...] = ()


UNKNOWN = Meaning(())


class Names:
    """What names mean in the checkpoints of one family, for models of one inventory."""

    def __init__(self, family: str, inventory: Inventory) -> None:
        table = _tables().get(family, {})
        self.prefixes = tuple(table.get("prefixes", ()))
        self.buffers = frozenset(table.get("buffers", ()))
        self.foreign = _meanings(table)
        self.canonical = {tensor.path: Meaning((tensor.path,)) for tensor in inventory}

    def is_buffer(self, name: str) -> bool:
        """Whether ``name`` is one of those that a model has beside its weights."""
        return self._without_prefix(_starred(name)[0]) in self.buffers

    def meaning(self, name: str) -> Meaning:
        """The canonical tensors in the one called ``name``, and how they are stored."""
        starred, number = _starred(name)
        found = self.foreign.get(self._without_prefix(starred)) or self.canonical.get(starred)
        if found is None:
            return UNKNOWN
        parts = tuple(part.replace(LAYER, number) for part in found.parts)
        return Meaning(parts, found.layout)

    def _without_prefix(self, name: str) -> str:
        for prefix in self.prefixes:
            if name.startswith(prefix):
                return name.removeprefix(prefix)
        return name


@cache
def _tables() -> dict[str, dict[str, Any]]:
    """The data, by family."""
    return tomllib.loads(
        files("paramproof.sources.checkpoints").joinpath("names.toml").read_text("utf-8")
    )


def _meanings(table: dict[str, Any]) -> dict[str, Meaning]:
    """The meaning of every name in ``table``, without a prefix."""
    meanings = {name: Meaning((part,)) for name, part in table.get("single", {}).items()}
    for kind, tensors in KINDS.items():
        for module, component in table.get(kind, {}).items():
            for native, (canonical, layout) in tensors.items():
                parts = tuple(f"{path}.{canonical}" for path in _side_by_side(component))
                meanings[f"{module}.{native}"] = Meaning(parts, layout)
    return meanings


def _side_by_side(component: str) -> list[str]:
    """The components that ``attention.{query,key,value}`` stands for."""
    before, brace, names = component.partition("{")
    return [before + name for name in names.rstrip("}").split(",")] if brace else [component]


def _starred(name: str) -> tuple[str, str]:
    """``name`` with a star for its first number, and the number; a name of stars is none."""
    levels = name.split(".")
    if LAYER in levels:
        return "", ""
    number = next(filter(str.isdigit, levels), "")
    if number:
        levels[levels.index(number)] = LAYER
    return ".".join(levels), number
