"""How Equinox's modules name what they hold, and which canonical tensor that is.

Each function gives the names of one kind of module, by its native and its canonical path. In both,
``*`` is the number of a layer.
"""

from __future__ import annotations

from paramproof.builders.names import NameTable, Storage


def table(native: str, canonical: str) -> NameTable:
    """``eqx.nn.Embedding``."""
    return {f"{native}.weight": Storage((f"{canonical}.weight",))}


def linear(native: str, canonical: str) -> NameTable:
    """``eqx.nn.Linear``."""
    return {
        f"{native}.weight": Storage((f"{canonical}.kernel",), ("transposed",)),
        f"{native}.bias": Storage((f"{canonical}.bias",)),
    }


def decoder(native: str, canonical: str) -> NameTable:
    """``eqx.nn.Linear`` onto the vocabulary: its weight is stored as a token table is."""
    return {
        f"{native}.weight": Storage((f"{canonical}.weight",)),
        f"{native}.bias": Storage((f"{canonical}.bias",)),
    }


def norm(native: str, canonical: str) -> NameTable:
    """``eqx.nn.LayerNorm`` and ``eqx.nn.RMSNorm``."""
    return {
        f"{native}.weight": Storage((f"{canonical}.scale",)),
        f"{native}.bias": Storage((f"{canonical}.bias",)),
    }


def attention(native: str, canonical: str) -> NameTable:
    """``eqx.nn.MultiheadAttention``, and what is composed like it."""
    return {
        **linear(f"{native}.query_proj", f"{canonical}.query"),
        **linear(f"{native}.key_proj", f"{canonical}.key"),
        **linear(f"{native}.value_proj", f"{canonical}.value"),
        **linear(f"{native}.output_proj", f"{canonical}.output"),
    }


def layer(native: str, canonical: str) -> NameTable:
    """A layer of attention and a feed-forward network, with a norm for each, in any order."""
    return {
        **attention(f"{native}.attention", f"{canonical}.attention"),
        **norm(f"{native}.attention_norm", f"{canonical}.attention_layer_norm"),
        **linear(f"{native}.intermediate", f"{canonical}.feed_forward.intermediate"),
        **linear(f"{native}.output", f"{canonical}.feed_forward.output"),
        **norm(f"{native}.feed_forward_norm", f"{canonical}.feed_forward_layer_norm"),
    }
