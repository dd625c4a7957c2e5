"""How linen's modules name what they hold, and which canonical tensor that is.

Each function gives the names of one kind of module, by its native and its canonical path. In both,
``*`` is the number of a layer.
"""

from __future__ import annotations

import re

from paramproof.builders.names import NameTable, Storage

NUMBER = re.compile(r"(?<=layers_)\d+(?=/)")


def table(native: str, canonical: str) -> NameTable:
    """``nn.Embed``."""
    return {f"{native}/embedding": Storage((f"{canonical}.weight",))}


def dense(native: str, canonical: str) -> NameTable:
    """``nn.Dense``."""
    return {
        f"{native}/kernel": Storage((f"{canonical}.kernel",)),
        f"{native}/bias": Storage((f"{canonical}.bias",)),
    }


def decoder(native: str, canonical: str) -> NameTable:
    """``nn.Dense`` onto the vocabulary: its kernel is a token table, transposed."""
    return {
        f"{native}/kernel": Storage((f"{canonical}.weight",), ("transposed",)),
        f"{native}/bias": Storage((f"{canonical}.bias",)),
    }


def norm(native: str, canonical: str) -> NameTable:
    """``nn.LayerNorm`` and ``nn.RMSNorm``."""
    return {
        f"{native}/scale": Storage((f"{canonical}.scale",)),
        f"{native}/bias": Storage((f"{canonical}.bias",)),
    }


def attention(native: str, canonical: str) -> NameTable:
    """``nn.MultiHeadDotProductAttention``, and what is composed like it."""
    names = {
        f"{native}/out/kernel": Storage((f"{canonical}.output.kernel",), ("heads_in",)),
        f"{native}/out/bias": Storage((f"{canonical}.output.bias",)),
    }
    for name in ("query", "key", "value"):
        names[f"{native}/{name}/kernel"] = Storage((f"{canonical}.{name}.kernel",), ("heads_out",))
        names[f"{native}/{name}/bias"] = Storage((f"{canonical}.{name}.bias",), ("heads",))
    return names


def layer(native: str, canonical: str) -> NameTable:
    """A layer of attention and a feed-forward network, with a norm for each, in any order."""
    return {
        **attention(f"{native}/attention", f"{canonical}.attention"),
        **norm(f"{native}/attention_norm", f"{canonical}.attention_layer_norm"),
        **dense(f"{native}/intermediate", f"{canonical}.feed_forward.intermediate"),
        **dense(f"{native}/output", f"{canonical}.feed_forward.output"),
        **norm(f"{native}/feed_forward_norm", f"{canonical}.feed_forward_layer_norm"),
    }
