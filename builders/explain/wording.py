"""Accounts in words."""

from __future__ import annotations

from collections.abc import Sequence

from builders.explain.account import TRAINABLE, UNNAMED, Account, Part
from builders.explain.sizes import known
from formulas.inventory import LAYER

MOST_OWNERS = 3


def words(account: Account) -> str:
    """The account as a person would give it, without the model's name.

    ``the whole model without pooler``, ``layers.*.attention in one layer`` …
    """
    first, *rest = account.parts
    added = [part for part in rest if part.times > 0 and not part.heads]
    again = [part for part in added if _inside(part, first)]
    text = " + ".join(map(_component, [first, *(part for part in added if part not in again)]))
    if left_out := [part for part in rest if part.times < 0]:
        text += f" without {_listed(left_out)}"
    if again:
        text += f" and {_listed(again)} a second time"
    if wide := [part for part in rest if part.heads]:
        text += f", every head with {_listed(wide)} at full width"
    if account.plain:
        text += ", as if these layers were BERT's at F = 4·H"
    if account.sizes:
        text += f", at {_sizes(account)}"
    return text


def _component(part: Part) -> str:
    text = part.component or "the whole model"
    if part.component.endswith(LAYER):
        text = f"one layer of {part.component.removesuffix(f'.{LAYER}')}"
    elif LAYER in part.component.split("."):
        text += " in one layer" if part.one else " in all layers"
    conventions = [name for name in part.conventions if (name,) != TRAINABLE]
    return f"{text} ({', '.join(conventions)})" if conventions else text


def _listed(parts: Sequence[Part]) -> str:
    *most, last = map(_component, parts)
    return f"{', '.join(most)} and {last}" if most else last


def _inside(part: Part, other: Part) -> bool:
    return not other.component or f"{part.component}.".startswith(f"{other.component}.")


def _sizes(account: Account) -> str:
    (field, value), *_ = account.sizes
    owners = known()[field].get(value, [])
    if account.length >= UNNAMED:
        return f"{field}={value}, which no named model has"
    more = len(owners) - MOST_OWNERS
    names = ", ".join(owners[:MOST_OWNERS]) + (f" and {more} more" if more > 0 else "")
    return f"{field}={value} (that of {names})"
