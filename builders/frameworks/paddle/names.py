"""How Paddle's layers name their parameters."""

from __future__ import annotations

from paramproof.builders.names import ModuleNames

names = ModuleNames(
    projections=("q_proj", "k_proj", "v_proj", "out_proj"),
    parts=("self_attn", "norm1", "linear1", "linear2", "norm2"),
    cross_attention="cross_attn",
    last_norm="norm3",
)
