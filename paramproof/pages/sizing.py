"""Change the sizes of a model: its letters, and the values that each may have."""

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
"""The most digits of a size."""

STEPS = 32
"""The number of values offered for a letter, up to four times the model's own."""

SMALL = 64
"""The largest size for which the next smaller and larger integers are offered, too."""

_SIZE = re.compile(rf"[1-9][0-9]{{0,{MAX_DIGITS - 1}}}")


def fields_of(model: AnyModel) -> dict[str, str]:
    """Return the fields, by letter, of the sizes on which the count or a guard depends."""
    if not isinstance(model, DerivedModel):
        return _fields_of_spec(model.spec)
    derivation = model.derivation
    guarded = [stated.condition.letters for stated in derivation.conditions]
    used = derivation.formula.letters.union(*guarded, _chosen(model).values())
    return {name: field for name, field in derivation.fields.items() if name in used}


def has_experts(model: AnyModel) -> bool:
    """Return whether a model has experts, and the number used per token is known."""
    return isinstance(model, DerivedModel) and bool(_chosen(model))


def _chosen(model: DerivedModel) -> dict[str, str]:
    """Return the letters of experts per token, on which the active parameters depend."""
    try:
        return per_token(model.derivation)
    except ValueError:
        return {}


def _fields_of_spec(spec: Spec) -> dict[str, str]:
    """Return the field of each letter, found by computing the letters from symbols."""
    own = asdict(spec)
    sizes = {name for name, value in own.items() if type(value) is int}
    symbols = SimpleNamespace(**{k: letter(k) if k in sizes else v for k, v in own.items()})
    letters = type(spec).letters(symbols)._asdict()  # type: ignore[arg-type]
    found = {k: str(v) for k, v in letters.items() if isinstance(v, Expression)}
    return {name: field for name, field in found.items() if field in sizes}


def sizes_of(model: AnyModel) -> Mapping[str, int]:
    """Return the model's own sizes by letter."""
    if isinstance(model, DerivedModel):
        return model.derivation.sizes
    return model.spec.letters()._asdict()


def at_sizes(model: AnyModel, texts: Mapping[str, str]) -> AnyModel:
    """Return the model at new sizes, given as text by letter.

    Raises ``ValueError``, in one line, for a text that is not a size, for a letter that the model
    does not have, and for sizes that it cannot have.
    """
    fields = fields_of(model)
    sizes = {}
    for name, written in texts.items():
        if name not in fields:
            letters = ", ".join(fields)
            raise ValueError(f"{shown(name)} is not a letter of this model; it has {letters}")
        if not _SIZE.fullmatch(written):
            raise ValueError(
                f"{name} = {shown(written)} is not a positive whole number of at most "
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
    """Raise ``ValueError`` for a size that is too large to show."""
    for name, size in sizes_of(model).items():
        if size >= 10**MAX_DIGITS:
            raise ValueError(f"{name} = {shown(size)} has more than {MAX_DIGITS} digits")


def choices(own: AnyModel, model: AnyModel) -> dict[str, list[int]]:
    """Return possible values of each letter, while the other letters keep the sizes of ``model``.

    The values lie around those of ``own``, and include that of ``model``.
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
