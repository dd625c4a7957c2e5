"""How MLX's modules name what they hold."""

from __future__ import annotations

from paramproof.builders.names import ModuleNames, NameTable

names = ModuleNames(
    transposed=True,
    projections=("query_proj", "key_proj", "value_proj", "out_proj"),
    parts=("attention", "ln1", "linear1", "linear2", "ln2"),
    last_norm="ln3",
)


def decoder_layer(native: str, canonical: str) -> NameTable:
    """Return the names of ``nn.TransformerDecoderLayer``, whose attention has another name."""
    own = names.attention(f"{native}.self_attention", f"{canonical}.attention")
    return {**names.decoder_layer(native, canonical), **own}
