"""The page of each model type in the catalogue, and the table that lists them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from paramproof.catalogue.derivations import Variant, derivation_of, variants
from paramproof.catalogue.entries import own_sizes
from paramproof.catalogue.files import TypeFile, entry_names, read_type
from paramproof.formulas.derivation import FITTED, PROVED, Derivation, DerivedTensor
from paramproof.formulas.notation import text
from paramproof.formulas.printing import shown
from paramproof.views.formula import certainty, grouped
from paramproof.views.table import markdown_rows
from sweep.store import failures_by_reason, read_failures

FOLDER = "model-types"
"""Where the pages are, beside the pages that were written by hand."""

INTERACTIVE = "../interactive/model.html"
"""The interactive page of a model, from a type's page."""

HERE = Path(__file__).parent
PAGE, LISTING = (HERE / name for name in ("type.template", "types.template"))
"""The text of a type's page, and of the list of all types."""

COUNTED = """\
At the default sizes below, that is {count}. `paramproof count {name} --class {base}` prints every
tensor, and"""
NO_DEFAULTS = "A configuration must give the sizes without a default."
IMPOSSIBLE = "The default sizes below do not satisfy the conditions of the formula."

SOURCES = {
    "transformers": "of Hugging Face transformers",
    "mlx-lm": "as mlx-lm builds it, since transformers does not have this type",
}
"""How a page names the library whose models its formulas describe."""

SYMBOLS = ("symbol", "field", "default")
CLASSES = ("class", "status", "evidence", "variants")
WITHDRAWN = "withdrawn"
INDEX = ("type", "class", "parameters", "status")


@dataclass(frozen=True)
class ClassEntry:
    """A class of a model type: what was derived from it, or None if that was withdrawn."""

    name: str
    first: Variant
    variants: tuple[Variant, ...]
    derivation: Derivation | None

    @property
    def status(self) -> str:
        return self.derivation.status if self.derivation else WITHDRAWN


@dataclass(frozen=True)
class TypeEntry:
    """A model type with its classes; the first is the base model, and has a derivation."""

    file: TypeFile
    classes: tuple[ClassEntry, ...]

    @property
    def name(self) -> str:
        """The model type, as in ``model_type`` of a configuration, or ``llava_next+mistral``."""
        return self.file.name

    @property
    def base(self) -> Derivation:
        first = self.classes[0]
        return first.derivation or _derivation(self.file, first.first)

    @property
    def has_defaults(self) -> bool:
        return all(self.file.letters[name].default for name in self.base.formula.letters)

    @property
    def count(self) -> int | None:
        """The parameters of the base model at its default sizes; None if it has no such model."""
        if not self.has_defaults:
            return None
        try:
            return self.base.count(self.base.sizes)
        except ValueError:
            return None


def entries() -> Iterator[TypeEntry]:
    return map(entry, entry_names())


def entry(name: str) -> TypeEntry:
    file = read_type(name)
    return TypeEntry(file, tuple(_class(file, one) for one in file.classes))


def _class(file: TypeFile, name: str) -> ClassEntry:
    first, *others = variants(file, name)
    kept = tuple(other for other in others if not other.data.get("withdrawn"))
    withdrawn = first.data.get("withdrawn")
    return ClassEntry(name, first, kept, None if withdrawn else _derivation(file, first))


def _derivation(file: TypeFile, variant: Variant) -> Derivation:
    absent = tuple(variant.data.get("absent", ()))
    return derivation_of(file, variant, own_sizes(file, absent))


def page(type_entry: TypeEntry) -> str:
    base = type_entry.base
    return PAGE.read_text("utf-8").format(
        name=type_entry.name,
        base=type_entry.classes[0].name,
        source=_source(type_entry.file),
        count=_counted(type_entry),
        formula="\n".join(f"  {line}" for line in grouped(base)) or "    0",
        interactive=INTERACTIVE,
        address=quote(type_entry.name, safe=""),
        letters=_letters(type_entry),
        conditions=_conditions(base),
        classes=markdown_rows(CLASSES, map(_class_row, type_entry.classes)),
        reasons="".join(_reasons(type_entry)),
        tensors="\n".join(f"    {line}" for line in _aligned([*map(_tensor_row, base.tensors)])),
        versions=", ".join(f"{name} {version}" for name, version in base.evidence.versions.items()),
    )


