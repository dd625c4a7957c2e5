"""How PyTorch's modules name what they hold."""

from __future__ import annotations

from paramproof.builders.names import ModuleNames, NameTable, Storage


class TorchNames(ModuleNames):
    """Names in PyTorch, where attention holds queries, keys and values in one tensor."""

    def attention(self, native: str, canonical: str) -> NameTable:
        """Return the names of ``nn.MultiheadAttention``."""
        # Parameters of the module itself, so a bar stands where there is a dot.
        return {
            **fused(
                f"{native}.in_proj_", *(f"{canonical}.{one}" for one in ("query", "key", "value"))
            ),
            **self.dense(f"{native}.out_proj", f"{canonical}.output"),
        }


def fused(native: str, *canonical: str) -> NameTable:
    """Return the names of ``nn.Linear`` that holds several dense layers of the same input."""
    return {
        f"{native}weight": Storage(tuple(f"{one}.kernel" for one in canonical), ("transposed",)),
        f"{native}bias": Storage(tuple(f"{one}.bias" for one in canonical)),
    }


names = TorchNames(
    transposed=True,
    parts=("self_attn", "norm1", "linear1", "linear2", "norm2"),
    cross_attention="multihead_attn",
    last_norm="norm3",
)
