"""Write the index of ``paramproof explain``: a line for each named model, with its counts.

``python -m docs.writers explain --measure`` writes all lines, in less than a minute.
"""

import json
from dataclasses import asdict, replace

from paramproof.explanation.index import FILE
from paramproof.explanation.ways import describe
from paramproof.formulas.models import SHORT_NAMES, NamedModel, Published
from paramproof.resolver import Model
from paramproof.views.published import every_named_model, published_numbers


def line(one: Published, model: Model) -> str:
    found = replace(
        describe(model),
        name=one.name,
        year=one.year,
        has_family=isinstance(one, NamedModel),
        synthetic=isinstance(one, NamedModel) and one.synthetic,
        short_names=tuple(short for short, name in SHORT_NAMES.items() if name == one.name),
        published=tuple(published_numbers(one, model)),
    )
    return json.dumps(asdict(found), ensure_ascii=False, separators=(",", ":"))


def write() -> None:
    models = sorted(every_named_model(), key=lambda pair: pair[0].name)
    FILE.write_text("".join(f"{line(*pair)}\n" for pair in models), "utf-8")
