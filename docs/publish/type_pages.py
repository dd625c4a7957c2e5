"""The page of each model type in the catalogue, and the table that lists them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
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
from paramproof.views.formula import certainty, summand_lines
from paramproof.views.table import markdown_rows
from sweep.store import failures_by_reason, read_failures

FOLDER = "model-types"
"""Where the pages are, beside the pages that were written by hand."""

HERE = Path(__file__).parent
PAGE, LISTING = (HERE / name for name in ("type.template", "types.template"))
"""The text of a type's page, and of the list of all types."""

COUNTED = """\
At the default sizes below, that is {count:,}. `paramproof count {name} --class {base}` prints every
tensor, and"""
NOT_COUNTED = """\
The default sizes below give no model: some have no default, or a condition does not hold."""

SOURCES = {
    "transformers": "of Hugging Face transformers",
    "mlx-lm": "as mlx-lm builds it, since transformers does not have this type",
}
"""How a page names the library whose models its formulas describe."""

WITHDRAWN = "withdrawn"


@dataclass(frozen=True)
class ClassEntry:
    """A class of a model type, with what was derived from it and its other variants."""

    name: str
    first: Variant
    variants: tuple[Variant, ...]
    derivation: Derivation

    @property
    def status(self) -> str:
        return WITHDRAWN if self.first.data.get("withdrawn") else self.derivation.status


@dataclass(frozen=True)
class TypeEntry:
    """A model type with its classes, the base model first."""

    file: TypeFile
    classes: tuple[ClassEntry, ...]

    @property
    def name(self) -> str:
        """The model type, as in ``model_type`` of a configuration, or ``llava_next+mistral``."""
        return self.file.name

    @property
    def base(self) -> Derivation:
        return self.classes[0].derivation

    @property
    def count(self) -> int | None:
        """The parameters of the base model at its default sizes; None if it has no such model."""
        if not all(self.file.letters[name].default for name in self.base.formula.letters):
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
    sizes = own_sizes(file, tuple(first.data.get("absent", ())))
    return ClassEntry(name, first, kept, derivation_of(file, first, sizes))


def page(type_entry: TypeEntry) -> str:
    base, name, count = type_entry.base, type_entry.name, type_entry.count
    class_name = type_entry.classes[0].name
    counted = NOT_COUNTED
    if count is not None:
        counted = COUNTED.format(count=count, name=name, base=class_name)
    conditions = "\n".join(f"- {stated.condition}" for stated in base.conditions)
    return PAGE.read_text("utf-8").format(
        name=name,
        base=class_name,
        source=_source(type_entry.file),
        count=counted,
        formula="\n".join(f"  {line}" for line in summand_lines(base)) or "    0",
        address=quote(name, safe=""),
        letters=_letters(type_entry),
        conditions=conditions or "- all sizes are 1 or more",
        classes=markdown_rows(
            ("class", "status", "evidence", "variants"), map(_class_row, type_entry.classes)
        ),
        reasons="".join(_reasons(type_entry)),
        tensors=markdown_rows(("times", "shape", "tensor"), map(_tensor_row, base.tensors)),
        versions=", ".join(f"{name} {version}" for name, version in base.evidence.versions.items()),
    )


def _source(file: TypeFile) -> str:
    """Return whose models the formulas describe, with the parts that are of other types."""
    parts = (f"`{file.parts[part]}` as its `{part}`" for part in file.other_parts)
    return " with ".join([SOURCES[file.library], *filter(None, [" and ".join(parts)])])


def listing(type_entries: list[TypeEntry]) -> str:
    """Return what the page about model types has on the site: numbers, types, and failures."""
    index = (
        (
            f"[{one.name}]({FOLDER}/{one.name}.md)",
            f"`{one.classes[0].name}`",
            "" if one.count is None else f"{one.count:,}",
            one.classes[0].status,
        )
        for one in type_entries
    )
    failures = (
        f"- **{reason.value}** ({len(names)}): {', '.join(f'`{name}`' for name in sorted(names))}"
        for reason, names in failures_by_reason().items()
    )
    return LISTING.read_text("utf-8").format(
        counts=markdown_rows(["", ""], counts(type_entries).items(), ["---", "---:"]),
        index=markdown_rows(
            ("type", "class", "parameters", "status"), index, ("---", "---", "---:", "---")
        ),
        reasons="\n".join(failures),
    )


def counts(type_entries: list[TypeEntry]) -> dict[str, str]:
    classes = [one for type_entry in type_entries for one in type_entry.classes]
    status = Counter(f"classes, {one.status}" for one in classes)
    rows = {
        "types with a formula": sum(not one.file.other_parts for one in type_entries),
        "types with parts of other types": sum(bool(one.file.other_parts) for one in type_entries),
        **{f"classes, {name}": status[f"classes, {name}"] for name in (PROVED, FITTED, WITHDRAWN)},
        "variants": sum(len(one.variants) for one in classes),
        "types, classes and variants that could not be derived": sum(
            map(len, read_failures().values())
        ),
    }
    return {what: f"{number:,}" for what, number in rows.items()}


def _letters(type_entry: TypeEntry) -> str:
    base, letters = type_entry.base, type_entry.file.letters
    rows = [
        (name, f"`{field}`", f"{base.sizes[name]:,}" if letters[name].default else "")
        for name, field in base.fields.items()
        if name in base.formula.letters
    ]
    if not rows:
        return "The formula has no symbols: no size changes the number of parameters."
    return markdown_rows(("symbol", "field", "default"), rows, ("---", "---", "---:"))


def _class_row(one: ClassEntry) -> tuple[str, ...]:
    name = f"`{one.name}`"
    if one.status == WITHDRAWN:
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
    kept = [one for one in type_entry.classes if one.status != WITHDRAWN]
    if fitted := [one for one in kept if one.derivation.reasons]:
        yield "Why a class is fitted and not proved:\n\n"
        for one in fitted:
            reasons = "; ".join(one.derivation.reasons)
            # Markdown sees no emphasis, and HTML no tag.
            escaped = re.sub(r"([\\*_\[])", r"\\\1", reasons).replace("<", "&lt;")
            yield f"- `{one.name}`: {escaped}\n"
        yield "\n"


def _tensor_row(tensor: DerivedTensor) -> tuple[str, ...]:
    role = [tensor.role] if tensor.role != "trainable" else []
    notes = ", ".join([*role, *(f"tied to {alias}" for alias in tensor.aliases)])
    name = f"`{tensor.path}`"
    shape = ", ".join(map(text, tensor.shape))
    return text(tensor.times), f"({shape})", f"{name} ({notes})" if notes else name
