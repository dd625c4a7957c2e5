"""How a configuration was read: what it says of the weights, what was assumed, what was ignored.

A count is right only for the model that was meant, so everything that was not taken from the file
as it is has a line: sizes that are absent, keys that nobody knows, code that is not run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from paramproof.algebra.letters import sizes_in
from paramproof.catalogue import Entry
from paramproof.catalogue.configuration import QUANTIZATION
from paramproof.catalogue.files import library_of
from paramproof.catalogue.unknown_keys import looks_like_size
from paramproof.formulas.path import leaf
from paramproof.formulas.printing import legible, some_of

MAX_KEYS_NAMED = 8

MAX_SIZES_NAMED = 100
"""How many sizes a line names: more than any model has, except a file that is made to flood."""

EXTRA_LAYERS = re.compile(r"num_nextn_predict_layers|(num_)?mtp_\w*(layers|modules)")
"""Keys that announce layers for multi-token prediction."""

STORED: Mapping[object, str] = {
    **{"fp8": "float8", "fbgemm_fp8": "float8", "mxfp4": "int4"},
    **{8: "int8", 4: "int4"},
}
"""Types of quantized weights, by the method or the number of bits in a configuration."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigReading:
    """How a configuration was read.

    ``is_default`` is set if only a model type was named, without sizes. ``assumed`` has the default
    of each size that is absent, and ``unknown`` the keys that the configuration class does not
    have. ``quantized`` is the quantization method, ``dtype`` the type of the weights, and
    ``stored`` the type of the quantized weights; each is "" if the file does not tell. ``library``
    is the one whose model is counted.
    """

    model_type: str
    class_name: str
    is_class_named: bool
    assumed: Mapping[str, int]
    unknown: tuple[str, ...]
    quantized: str
    stored: str
    dtype: str
    library: str
    keys: Mapping[str, Any] = field(repr=False)
    entry: Entry = field(repr=False)
    is_default: bool

    @classmethod
    def of(
        cls, keys: Mapping[str, Any], found: Entry, *, is_default: bool = False
    ) -> ConfigReading:
        quantized, stored = _quantization(keys)
        return cls(
            model_type=str(keys["model_type"]),
            class_name=found.derivation.name,
            is_class_named=found.is_class_named,
            assumed=found.assumed,
            unknown=found.unknown,
            quantized=quantized,
            stored=stored,
            dtype=_dtype(keys),
            library=library_of(found.derivation.evidence.versions),
            keys=keys,
            entry=found,
            is_default=is_default,
        )

    def lines(self) -> Iterator[str]:
        if self.is_default:
            name = self.entry.name or self.model_type
            yield f"sizes: the defaults of {name}, class {self.class_name}"
        elif not self.is_class_named:
            usual = f"usual for {self.model_type}; the file names none"
            yield f"class: {self.class_name} ({usual})"
        if self.library != "transformers":
            yield (
                f"counted as {self.library} builds it, with its defaults: transformers does not "
                f"have the model type {self.model_type}"
            )
        if self.quantized:
            yield (
                f"quantized ({legible(self.quantized)}): counted as the model before quantization; "
                "the file stores weights in other shapes, with scales"
            )

    def beside_total(self) -> Iterator[str]:
        """Yield the layers that the keys announce and the class does not build."""
        one = self.entry.derivation
        left_out = [pair for pair in sizes_in(self.keys) if EXTRA_LAYERS.fullmatch(leaf(pair[0]))]
        built = (leaf(one.fields.get(name, "")) for name in one.formula.letters if left_out)
        if left_out and not any(map(EXTRA_LAYERS.fullmatch, built)):
            keys = ", ".join(f"{legible(key)} = {n}" for key, n in left_out)
            yield (
                "not counted: layers for multi-token prediction, which the file announces "
                f"({keys}) and {self.class_name} of {self.library} does not build"
            )

    def remarks(self) -> Iterator[str]:
        """Yield what was assumed and what was ignored; all keys that look like sizes are named."""
        for model_type, other in self.entry.read_as.items():
            yield (
                f"read as {other}, the type of the class that the file names: transformers does "
                f"not have the model type {legible(model_type)}"
            )
        if self.assumed and not self.is_default:
            sizes = [f"{legible(name)} = {size}" for name, size in self.assumed.items()]
            yield (
                f"sizes that are absent, for which the defaults of {self.model_type} are counted: "
                f"{some_of(sizes, MAX_SIZES_NAMED)}"
            )
        if self.unknown:
            sizes = [*filter(looks_like_size, self.unknown)][:MAX_SIZES_NAMED]
            keys = [*sizes, *(key for key in self.unknown if key not in sizes)]
            names = some_of([*map(legible, keys)], max(len(sizes), MAX_KEYS_NAMED))
            yield f"ignored keys, which {self.model_type} does not have: {names}"
        if "auto_map" in self.keys:
            yield (
                "auto_map names custom code, which is not run: counted as "
                f"{self.class_name} of {self.library}"
            )


def _quantization(keys: Mapping[str, Any]) -> tuple[str, str]:
    """Return the quantization method and the type of the weights; "" if they are not named."""
    config = keys.get(QUANTIZATION) or keys.get("compression_config")
    if not isinstance(config, Mapping):
        return "", ""
    method = config.get("quant_method", config.get("quantization_method"))
    loaded = (bits for bits in (8, 4) if config.get(f"load_in_{bits}bit") is True)
    said = (one for one in (method, *loaded, config.get("bits")) if isinstance(one, str | int))
    quantized = method if isinstance(method, str) and method else "unknown method"
    return quantized, next((STORED[one] for one in said if one in STORED), "")


def _dtype(keys: Mapping[str, Any]) -> str:
    for part in (keys, keys.get("text_config")):
        if isinstance(part, Mapping):
            dtype = part.get("dtype") or part.get("torch_dtype")
            if isinstance(dtype, str):
                return dtype.removeprefix("torch.")
    return ""
