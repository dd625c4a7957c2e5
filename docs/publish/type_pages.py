"""The page of each model type in the catalogue, and the table that lists them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from docs.writers.blocks import figures
from paramproof.catalogue.derivations import Variant, derivation_of, variants
from paramproof.catalogue.entries import own_sizes
from paramproof.catalogue.files import TypeFile, entry_names, read_type
from paramproof.formulas.derivation import FITTED, PROVED, Derivation, DerivedTensor
from paramproof.formulas.expression import text
from paramproof.formulas.printing import shown
from paramproof.views.formula import certainty, summand_lines
from paramproof.views.table import Column, Table, TableRow, markdown, markdown_rows, numbers
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

NO_LETTERS = "The formula has no symbols: no size changes the number of parameters."
WITHDRAWN = "withdrawn"

SIZES = Column("symbol"), Column("field", is_code=True), numbers("default")
TYPE_AND_CLASS = Column("type"), Column("class", is_code=True)
INDEX = *TYPE_AND_CLASS, numbers("parameters"), Column("status")


class ClassEntry(NamedTuple):
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
    """A model type with its classes, the base model first. A name may be ``llava_next+mistral``."""

    file: TypeFile
    classes: tuple[ClassEntry, ...]

    @property
    def base(self) -> Derivation:
        return self.classes[0].derivation

    @property
    def count(self) -> int | None:
        """The parameters of the base model at its default sizes; None if it has no such model."""
        if all(self.file.letters[name].default for name in self.base.formula.letters):
            with suppress(ValueError):
                return self.base.count(self.base.sizes)
        return None


def entries() -> Iterator[TypeEntry]:
    return map(entry, entry_names())


def entry(name: str) -> TypeEntry:
    file, found = read_type(name), []
    for one in file.classes:
        first, *others = variants(file, one)
        kept = tuple(other for other in others if not other.data.get("withdrawn"))
        sizes = own_sizes(file, tuple(first.data.get("absent", ())))
        found.append(ClassEntry(one, first, kept, derivation_of(file, first, sizes)))
    return TypeEntry(file, tuple(found))


def page(type_entry: TypeEntry) -> str:
    file, base, count = type_entry.file, type_entry.base, type_entry.count
    name, class_name = file.name, type_entry.classes[0].name
    counted = NOT_COUNTED
    if count is not None:
        counted = COUNTED.format(count=count, name=name, base=class_name)
    parts = " and ".join(f"`{file.parts[part]}` as its `{part}`" for part in file.other_parts)
    letters = [
        TableRow((letter, field, base.sizes[letter] if file.letters[letter].default else None))
        for letter, field in base.fields.items()
        if letter in base.formula.letters
    ]
    conditions = "\n".join(f"- {stated.condition}" for stated in base.conditions)
    return PAGE.read_text("utf-8").format(
        name=name,
        base=class_name,
        source=f"{SOURCES[file.library]} with {parts}".removesuffix(" with "),
        count=counted,
        formula="\n".join(f"  {line}" for line in summand_lines(base)) or "    0",
        address=quote(name, safe=""),
        letters=markdown(Table(SIZES, tuple(letters))) if letters else NO_LETTERS,
        conditions=conditions or "- all sizes are 1 or more",
        classes=markdown_rows(
            ("class", "status", "evidence", "variants"), map(_class_row, type_entry.classes)
        ),
        reasons="".join(_reasons(type_entry)),
        tensors=markdown_rows(("times", "shape", "tensor"), map(_tensor_row, base.tensors)),
        versions=", ".join(f"{name} {version}" for name, version in base.evidence.versions.items()),
    )


def listing(type_entries: list[TypeEntry]) -> str:
    """Return what the page about model types has on the site: numbers, types, and failures."""
    index = (
        TableRow((f"[{name}]({FOLDER}/{name}.md)", first.name, one.count, first.status))
        for one in type_entries
        for name, first in [(one.file.name, one.classes[0])]
    )
    failures = (
        f"- **{reason.value}** ({len(names)}): {', '.join(f'`{name}`' for name in sorted(names))}"
        for reason, names in failures_by_reason().items()
    )
    return LISTING.read_text("utf-8").format(
        counts=figures(["", ""], counts(type_entries).items()),
        index=markdown(Table(INDEX, tuple(index))),
        reasons="\n".join(failures),
    )


def counts(type_entries: list[TypeEntry]) -> dict[str, int]:
    classes = [one for type_entry in type_entries for one in type_entry.classes]
    status = Counter(one.status for one in classes)
    of_parts = sum(bool(one.file.other_parts) for one in type_entries)
    failed = sum(map(len, read_failures().values()))
    return {
        "types with a formula": len(type_entries) - of_parts,
        "types with parts of other types": of_parts,
        **{f"classes, {name}": status[name] for name in (PROVED, FITTED, WITHDRAWN)},
        "variants": sum(len(one.variants) for one in classes),
        "types, classes and variants that could not be derived": failed,
    }


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
