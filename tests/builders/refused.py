"""What each framework refuses, as literals: a new refusal shows up as a change here.

A test of models is marked ``expressed("parameter")`` with the parameter that names them. For a
model that the framework refuses it is deselected, and counted as such, before the framework is
imported. ``test_refused.py`` compares the literals with ``supports``, and
``python -m tests.builders.refused FRAMEWORK`` prints them.
"""

import sys
from collections.abc import Iterable
from random import Random
from typing import Any

from paramproof.builders.protocol import Builder
from paramproof.builders.registry import Framework
from paramproof.builders.registry import framework as registered
from paramproof.formulas import FAMILIES, Spec
from paramproof.formulas.families import family_of
from paramproof.formulas.models import named_models
from paramproof.verify.cases import fixed_in, random_spec, refusal
from tests.builders.features import FEATURES
from tests.parity.cases import ENCODERS, SPECS

MODELS: dict[str, Spec] = {
    **ENCODERS,
    **SPECS,
    **{name: model.spec for name, model in named_models().items()},
}
"""The models that the tests of every framework use; features have literals of their own."""

FAMILIES_REFUSED: dict[str, set[str]] = {
    "keras-bert": {"encoder-decoder", "gpt", "llama"},
    "transformers": {"encoder-decoder"},
}
"""The families of which the framework cannot build any model; none if it is not listed."""

MODELS_REFUSED: dict[str, set[str]] = {
    # It has one token type; keras-bert always has 2.
    "keras-bert": {"untied", "roberta-base", "roberta-large", "distilroberta-base"},
    "transformers": {"untied", "llama", "llama, tied"},
}
"""Refused models of supported families, by their names in ``MODELS``."""

FEATURES_REFUSED: dict[str, set[str]] = {
    "keras-bert": {"mlm untied", "L = 0, no pooler", "H = 1", "T = 1", "T = 3"},
    "transformers": {"mlm", "mlm untied", "llama, A does not divide H", "llama, V = F = H = 1"},
}
"""Refused features of supported families, by their names in ``features.py``."""

REFUSED_OF_1000: dict[str, dict[str, int]] = {
    # Neither head nor layer, 1 in 4 times 1 in 5; or a hidden size of 1.
    "keras-bert": {"encoder": 57, "encoder-decoder": 1000, "gpt": 1000, "llama": 1000},
    # An MLM head with one of pooler and NSP head, 1 in 2 times 1 in 4; or a width that the heads do
    # not divide, less than 1 in 2.
    "transformers": {"encoder": 140, "encoder-decoder": 1000, "llama": 352},
}
"""The number refused of 1,000 random specs with the framework's fixed fields; 0 if not listed."""


def refuses_family(framework: str, family: str) -> bool:
    return family in FAMILIES_REFUSED.get(framework, set())


def refuses_model(framework: str, name: str) -> bool:
    if refuses_family(framework, family_of(MODELS[name]).name):
        return True
    return name in MODELS_REFUSED.get(framework, set())


def families_left(framework: str, names: Iterable[str]) -> set[str]:
    remaining = (name for name in names if not refuses_model(framework, name))
    return {family_of(MODELS[name]).name for name in remaining}


def families_built(framework: str) -> set[str]:
    return {family for family in FAMILIES if not refuses_family(framework, family)}


def listed(framework: str) -> dict[str, Any]:
    tables: dict[str, dict[str, Any]] = {
        "FAMILIES_REFUSED": FAMILIES_REFUSED,
        "MODELS_REFUSED": MODELS_REFUSED,
        "FEATURES_REFUSED": FEATURES_REFUSED,
        "REFUSED_OF_1000": REFUSED_OF_1000,
    }
    return {name: table[framework] for name, table in tables.items() if framework in table}


def found(framework: Framework, builder: Builder) -> dict[str, Any]:
    families = {family for family in FAMILIES if refusal(builder, family)}

    def refused(models: dict[str, Spec]) -> set[str]:
        own = {name: spec for name, spec in models.items() if family_of(spec).name not in families}
        return {name for name, spec in own.items() if builder.supports(spec) is not True}

    of_1000 = {family: _refused_of_1000(framework, builder, family) for family in FAMILIES}
    tables = {
        "FAMILIES_REFUSED": families,
        "MODELS_REFUSED": refused(MODELS),
        "FEATURES_REFUSED": refused(FEATURES),
        "REFUSED_OF_1000": {family: count for family, count in of_1000.items() if count},
    }
    return {name: table for name, table in tables.items() if table}


def _refused_of_1000(framework: Framework, builder: Builder, family: str) -> int:
    random, fixed = Random(0), fixed_in(family, framework.fixed)
    drawn = [random_spec(random, family, **fixed) for _ in range(1000)]
    return sum(builder.supports(spec) is not True for spec in drawn)


if __name__ == "__main__":
    chosen = registered(sys.argv[1])
    for name, literal in found(chosen, chosen.load()).items():
        print(f"{name}: {chosen.name!r}: {literal},")
