"""The page of each model type in the catalogue, and what fills the template that lists them."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from functools import cache
from itertools import starmap
from typing import NamedTuple
from urllib.parse import quote

from docs.writers.blocks import DOCS, ROOT, figures, place
from paramproof.catalogue import Entry, entry, model_types
from paramproof.catalogue.names import classes_of, has_type, versions_of
from paramproof.formulas.derivation import FITTED, PROVED, DerivedTensor
from paramproof.formulas.expression import text
from paramproof.tables import Column, Table, TableRow, markdown, markdown_rows, numbers
from paramproof.views.formula import certainty, summand_lines

FOLDER = "model-types"
"""Where the pages are, beside the pages that were written by hand."""

HIDDEN = "---\nsearch:\n  exclude: true\n---\n\n"
"""The start of a page that the search of the documentation leaves out: the site finds types."""

PAGE = HIDDEN + (DOCS / "publish" / "type.format").read_text("utf-8")
NO_PAGE = HIDDEN + "# {name}\n\nNo class has a model at its defaults.\n\n{classes}\n"
NO_LETTERS = "The formula has no symbols: no size changes the number of parameters."

UNTRACED: dict[str, tuple[str, str]] = json.loads(
    (ROOT / "sweep" / "untraced.json").read_text("utf-8")
)
"""The classes without a program: ``{"ClvpModel": ["clvp", why], …}``."""

SOURCES = {
    "transformers": "of Hugging Face transformers",
    "mlx-lm": "as mlx-lm builds it, since transformers does not have this type",
}
"""How a page names the library whose models its formulas describe."""

REFUSED = "no default model"

SIZES = Column("symbol"), Column("field", is_code=True), numbers("default")
INDEX = Column("type"), Column("class", is_code=True), numbers("parameters"), Column("status")


class TypeEntry(NamedTuple):
    """A model type with its classes, the base model first: each at its defaults, or why not."""

    name: str
    classes: Mapping[str, Entry | str]

    @property
    def shown(self) -> Entry | None:
        """The first class that has a model at the defaults: the base model of most types."""
        return next((one for one in self.classes.values() if isinstance(one, Entry)), None)


@cache
def entries() -> tuple[TypeEntry, ...]:
    return tuple(map(type_entry, model_types()))


def type_entry(name: str) -> TypeEntry:
    return TypeEntry(name, {one: _at_defaults(name, one) for one in classes_of(name)})


def _at_defaults(model_type: str, name: str) -> Entry | str:
    try:
        return entry({"model_type": model_type}, name)
    except ValueError as error:
        return str(error)


def _status(found: Entry | str) -> str:
    return found.derivation.status if isinstance(found, Entry) else REFUSED


def page(of: TypeEntry) -> str:
    classes = markdown_rows(("class", "status", ""), starmap(_class_row, of.classes.items()))
    if not (found := of.shown):
        return NO_PAGE.format(name=of.name, classes=classes)
    base = found.derivation
    letters = [
        TableRow((letter, field, base.sizes[letter]))
        for letter, field in base.fields.items()
        if letter in base.formula.letters
    ]
    conditions = "\n".join(f"- {stated.condition}" for stated in base.conditions)
    return PAGE.format(
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


def counts() -> dict[str, int]:
    status = Counter(_status(one) for of in entries() for one in of.classes.values())
    return {
        "types with a formula": len(entries()),
        **{f"classes, {name}": status[name] for name in (PROVED, FITTED, REFUSED)},
        "classes without a formula": len(UNTRACED),
    }


place("types", "catalogue", "readme")(lambda: str(sum(map(has_type, model_types()))))
place("counts", "types")(lambda: figures(["", ""], counts().items()))


@place("index", "types")
def index() -> str:
    rows = []
    for one in entries():
        name, found = next(iter(one.classes.items()))
        count = found.count if isinstance(found, Entry) else None
        rows.append(
            TableRow((f"[{one.name}](../{FOLDER}/{one.name}.md)", name, count, _status(found)))
        )
    return markdown(Table(INDEX, tuple(rows)))


@place("reasons", "types")
def reasons() -> str:
    found = sorted(UNTRACED.items())
    return "\n".join(f"- `{name}` of {of}: {_escaped(why)}" for name, (of, why) in found)


def _class_row(name: str, found: Entry | str) -> tuple[str, ...]:
    if isinstance(found, str):
        return f"`{name}`", REFUSED, _escaped(found)
    reasons = _escaped("; ".join(found.derivation.reasons))
    return f"`{name}`", certainty(found.derivation), reasons


def _escaped(words: str) -> str:
    """Return text in which Markdown sees no emphasis and no column, and HTML no tag."""
    return re.sub(r"([\\*_\[|])", r"\\\1", words).replace("<", "&lt;")


def _tensor_row(tensor: DerivedTensor) -> tuple[str, ...]:
    role = [tensor.role] if tensor.role != "trainable" else []
    notes = ", ".join([*role, *(f"tied to {alias}" for alias in tensor.aliases)])
    name = f"`{tensor.path}`"
    shape = ", ".join(map(text, tensor.shape))
    return text(tensor.times), f"({shape})", f"{name} ({notes})" if notes else name
