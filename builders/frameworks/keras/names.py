"""How Keras's layers name what they hold, and which canonical tensor that is.

Each function gives the names of one kind of layer, by its native and its canonical path. A
``*`` stands for the number of a layer, in both.
"""

from __future__ import annotations

import re

from paramproof.builders.protocol import Names, Stored

NUMBER = re.compile(r"(?<=layers_)\d+(?=/)")


def table(native: str, canonical: str) -> Names:
    """``Embedding``."""
    return {f"{native}/embeddings": Stored((f"{canonical}.weight",))}


def dense(native: str, canonical: str) -> Names:
    """``Dense``."""
    return {
        f"{native}/kernel": Stored((f"{canonical}.kernel",)),
        f"{native}/bias": Stored((f"{canonical}.bias",)),
    }


def decoder(native: str, canonical: str) -> Names:
    """``Dense`` that gives a score to every token; canonically its kernel is a table."""
    return {
        f"{native}/kernel": Stored((f"{canonical}.weight",), ("transposed",)),
        f"{native}/bias": Stored((f"{canonical}.bias",)),
    }


def norm(native: str, canonical: str) -> Names:
    """``LayerNormalization``."""
    return {
        f"{native}/gamma": Stored((f"{canonical}.scale",)),
        f"{native}/beta": Stored((f"{canonical}.bias",)),
    }


def rms_norm(native: str, canonical: str) -> Names:
    """``RMSNormalization``."""
    return {f"{native}/scale": Stored((f"{canonical}.scale",))}


def heads_out(native: str, canonical: str) -> Names:
    """``EinsumDense`` onto heads, which are an axis of their own."""
    return {
        f"{native}/kernel": Stored((f"{canonical}.kernel",), ("heads_out",)),
        f"{native}/bias": Stored((f"{canonical}.bias",), ("heads",)),
    }


def heads_in(native: str, canonical: str) -> Names:
    """``EinsumDense`` from the heads."""
    return {
        f"{native}/kernel": Stored((f"{canonical}.kernel",), ("heads_in",)),
        f"{native}/bias": Stored((f"{canonical}.bias",)),
    }


def attention(native: str, canonical: str) -> Names:
    """``MultiHeadAttention`` and ``GroupQueryAttention``."""
    return {
        **heads_out(f"{native}/query", f"{canonical}.query"),
        **heads_out(f"{native}/key", f"{canonical}.key"),
        **heads_out(f"{native}/value", f"{canonical}.value"),
        **heads_in(f"{native}/attention_output", f"{canonical}.output"),
    }


def block(native: str, canonical: str) -> Names:
    """``Block`` of this package."""
    return {
        **attention(f"{native}/attention", f"{canonical}.attention"),
        **norm(f"{native}/attention_norm", f"{canonical}.attention_layer_norm"),
        **dense(f"{native}/intermediate", f"{canonical}.feed_forward.intermediate"),
        **dense(f"{native}/output", f"{canonical}.feed_forward.output"),
        **norm(f"{native}/feed_forward_norm", f"{canonical}.feed_forward_layer_norm"),
    }
