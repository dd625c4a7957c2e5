"""A model at other sizes than its own: its letters, and which values each may have."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, replace
from types import SimpleNamespace

from paramproof.formulas.active import per_token
from paramproof.formulas.expression import Expression, letter
from paramproof.formulas.printing import shown
from paramproof.formulas.spec import Spec
from paramproof.resolver import AnyModel, DerivedModel

MAX_DIGITS = 12
"""Digits of a size that can be asked for."""

STEPS = 32
"""So many values are offered for a letter, up to four times the model's own."""

SMALL = 64
"""Up to here the next numbers are offered one by one."""

_SIZE = re.compile(rf"[1-9][0-9]{{0,{MAX_DIGITS - 1}}}")


def fields_of(model: AnyModel) -> dict[str, str]:
    """Return by letter the field of each size of a model that something depends on."""
    if not isinstance(model, DerivedModel):
        return _fields_of_spec(model.spec)
    derivation = model.derivation
    asked = [stated.condition.letters for stated in derivation.conditions]
    moving = derivation.formula.letters.union(*asked, _chosen(model).values())
    return {name: field for name, field in derivation.fields.items() if name in moving}


def has_experts(model: AnyModel) -> bool:
    """Return whether a model has experts, of which is known how many a token passes."""
    return isinstance(model, DerivedModel) and bool(_chosen(model))


def _chosen(model: DerivedModel) -> dict[str, str]:
    """The letters of experts per token, which move what is active."""
    try:
        return per_token(model.derivation)
    except ValueError:
        return {}


def _fields_of_spec(spec: Spec) -> dict[str, str]:
    """Ask the spec's own letters, of symbols in place of sizes, which field each of them is."""
    own = asdict(spec)
    sizes = {name for name, value in own.items() if type(value) is int}
    asked = SimpleNamespace(**{k: letter(k) if k in sizes else v for k, v in own.items()})
    letters = type(spec).letters(asked)._asdict()  # type: ignore[arg-type]
    found = {k: str(v) for k, v in letters.items() if isinstance(v, Expression)}
    return {name: field for name, field in found.items() if field in sizes}


def sizes_of(model: AnyModel) -> Mapping[str, int]:
    """Return the model's own sizes by letter."""
    if isinstance(model, DerivedModel):
        return model.derivation.sizes
    return model.spec.letters()._asdict()


def at_sizes(model: AnyModel, asked: Mapping[str, str]) -> AnyModel:
    """Return the model at sizes as they are written, by letter.

    Raises ``ValueError``, in one line, for what is no size, for a letter that the model has not,
    and for sizes that it cannot have.
    """
    fields = fields_of(model)
    sizes = {}
    for name, written in asked.items():
        if name not in fields:
            raise ValueError(f"{shown(name)} is no letter of this model: {', '.join(fields)}")
        if not _SIZE.fullmatch(written):
            raise ValueError(
                f"{name} = {shown(written)} is no whole number from 1, of at most "
                f"{MAX_DIGITS} digits"
            )
        sizes[name] = int(written)
    return _at(model, sizes, fields) if sizes else model


def _at(model: AnyModel, sizes: Mapping[str, int], fields: Mapping[str, str]) -> AnyModel:
    if not isinstance(model, DerivedModel):
        changed = {fields[name]: size for name, size in sizes.items()}
        return replace(model, spec=replace(model.spec, **changed), named=None, reading=None)
    whole = {**model.derivation.sizes, **sizes}
    model.derivation.require(whole)
    return replace(
        model, derivation=replace(model.derivation, sizes=whole), named=None, reading=None
    )


def require_shown(model: AnyModel) -> None:
    """Raise ``ValueError`` for a size that is too large to be shown."""
    for name, size in sizes_of(model).items():
        if size >= 10**MAX_DIGITS:
            raise ValueError(f"{name} = {shown(size)} has more than {MAX_DIGITS} digits")


def choices(own: AnyModel, model: AnyModel) -> dict[str, list[int]]:
    """Return for each letter values that it may have, the others being as they are in ``model``.

    They are around those of ``own``, and that of ``model`` is among them.
    """
    fields, before, now = fields_of(own), sizes_of(own), sizes_of(model)
    found = {}
    for name in fields:
        tried = {before[name] * step // 8 for step in range(1, STEPS + 1)} | {before[name]}
        tried |= {before[name] + step for step in range(-8, 9)} if before[name] <= SMALL else set()
        allowed = [n for n in tried if n > 0 and _is_possible(model, name, n, fields)]
        found[name] = sorted({*allowed, now[name]})
    return found


def _is_possible(model: AnyModel, name: str, size: int, fields: Mapping[str, str]) -> bool:
    if isinstance(model, DerivedModel):
        derivation = model.derivation
        sizes = {**derivation.sizes, name: size}
        about = (s.condition for s in derivation.conditions if name in s.condition.letters)
        fixed = name in derivation.fixed and size != derivation.sizes[name]
        return not fixed and all(condition.is_met(sizes) for condition in about)
    try:
        _at(model, {name: size}, fields)
    except ValueError:
        return False
    return True
