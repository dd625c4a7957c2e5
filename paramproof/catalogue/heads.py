"""Heads that a class of transformers ties when it builds a model, but not when it loads one.

Some configuration classes, such as T5's, set ``tie_word_embeddings`` to true whatever a file says.
Others, such as Mistral 3's, have it true for the whole model and false for its text part, and files
that an older release wrote for untied weights name neither. If transformers then loads a checkpoint
that has both weights, with different values, it leaves them untied. So it loads a model with more
parameters than it builds.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from paramproof.catalogue.configuration import GivenKeys
from paramproof.catalogue.files import model_types, read_type
from paramproof.formulas.derivation import Derivation
from paramproof.formulas.expression import Expression
from paramproof.formulas.path import leaf, parent


class Head(NamedTuple):
    """The weight of a head that a configuration declares as untied.

    ``path`` is its name in the model, ``size`` its number of entries, and ``field`` the field of
    the configuration that is false. The file says so if it ``is_given``; otherwise it is the
    default of a part of the configuration.
    """

    path: str
    size: Expression
    field: str
    is_given: bool = True


WHOLE = "tie_word_embeddings"
"""The field at the top level of the configuration."""


def announced_heads(
    of_class: Mapping[str, Any], given: GivenKeys, derivation: Derivation
) -> tuple[Head, ...]:
    """Return the heads that are tied in ``derivation`` although a field is false.

    ``of_class`` is a class in a type's file. If one field is false and another true, the
    configuration does not declare an untied head.
    """
    by_field: Mapping[str, list[str]] = of_class.get("untied_on_loading", {})
    if any(given.values.get(field, False) is not False for field in (WHOLE, *by_field)):
        return ()
    tied = {alias: one.size for one in derivation.tensors for alias in one.aliases}
    false = [one for one in by_field if one in given.values or _is_false_in_part(given, one)]
    found = {path: field for field in false for path in by_field[field] if path in tied}
    return tuple(
        Head(path, tied[path], field, field in given.values) for path, field in found.items()
    )


def _is_false_in_part(given: GivenKeys, field: str) -> bool:
    """Return whether a part of the configuration is given whose type has the field as false."""
    part = parent(field)
    if part not in given.parts or given.file.parts[part] not in model_types():
        return False
    return read_type(given.file.parts[part]).fields.get(leaf(field)) is False
