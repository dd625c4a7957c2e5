"""The parts of a model that a tensor belongs to, which conventions exclude or count alone.

The canonical name of a tensor tells its parts. The tensors of a derived formula have native names:
frameworks follow naming customs, not rules. If names and shapes leave a part undecided, it stays
undecided, and conventions that depend on it are refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from paramproof.formulas.path import LAYER, has_layer, leaf, parent, starred

if TYPE_CHECKING:
    from paramproof.formulas.expression import Expression

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


class NativeTensor(NamedTuple):
    names: tuple[str, ...]
    shape: tuple[Expression, ...]
    times: Expression


class NativeNames:
    def __init__(self, tensors: Iterable[NativeTensor], fields: Mapping[str, str]) -> None:
        known = list(tensors)
        self.rows = {name for name, field in fields.items() if ROWS.search(field)}
        named = [(name, one) for one in known for name in one.names]
        self.with_matrix = {parent(name) for name, one in named if len(one.shape) > 1}
        repeated = [(name, one) for name, one in named if has_layer(name) and one.times != 1]
        self.repeated = {_stack(name) for name, _ in repeated}
        self.stacks = {_stack(name) for name, one in repeated if one.times.constant is None}

    def parts(self, path: str, tensor: NativeTensor) -> TensorParts:
        names = [path, *tensor.names]
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

    def _is_norm(self, names: list[str], tensor: NativeTensor) -> bool | None:
        if any(re.fullmatch(NORM, _module(name)) for name in names):
            return True
        with_matrix = any(parent(name) in self.with_matrix for name in names)
        vector = len(tensor.shape) == 1 and all(leaf(name) in VECTORS_OF_NORMS for name in names)
        return None if vector and not with_matrix else False

    def _is_table(self, names: list[str], tensor: NativeTensor) -> bool | None:
        said = [_saying(name) for name in names]
        if len(tensor.shape) < 2 or any(leaf(name).endswith("bias") for name in names):
            return False
        if any(re.fullmatch(RELATIVE, name) for name in said):
            return False  # It biases the scores of attention, and no token is looked up in it.
        if any(re.fullmatch(TABLE, name) for name in said):
            return True
        if any(re.fullmatch(HEAD, name.split(".")[0]) for name in names):
            return False
        if tensor.shape[0].letters & self.rows:
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


def _is_bias(names: list[str], tensor: NativeTensor, norm: bool | None) -> bool | None:
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
