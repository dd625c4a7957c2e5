"""docs/types.md: every model type of the catalogue, and what could not be derived."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from docs.writers.blocks import ROOT
from docs.writers.markdown import table
from paramproof.catalogue.derivations import Variant, derivation_of, variants
from paramproof.catalogue.entries import own_sizes
from paramproof.catalogue.files import TypeFile, model_types, read_type
from paramproof.cli.derive_text import certainty, grouped
from paramproof.formulas.derivation import FITTED, PROVED, Derivation
from paramproof.formulas.notation import text
from paramproof.formulas.printing import shown
from sweep.store import failures_by_reason, read_failures

PAGE = ROOT / "docs" / "types.md"

TEXT = """\
# Model types in the catalogue

The model types of Hugging Face transformers that `paramproof count config.json` counts with no
framework installed: for each its base model's trainable parameters as a formula, where that holds,
and its other classes. Nobody wrote any of it. How an entry is made and read, and what it promises,
is in [catalogue.md](catalogue.md).

*Proved* means that every size was followed through the code that makes the model. A fitted formula
was compared with models too, and its caveats say where sizes were not followed: see
[derive.md](derive.md#proved-or-fitted).

{summary}

A variant is a class at another value of a field that decides, such as tied embeddings.

{sections}
# Not derived

{reasons}
"""

SECTION = """\
## {name}

{formula}

{letters}. {where}

{classes}

"""

NOTHING_STATED = "Holds for sizes of 1 and more."


def render() -> str:
    """Return the page that the catalogue's data say."""
    return TEXT.format(
        summary=table(["", ""], counts().items(), ["---", "---:"]),
        sections="".join(_section(read_type(name)) for name in model_types()),
        reasons="\n\n".join(_reasons()),
    )


def counts() -> dict[str, str]:
    """Return what there is how often, as the page says it."""
    found: Counter[str] = Counter()
    known = set(model_types())
    for name in known:
        file = read_type(name)
        for one in file.classes:
            first, *others = variants(file, one)
            found[_status(file, first)] += 1
            found["variants"] += sum(not other.data.get("withdrawn") for other in others)
    listed = [name for reasons in read_failures().values() for name in reasons]
    types = set(read_failures()) - known
    rows = {
        "types with an entry": len(known),
        "types without one": len(types),
        "classes, proved": found[PROVED],
        "classes, fitted": found[FITTED],
        "classes, withdrawn": found["withdrawn"],
        "variants": found["variants"],
        "classes and variants listed below": sum(name not in types for name in listed),
    }
    return {what: f"{number:,}" for what, number in rows.items()}


def _status(file: TypeFile, written: Variant) -> str:
    if written.data.get("withdrawn"):
        return "withdrawn"
    return _derivation(file, written).status


def _derivation(file: TypeFile, written: Variant) -> Derivation:
    return derivation_of(file, written, own_sizes(file, tuple(written.data.get("absent", ()))))


def _section(file: TypeFile) -> str:
    base = _derivation(file, variants(file, next(iter(file.classes)))[0])
    moving = base.formula.letters
    letters = (f"{name} `{field}`" for name, field in base.fields.items() if name in moving)
    conditions = [*map(str, (stated.condition for stated in base.conditions))]
    kinds = [text(times) for times in base.summands() if times != 1]
    where = f"Holds where {'; '.join(conditions)}." if conditions else NOTHING_STATED
    if kinds:
        where += f" Kinds of layers: {', '.join(kinds)}."
    return SECTION.format(
        name=file.model_type,
        formula="\n".join(f"  {line}" for line in grouped(base)) or "    0",
        letters=", ".join(letters) or "No letter moves it",
        where=where,
        classes="\n".join(_class(file, name) for name in file.classes),
    )


def _class(file: TypeFile, name: str) -> str:
    first, *others = variants(file, name)
    if first.data.get("withdrawn"):
        return f"- `{name}` was not held, and is not counted"
    found = _derivation(file, first)
    evidence = found.evidence
    how = certainty(found) + (f" ({'; '.join(found.reasons)})" if found.reasons else "")
    held = f"traced {evidence.traces} times, {evidence.builds} builds, held to {evidence.held}"
    more = [_changes(one, first.where) for one in others if not one.data.get("withdrawn")]
    also = f"; also with {'; '.join(more)}" if more else ""
    alone = f", with {_changes(first, {})} alone" if first.where else ""
    return f"- `{name}`{alone}: {how}; {held}{also}"


def _changes(written: Variant, known: Mapping[str, Any]) -> str:
    """Return what is otherwise in a variant, beside the values that are ``known``."""
    changed = {path: one for path, one in written.where.items() if path not in known}
    values = [f"`{path}={shown(value)}`" for path, value in changed.items()]
    return " and ".join([*values, *(f"`{field}`" for field in written.sized)])


def _reasons() -> Iterator[str]:
    for reason, names in failures_by_reason().items():
        yield f"{len(names)}, {reason.value}: {', '.join(sorted(names))}."


def write() -> None:
    """Write the page."""
    PAGE.write_text(render(), "utf-8")
