"""Linen's own layers with other options, by their names."""

from contextlib import AbstractContextManager
from functools import partial
from typing import Any
from unittest import mock

from flax import linen as nn

from paramproof.builders.frameworks import flax_linen
from paramproof.builders.frameworks.flax_linen.models import Encoder
from paramproof.formulas import EncoderSpec
from tests.faults.everywhere.patches import constructed

Attention = nn.MultiHeadDotProductAttention


class WithFinalNorm(Encoder):
    """A norm after the last layer."""

    @nn.compact
    def __call__(self, *inputs: Any) -> dict[str, Any]:
        outputs = super().__call__(*inputs)
        return outputs | {"sequence": nn.LayerNorm(name="final_norm")(outputs["sequence"])}


class WithFrozenTable(flax_linen.LinenModel):
    """The token table is in a separate collection, where frozen variables belong."""

    def __init__(self, module: nn.Module, variables: Any) -> None:
        trainable = dict(variables["params"])
        frozen = {"word_embeddings": trainable.pop("word_embeddings")}
        super().__init__(module, {"params": trainable, "constants": frozen})


def with_final_norm() -> AbstractContextManager[Any]:
    return mock.patch.dict(flax_linen.MODULES, {EncoderSpec: WithFinalNorm})


def with_frozen_table() -> AbstractContextManager[Any]:
    return mock.patch.object(flax_linen, "LinenModel", WithFrozenTable)


PLANTS = {
    "query bias dropped": partial(constructed, nn.DenseGeneral, "query", use_bias=False),
    "attention biases lost": partial(constructed, Attention, "attention", use_bias=False),
    "intermediate bias dropped": partial(constructed, nn.Dense, "intermediate", use_bias=False),
    "pooler bias dropped": partial(constructed, nn.Dense, "pooler", use_bias=False),
    "norms without parameters": partial(
        constructed, nn.LayerNorm, "embeddings_norm", use_bias=False, use_scale=False
    ),
    "final norm added": with_final_norm,
    "token table frozen": with_frozen_table,
}
