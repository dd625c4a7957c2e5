"""The public configurations of the tests, and those that people serve, in both libraries."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import Any

from paramproof.catalogue import read_type
from paramproof.catalogue.entries import entry, type_named, usual_class
from paramproof.catalogue.names import transformers_types
from paramproof.formulas.errors import InvalidInput, NotInCatalogue
from sweep.second_opinion.comparison import compare
from sweep.second_opinion.configs import required
from sweep.second_opinion.mlx_models import Refused, build, has_language_model

FOLDER = Path(__file__).parents[2] / "tests" / "catalogue"
FILES = ("public.jsonl", "served.jsonl")


@dataclass(frozen=True)
class PublicFile:
    """The result of one configuration.

    ``verdict`` says whether both count it, and equally. ``why`` is the reason if one of them
    refuses it; ``causes`` explain a difference, each with its formula.
    """

    source: str
    model_type: str
    verdict: str
    why: str = ""
    ours: int | None = None
    theirs: int | None = None
    causes: Mapping[str, str] = field(default_factory=dict)


def compare_public() -> Iterator[PublicFile]:
    """Yield the result of each configuration whose model type mlx-lm builds."""
    seen = set()
    for name in FILES:
        for line in FOLDER.joinpath(name).read_text("utf-8").splitlines():
            if line not in seen:
                seen.add(line)
                one = json.loads(line)
                if is_built(one["config"]["model_type"]):
                    yield _compare(one["source"], one["config"])


def is_built(model_type: str) -> bool:
    """Return whether mlx-lm has a model of this type that is the same one as transformers'."""
    try:
        return model_type not in required()["excluded"] and has_language_model(model_type)
    except Refused:
        return False


def _compare(source: str, config: Mapping[str, Any]) -> PublicFile:
    model_type = type_named(config) or config["model_type"]
    try:
        groups = build(config)
    except Refused as error:
        return PublicFile(source, model_type, "only paramproof", str(error))
    theirs = sum(number * prod(group.shape) for group, number in groups.items())
    if model_type not in transformers_types():
        why = "a model type that transformers lacks"
        return PublicFile(source, model_type, "only mlx-lm", why, theirs=theirs)
    try:
        # mlx-lm builds the model that generates, whatever class a configuration names.
        ours = entry(config, usual_class(read_type(model_type)))
    except (InvalidInput, NotInCatalogue) as error:
        return PublicFile(source, model_type, "only mlx-lm", error.reason, theirs=theirs)
    found = compare(model_type, config, ours, groups)
    verdict = "equal"
    if found.unexplained:
        verdict = "unexplained"
    elif found.causes:
        verdict = "explained"
    return PublicFile(source, model_type, verdict, "", found.ours, found.theirs, dict(found.causes))
