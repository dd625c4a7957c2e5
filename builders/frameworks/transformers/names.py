"""How Hugging Face's modules name what they hold, and which canonical tensor that is.

Each function gives the names of one kind of module, by its native and its canonical path. A
``*`` stands for the number of a layer, in both.
"""

from __future__ import annotations

import re

from paramproof.builders.protocol import Names, Stored

NUMBER = re.compile(r"(?<=\.)\d+(?=\.)")


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
