"""How PyTorch's modules name what they hold, and which canonical tensors that is.

Each function gives the names of one kind of module, by its native and its canonical path. In both,
``*`` is the number of a layer.
"""

from __future__ import annotations

from paramproof.builders.names import NameTable, Storage


def table(native: str, canonical: str) -> NameTable:
    """``nn.Embedding``."""
    return {f"{native}.weight": Storage((f"{canonical}.weight",))}


def linear(native: str, *canonical: str) -> NameTable:
    """``nn.Linear``, which may hold several dense layers of the same input."""
    return {
        f"{native}.weight": Storage(tuple(f"{c}.kernel" for c in canonical), ("transposed",)),
        f"{native}.bias": Storage(tuple(f"{c}.bias" for c in canonical)),
    }


def norm(native: str, canonical: str) -> NameTable:
    """``nn.LayerNorm`` and ``nn.RMSNorm``."""
    return {
        f"{native}.weight": Storage((f"{canonical}.scale",)),
        f"{native}.bias": Storage((f"{canonical}.bias",)),
    }


def attention(native: str, canonical: str) -> NameTable:
    """``nn.MultiheadAttention``."""
    query_key_value = [f"{canonical}.{name}" for name in ("query", "key", "value")]
    fused = linear("in_proj", *query_key_value)
    return {
        # A parameter of the module itself, so that a bar stands where there is a dot.
        **{f"{native}.{name.replace('.', '_')}": what for name, what in fused.items()},
        **linear(f"{native}.out_proj", f"{canonical}.output"),
    }


def encoder_layer(native: str, canonical: str) -> NameTable:
    """``nn.TransformerEncoderLayer``, which calls its norms the same before and after."""
    return {
        **attention(f"{native}.self_attn", f"{canonical}.attention"),
        **norm(f"{native}.norm1", f"{canonical}.attention_layer_norm"),
        **linear(f"{native}.linear1", f"{canonical}.feed_forward.intermediate"),
        **linear(f"{native}.linear2", f"{canonical}.feed_forward.output"),
        **norm(f"{native}.norm2", f"{canonical}.feed_forward_layer_norm"),
    }


def decoder_layer(native: str, canonical: str) -> NameTable:
    """``nn.TransformerDecoderLayer``."""
    return {
        **encoder_layer(native, canonical),
        **attention(f"{native}.multihead_attn", f"{canonical}.cross_attention"),
        **norm(f"{native}.norm2", f"{canonical}.cross_attention_layer_norm"),
        **norm(f"{native}.norm3", f"{canonical}.feed_forward_layer_norm"),
    }
