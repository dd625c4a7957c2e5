"""Hugging Face's names of tensors, for its models and checkpoints, from huggingface.toml."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from paramproof.builders.names import NameTable, Storage
from paramproof.formulas.path import without_braces

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
"""For each kind of module, its tensors' names with the canonical name and layout of each."""


@dataclass(frozen=True, slots=True)
class HuggingFaceNames:
    """The names of one family, without the ``prefixes`` that they may have.

    ``buffers`` are names of what a model keeps beside its weights.
    """

    table: NameTable
    prefixes: tuple[str, ...] = ()
    buffers: frozenset[str] = frozenset()


@cache
def names_of(family: str) -> HuggingFaceNames:
    """Return the names of a family, empty if Hugging Face does not have it."""
    data = _data().get(family, {})
    return HuggingFaceNames(
        table=dict(_storages(data)),
        prefixes=tuple(data.get("prefixes", ())),
        buffers=frozenset(data.get("buffers", ())),
    )


@cache
def _data() -> dict[str, dict[str, Any]]:
    file = files("paramproof.builders").joinpath("huggingface.toml")
    return tomllib.loads(file.read_text("utf-8"))


def _storages(data: dict[str, Any]) -> list[tuple[str, Storage]]:
    """Return what each name in a family's ``data`` stores."""
    single = [(name, Storage((part,))) for name, part in data.get("single", {}).items()]
    return single + [
        (
            f"{module}.{native}",
            Storage(tuple(f"{path}.{canonical}" for path in without_braces(component)), layout),
        )
        for kind, tensors in KINDS.items()
        for module, component in data.get(kind, {}).items()
        for native, (canonical, layout) in tensors.items()
    ]
