"""Tables that map a framework's native paths to canonical tensors.

The models of every framework have the same parts, and mostly under the same names: what differs is
how a framework's own layers name what they hold. ``ModuleNames`` states that once per framework,
and gives the table of each family.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from paramproof.formulas.layout import STACKED
from paramproof.formulas.path import LAYER
from paramproof.formulas.spec import EncoderDecoderSpec, EncoderSpec, GPTSpec, LlamaSpec, Spec


class Storage(NamedTuple):
    """The canonical tensors in one stored array, and their layout, as in ``Weight``.

    ``parts`` is empty if the array has no canonical name.
    """

    parts: tuple[str, ...] = ()
    layout: tuple[str, ...] = ()


NUMBER = re.compile(r"(?<=\.)\d+(?=\.)")
"""The number of a layer in a path whose names are separated by dots."""

NUMBER_AFTER_BAR = re.compile(r"(?<=layers_)\d+(?=/)")
"""The number of a layer in a path such as ``layers_0/output/kernel``."""

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
    attention, the norm of it, both dense layers, and the norm of these. In a decoder,
    ``decoder_norms`` are those of the cross-attention and of the dense layers.

    Dense kernels are (in, out), unless they are ``transposed``. ``heads`` are axes of their own if
    ``has_heads``. In a framework that ``is_stacked``, one array has the tensors of all layers.
    """

    separator: str = "."
    stack: str = "layers.*"
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
    decoder_attention: str = "attention"
    cross_attention: str = "cross_attention"
    decoder_norms: tuple[str, str] = ("cross_attention_norm", "feed_forward_norm")
    mlm_head: str = "mlm_head."
    lm_head: str = "lm_head"

    def families(self) -> dict[type[Spec], NameTable]:
        """Return the names of the models of all families in this package, by spec class."""
        return {
            EncoderSpec: self._encoder(),
            EncoderDecoderSpec: self._encoder_decoder(),
            GPTSpec: self._gpt(),
            LlamaSpec: self._llama(),
        }

    def _encoder(self) -> NameTable:
        tables = "word_embeddings", "position_embeddings", "token_type_embeddings"
        head = self.mlm_head
        return {
            **{k: v for name in tables for k, v in self.table(name, f"embeddings.{name}").items()},
            **self.norm("embeddings_norm", "embeddings.layer_norm"),
            **self.layer(self.stack, "layers.*"),
            **self.dense("pooler", "pooler"),
            **self.dense(f"{head}dense", "mlm_head.dense"),
            **self.norm(f"{head}norm", "mlm_head.layer_norm"),
            **self.decoder(f"{head}decoder", "mlm_head.decoder"),
            f"{head}bias": Storage(("mlm_head.decoder.bias",)),
            **self.dense("nsp", "nsp_head.classifier"),
        }

    def _encoder_decoder(self) -> NameTable:
        return {
            **self.table("source_words", "encoder.embeddings.word_embeddings"),
            **self.table("source_positions", "encoder.embeddings.position_embeddings"),
            **self.layer(f"encoder_{self.stack}", "encoder.layers.*"),
            **self.table("target_words", "decoder.embeddings.word_embeddings"),
            **self.table("target_positions", "decoder.embeddings.position_embeddings"),
            **self.decoder_layer(f"decoder_{self.stack}", "decoder.layers.*"),
            **self.decoder(self.lm_head, "lm_head"),
        }

    def _gpt(self) -> NameTable:
        return {
            **self.table("word_embeddings", "embeddings.word_embeddings"),
            **self.table("position_embeddings", "embeddings.position_embeddings"),
            **self.layer(self.stack, "layers.*"),
            **self.norm("final_norm", "final_layer_norm"),
            **self.decoder(self.lm_head, "lm_head"),
        }

    def _llama(self) -> NameTable:
        attention, attention_norm, feed_forward, feed_forward_norm = (
            self.separator.join((self.stack, name))
            for name in ("attention", "attention_norm", "feed_forward", "feed_forward_norm")
        )
        return {
            **self.table("word_embeddings", "embeddings.word_embeddings"),
            **self.rms_norm(attention_norm, "layers.*.attention_norm"),
            **self.grouped_attention(attention, "layers.*.attention"),
            **self.rms_norm(feed_forward_norm, "layers.*.feed_forward_norm"),
            **self.gated_feed_forward(feed_forward, "layers.*.feed_forward"),
            **self.rms_norm("final_norm", "final_norm"),
            **self.decoder(self.lm_head, "lm_head"),
        }

    def table(self, native: str, canonical: str) -> NameTable:
        return self._held(native, {self.table_weight: self._storage(f"{canonical}.weight")})

    def dense(self, native: str, canonical: str) -> dict[str, Storage]:
        return self._dense(native, canonical, "transposed" if self.transposed else "")

    def decoder(self, native: str, canonical: str) -> NameTable:
        """Return the names of a dense layer onto the vocabulary; its kernel is a token table."""
        layout = "" if self.transposed else "transposed"
        return self._dense(native, canonical, layout, kernel="weight")

    def norm(self, native: str, canonical: str) -> NameTable:
        scale, shift = (self._storage(f"{canonical}.{name}") for name in ("scale", "bias"))
        return self._held(native, {self.scale: scale, self.shift: shift})

    def rms_norm(self, native: str, canonical: str) -> NameTable:
        return self.norm(native, canonical)

    def attention(self, native: str, canonical: str) -> NameTable:
        found: dict[str, Storage] = {}
        for own, name in zip(self.projections, ("query", "key", "value", "output"), strict=True):
            path = self.separator.join((native, own)), f"{canonical}.{name}"
            layout = ("heads_in", "") if name == "output" else ("heads_out", "heads")
            found |= self._dense(*path, *layout) if self.has_heads else self.dense(*path)
        return found

    def grouped_attention(self, native: str, canonical: str) -> NameTable:
        return self.attention(native, canonical)

    def gated_feed_forward(self, native: str, canonical: str) -> NameTable:
        found: dict[str, Storage] = {}
        for name in ("gate", "up", "down"):
            found |= self.dense(self.separator.join((native, name)), f"{canonical}.{name}")
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
        attention, cross, norm, last = (
            self.separator.join((native, part))
            for part in (self.decoder_attention, self.cross_attention, *self.decoder_norms)
        )
        return {
            **self.layer(native, canonical),
            **self.attention(attention, f"{canonical}.attention"),
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
