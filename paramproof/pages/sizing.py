"""Change the sizes of a model: its letters, the values that each may have, and the controls."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from paramproof.formulas.printing import legible, shown
from paramproof.pages.viewing import ACTIVE, MEANINGS, fields_of, has_experts
from paramproof.resolver import Model
from paramproof.views.dtypes import BITS
from paramproof.views.html import Html, breakable, tag

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


NOTE = "Change a size to see the new counts. Sliders offer sizes for which the formula holds."


def form(
    own: Model, model: Model, under: str, dtype: str, allowed: Mapping[str, list[int]]
) -> Html:
    """Return the controls: convention, dtype, and a field and a slider for each letter.

    They are disabled until the script that handles them has started.
    """
    sizes, fields = model.sizes, fields_of(own)
    names = [name for name in MEANINGS if name not in ACTIVE or has_experts(own)]
    return tag(
        "form",
        _select("under", "Convention", names, under),
        _select("dtype", "Data type", list(BITS), dtype),
        tag("p", NOTE, class_="note"),
        tag(
            "div",
            *(_letter(name, field, sizes[name], allowed[name]) for name, field in fields.items()),
            class_="letters",
        ),
        tag("button", "Reset all sizes", type="reset", disabled=True),
        id="fields",
        aria_label="Convention, data type and sizes",
    )


def _select(name: str, label: str, values: list[str], chosen: str) -> Html:
    options = (tag("option", one, value=one, selected=one == chosen) for one in values)
    return tag("label", label, " ", tag("select", *options, name=name, disabled=True))


def _letter(name: str, field: str, size: int, allowed: list[int]) -> Html:
    number = tag(
        "input",
        id=f"size-{name}",
        name=name,
        value=size,
        inputmode="numeric",
        autocomplete="off",
        disabled=True,
    )
    least, most = allowed[0], allowed[-1]
    slider = tag(
        "input",
        type="range",
        data_letter=name,
        aria_label=f"{name}, from {least:,} to {most:,}",
        min=0,
        max=len(allowed) - 1,
        value=allowed.index(size),
        disabled=True,
    )
    ends = (tag("small", f"{one:,}") for one in (least, most))
    reset = tag(
        "button", "reset", type="button", data_reset=name, aria_label=f"Reset {name}", hidden=True
    )
    label = tag(
        "label", tag("b", name), " ", tag("small", breakable(legible(field))), for_=f"size-{name}"
    )
    line = tag("div", label, reset, class_="named")
    return tag(
        "div", line, tag("div", number, slider, tag("span", *ends, class_="range", data_range=name))
    )
