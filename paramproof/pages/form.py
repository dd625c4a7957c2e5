"""The controls of a model's page: convention, dtype, and a field and a slider for each size."""

from __future__ import annotations

from collections.abc import Mapping

from paramproof.formulas.printing import legible
from paramproof.pages.sizing import fields_of, has_experts
from paramproof.pages.viewing import ACTIVE, MEANINGS
from paramproof.resolver import Model
from paramproof.views.dtypes import BITS
from paramproof.views.html import Html, breakable, tag

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
