"""Measured laws for what a decoder's layer keeps, over its configuration and its weights.

A configuration names the kind of each layer. Each kind has a law: the tensors that a layer
keeps, their sizes as expressions over fields of the configuration or axes of the layer's own
weights, and how many tokens they span. ``caches.json`` has the laws of each model type. They are
measured, not written: ``python -m sweep.caches`` tries all expressions of a small grammar on the
caches that transformers' models leave after a forward, at random sizes, and records those that
agree each time. If several agree, all of them are recorded, and must agree here, too.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from paramproof.catalogue import Entry, entry
from paramproof.catalogue.entries import with_key
from paramproof.catalogue.program import Part
from paramproof.formulas.path import joined

FILE = Path(__file__).with_name("caches.json")

TOKENS = "tokens"
"""The length of what is kept of every token."""

WINDOWS = {
    "sliding_attention": "sliding_window",
    "chunked_attention": "attention_chunk_size",
}
"""The fields that make layers one of these kinds, if a configuration does not name the kinds."""

NOTHING = "nothing"
"""The kind of layers that keep nothing, such as those that read what another layer keeps."""

WITHOUT_CACHE = ("moe", "mlp")

SHARES = ("partial_rotary_factor", "rotary_pct")
"""Keys for the share of a head that is rotated."""

Size: TypeAlias = int | str | list[Any]
"""A number, a name, or an operation on two sizes, as ``["//", "hidden_size", "num_heads"]``.

A name is a field of the decoder's configuration, such as ``attn_config.kv_n_heads``, or an axis of
a weight of the layer, such as ``conv1d.weight[0]``.
"""


class Kept(NamedTuple):
    """A tensor that a layer keeps for each sequence: its length, its dtype, and its other axes.

    ``length`` is ``TOKENS``, the field with the width of a window, or "" if the tensor does not
    grow. ``dtype`` is "" for that of the model. Each axis has the sizes that agreed.
    """

    length: str
    dtype: str
    axes: tuple[tuple[Size, ...], ...]


Law: TypeAlias = Mapping[str, Kept]
"""The tensors that a layer of a kind keeps, by their names."""


class Decoder:
    """The part of a configuration that keeps a cache, and the weights of its layers."""

    def __init__(self, found: Entry, path: str) -> None:
        self.found, self.path, self.part = found, path, found.parts[path]

    @property
    def model_type(self) -> str:
        return str(self.part.get("model_type"))

    @cached_property
    def weights(self) -> dict[tuple[int, str], tuple[int, ...] | None]:
        """The shapes of weights by layer and name; None if two stacks have one of that name."""
        shapes: dict[tuple[int, str], tuple[int, ...] | None] = {}
        for one in self.found.part.tensors(self.found.class_name):
            names = one.path.split(".")
            numbers = [place for place, name in enumerate(names) if name.isdigit()]
            if len(numbers) == 1 and one.shape:
                key = int(names[numbers[0]]), ".".join(names[numbers[0] + 1 :])
                shapes[key] = None if key in shapes else one.shape
        return shapes

    def unusual_flag(self) -> str | None:
        """Return a flag that is not as by default and gives weights of layers other shapes.

        Nearly all models are measured with their flags as by default. A flag that changes what a
        layer keeps changes its weights, too, as ``multi_query`` does those of GPT BigCode.
        """
        for name, usual in self.part.program.defaults.items():
            if type(usual) is bool and self.part.get(name) is (not usual):
                keys = with_key(self.found.part, joined(self.path, name), usual)
                other = Decoder(entry(keys, self.found.class_name), self.path).weights
                both = [(shape, other.get(key)) for key, shape in self.weights.items()]
                if any(one and another and one != another for one, another in both):
                    return str(name)
        return None

    def field(self, name: str) -> Any:
        value: Any = self.part
        for one in name.split("."):
            value = value.get(one) if isinstance(value, Part | Mapping) else None
        return value

    def whole(self, name: str) -> int | None:
        """Return the value of a field that is a whole number, None for any other."""
        value = self.field(name)
        return value if type(value) is int else None

    @cached_property
    def rotated_share(self) -> float:
        """The share of a head that is rotated: as the keys say, or as the type does by default."""
        keys = self.part.keys
        every = (keys, keys.get("rope_parameters"), keys.get("rope_scaling"))
        rules = (one for one in every if isinstance(one, Mapping))
        said = (rule.get(name) for rule in rules for name in SHARES)
        usual: float = measured()["rotated"].get(self.model_type, 1)
        return next((one for one in said if isinstance(one, int | float)), usual)

    @cached_property
    def kinds(self) -> list[str]:
        """The kind of each layer, as transformers chooses a class of cache for it."""
        kinds = self.field("layer_types")
        if not isinstance(kinds, list):
            bounded = (kind for kind, name in WINDOWS.items() if self.whole(name) is not None)
            attention = next(bounded, "full_attention")
            # A class may compute the kinds in a way that its program does not follow.
            convolved = {at for (at, _), shape in self.weights.items() if is_depthwise(shape)}
            number = self.whole("num_hidden_layers") or 0
            kinds = ["linear_attention" if at in convolved else attention for at in range(number)]
        own = len(kinds) - (self.whole("num_kv_shared_layers") or 0)
        return [
            NOTHING if kind in WITHOUT_CACHE or place >= own else kind
            for place, kind in enumerate(kinds)
        ]

    def value(self, size: Size, layer: int) -> int | None:
        """Return the value of a size in a layer, None if there is none."""
        if isinstance(size, int):
            return size
        if isinstance(size, str):
            name, bracket, axis = size.partition("[")
            if not bracket:
                return self.whole(name)
            shape, place = self.weights.get((layer, name)), int(axis[:-1])
            return shape[place] if shape and place < len(shape) else None
        operation, *sides = size
        one, other = (self.value(side, layer) for side in sides)
        if one is None or other is None or (operation == "//" and not other):
            return None
        if operation == "//":
            return one // other
        return {"+": one + other, "-": one - other, "*": one * other}[operation]


def is_depthwise(shape: tuple[int, ...] | None) -> bool:
    """Return whether a weight is that of a convolution over tokens, one channel at a time."""
    return shape is not None and len(shape) == 3 and shape[1] == 1


@cache
def measured() -> dict[str, Any]:
    """Return the data: the classes that were measured, the laws, and the types without a cache."""
    data: dict[str, Any] = json.loads(FILE.read_text("utf-8"))
    return data


def read_laws(kinds: Mapping[str, Any]) -> dict[str, Law]:
    """Return the laws of a decoder's layers by kind, from their data."""
    return {
        kind: {
            name: Kept(length, dtype, tuple(map(tuple, axes)))
            for name, (length, dtype, *axes) in tensors.items()
        }
        for kind, tensors in kinds.items()
    }


def sizes_of(decoder: Decoder, kept: Kept, layer: int) -> Iterator[int | None]:
    """Yield the size of each axis; None where the sizes that agreed do not, or have no value."""
    for axis in kept.axes:
        values = {decoder.value(size, layer) for size in axis} - {None}
        yield values.pop() if len(values) == 1 else None
