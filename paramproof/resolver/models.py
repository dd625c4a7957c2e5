"""Requested and resolved models: how a configuration was read, a formula's status, name maps.

A count is right only for the model that was meant, so everything that was not taken from the
configuration as it is has a line: sizes that are absent, keys that nobody knows, code that is not
run. So has everything that the total leaves out, and where the sizes and the formula come from.

What a family adds to a configuration of transformers is a name map: canonical names, and a builder
for every framework. The formula and the names that a configuration is counted with stay those of
its class. Weights that were counted, of a live model or a file, are a model without a formula.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from paramproof.algebra.letters import sizes_in
from paramproof.algebra.symbols import FamilyArchitecture
from paramproof.catalogue import Entry, Head
from paramproof.catalogue.names import QUANTIZATION, TRANSFORMERS
from paramproof.formulas import FAMILIES, Inventory, Spec, Weight, inventory
from paramproof.formulas.architecture import Architecture
from paramproof.formulas.conventions import size
from paramproof.formulas.derivation import PROVED
from paramproof.formulas.errors import InvalidInput
from paramproof.formulas.expression import Expression, expression, sum_of, text
from paramproof.formulas.models import Published
from paramproof.formulas.parts import Storage, native_tensors
from paramproof.formulas.path import leaf, starred
from paramproof.formulas.printing import legible, path_text, some_of
from paramproof.key_names import looks_like_size
from paramproof.sources import data_file

MAX_NAMED = 4
"""How many tensors or reasons a line names."""

COUNTED = "counted"
"""The status of a live model or a file, whose weights were counted without a formula."""

NO_FORMULA = (
    "has weights, and no formula: give its config.json, or let paramproof count print its tree"
)

MAX_KEYS_NAMED = 8

MAX_SIZES_NAMED = 100
"""How many sizes a line names: more than any model has, except a file that is made to flood."""

EXTRA_LAYERS = re.compile(r"num_nextn_predict_layers|(num_)?mtp_\w*(layers|modules)")
"""Keys that announce layers for multi-token prediction."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigReading:
    """How a configuration was read.

    ``is_default`` is set if only a model type was named, without sizes. ``assumed`` has the default
    of each size that is absent, and ``unknown`` the keys that the configuration class does not
    have. ``quantized`` is the quantization method, and ``dtype`` the type of the weights before
    it; each is "" if the file does not tell. ``library`` is the one whose model is counted.
    ``read_as`` has each unknown model type's known one.
    """

    model_type: str
    class_name: str
    is_class_named: bool
    assumed: Mapping[str, int]
    unknown: tuple[str, ...]
    quantized: str
    dtype: str
    library: str
    keys: Mapping[str, Any] = field(repr=False)
    read_as: Mapping[str, str] = field(default_factory=dict)
    is_default: bool = False

    @classmethod
    def of(cls, keys: Mapping[str, Any], found: Entry | None, **how: Any) -> ConfigReading:
        """Return how a configuration was read; ``how`` has the class of a derived formula."""
        known: dict[str, Any] = {"assumed": {}, "unknown": (), "library": TRANSFORMERS}
        names = "class_name is_class_named assumed unknown library read_as" if found else ""
        known |= {name: getattr(found, name) for name in names.split()}
        return cls(
            model_type=str(keys["model_type"]),
            quantized=_quantization(keys),
            dtype=_dtype(keys),
            keys=keys,
            **(known | how),
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
        if "auto_map" in self.keys:
            yield (
                "auto_map names custom code, which is not run: counted as "
                f"{self.class_name} of {self.library}"
            )


def _quantization(keys: Mapping[str, Any]) -> str:
    """Return the quantization method, "" if the configuration has none."""
    config = keys.get(QUANTIZATION) or keys.get("compression_config")
    if not isinstance(config, Mapping):
        return ""
    method = config.get("quant_method", config.get("quantization_method"))
    return method if isinstance(method, str) and method else "unknown method"


def _dtype(keys: Mapping[str, Any]) -> str:
    parts = (one for one in (keys, keys.get("text_config")) if isinstance(one, Mapping))
    said = (part.get("dtype") or part.get("torch_dtype") for part in parts)
    return next((one.removeprefix("torch.") for one in said if isinstance(one, str)), "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A model that a user requests, by its ``architecture``, its ``keys`` or a ``reference``.

    ``keys`` are those of a configuration, as transformers spells them; ``is_default`` is set if
    they are only a model type, and perhaps a class. ``reference`` is MODULE:FUNCTION. ``named`` has
    the published facts about a named model. ``notes`` say how the user's words or keys were read,
    and ``lines`` what is known of counted weights.
    """

    name: str
    architecture: Architecture | None = None
    keys: Mapping[str, Any] | None = None
    reference: str = ""
    is_default: bool = False
    named: Published | None = None
    notes: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Model(Request):
    """A model at its own sizes: the request for it, its architecture, and what is known of it.

    ``reading`` is how its configuration was read. ``seconds`` is the time that a derivation took,
    or None if there was none. ``heads`` are the heads that transformers ties when it builds the
    model, although the configuration says that they are not tied.
    """

    architecture: Architecture
    reading: ConfigReading | None = None
    seconds: float | None = None
    heads: tuple[Head, ...] = ()

    @property
    def title(self) -> str:
        return path_text(self.name)

    @property
    def has_formula(self) -> bool:
        return self.status != COUNTED

    @property
    def names(self) -> FamilyArchitecture | None:
        """Its name map: the same tensors under the canonical names of a family, with its spec.

        A model whose class no family describes has none. ``architecture`` has the names of the
        class, unless the user asked for a spec.
        """
        if isinstance(self.architecture, FamilyArchitecture):
            return self.architecture
        spec = spec_of(self.architecture, self.keys) if self.keys else None
        return FamilyArchitecture.of(spec) if spec else None

    @property
    def canonical(self) -> Architecture:
        """Its tensors under canonical names, or under those of its class if it has no name map."""
        return self.names or self.architecture

    @property
    def family(self) -> str:
        return names.family if (names := self.names) else ""

    @property
    def class_name(self) -> str:
        """The class whose formula it has, or "" if it has none or one that is written by hand."""
        return self.architecture.name if self.has_formula and not self.architecture.family else ""

    @property
    def sizes(self) -> Mapping[str, int]:
        return self.architecture.sizes

    @property
    def status(self) -> str:
        return self.architecture.status

    @property
    def conditions(self) -> tuple[str, ...]:
        return tuple(str(one.condition) for one in self.architecture.conditions)

    def inventory(self) -> Inventory:
        return self.architecture.inventory(self.sizes)

    @property
    def as_loaded(self) -> Architecture:
        return self.architecture.untied(one.path for one in self.heads)

    @property
    def loaded(self) -> int:
        return self.as_loaded.formula.evaluate(self.sizes)

    def size_of_head(self, head: Head) -> Expression:
        """Return the number of entries of one of the ``heads``."""
        tensors = self.as_loaded.inventory()
        return sum_of(one.repeat * one.size for one in tensors if one.path == head.path)

    @property
    def reasons(self) -> tuple[str, ...]:
        """The reasons why its formula is not proved at its own sizes; empty if it is."""
        return self.architecture.reasons_at(self.sizes)

    def remarks(self) -> Iterator[str]:
        # Nothing was assumed of a named model, and all that is ignored in it changes nothing.
        yield from self.notes
        yield from self.reading.remarks() if self.reading and not self.named else ()

    def origin(self) -> Iterator[str]:
        yield from self.lines
        if named := self.named:
            what = f" for {named.component}" if named.component else ""
            yield f"published{what}: {named.published} ({named.source})"
            if named.active:
                yield f"published as active: {named.active} ({named.active_source or named.source})"
            yield f"sizes from: {named.config}"
        if read := self.reading:
            if read.is_default:
                yield f"sizes: the defaults of {read.model_type}, class {read.class_name}"
            elif not read.is_class_named:
                usual = f"usual for {read.model_type}; the file names none"
                yield f"class: {read.class_name} ({usual})"
            if read.library != "transformers":
                yield (
                    f"counted as {read.library} builds it, with its defaults: transformers does "
                    f"not have the model type {read.model_type}"
                )
            if read.quantized:
                yield (
                    f"quantized ({legible(read.quantized)}): counted as the model before "
                    "quantization; for the bytes of the file, ask --stored config"
                )
        if self.class_name:
            made = self.architecture.evidence.versions.items()
            versions = ", ".join(f"{package} {version}" for package, version in made)
            how = "" if self.reading else ", derived before"
            how = how if self.seconds is None else f", derived in {self.seconds:.1f} s"
            name = legible(self.architecture.name)
            yield f"formula: {name}{how} ({versions}): {self.status}"
        if reasons := self.reasons:
            what = "not proved at these sizes" if self.status == PROVED else self.status
            yield f"{what}: {some_of(reasons, MAX_NAMED, '; ')}"

    def beside_total(self) -> Iterator[str]:
        """Yield what the total leaves out: frozen, unbuilt, and untied by loading."""
        own = self.inventory()
        if frozen := [*own.frozen()]:
            names = some_of([legible(one.path) for one in frozen], MAX_NAMED)
            yield f"frozen: {size(own.frozen()):,} more are not trainable ({names})"
        keys, one = self.reading.keys if self.reading else {}, self.architecture
        left_out = [pair for pair in sizes_in(keys) if EXTRA_LAYERS.fullmatch(leaf(pair[0]))]
        built = (leaf(one.fields.get(name, "")) for name in one.formula.letters if left_out)
        if self.reading and left_out and not any(map(EXTRA_LAYERS.fullmatch, built)):
            announced = ", ".join(f"{legible(key)} = {n}" for key, n in left_out)
            yield (
                "not counted: layers for multi-token prediction, which the file announces "
                f"({announced}) and {self.class_name} of {self.reading.library} does not build"
            )
        if self.heads:
            more = sum_of(map(self.size_of_head, self.heads))
            names = " and ".join(one.path for one in self.heads)
            given = "the configuration says {}: false"
            absent = "{} is absent, and false by default"
            reasons = ((given if one.is_given else absent).format(one.field) for one in self.heads)
            yield (
                f"loaded: {self.loaded:,} (+{text(more)} = {more.evaluate(self.sizes):,}): "
                f"{' and '.join(dict.fromkeys(reasons))}, and from_pretrained leaves {names} "
                "untied if the checkpoint has other values for it; the model as built ties it"
            )


@dataclass(frozen=True)
class CountedWeights(Architecture):
    """The weights of a live model or of a file, in numbers: its formula is the total."""

    name: str
    named: Inventory

    sizes: Mapping[str, int] = field(default_factory=dict)
    fields: Mapping[str, str] = field(default_factory=dict)
    conditions = ()
    fixed = ()
    spec = None
    status = COUNTED

    @classmethod
    def of(cls, name: str, weights: Iterable[Weight]) -> CountedWeights:
        """Return weights as tensors, those of one shape in several layers as one."""
        often = Counter(
            (tuple(map(starred, (one.path, *one.aliases))), one.shape, one.trainable)
            for one in weights
        )
        storages = [
            Storage(names, shape, n, trainable) for (names, shape, trainable), n in often.items()
        ]
        return cls(name, Inventory({}, tuple(native_tensors(storages, "live", {}))))

    @property
    def formula(self) -> Expression:
        return expression(self.named.total())

    def inventory(self, sizes: Mapping[str, int] | None = None) -> Inventory:
        return self.named

    def at(self, sizes: Mapping[str, int]) -> CountedWeights:
        raise InvalidInput(NO_FORMULA, where=self.name)


def described_types() -> dict[str, Any]:
    return data_file("resolver/families.toml")


def spec_of(one: Architecture, keys: Mapping[str, Any]) -> Spec | None:
    """Return the spec of a configuration, None if no family has its class and its parameters."""
    described = described_types().get(str(keys["model_type"]), {"classes": {}})
    if one.name not in described["classes"]:
        return None
    family, names = FAMILIES[described["family"]], described.get("names", {})
    given = {names.get(field, field): one.sizes[name] for name, field in one.fields.items()}
    # n_inner of GPT-2 is null in most files.
    sizes = {"intermediate_size": 4 * given["hidden_size"], **given}
    sizes = {name: size for name, size in sizes.items() if name in family.field_names}
    parts, tied = described["classes"][one.name], keys.get("tie_word_embeddings")
    # The configuration ties the head, or the default of its type.
    is_tied = keys["model_type"] != "llama" if tied is None else tied is True
    try:
        spec = family.spec(**sizes, **{"tie_word_embeddings": is_tied, **parts})
    except (TypeError, ValueError):  # A model without layers has no size of theirs.
        return None
    own = one.inventory(one.sizes).total()
    return spec if inventory(spec.letters()).total() == own else None
