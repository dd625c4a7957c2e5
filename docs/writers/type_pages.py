"""The page of each model type in the catalogue, and what fills the template that lists them."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple
from urllib.parse import quote

from docs.writers.blocks import DOCS, ROOT, figures, place
from paramproof.catalogue import Entry, entry, model_types
from paramproof.catalogue.names import classes_of, versions_of
from paramproof.formulas.derivation import FITTED, PROVED, DerivedTensor
from paramproof.formulas.expression import text
from paramproof.tables import Column, Table, TableRow, markdown, markdown_rows, numbers
from paramproof.views.formula import certainty, summand_lines

FOLDER = "model-types"
"""Where the pages are, beside the pages that were written by hand."""

PAGE = DOCS / "publish" / "type.format"
"""The text of a type's page."""

HIDDEN = "---\nsearch:\n  exclude: true\n---\n\n"
"""The start of a page that the search of the documentation leaves out: the site finds types."""

UNTRACED = ROOT / "sweep" / "untraced.json"
"""The classes without a program: ``{"ClvpModel": ["clvp", why], …}``."""

SOURCES = {
    "transformers": "of Hugging Face transformers",
    "mlx-lm": "as mlx-lm builds it, since transformers does not have this type",
}
"""How a page names the library whose models its formulas describe."""

NO_MODEL = "No class has a model at its defaults.\n\n{classes}\n"
NO_LETTERS = "The formula has no symbols: no size changes the number of parameters."
REFUSED = "no default model"

SIZES = Column("symbol"), Column("field", is_code=True), numbers("default")
TYPE_AND_CLASS = Column("type"), Column("class", is_code=True)
INDEX = *TYPE_AND_CLASS, numbers("parameters"), Column("status")


class ClassEntry(NamedTuple):
    """A class of a model type at the defaults of its configuration, or why these are refused."""

    name: str
    entry: Entry | None
    refused: str = ""

    @property
    def status(self) -> str:
        return self.entry.derivation.status if self.entry else REFUSED


@dataclass(frozen=True)
class TypeEntry:
    """A model type with its classes, the base model first."""

    name: str
    classes: tuple[ClassEntry, ...]

    @property
    def shown(self) -> Entry | None:
        """The first class that has a model at the defaults: the base model of most types."""
        return next((one.entry for one in self.classes if one.entry), None)


@cache
def entries() -> tuple[TypeEntry, ...]:
    return tuple(map(type_entry, model_types()))


def type_entry(name: str) -> TypeEntry:
    return TypeEntry(name, tuple(_class_entry(name, one) for one in classes_of(name)))


def _class_entry(model_type: str, name: str) -> ClassEntry:
    try:
        return ClassEntry(name, entry({"model_type": model_type}, name))
    except ValueError as error:
        return ClassEntry(name, None, str(error))


def page(of: TypeEntry) -> str:
    classes = markdown_rows(("class", "status", ""), map(_class_row, of.classes))
    if not (found := of.shown):
        return f"{HIDDEN}# {of.name}\n\n{NO_MODEL.format(classes=classes)}"
    base = found.derivation
    letters = [
        TableRow((letter, field, base.sizes[letter]))
        for letter, field in base.fields.items()
        if letter in base.formula.letters
    ]
    conditions = "\n".join(f"- {stated.condition}" for stated in base.conditions)
    return HIDDEN + PAGE.read_text("utf-8").format(
        name=of.name,
        base=base.name,
        source=SOURCES[found.library],
        count=found.count,
        formula="\n".join(f"  {line}" for line in summand_lines(base)) or "    0",
        address=quote(of.name, safe=""),
        letters=markdown(Table(SIZES, tuple(letters))) if letters else NO_LETTERS,
        conditions=conditions or "- all sizes are 1 or more",
        classes=classes,
        tensors=markdown_rows(("times", "shape", "tensor"), map(_tensor_row, base.tensors)),
        versions=", ".join(f"{name} {number}" for name, number in versions_of(of.name).items()),
    )


place("types", "catalogue")(lambda: str(len(model_types())))


@place("counts", "types")
def _counts() -> str:
    return figures(["", ""], counts().items())


def counts() -> dict[str, int]:
    status = Counter(one.status for of in entries() for one in of.classes)
    return {
        "types with a formula": len(entries()),
        **{f"classes, {name}": status[name] for name in (PROVED, FITTED, REFUSED)},
        "classes without a formula": len(_untraced()),
    }


@place("index", "types")
def index() -> str:
    rows = (
        TableRow((f"[{one.name}](../{FOLDER}/{one.name}.md)", first.name, count, first.status))
        for one in entries()
        for first in one.classes[:1]
        for count in [first.entry.count if first.entry else None]
    )
    return markdown(Table(INDEX, tuple(rows)))


@place("reasons", "types")
def reasons() -> str:
    """Return a line for each class without a program, with the reason."""
    found = sorted(_untraced().items())
    return "\n".join(f"- `{name}` of {of}: {_escaped(why)}" for name, (of, why) in found)


def _untraced() -> dict[str, tuple[str, str]]:
    found: dict[str, tuple[str, str]] = json.loads(UNTRACED.read_text("utf-8"))
    return found


def _class_row(one: ClassEntry) -> tuple[str, ...]:
    if not one.entry:
        return f"`{one.name}`", REFUSED, _escaped(one.refused)
    derivation = one.entry.derivation
    return f"`{one.name}`", certainty(derivation), _escaped("; ".join(derivation.reasons))


def _escaped(words: str) -> str:
    """Return text in which Markdown sees no emphasis and no column, and HTML no tag."""
    return re.sub(r"([\\*_\[|])", r"\\\1", words).replace("<", "&lt;")


def _tensor_row(tensor: DerivedTensor) -> tuple[str, ...]:
    role = [tensor.role] if tensor.role != "trainable" else []
    notes = ", ".join([*role, *(f"tied to {alias}" for alias in tensor.aliases)])
    name = f"`{tensor.path}`"
    shape = ", ".join(map(text, tensor.shape))
    return text(tensor.times), f"({shape})", f"{name} ({notes})" if notes else name
