"""How MLX's modules name what they hold, and which canonical tensors that is.

Each function gives the names of one kind of module, by its native and its canonical path. In both,
``*`` is the number of a layer.
"""

from __future__ import annotations

from paramproof.builders.names import NameTable, Storage


def table(native: str, canonical: str) -> NameTable:
    """``nn.Embedding``."""
    return {f"{native}.weight": Storage((f"{canonical}.weight",))}


def linear(native: str, canonical: str) -> NameTable:
    """``nn.Linear``."""
    return {
        f"{native}.weight": Storage((f"{canonical}.kernel",), ("transposed",)),
        f"{native}.bias": Storage((f"{canonical}.bias",)),
    }


def decoder(native: str, canonical: str) -> NameTable:
    """``nn.Linear`` onto the vocabulary, whose weight has the shape of a token table."""
    return {
        f"{native}.weight": Storage((f"{canonical}.weight",)),
        f"{native}.bias": Storage((f"{canonical}.bias",)),
    }


def norm(native: str, canonical: str) -> NameTable:
    """``nn.LayerNorm`` and ``nn.RMSNorm``."""
    return {
        f"{native}.weight": Storage((f"{canonical}.scale",)),
        f"{native}.bias": Storage((f"{canonical}.bias",)),
    }


def attention(native: str, canonical: str) -> NameTable:
    """``nn.MultiHeadAttention``."""
    return {
        **linear(f"{native}.query_proj", f"{canonical}.query"),
        **linear(f"{native}.key_proj", f"{canonical}.key"),
        **linear(f"{native}.value_proj", f"{canonical}.value"),
        **linear(f"{native}.out_proj", f"{canonical}.output"),
    }


def encoder_layer(native: str, canonical: str) -> NameTable:
    """``nn.TransformerEncoderLayer``, which calls its norms the same before and after."""
    return {
        **attention(f"{native}.attention", f"{canonical}.attention"),
        **norm(f"{native}.ln1", f"{canonical}.attention_layer_norm"),
        **linear(f"{native}.linear1", f"{canonical}.feed_forward.intermediate"),
        **linear(f"{native}.linear2", f"{canonical}.feed_forward.output"),
        **norm(f"{native}.ln2", f"{canonical}.feed_forward_layer_norm"),
    }


def decoder_layer(native: str, canonical: str) -> NameTable:
    """``nn.TransformerDecoderLayer``."""
    return {
        **encoder_layer(native, canonical),
        **attention(f"{native}.self_attention", f"{canonical}.attention"),
        **attention(f"{native}.cross_attention", f"{canonical}.cross_attention"),
        **norm(f"{native}.ln2", f"{canonical}.cross_attention_layer_norm"),
        **norm(f"{native}.ln3", f"{canonical}.feed_forward_layer_norm"),
    }
