"""Heads that a class of transformers ties when it builds a model, but not when it loads one.

Some configuration classes, such as T5's, set ``tie_word_embeddings`` to true whatever a file says.
If transformers then loads a checkpoint that has both weights, with different values, it leaves them
untied. So it loads a model with more parameters than it builds.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from paramproof.formulas.derivation import Derivation
from paramproof.formulas.expression import Expression


class Head(NamedTuple):
    """The weight of a head that a configuration declares as untied.

    ``path`` is its name in the model, ``size`` its number of entries, and ``field`` the field of
    the configuration that is false.
    """

    path: str
    size: Expression
    field: str


WHOLE = "tie_word_embeddings"
"""The field at the top level of the configuration."""


def announced_heads(
    of_class: Mapping[str, Any], values: Mapping[str, Any], derivation: Derivation
) -> tuple[Head, ...]:
    """Return the heads that are tied in ``derivation`` although a field is false.

    ``of_class`` is a class in a type's file, and ``values`` are the keys that a configuration
    gives, by path. If one field is false and another true, the file does not declare an untied
    head.
    """
    by_field: Mapping[str, list[str]] = of_class.get("untied_on_loading", {})
    if any(values.get(field, False) is not False for field in (WHOLE, *by_field)):
        return ()
    tied = {alias: one.size for one in derivation.tensors for alias in one.aliases}
    false = [field for field in by_field if field in values]
    found = {path: field for field in false for path in by_field[field] if path in tied}
    return tuple(Head(path, tied[path], field) for path, field in found.items())