def _aligned(rows: Sequence[tuple[str, ...]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]


def _source(file: TypeFile) -> str:
    """Return whose models the formulas describe, with the parts that are of other types."""
    parts = (f"`{file.parts[part]}` as its `{part}`" for part in file.other_parts)
    return " with ".join([SOURCES[file.library], *filter(None, [" and ".join(parts)])])


def _counted(type_entry: TypeEntry) -> str:
    count, base = type_entry.count, type_entry.classes[0].name
    if count is None:
        return IMPOSSIBLE if type_entry.has_defaults else NO_DEFAULTS
    return COUNTED.format(count=f"{count:,}", name=type_entry.name, base=base)


def index(type_entries: list[TypeEntry]) -> str:
    rows = (
        (
            f"[{one.name}]({FOLDER}/{one.name}.md)",
            f"`{one.classes[0].name}`",
            "" if one.count is None else f"{one.count:,}",
            one.classes[0].status,
        )
        for one in type_entries
    )
    return markdown_rows(INDEX, rows, ("---", "---", "---:", "---"))


def listing(type_entries: list[TypeEntry]) -> str:
    """Return what the page about model types has on the site: numbers, types, and failures."""
    return LISTING.read_text("utf-8").format(
        counts=markdown_rows(["", ""], counts(type_entries).items(), ["---", "---:"]),
        index=index(type_entries),
        reasons="\n".join(_not_derived()),
    )


def counts(type_entries: list[TypeEntry]) -> dict[str, str]:
    known = {one.name for one in type_entries}
    own = {one.name for one in type_entries if not one.file.other_parts}
    classes = [one for type_entry in type_entries for one in type_entry.classes]
    status = Counter(one.status for one in classes)
    failures = read_failures()
    types = set(failures) - known
    rows = {
        "types with a formula": len(own),
        "types with parts of other types": len(known - own),
        "types without one": len(types),
        "classes, proved": status[PROVED],
        "classes, fitted": status[FITTED],
        "classes, withdrawn": status[WITHDRAWN],
        "variants": sum(len(one.variants) for one in classes),
        "classes and variants that could not be derived": sum(
            name not in types for reasons in failures.values() for name in reasons
        ),
    }
    return {what: f"{number:,}" for what, number in rows.items()}


def _not_derived() -> Iterator[str]:
    for reason, names in failures_by_reason().items():
        listed = ", ".join(f"`{name}`" for name in sorted(names))
        yield f"- **{reason.value}** ({len(names)}): {listed}"


def _letters(type_entry: TypeEntry) -> str:
    base, letters = type_entry.base, type_entry.file.letters
    used = base.formula.letters
    fields = {name: field for name, field in base.fields.items() if name in used}
    if not fields:
        return "The formula has no symbols: no size changes the number of parameters."
    rows = (
        (name, f"`{field}`", f"{base.sizes[name]:,}" if letters[name].default else "")
        for name, field in fields.items()
    )
    return markdown_rows(SYMBOLS, rows, ("---", "---", "---:"))


def _conditions(base: Derivation) -> str:
    if not base.conditions:
        return "The formula holds for all sizes of 1 and more."
    conditions = "\n".join(f"- {stated.condition}" for stated in base.conditions)
    return f"The formula holds where\n\n{conditions}"


def _class_row(one: ClassEntry) -> tuple[str, ...]:
    name = f"`{one.name}`"
    if one.derivation is None:
        return name, WITHDRAWN, "a model differed from the formula, so it is not counted", ""
    if one.first.where:
        name += f", only with {_changes(one.first, {})}"
    evidence = one.derivation.evidence
    return (
        name,
        certainty(one.derivation),
        f"{evidence.traces} traces, {evidence.held} held-out models",
        "; ".join(_changes(other, one.first.where) for other in one.variants),
    )


def _changes(variant: Variant, known: Mapping[str, Any]) -> str:
    """Return the values that select a variant, without those that are ``known``."""
    changed = {path: value for path, value in variant.where.items() if path not in known}
    values = [f"`{path}={shown(value)}`" for path, value in changed.items()]
    return " and ".join([*values, *(f"`{field}`" for field in variant.sized)])


def _reasons(type_entry: TypeEntry) -> Iterator[str]:
    """Yield why formulas are fitted and not proved, class by class."""
    fitted = [one for one in type_entry.classes if one.derivation and one.derivation.reasons]
    if fitted:
        yield "Why a class is fitted and not proved:\n\n"
    for one in fitted:
        yield f"- `{one.name}`: {_escaped('; '.join(one.derivation.reasons))}\n"
    if fitted:
        yield "\n"


def _tensor_row(tensor: DerivedTensor) -> tuple[str, ...]:
    notes = [f"tied to {alias}" for alias in tensor.aliases]
    if tensor.role != "trainable":
        notes.insert(0, tensor.role)
    shape = ", ".join(map(text, tensor.shape))
    name = f"{tensor.path} ({', '.join(notes)})" if notes else tensor.path
    return f"{text(tensor.times)} ×", f"({shape})", name


def _escaped(line: str) -> str:
    """Return a line in which Markdown sees no emphasis and HTML no tag."""
    for sign in "\\*_<[":
        line = line.replace(sign, f"\\{sign}" if sign != "<" else "&lt;")
    return line
