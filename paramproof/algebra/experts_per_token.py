"""Add the number of experts per token to a formula that has no symbol for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from paramproof.algebra.letters import letters_for
from paramproof.formulas.active import says_per_token
from paramproof.formulas.derivation import Derivation
from paramproof.formulas.path import parent


def with_experts_per_token(derivation: Derivation, keys: Mapping[str, Any]) -> Derivation:
    """Return a derivation with a symbol for experts per token, taken from a config's ``keys``.

    No constructor reads this number, so a formula has no symbol for it if its default is null.
    """
    known = {parent(field) for field in derivation.fields.values() if says_per_token(field)}
    absent = {path: size for path, size in _sizes(keys) if parent(path) not in known}
    letters = letters_for([*derivation.fields.values(), *absent])
    new = {letters[path]: path for path in absent}
    return replace(
        derivation,
        sizes={**derivation.sizes, **{name: absent[path] for name, path in new.items()}},
        fields={**derivation.fields, **new},
        inert=(*derivation.inert, *new),
    )


def _sizes(keys: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, int]]:
    for key, value in keys.items():
        if isinstance(value, Mapping):
            yield from _sizes(value, f"{before}{key}.")
        elif type(value) is int and value > 0 and says_per_token(key):
            yield f"{before}{key}", value
