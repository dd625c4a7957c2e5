"""Constructors of x-transformers: each parameter is a size, with small defaults."""

from __future__ import annotations

from typing import Any

from x_transformers import (
    Decoder,
    Encoder,
    TransformerWrapper,
    ViTransformerWrapper,
    XTransformer,
)


def decoder(
    vocab_size: int = 97, dim: int = 24, depth: int = 3, heads: int = 4, max_seq_len: int = 31
) -> Any:
    layers = Decoder(dim=dim, depth=depth, heads=heads)
    return TransformerWrapper(num_tokens=vocab_size, max_seq_len=max_seq_len, attn_layers=layers)


def llama_like(
    vocab_size: int = 97, dim: int = 24, depth: int = 3, heads: int = 4, kv_heads: int = 2
) -> Any:
    layers = Decoder(
        dim=dim,
        depth=depth,
        heads=heads,
        attn_kv_heads=kv_heads,
        ff_glu=True,
        ff_swish=True,
        ff_no_bias=True,
        use_rmsnorm=True,
        rotary_pos_emb=True,
    )
    return TransformerWrapper(num_tokens=vocab_size, max_seq_len=31, attn_layers=layers)


def encoder_with_memory(dim: int = 24, depth: int = 6, heads: int = 4, memory: int = 5) -> Any:
    layers = Encoder(
        dim=dim, depth=depth, heads=heads, sandwich_coef=2, rel_pos_bias=True, ff_mult=3
    )
    return TransformerWrapper(
        num_tokens=97, max_seq_len=31, num_memory_tokens=memory, attn_layers=layers
    )


def macaron(dim: int = 24, depth: int = 3, heads: int = 4, dim_head: int = 7) -> Any:
    layers = Encoder(dim=dim, depth=depth, heads=heads, attn_dim_head=dim_head, macaron=True)
    return TransformerWrapper(num_tokens=97, max_seq_len=31, attn_layers=layers)


def vit(dim: int = 24, depth: int = 3, heads: int = 4, patch_size: int = 8) -> Any:
    layers = Encoder(dim=dim, depth=depth, heads=heads)
    return ViTransformerWrapper(
        image_size=patch_size * 8, patch_size=patch_size, num_classes=11, attn_layers=layers
    )


def encoder_decoder(
    dim: int = 24, enc_depth: int = 3, dec_depth: int = 2, enc_heads: int = 4, vocab_size: int = 97
) -> Any:
    return XTransformer(
        dim=dim,
        enc_num_tokens=vocab_size,
        enc_depth=enc_depth,
        enc_heads=enc_heads,
        enc_max_seq_len=31,
        dec_num_tokens=vocab_size,
        dec_depth=dec_depth,
        dec_heads=3,
        dec_max_seq_len=29,
    )
