"""How Paddle's layers name their parameters, and which canonical tensors these contain.

Each function returns the names of one kind of layer, by its native and its canonical path. In both,
``*`` is the number of a layer.
"""

from __future__ import annotations

from paramproof.builders.names import NameTable, Storage


def table(native: str, canonical: str) -> NameTable:
    """Return the names of ``nn.Embedding``."""
    return {f"{native}.weight": Storage((f"{canonical}.weight",))}


def linear(native: str, canonical: str) -> NameTable:
    """Return the names of ``nn.Linear``, whose weight is (in, out)."""
    return {
        f"{native}.weight": Storage((f"{canonical}.kernel",)),
        f"{native}.bias": Storage((f"{canonical}.bias",)),
    }


def decoder(native: str, canonical: str) -> NameTable:
    """Return the names of ``nn.Linear`` onto the vocabulary: a token table, transposed."""
    return {
        f"{native}.weight": Storage((f"{canonical}.weight",), ("transposed",)),
        f"{native}.bias": Storage((f"{canonical}.bias",)),
    }


def norm(native: str, canonical: str) -> NameTable:
    """Return the names of ``nn.LayerNorm`` and of an RMSNorm."""
    return {
        f"{native}.weight": Storage((f"{canonical}.scale",)),
        f"{native}.bias": Storage((f"{canonical}.bias",)),
    }


def attention(native: str, canonical: str) -> NameTable:
    """Return the names of ``nn.MultiHeadAttention``, and of others with its four projections."""
    return {
        **linear(f"{native}.q_proj", f"{canonical}.query"),
        **linear(f"{native}.k_proj", f"{canonical}.key"),
        **linear(f"{native}.v_proj", f"{canonical}.value"),
        **linear(f"{native}.out_proj", f"{canonical}.output"),
    }


def encoder_layer(native: str, canonical: str) -> NameTable:
    """Return the names of ``nn.TransformerEncoderLayer``, the same before and after the norm."""
    return {
        **attention(f"{native}.self_attn", f"{canonical}.attention"),
        **norm(f"{native}.norm1", f"{canonical}.attention_layer_norm"),
        **linear(f"{native}.linear1", f"{canonical}.feed_forward.intermediate"),
        **linear(f"{native}.linear2", f"{canonical}.feed_forward.output"),
        **norm(f"{native}.norm2", f"{canonical}.feed_forward_layer_norm"),
    }


def decoder_layer(native: str, canonical: str) -> NameTable:
    """Return the names of ``nn.TransformerDecoderLayer``."""
    return {
        **encoder_layer(native, canonical),
        **attention(f"{native}.cross_attn", f"{canonical}.cross_attention"),
        **norm(f"{native}.norm2", f"{canonical}.cross_attention_layer_norm"),
        **norm(f"{native}.norm3", f"{canonical}.feed_forward_layer_norm"),
    }
