"""How nnx's modules name what they hold, and which canonical tensor that is.

Each function gives the names of one kind of module, by its native and its canonical path. A
canonical path with a ``*`` is of layers that are stacked: one array holds every layer's.
"""

from __future__ import annotations

from paramproof.builders.names import NameTable, Storage
from paramproof.formulas.layout import STACKED


def table(native: str, canonical: str) -> NameTable:
    """``nnx.Embed``."""
    return {f"{native}.embedding": _stored(f"{canonical}.weight")}


def dense(native: str, canonical: str) -> NameTable:
    """``nnx.Linear``."""
    return {
        f"{native}.kernel": _stored(f"{canonical}.kernel"),
        f"{native}.bias": _stored(f"{canonical}.bias"),
    }


def decoder(native: str, canonical: str) -> NameTable:
    """``nnx.Linear`` onto the vocabulary: its kernel is a token table, transposed."""
    return {
        f"{native}.kernel": _stored(f"{canonical}.weight", "transposed"),
        f"{native}.bias": _stored(f"{canonical}.bias"),
    }


def norm(native: str, canonical: str) -> NameTable:
    """``nnx.LayerNorm`` and ``nnx.RMSNorm``."""
    return {
        f"{native}.scale": _stored(f"{canonical}.scale"),
        f"{native}.bias": _stored(f"{canonical}.bias"),
    }


def attention(native: str, canonical: str) -> NameTable:
    """``nnx.MultiHeadAttention``."""
    names = {
        f"{native}.out.kernel": _stored(f"{canonical}.output.kernel", "heads_in"),
        f"{native}.out.bias": _stored(f"{canonical}.output.bias"),
    }
    for name in ("query", "key", "value"):
        names[f"{native}.{name}.kernel"] = _stored(f"{canonical}.{name}.kernel", "heads_out")
        names[f"{native}.{name}.bias"] = _stored(f"{canonical}.{name}.bias", "heads")
    return names


def layer(native: str, canonical: str) -> NameTable:
    """A layer of attention and a feed-forward network, with a norm for each, in any order."""
    return {
        **attention(f"{native}.attention", f"{canonical}.attention"),
        **norm(f"{native}.attention_norm", f"{canonical}.attention_layer_norm"),
        **dense(f"{native}.intermediate", f"{canonical}.feed_forward.intermediate"),
        **dense(f"{native}.output", f"{canonical}.feed_forward.output"),
        **norm(f"{native}.feed_forward_norm", f"{canonical}.feed_forward_layer_norm"),
    }


def _stored(canonical: str, *layout: str) -> Storage:
    stacked = (STACKED,) if "*" in canonical.split(".") else ()
    return Storage((canonical,), (*stacked, *layout))
