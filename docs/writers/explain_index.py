"""Write the index of ``paramproof explain``: a line for each named model, with its counts.

``python -m docs.writers.explain_index`` writes all lines, in less than a minute.
"""

import json
from dataclasses import asdict, replace

from paramproof.counting.published import published_numbers
from paramproof.explanation.index import FILE, Described
from paramproof.explanation.ways import describe
from paramproof.formulas.models import (
    SHORT_NAMES,
    NamedModel,
    Published,
    named_configurations,
    named_models,
)
from paramproof.resolver import resolve


def indexed(one: Published) -> Described:
    """Return what the index has of a named model."""
    model = resolve(one.name)
    return replace(
        describe(model),
        name=one.name,
        year=one.year,
        has_family=isinstance(one, NamedModel),
        synthetic=isinstance(one, NamedModel) and one.synthetic,
        short_names=tuple(short for short, name in SHORT_NAMES.items() if name == one.name),
        published=tuple(published_numbers(one, model)),
    )


def line(one: Published) -> str:
    """Return the line of a named model."""
    return json.dumps(asdict(indexed(one)), ensure_ascii=False, separators=(",", ":"))


def write() -> None:
    """Write the file."""
    models = {**named_models(), **named_configurations()}
    FILE.write_text("".join(f"{line(models[name])}\n" for name in sorted(models)), "utf-8")


if __name__ == "__main__":
    write()
