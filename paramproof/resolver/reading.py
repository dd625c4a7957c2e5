"""How a configuration was read: what it says of the weights, what was assumed, what was ignored.

A count is right only for the model that was meant, so everything that was not taken from the file
as it is has a line: sizes that are absent, keys that nobody knows, code that is not run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from paramproof.catalogue import Entry
from paramproof.catalogue.configuration import QUANTIZATION
from paramproof.catalogue.files import library_of
from paramproof.catalogue.unknown_keys import looks_like_size
from paramproof.formulas.derivation import Derivation
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
    ``stored`` the type of the quantized weights; each is "" if the file does not tell.
    ``has_code`` is set if ``auto_map`` names custom code. ``read_as`` has the model types that
    were replaced, with the ones used instead. ``left_out`` has the keys that announce layers which
    the class does not build. ``library`` is the one whose model is counted. ``entry`` is the name
    of the catalogue's entry, or "" if there is none.
    """

    model_type: str
    class_name: str
    is_class_named: bool = True
    is_default: bool = False
    assumed: Mapping[str, int] = field(default_factory=dict)
    unknown: tuple[str, ...] = ()
    quantized: str = ""
    stored: str = ""
    dtype: str = ""
    has_code: bool = False
    read_as: Mapping[str, str] = field(default_factory=dict)
    left_out: Mapping[str, int] = field(default_factory=dict)
    library: str = "transformers"
    entry: str = ""

    @classmethod
    def of(
        cls, keys: Mapping[str, Any], found: Entry, *, is_default: bool = False
    ) -> ConfigReading:
        """Return how a configuration was read for which this entry was found."""
        return cls(
            model_type=str(keys["model_type"]),
            class_name=found.derivation.name,
            is_class_named=found.is_class_named,
            is_default=is_default,
            assumed=found.assumed,
            unknown=found.unknown,
            **_quantization(keys),
            dtype=_dtype(keys),
            has_code="auto_map" in keys,
            read_as=found.read_as,
            left_out=_left_out(keys, found.derivation),
            library=library_of(found.derivation.evidence.versions),
            entry=found.name,
        )

    def lines(self) -> Iterator[str]:
        if self.is_default:
            yield f"sizes: the defaults of {self.entry or self.model_type}, class {self.class_name}"
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
        if self.left_out:
            keys = ", ".join(f"{legible(key)} = {n}" for key, n in self.left_out.items())
            yield (
                "not counted: layers for multi-token prediction, which the file announces "
                f"({keys}) and {self.class_name} of {self.library} does not build"
            )

    def remarks(self) -> Iterator[str]:
        """Yield what was assumed and what was ignored; all keys that look like sizes are named."""
        for model_type, other in self.read_as.items():
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
        if self.has_code:
            yield (
                "auto_map names custom code, which is not run: counted as "
                f"{self.class_name} of {self.library}"
            )


def _left_out(keys: Mapping[str, Any], derivation: Derivation, before: str = "") -> dict[str, int]:
    """Return the keys that announce layers which a class does not build, with their number."""
    found: dict[str, int] = {}
    for key, value in keys.items():
        if isinstance(value, Mapping):
            found |= _left_out(value, derivation, f"{before}{key}.")
        elif type(value) is int and value > 0 and EXTRA_LAYERS.fullmatch(key):
            found[f"{before}{key}"] = value
    built = (derivation.fields.get(name, "") for name in derivation.formula.letters if found)
    return {} if any(EXTRA_LAYERS.fullmatch(leaf(one)) for one in built) else found


def _quantization(keys: Mapping[str, Any]) -> dict[str, Any]:
    """Return the quantization method and the type of the weights; "" if they are not named."""
    config = keys.get(QUANTIZATION) or keys.get("compression_config")
    if not isinstance(config, Mapping):
        return {}
    method = config.get("quant_method", config.get("quantization_method"))
    loaded = (bits for bits in (8, 4) if config.get(f"load_in_{bits}bit") is True)
    said = (one for one in (method, *loaded, config.get("bits")) if isinstance(one, str | int))
    return {
        "quantized": method if isinstance(method, str) and method else "unknown method",
        "stored": next((STORED[one] for one in said if one in STORED), ""),
    }


def _dtype(keys: Mapping[str, Any]) -> str:
    for part in (keys, keys.get("text_config")):
        if isinstance(part, Mapping):
            dtype = part.get("dtype") or part.get("torch_dtype")
            if isinstance(dtype, str):
                return dtype.removeprefix("torch.")
    return ""
