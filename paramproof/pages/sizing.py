"""Change the sizes of a model: its letters, the values that each may have, and the controls."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from paramproof.formulas.printing import legible, shown
from paramproof.pages.viewing import ACTIVE, MEANINGS, fields_of, has_experts
from paramproof.resolver import Model
from paramproof.views.dtypes import BITS
from paramproof.views.html import Html, breakable, filled, joined, tag

MAX_DIGITS = 12
"""The most digits of a size."""

STEPS = 32
"""The number of values offered for a letter, up to four times the model's own."""

SMALL = 64
"""The largest size for which the next smaller and larger integers are offered, too."""

_SIZE = re.compile(rf"[1-9][0-9]{{0,{MAX_DIGITS - 1}}}")


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


FORM = (
    '<form id="fields" aria-label="Convention, data type and sizes">{under}{dtype}'
    '<p class="note">Change a size to see the new counts. '
    "Sliders offer sizes for which the formula holds.</p>"
    '<div class="letters">{letters}</div>'
    '<button type="reset" disabled>Reset all sizes</button></form>'
)
SELECT = '<label>{label} <select name="{name}" disabled>{options}</select></label>'
LETTER = (
    '<div><div class="named"><label for="size-{name}"><b>{name}</b> <small>{field}</small></label>'
    '<button type="button" data-reset="{name}" aria-label="Reset {name}" hidden>reset</button>'
    '</div><div><input id="size-{name}" name="{name}" value="{size}" inputmode="numeric" '
    'autocomplete="off" disabled><input type="range" data-letter="{name}" '
    'aria-label="{name}, from {least} to {most}" min="0" max="{last}" value="{at}" disabled>'
    '<span class="range" data-range="{name}"><small>{least}</small><small>{most}</small></span>'
    "</div></div>"
)


def form(
    own: Model, model: Model, under: str, dtype: str, allowed: Mapping[str, list[int]]
) -> Html:
    """Return the controls: convention, dtype, and a field and a slider for each letter.

    They are disabled until the script that handles them has started.
    """

    def select(name: str, label: str, values: Iterable[str], chosen: str) -> Html:
        options = (tag("option", one, value=one, selected=one == chosen) for one in values)
        return filled(SELECT, label=label, name=name, options=joined(*options))

    names = [name for name in MEANINGS if name not in ACTIVE or has_experts(own)]
    letters = []
    for name, field in fields_of(own).items():
        values, size = allowed[name], model.sizes[name]
        least, most = (f"{values[place]:,}" for place in (0, -1))
        places = {"last": len(values) - 1, "at": values.index(size)}
        field = breakable(legible(field))
        letters.append(
            filled(LETTER, name=name, field=field, size=size, least=least, most=most, **places)
        )
    return filled(
        FORM,
        under=select("under", "Convention", names, under),
        dtype=select("dtype", "Data type", BITS, dtype),
        letters=joined(*letters),
    )
