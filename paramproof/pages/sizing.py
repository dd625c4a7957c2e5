"""Change the sizes of a model: its letters, and the values that each may have."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from paramproof.formulas.active import per_token
from paramproof.formulas.printing import shown
from paramproof.resolver import Model

MAX_DIGITS = 12
"""The most digits of a size."""

STEPS = 32
"""The number of values offered for a letter, up to four times the model's own."""

SMALL = 64
"""The largest size for which the next smaller and larger integers are offered, too."""

_SIZE = re.compile(rf"[1-9][0-9]{{0,{MAX_DIGITS - 1}}}")


def fields_of(model: Model) -> dict[str, str]:
    """Return the fields, by letter, of the sizes on which the count or a guard depends."""
    one = model.architecture
    used = one.formula.letters | one.bound_letters | {*_chosen(model).values()}
    return {name: field for name, field in one.fields.items() if name in used}


def has_experts(model: Model) -> bool:
    """Return whether a model has experts, and the number used per token is known."""
    return bool(_chosen(model))


def _chosen(model: Model) -> dict[str, str]:
    """Return the letters of experts per token, on which the active parameters depend."""
    try:
        return per_token(model.architecture)
    except ValueError:
        return {}


def at_sizes(model: Model, texts: Mapping[str, str]) -> Model:
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
    if not sizes:
        return model
    return replace(model, architecture=model.architecture.at(sizes), named=None, reading=None)


def require_shown(model: Model) -> None:
    """Raise ``ValueError`` for a size that is too large to show."""
    for name, size in model.sizes.items():
        if size >= 10**MAX_DIGITS:
            raise ValueError(f"{name} = {shown(size)} has more than {MAX_DIGITS} digits")


def choices(own: Model, model: Model) -> dict[str, list[int]]:
    """Return possible values of each letter, while the other letters keep the sizes of ``model``.

    The values lie around those of ``own``, and include that of ``model``.
    """
    fields, before, now = fields_of(own), own.sizes, model.sizes
    found = {}
    for name in fields:
        tried = {before[name] * step // 8 for step in range(1, STEPS + 1)} | {before[name]}
        tried |= {before[name] + step for step in range(-8, 9)} if before[name] <= SMALL else set()
        allowed = [n for n in tried if n > 0 and model.architecture.allows(name, n)]
        found[name] = sorted({*allowed, now[name]})
    return found
