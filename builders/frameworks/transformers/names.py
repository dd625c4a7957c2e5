"""How Hugging Face's modules name what they hold, and which canonical tensor that is.

Each function gives the names of one kind of module, by its native and its canonical path. A
``*`` stands for the number of a layer, in both.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple, TypeAlias


class Stored(NamedTuple):
    """The canonical tensors in a parameter, concatenated, and how they are stored."""

    parts: tuple[str, ...] = ()
    layout: tuple[str, ...] = ()


Names: TypeAlias = Mapping[str, Stored]

NUMBER = re.compile(r"(?<=\.)\d+(?=\.)")


def stored(names: Names, path: str) -> Stored:
    """What the parameter at ``path`` holds; nothing, for a name unknown here."""
    parts, layout = names.get(NUMBER.sub("*", path), Stored())
    number = NUMBER.search(path)
    if number:
        parts = tuple(part.replace("*", number[0]) for part in parts)
    return Stored(parts, layout)


def table(native: str, canonical: str) -> Names:
    """``nn.Embedding``, and the decoder that shares its matrix."""
    return {f"{native}.weight": Stored((f"{canonical}.weight",))}


def linear(native: str, canonical: str) -> Names:
    """``nn.Linear``, whose weight is (out, in)."""
    return {
        f"{native}.weight": Stored((f"{canonical}.kernel",), ("transposed",)),
        f"{native}.bias": Stored((f"{canonical}.bias",)),
    }


def conv1d(native: str, *canonical: str) -> Names:
    """``Conv1D``, whose weight is (in, out), and which may hold several dense layers."""
    return {
        f"{native}.weight": Stored(tuple(f"{c}.kernel" for c in canonical)),
        f"{native}.bias": Stored(tuple(f"{c}.bias" for c in canonical)),
    }


def norm(native: str, canonical: str) -> Names:
    """``nn.LayerNorm`` and Hugging Face's own ``LlamaRMSNorm``."""
    return {
        f"{native}.weight": Stored((f"{canonical}.scale",)),
        f"{native}.bias": Stored((f"{canonical}.bias",)),
    }
