"""``verify`` for models without a family: compare the formula with the model as built."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from paramproof.builders.registry import framework
from paramproof.cli.output import tables_beside, write_json
from paramproof.json_form import document
from paramproof.matching.live import compare_live
from paramproof.resolver import Model


def verify_built(models: Sequence[Model], json_file: Path | None) -> bool:
    """Compare each formula with the model that transformers builds from the same configuration.

    Print the reports, and return whether all are equal. The models are built on the meta device, in
    this process.

    Raises ``ValueError``, in one line, if transformers is missing or refuses a configuration.
    """
    needed = framework("transformers")
    if needed.missing:
        raise ValueError(f"{models[0].title}: building it needs transformers: {needed.how_to_get}")
    from paramproof.tracing.constructors.transformers_class import build_model

    out, equal = tables_beside(json_file), 0
    results: list[dict[str, Any]] = []
    for resolved in models:
        assert resolved.keys is not None
        assert resolved.reading is not None
        keys = {**resolved.keys, "architectures": [resolved.reading.class_name]}
        report = compare_live(build_model(keys), resolved.architecture)
        for line in [
            f"{resolved.title}: {report.render()}",
            *resolved.origin(),
        ]:
            out.print(line, markup=False, highlight=False, soft_wrap=True)
        equal += report.equal
        totals = {"formula": report.formula, "actual": report.actual, "equal": report.equal}
        results.append({"model": resolved.name, "class": resolved.architecture.name, **totals})
    if json_file:
        write_json(json_file, document("verification", {"results": results}))
    out.print(f"{equal} of {len(models)} models equal the formula, tensor by tensor")
    return equal == len(models)
