"""The parts of a model that a tensor belongs to, which conventions exclude or count alone.

The canonical name of a tensor tells its parts. The tensors of a derived formula have native names:
frameworks follow naming customs, not rules. If names and shapes leave a part undecided, it stays
undecided, and conventions that depend on it are refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Literal, NamedTuple, TypeAlias

from paramproof.formulas.path import LAYER, has_layer, leaf, parent, starred
from paramproof.formulas.spec import Quantity
from paramproof.formulas.tensors import Tensor, TensorParts

PartName: TypeAlias = Literal["table", "position", "bias", "norm", "pooler", "head", "layer"]

TABLES = ("word_embeddings", "position_embeddings", "token_type_embeddings")

PARAMETERS = frozenset({"weight", "bias", "kernel", "scale", "gain", "gamma", "beta", "g", "b"})
"""Generic names of tensors; the name of the module says what such a tensor is."""

VECTORS_OF_NORMS = PARAMETERS - {"kernel"}

ROWS = re.compile(r"vocab|position|n_ctx|max_seq_len|type_vocab")
"""Config fields that are numbers of rows of a table."""

TABLE = (
    r"(word|tok|token|token_type|type|segment|pos|position|positional|input)s?_?emb(ed|edding)?s?"
    r"|embed_(tokens|positions|in)|w[tp]e|embeddings"
)
POSITION = r"pos(ition|itional)?s?_?emb.*|embed_positions|wpe"
RELATIVE = r".*(relative|rel_pos|position_bias).*"
PROJECTION = r".*(proj|patch|mapping|conv|dense|linear|fc|token$).*"
NORM = r".*norm.*|(ln|bn)(_?[a-z0-9]*)|.*_ln\d*"
HEAD = (
    r".*head|cls|.*classifier|score|qa_outputs|proj_out|embed_out|.*predictions|lm_loss"
    r"|vocab_(transform|layer_norm|projector)|logits_proj"
)


@cache
def parts_of(path: str) -> TensorParts:
    """Return the parts of the tensor with this canonical path, in any layer or in ``*``."""
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


class Storage(NamedTuple):
    names: tuple[str, ...]
    shape: tuple[Quantity, ...]
    times: Quantity
    trainable: bool


def native_tensors(
    storages: Sequence[Storage], source: str, fields: Mapping[str, str]
) -> list[Tensor]:
    """Return a tensor, with its parts, for each name of a storage: further ones tied to the first.

    ``fields`` has the name of each letter that is a size in the configuration.
    """
    known = _NativeNames(storages, fields)
    return [
        Tensor(
            path=path,
            shape=one.shape,
            source=source,
            trainable=one.trainable,
            tied_to=one.names[0] if place else None,
            repeat=one.times,
            present=1 if one.times else 0,
            parts=known.parts(path, one),
        )
        for one in storages
        for place, path in enumerate(one.names)
    ]


class _NativeNames:
    def __init__(self, storages: Sequence[Storage], fields: Mapping[str, str]) -> None:
        self.rows = {name for name, field in fields.items() if ROWS.search(field)}
        named = [(name, one) for one in storages for name in one.names]
        self.with_matrix = {parent(name) for name, one in named if len(one.shape) > 1}
        repeated = [(name, one) for name, one in named if has_layer(name) and one.times != 1]
        self.repeated = {_stack(name) for name, _ in repeated}
        # A stack has as many layers as a letter says; a live model has numbers only.
        varying = [name for name, one in repeated if getattr(one.times, "constant", None) is None]
        self.stacks = set(map(_stack, varying))

    def parts(self, path: str, tensor: Storage) -> TensorParts:
        names = tensor.names
        norm = self._is_norm(names, tensor)
        table = False if norm is not False else self._is_table(names, tensor)
        return TensorParts(
            table=table,
            position=table and any(re.fullmatch(POSITION, _saying(name)) for name in names),
            bias=_is_bias(names, tensor, norm),
            norm=norm,
            pooler="pooler" in path.split(".") or (None if "pool" in path else False),
            head=self._is_head(path, norm, table),
            layer=has_layer(path) and (_stack(path) in self.stacks or None),
        )

    def _is_norm(self, names: Sequence[str], tensor: Storage) -> bool | None:
        if any(re.fullmatch(NORM, _module(name)) for name in names):
            return True
        with_matrix = any(parent(name) in self.with_matrix for name in names)
        vector = len(tensor.shape) == 1 and all(leaf(name) in VECTORS_OF_NORMS for name in names)
        return None if vector and not with_matrix else False

    def _is_table(self, names: Sequence[str], tensor: Storage) -> bool | None:
        said = [_saying(name) for name in names]
        if len(tensor.shape) < 2 or any(leaf(name).endswith("bias") for name in names):
            return False
        if any(re.fullmatch(RELATIVE, name) for name in said):
            return False  # It biases the scores of attention, and no token is looked up in it.
        if any(re.fullmatch(TABLE, name) for name in said):
            return True
        if any(re.fullmatch(HEAD, name.split(".")[0]) for name in names):
            return False
        if self.rows and tensor.shape[0].letters & self.rows:
            return None
        if any(re.fullmatch(PROJECTION, name) for name in said):
            return False
        return None if any("emb" in name for name in said) else False

    def _is_head(self, path: str, norm: bool | None, table: bool | None) -> bool | None:
        first = path.split(".")[0]
        if re.fullmatch(HEAD, first):
            return True
        holds_layers = any(f"{stack}.".startswith(f"{first}.") for stack in self.repeated)
        known = norm or table or holds_layers or first == "pooler" or re.fullmatch(TABLE, first)
        return False if known else None


def _is_bias(names: Sequence[str], tensor: Storage, norm: bool | None) -> bool | None:
    if norm:
        return False
    if any(leaf(name).endswith("bias") or leaf(name).startswith("bias_") for name in names):
        return None if norm is None else True
    vector = len(tensor.shape) == 1 and all(leaf(name) in ("b", "beta") for name in names)
    return None if vector else False


def _stack(path: str) -> str:
    levels = path.split(".")
    return ".".join(levels[: levels.index(LAYER)])


def _module(path: str) -> str:
    """Return the lowercase name of the module that contains a tensor, without a trailing ``*``."""
    return leaf(parent(path).removesuffix(f".{LAYER}")).lower()


def _saying(path: str) -> str:
    """Return the name of a tensor, or of its module if the tensor's own name is generic."""
    own = leaf(path).lower()
    return _module(path) if own in PARAMETERS or own == LAYER else own
