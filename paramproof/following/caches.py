"""Bytes of a decoder's caches and states, as a formula of its tokens and its batch.

Each layer keeps the tensors of its law (``cache_laws``): keys and values, a latent of them, the
last inputs of a convolution, a state. A type without a law is refused, and so is a class that was
not measured. What a model keeps besides its cache, such as the output of an encoder, is not
counted, nor is what a layer holds while it computes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import prod
from typing import Any, NamedTuple

from paramproof.bytes import BITS, require_dtype
from paramproof.catalogue import Entry
from paramproof.following.answer import Answer
from paramproof.following.cache_laws import (
    TOKENS,
    Decoder,
    Law,
    measured,
    read_laws,
    sizes_of,
)
from paramproof.following.tensors import require_transformers
from paramproof.formulas.errors import InvalidInput, look_up, require_type
from paramproof.formulas.printing import shown
from paramproof.resolver import Model
from paramproof.tables import Column, Table, TableRow, numbers

CONVENTIONS = {
    "dynamic": "what transformers' DynamicCache keeps after these tokens",
    "static": "what transformers' StaticCache for these tokens reserves",
    "full": "room for every token in each layer of attention",
}

MOST = 10**12
"""The largest number of tokens, and the largest batch."""


class KeptTensor(NamedTuple):
    """A tensor that a layer keeps for each sequence, in numbers.

    ``window`` is None if it does not grow with the tokens, 0 if it grows with all of them, and
    otherwise the tokens after which it does not grow any more.
    """

    name: str
    sizes: tuple[int, ...]
    window: int | None
    dtype: str

    @property
    def token_text(self) -> str:
        """The tokens that it spans, as a formula: ``n``, ``min(n, 127)``, or "" for a state."""
        bounded = f"min(n, {self.window:,})" if self.window else "n"
        return "" if self.window is None else bounded

    def spanned(self, tokens: int) -> int:
        """Return the number of tokens that it spans; 1 for a state."""
        return 1 if self.window is None else min(tokens, self.window or tokens)

    @property
    def width(self) -> int:
        """Its bytes for a sequence, and for a token if it grows."""
        return prod(self.sizes) * BITS[self.dtype] // 8

    def __str__(self) -> str:
        axes = [f"{size:,}" for size in self.sizes]
        axes += [self.token_text] if self.token_text else []
        return f"{words(self.name)} {' × '.join(axes)}"


class LayerCache(NamedTuple):
    """The kind of a layer, and the tensors that it keeps."""

    kind: str
    tensors: tuple[KeptTensor, ...]

    def bytes(self, tokens: int) -> int:
        return sum(one.width * one.spanned(tokens) for one in self.tensors)


def cache(
    model: Model,
    tokens: int,
    batch: int = 1,
    dtype: str = "bfloat16",
    convention: str = "dynamic",
) -> Answer:
    """Return the bytes that ``batch`` sequences of ``tokens`` tokens keep, by kind of layer.

    ``dtype`` is the dtype of the activations; some states are float32 anyway. With a sliding window
    of w, the convention ``dynamic`` keeps min(n, w - 1) tokens, ``static`` min(n, w), and ``full``
    n. Raises ``InvalidInput`` if it is not known what the layers of a model keep.
    """
    for number, what in ((tokens, "the number of tokens"), (batch, "the batch")):
        require_type(number, int, what)
        if not 1 <= number <= MOST:
            raise InvalidInput(f"{what} is {shown(number)}: give a number from 1 to {MOST:,}")
    rule = look_up("convention", convention, {one: one for one in CONVENTIONS}, "")
    dtype = require_dtype(dtype)
    if BITS[dtype] < 8:
        raise InvalidInput(
            f"a cache of {dtype} has scales, too, which differ by library: give a dtype of at "
            "least a byte, such as float8"
        )
    *_, entry = require_transformers(model, "caches")
    try:
        layers = layer_caches(entry, dtype, rule)
    except InvalidInput as error:
        raise InvalidInput(error.reason, where=model.title) from None
    return _answer(layers, tokens, batch, dtype, rule)


def layer_caches(found: Entry, dtype: str, convention: str) -> list[LayerCache]:
    """Return what each layer of a model keeps. Raises ``InvalidInput`` where it is not known."""
    data, name = measured(), found.class_name
    if found.model_type in data["nothing"] and found.part.get("is_decoder") is not True:
        raise InvalidInput(f"{name} keeps no cache: it does not generate token by token")
    path = data["classes"].get(found.model_type, {}).get(name)
    if path is None or path not in found.parts:
        raise InvalidInput(f"what the layers of {name} keep is not known")
    decoder = Decoder(found, path)
    if flag := decoder.unusual_flag():
        value = shown(decoder.field(flag))
        raise InvalidInput(f"what layers of {name} keep with {flag}={value} is not known")
    laws = read_laws(data["layers"].get(decoder.model_type, {}))
    return kept_by_layers(decoder, laws, dtype, convention)


def kept_by_layers(
    decoder: Decoder, laws: Mapping[str, Law], dtype: str, convention: str
) -> list[LayerCache]:
    """Return what each layer keeps by its law. Raises ``InvalidInput`` where it has none."""
    if isinstance(alone := decoder.field("per_layer_config"), Mapping) and alone:
        raise InvalidInput("per_layer_config gives layers sizes of their own, which no law has")
    layers = []
    for number, kind in enumerate(decoder.kinds):
        if kind not in laws:
            what = f"layers of the kind {shown(kind)} of {decoder.model_type}"
            raise InvalidInput(f"what the {what} keep is not known")
        kept = []
        for name, law in laws[kind].items():
            sizes = [size for size in sizes_of(decoder, law, number) if size and size > 0]
            if len(sizes) < len(law.axes):
                raise InvalidInput(f"the sizes of {words(name)} of layer {number} are not known")
            if name == "keys" and (odd := int(sizes[-1] * decoder.rotated_share)) % 2:
                why = f"{odd} of {sizes[-1]} numbers in a head would be rotated, and pairs are"
                raise InvalidInput(f"what {kind} layers keep is not known: {why}")
            window = window_of(decoder, law.length, convention)
            kept.append(KeptTensor(name, tuple(sizes), window, law.dtype or dtype))
        layers.append(LayerCache(kind, tuple(kept)))
    return layers


def window_of(decoder: Decoder, length: str, convention: str) -> int | None:
    """Return after how many tokens a tensor does not grow any more, as in ``KeptTensor``."""
    if not length:
        return None
    if length == TOKENS:
        return 0
    window = decoder.whole(length)
    # With a window of one token transformers keeps all tokens: it slices the last 0, as ``[-0:]``.
    if window is None or window < 2:
        raise InvalidInput(f"{length} is {shown(window)}: caches of a window have 2 tokens or more")
    return 0 if convention == "full" else window - (convention == "dynamic")


def words(name: str) -> str:
    """Return the name of a tensor or of a kind of layer as words: ``conv states`` for the first."""
    return name.removesuffix(".0").replace("_", " ").replace(".", " ")


def _answer(layers: Sequence[LayerCache], tokens: int, batch: int, dtype: str, rule: str) -> Answer:
    rows = []
    for layer, times in Counter(layers).items():
        size = times * batch * layer.bytes(tokens)
        texts = (f"{one}{f' in {one.dtype}' * (one.dtype != dtype)}" for one in layer.tensors)
        what = "; ".join(texts) or "nothing of its own"
        rows.append(TableRow((words(layer.kind), times, what, size)))
    total = batch * sum(layer.bytes(tokens) for layer in layers)
    formula = formula_text(layers)
    columns = (
        Column("kind of layer", "kind"),
        numbers("layers", "layers"),
        Column("each keeps, for a sequence", "keeps"),
        numbers("bytes", "bytes"),
    )
    rows.append(TableRow(("in all", len(layers), "", total), is_bold=True, starts_section=True))
    heading = f"cache of {tokens:,} tokens, batch {batch:,}, {dtype}: {total:,} bytes"
    lines = (
        f"bytes of n tokens and a batch of b: {formula}",
        f"convention {rule}: {CONVENTIONS[rule]}",
    )
    data: dict[str, Any] = {"convention": rule, "tokens": tokens, "batch": batch, "dtype": dtype}
    table = Table.of(columns, rows)
    data |= {"bytes": total, "formula": formula, "layers": [*table.records()][:-1]}
    return Answer(heading, table, lines, data)


def formula_text(layers: Sequence[LayerCache]) -> str:
    """Return the bytes as a formula of n tokens and a batch of b: ``b·(24,576·n + 64)``."""
    terms: Counter[str] = Counter()
    for layer in layers:
        for one in layer.tensors:
            terms[one.token_text] += one.width
    # What grows comes first.
    ordered = sorted(terms.items(), key=lambda term: (not term[0], term[0] != "n"))
    texts = [f"{width:,}{'·' if length else ''}{length}" for length, width in ordered]
    total = " + ".join(texts) or "0"
    return f"b·({total})" if len(texts) > 1 else f"{total}·b"
