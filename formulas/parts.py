"""The parts of a model that a tensor belongs to, which conventions exclude or count alone."""

from __future__ import annotations

from functools import cache
from typing import Literal, NamedTuple, TypeAlias

from paramproof.formulas.path import LAYER, leaf, starred

PartName: TypeAlias = Literal["table", "position", "bias", "norm", "pooler", "head", "layer"]

TABLES = ("word_embeddings", "position_embeddings", "token_type_embeddings")


class TensorParts(NamedTuple):
    """Whether a tensor belongs to each of these parts; None if that cannot be decided.

    A ``table`` is an embedding of tokens, positions or types; a ``bias`` is that of a projection.
    """

    table: bool | None = False
    position: bool | None = False
    bias: bool | None = False
    norm: bool | None = False
    pooler: bool | None = False
    head: bool | None = False
    layer: bool | None = False


@cache
def parts_of(path: str) -> TensorParts:
    """Return the parts that the tensor with this canonical path belongs to.

    The number of a layer and ``*`` give the same parts.
    """
    levels = starred(path).split(".")
    norm = any(level.endswith("norm") for level in levels)
    return TensorParts(
        table=any(level in TABLES for level in levels),
        position="position_embeddings" in levels,
        bias=leaf(path) == "bias" and not norm,
        norm=norm,
        pooler=levels[0] == "pooler",
        head=levels[0].endswith("_head"),
        layer=LAYER in levels,
    )
