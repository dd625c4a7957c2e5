"""How Keras's layers name what they hold, and which canonical tensor that is.

Each function gives the names of one kind of layer, by its native and its canonical path. In both,
``*`` is the number of a layer.
"""

from __future__ import annotations

import re

from paramproof.builders.names import NameTable, Storage

NUMBER = re.compile(r"(?<=layers_)\d+(?=/)")


def table(native: str, canonical: str) -> NameTable:
    """``Embedding``."""
    return {f"{native}/embeddings": Storage((f"{canonical}.weight",))}


def dense(native: str, canonical: str) -> NameTable:
    """``Dense``."""
    return {
        f"{native}/kernel": Storage((f"{canonical}.kernel",)),
        f"{native}/bias": Storage((f"{canonical}.bias",)),
    }


def decoder(native: str, canonical: str) -> NameTable:
    """``Dense`` that gives a score to every token; canonically its kernel is a table."""
    return {
        f"{native}/kernel": Storage((f"{canonical}.weight",), ("transposed",)),
        f"{native}/bias": Storage((f"{canonical}.bias",)),
    }


def norm(native: str, canonical: str) -> NameTable:
    """``LayerNormalization``."""
    return {
        f"{native}/gamma": Storage((f"{canonical}.scale",)),
        f"{native}/beta": Storage((f"{canonical}.bias",)),
    }


def rms_norm(native: str, canonical: str) -> NameTable:
    """``RMSNormalization``."""
    return {f"{native}/scale": Storage((f"{canonical}.scale",))}


def heads_out(native: str, canonical: str) -> NameTable:
    """``EinsumDense`` onto heads, which are an axis of their own."""
    return {
        f"{native}/kernel": Storage((f"{canonical}.kernel",), ("heads_out",)),
        f"{native}/bias": Storage((f"{canonical}.bias",), ("heads",)),
    }


def heads_in(native: str, canonical: str) -> NameTable:
    """``EinsumDense`` from the heads."""
    return {
        f"{native}/kernel": Storage((f"{canonical}.kernel",), ("heads_in",)),
        f"{native}/bias": Storage((f"{canonical}.bias",)),
    }


def attention(native: str, canonical: str) -> NameTable:
    """``MultiHeadAttention`` and ``GroupQueryAttention``."""
    return {
        **heads_out(f"{native}/query", f"{canonical}.query"),
        **heads_out(f"{native}/key", f"{canonical}.key"),
        **heads_out(f"{native}/value", f"{canonical}.value"),
        **heads_in(f"{native}/attention_output", f"{canonical}.output"),
    }


def block(native: str, canonical: str) -> NameTable:
    """``Block`` of this package."""
    return {
        **attention(f"{native}/attention", f"{canonical}.attention"),
        **norm(f"{native}/attention_norm", f"{canonical}.attention_layer_norm"),
        **dense(f"{native}/intermediate", f"{canonical}.feed_forward.intermediate"),
        **dense(f"{native}/output", f"{canonical}.feed_forward.output"),
        **norm(f"{native}/feed_forward_norm", f"{canonical}.feed_forward_layer_norm"),
    }
