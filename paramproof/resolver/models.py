"""A model that was resolved: its tensors, its sources, and how sure its formula is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from paramproof.catalogue import Head
from paramproof.catalogue.heads import as_loaded
from paramproof.formulas import Inventory, Spec, Tensor, inventory
from paramproof.formulas.derivation import Derivation
from paramproof.formulas.expression import Expression
from paramproof.formulas.models import NamedConfiguration, Published
from paramproof.formulas.notation import text
from paramproof.formulas.printing import legible, path_text, some_of
from paramproof.sources.live.weight import LiveWeight

MAX_NAMED = 4
"""Buffers and reasons that a line names."""

MAX_KEYS_NAMED = 8

COUNTED = "counted"
"""The status of a live model: its weights were counted, and it has no formula."""

WRITTEN = "written"
"""The status of a formula that was written by hand, and is compared with every framework."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigReading:
    """How a configuration was read.

    ``is_default`` says that a model type was named, and no size given. ``assumed`` has the type's
    default of each size that is absent, ``unknown`` the keys that the configuration class does not
    have. ``quantized`` names the method by which the file's weights are stored, "" for none;
    ``dtype`` the type of its numbers and ``stored`` that of its quantized weights, each "" where
    the file does not say. ``has_code`` says that ``auto_map`` names code beside the file.
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

    def lines(self) -> Iterator[str]:
        """Yield what was assumed, a line for each kind."""
        if self.is_default:
            yield f"sizes: the defaults of {self.model_type}, class {self.class_name}"
        elif not self.is_class_named:
            yield f"class: {self.class_name}, as usual of {self.model_type}: the file names none"
        for model_type, other in self.read_as.items():
            yield (
                f"read as {other}, whose class the file names: transformers does not have "
                f"the model type {legible(model_type)}"
            )
        if self.assumed and not self.is_default:
            sizes = [f"{legible(name)} = {size}" for name, size in self.assumed.items()]
            absent = some_of(sizes, MAX_KEYS_NAMED)
            yield f"assumed, as absent from the file: {absent} (defaults of {self.model_type})"
        if self.quantized:
            yield (
                f"quantized ({legible(self.quantized)}): counted as the model before quantization; "
                "the file stores weights in other shapes, with scales"
            )

    def remarks(self) -> Iterator[str]:
        """Yield what was passed over, for standard error."""
        if self.unknown:
            names = some_of([*map(legible, self.unknown)], MAX_KEYS_NAMED)
            yield f"passed over, as {self.model_type} does not have these keys: {names}"
        if self.has_code:
            yield (
                "auto_map names code beside the file, which is not run: counted as "
                f"{self.class_name} of transformers"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedModel:
    """A model of a family.

    ``named`` is what is published of a named model, ``reading`` how its configuration was read,
    and ``derivation`` the catalogue's formula of the same model.
    """

    name: str
    spec: Spec
    named: Published | None = None
    reading: ConfigReading | None = None
    derivation: Derivation | None = None

    @property
    def described(self) -> Spec:
        """What it is described by."""
        return self.spec

    @property
    def title(self) -> str:
        """The name as it may stand in a line."""
        return path_text(self.name)

    @property
    def status(self) -> str:
        """How sure its formula is."""
        return WRITTEN

    def inventory(self) -> Inventory:
        """Return its tensors, in ints."""
        return inventory(self.spec.letters())

    def origin(self) -> Iterator[str]:
        """Yield lines on where the sizes are from, and what has been published about them."""
        if self.named:
            yield from published_lines(self.named)
        if self.reading:
            yield f"sizes from: {self.title}, read as {self.reading.class_name}"
            yield from self.reading.lines()


@dataclass(frozen=True, slots=True, kw_only=True)
class DerivedModel:
    """A model whose formula was derived, at its own sizes.

    ``made_by`` names what it was derived from, and ``seconds`` how long that took where it was
    derived just now, None where the catalogue has it. ``keys`` are those of its configuration,
    None for a model that a function makes. ``heads`` are those that transformers ties when it
    builds the model, although its configuration says that they are not tied.
    """

    name: str
    derivation: Derivation
    seconds: float | None = None
    named: Published | None = None
    reading: ConfigReading | None = None
    keys: Mapping[str, Any] | None = None
    heads: tuple[Head, ...] = ()

    @property
    def title(self) -> str:
        """The name as it may stand in a line."""
        return path_text(self.name)

    @property
    def described(self) -> Derivation:
        """What it is described by."""
        return self.derivation

    @property
    def status(self) -> str:
        """How sure its formula is at its own sizes."""
        return self.derivation.status_at(self.derivation.sizes)

    def inventory(self) -> Inventory:
        """Return its tensors, in ints."""
        return self.derivation.inventory(self.derivation.sizes)

    @property
    def as_loaded(self) -> Derivation:
        """The formula of the model that transformers loads, with ``heads`` that are not tied."""
        return as_loaded(self.derivation, self.heads)

    @property
    def loaded(self) -> int:
        """The parameters of the model that transformers loads, with each of the ``heads``."""
        return self.as_loaded.count(self.derivation.sizes)

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why its formula is not proved at its sizes; none where it is."""
        return self.derivation.reasons_at(self.derivation.sizes)

    def origin(self) -> Iterator[str]:
        """Yield lines on where the formula is from, how sure it is, and what it does not count."""
        if self.named:
            yield from published_lines(self.named)
        if self.reading:
            yield from self.reading.lines()
        if self.heads:
            yield f"loaded: {self.loaded:,} {self._of_heads()}"
        yield f"formula: {self._source()}: {self.status}"
        if reasons := self.reasons:
            yield f"{self.status}: {some_of(reasons, MAX_NAMED, '; ')}"
        if buffers := self.derivation.buffers:
            yield f"buffers, not counted: {some_of([*map(legible, buffers)], MAX_NAMED)}"

    def _of_heads(self) -> str:
        """Return why a loaded model has more parameters than the model as built."""
        size = sum((one.size for one in self.heads), Expression())
        names = " and ".join(one.path for one in self.heads)
        fields = " and ".join(dict.fromkeys(f"{one.field}: false" for one in self.heads))
        return (
            f"(+{text(size)} = {size.evaluate(self.derivation.sizes):,}): the configuration says "
            f"{fields}, and from_pretrained leaves {names} untied if the checkpoint has other "
            "values for it; the model as built ties it"
        )

    def _source(self) -> str:
        made = self.derivation.evidence.versions.items()
        versions = ", ".join(f"{name} {version}" for name, version in made)
        if self.seconds is None:
            return f"{self.derivation.name} of the catalogue ({versions})"
        return f"{legible(self.derivation.name)}, derived in {self.seconds:.1f} s ({versions})"


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveModel:
    """A model that a framework has made: its weights are counted, and it has no formula."""

    name: str
    weights: tuple[LiveWeight, ...]
    derivation: None = None
    reading: None = None

    @property
    def status(self) -> str:
        """That its weights were counted."""
        return COUNTED

    @property
    def title(self) -> str:
        """The name as it may stand in a line."""
        return path_text(self.name)

    def inventory(self) -> Inventory:
        """Return its weights as tensors, the further names of one as tied to its first."""
        own = [_tensor(one, one.path) for one in self.weights]
        tied = [_tensor(one, other) for one in self.weights for other in one.others]
        return Inventory({}, (*own, *tied))


def _tensor(weight: LiveWeight, path: str) -> Tensor:
    return Tensor(
        path=path,
        shape=weight.shape,
        source="live",
        trainable=weight.trainable,
        tied_to=None if path == weight.path else weight.path,
    )


AnyModel: TypeAlias = ResolvedModel | DerivedModel


def published_lines(named: Published) -> Iterator[str]:
    """Yield lines on what is published about a model, and where its sizes are from."""
    what = f" for {named.component}" if named.component else ""
    yield f"published{what}: {named.published} ({named.source})"
    if isinstance(named, NamedConfiguration) and named.active:
        yield f"published as active: {named.active} ({named.active_source or named.source})"
    yield f"sizes from: {named.config}"
