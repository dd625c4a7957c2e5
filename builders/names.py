"""Tables that map a framework's native paths to canonical tensors."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from paramproof.formulas.layout import STACKED
from paramproof.formulas.path import LAYER


class Storage(NamedTuple):
    """The canonical tensors in one stored array, and their layout, as in ``Weight``.

    ``parts`` is empty if the array has no canonical name.
    """

    parts: tuple[str, ...] = ()
    layout: tuple[str, ...] = ()


NUMBER = re.compile(r"(?<=\.)\d+(?=\.)")
"""The number of a layer in a path whose names are separated by dots."""

NameTable: TypeAlias = Mapping[str, Storage]
"""Native path to canonical parts and layout; ``*`` is the number of a layer in both."""


def storage_of(names: NameTable, path: str, number: re.Pattern[str] = NUMBER) -> Storage:
    """Return what the native ``path`` stores, empty if ``names`` does not list it.

    ``number`` matches the number of a layer in a native path.
    """
    parts, layout = names.get(number.sub(LAYER, path), Storage())
    found = number.search(path)
    if found:
        parts = tuple(part.replace(LAYER, found[0]) for part in parts)
    return Storage(parts, layout)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleNames:
    """How the modules of a framework name what they hold.

    Each method returns the names of one kind of module, by its native and its canonical path; in
    both, ``*`` is the number of a layer. ``scale`` and ``shift`` are those of a norm,
    ``projections`` the query, key, value and output of attention. ``parts`` of a layer are its
    attention, the norm of it, both dense layers, and the norm of these; in a decoder, the latter
    norm is that of the cross-attention, and ``last_norm`` follows.

    Dense kernels are (in, out), unless they are ``transposed``. ``heads`` are axes of their own if
    ``has_heads``. In a framework that ``is_stacked``, one array has the tensors of all layers.
    """

    separator: str = "."
    table_weight: str = "weight"
    kernel: str = "weight"
    bias: str = "bias"
    scale: str = "weight"
    shift: str = "bias"
    transposed: bool = False
    has_heads: bool = False
    is_stacked: bool = False
    projections: tuple[str, str, str, str] = ("query", "key", "value", "output")
    parts: tuple[str, str, str, str, str] = (
        *("attention", "attention_norm", "intermediate", "output"),
        "feed_forward_norm",
    )
    cross_attention: str = "cross_attention"
    last_norm: str = ""

    def table(self, native: str, canonical: str) -> NameTable:
        """Return the names of an embedding."""
        return self._held(native, {self.table_weight: self._storage(f"{canonical}.weight")})

    def dense(self, native: str, canonical: str) -> dict[str, Storage]:
        """Return the names of a dense layer."""
        return self._dense(native, canonical, "transposed" if self.transposed else "")

    def decoder(self, native: str, canonical: str) -> NameTable:
        """Return the names of a dense layer onto the vocabulary; its kernel is a token table."""
        layout = "" if self.transposed else "transposed"
        return self._dense(native, canonical, layout, kernel="weight")

    def norm(self, native: str, canonical: str) -> NameTable:
        """Return the names of a LayerNorm or an RMSNorm."""
        scale, shift = (self._storage(f"{canonical}.{name}") for name in ("scale", "bias"))
        return self._held(native, {self.scale: scale, self.shift: shift})

    def attention(self, native: str, canonical: str) -> NameTable:
        """Return the names of attention."""
        found: dict[str, Storage] = {}
        for own, name in zip(self.projections, ("query", "key", "value", "output"), strict=True):
            path = self.separator.join((native, own)), f"{canonical}.{name}"
            layout = ("heads_in", "") if name == "output" else ("heads_out", "heads")
            found |= self._dense(*path, *layout) if self.has_heads else self.dense(*path)
        return found

    def layer(self, native: str, canonical: str) -> NameTable:
        """Return the names of a layer of attention and a feed-forward network, with their norms."""
        attention, norm, intermediate, output, last = (
            self.separator.join((native, part)) for part in self.parts
        )
        return {
            **self.attention(attention, f"{canonical}.attention"),
            **self.norm(norm, f"{canonical}.attention_layer_norm"),
            **self.dense(intermediate, f"{canonical}.feed_forward.intermediate"),
            **self.dense(output, f"{canonical}.feed_forward.output"),
            **self.norm(last, f"{canonical}.feed_forward_layer_norm"),
        }

    def decoder_layer(self, native: str, canonical: str) -> NameTable:
        """Return the names of a layer with cross-attention, whose norm comes before the last."""
        cross, norm, last = (
            self.separator.join((native, part))
            for part in (self.cross_attention, self.parts[-1], self.last_norm)
        )
        return {
            **self.layer(native, canonical),
            **self.attention(cross, f"{canonical}.cross_attention"),
            **self.norm(norm, f"{canonical}.cross_attention_layer_norm"),
            **self.norm(last, f"{canonical}.feed_forward_layer_norm"),
        }

    def _dense(
        self, native: str, canonical: str, layout: str, of_bias: str = "", kernel: str = "kernel"
    ) -> dict[str, Storage]:
        weight = self._storage(f"{canonical}.{kernel}", layout)
        bias = self._storage(f"{canonical}.bias", of_bias)
        return self._held(native, {self.kernel: weight, self.bias: bias})

    def _held(self, native: str, held: Mapping[str, Storage]) -> dict[str, Storage]:
        return {self.separator.join((native, name)): storage for name, storage in held.items()}

    def _storage(self, canonical: str, layout: str = "") -> Storage:
        stacked = STACKED if self.is_stacked and LAYER in canonical.split(".") else ""
        return Storage((canonical,), tuple(axis for axis in (stacked, layout) if axis))
