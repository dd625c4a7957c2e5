"""The tensors of a model under the names of transformers, which is what all questions are about.

Adapters, plans and schemes name the modules of transformers. A spec has the names of its family, so
the answer is about the class of transformers that the spec describes. The weights of a file or of a
live model do not say which module a tensor belongs to, so there is no answer about them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import fields, replace
from typing import Any

from paramproof.catalogue import Entry
from paramproof.formulas.derivation import Derivation
from paramproof.formulas.errors import InvalidInput
from paramproof.formulas.spec import Spec
from paramproof.resolver import Model, entry_of, resolve
from paramproof.resolver.models import ConfigReading, described_types


def named_by_transformers(model: Model) -> Model:
    """Return the model of the class that a spec describes, if there is one, or else the model."""
    if model.reading or not model.architecture.spec:
        return model
    total = model.inventory().total()
    for keys in _configurations(model.architecture.spec, model.name):
        with suppress(ValueError):  # Some sizes are refused there.
            found = resolve(keys)
            if found.inventory().total() == total:
                return replace(found, name=model.name)
    return model


def _configurations(spec: Spec, name: str) -> Iterator[dict[str, Any]]:
    """Yield what describes a spec in transformers: a class with a head before one without.

    Types of a family differ in other classes: one that is in the model's name comes first.
    """
    own = {one.name: getattr(spec, one.name) for one in fields(spec)}
    defaults = {one.name: one.default for one in fields(spec) if type(one.default) is bool}
    types = {one: of for one, of in described_types().items() if of["family"] == spec.family}
    for model_type in sorted(types, key=lambda one: len(one) if one in name else 0, reverse=True):
        described = types[model_type]
        names = {own: key for key, own in described.get("names", {}).items()}
        keys = {names.get(one, one): value for one, value in own.items() if one not in defaults}
        keys |= {"model_type": model_type, "tie_word_embeddings": own["tie_word_embeddings"]}
        for class_name, parts in reversed(described["classes"].items()):
            expected = {"tie_word_embeddings": own["tie_word_embeddings"], **parts}
            is_described = all(own[one] == expected.get(one, defaults[one]) for one in defaults)
            if is_described:
                yield {**keys, "architectures": [class_name]}


def require_transformers(model: Model, what: str) -> tuple[Derivation, ConfigReading, Entry]:
    """Return a configuration's formula, reading and entry. Raises ``InvalidInput`` without one."""
    reading, found = model.reading, model.architecture
    if reading is None or not isinstance(found, Derivation) or reading.library != "transformers":
        raise InvalidInput(
            f"{what} need the names of transformers' modules: give a config.json of a type that "
            "transformers has",
            where=model.title,
        )
    entry = entry_of(reading.keys, reading.class_name)
    if entry.count != found.formula.evaluate(model.sizes):
        raise InvalidInput(
            f"{what} are known at the sizes of the configuration alone", where=model.title
        )
    return found, reading, entry
