"""Recognise, by tensor names, files and models whose tensors are not plain weights.

An adapter has tensors that are added to weights, a quantised model packs several weights into one
number, and FSDP packs several tensors into one. A wrapper only adds its own name to the others.
``telltale.toml`` has the kinds.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

Disguise = Mapping[str, Any]
"""A kind in ``telltale.toml``: what it is, its signs, and what to do with a file or a model."""


@cache
def disguises() -> Mapping[str, Disguise]:
    """Return the kinds of files and models whose tensors are not plain weights."""
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


DATA_PARALLEL = "module"
"""The prefix that ``nn.DataParallel`` and DeepSpeed add to every name, only at its beginning."""

WRAPPERS = {
    DATA_PARALLEL: "DataParallel",
    "_orig_mod": "torch.compile",
    "_fsdp_wrapped_module": "FSDP",
    "_checkpoint_wrapped_module": "activation checkpointing",
}
"""The names that wrappers give to the wrapped module, with the names of the wrappers."""


def disguise(names: Iterable[str], *kinds: str) -> tuple[str, Disguise] | None:
    """Return the first name with a sign of one of the ``kinds``, and the kind; None without any."""
    signs = {sign: kind for kind in kinds for sign in disguises()[kind]["signs"]}
    found = ((name, signs[part]) for name in names for part in name.split(".") if part in signs)
    return next(((name, disguises()[kind]) for name, kind in found), None)


def unwrapped(name: str) -> tuple[str, list[str]]:
    """Return ``name`` without the names of wrappers, and the names that were removed."""
    kept: list[str] = []
    gone: list[str] = []
    for part in name.split("."):
        wraps = part in WRAPPERS and (part != DATA_PARALLEL or not kept)
        (gone if wraps else kept).append(part)
    return (".".join(kept), gone) if kept else (name, [])
