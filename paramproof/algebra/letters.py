"""Choose short letters for sizes: customary ones of the field first, initials otherwise.

A formula that has no symbol for the number of experts per token gets one here, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from paramproof.formulas.active import says_per_token
from paramproof.formulas.derivation import Derivation
from paramproof.formulas.models import size_names
from paramproof.formulas.path import parent

_MEANING_OF = {name: size for size in size_names() for name in size.names}

AMBIGUOUS = "hidden_dim"
"""The width of the feed-forward network; the model's width if another field has the former."""


def letters_for(fields: Iterable[str], known: Mapping[str, str] = {}) -> dict[str, str]:
    """Return a letter for each field, all different: ``{"hidden_size": "H", …}``.

    The fields in ``known`` have their letters already, and no other field gets one of these.

    A field of a part has the part as its subscript: ``text_config.hidden_size`` is H_text. A field
    without a customary letter has its initials: ``mlp_expansion`` is me. If two would have the same
    letter, the second has a number.
    """
    fields = list(fields)
    found, taken = dict(known), {*known.values()}
    with_feed_forward = {
        tuple(parts)
        for *parts, name in (field.split(".") for field in [*known, *fields])
        if name != AMBIGUOUS and _customary(name) == "F"
    }
    for field in [field for field in fields if field not in known]:
        *parts, name = field.split(".")
        base, bracket, index = name.partition("[")
        is_kind = bool(bracket) and not index[:-1].isdigit()
        letter = "n" if is_kind else _customary(base) or _initials(base)
        if name == AMBIGUOUS and tuple(parts) in with_feed_forward:
            letter = "H"
        # A single letter without a custom would look like a customary one.
        marks = [part.removesuffix("_config") for part in parts]
        marks += [index[:-1]] if bracket else []
        wanted = "_".join([letter, *marks]).replace("[", "").replace("]", "")
        chosen, number = wanted, 2
        while chosen in taken:
            chosen, number = f"{wanted}{number}", number + 1
        found[field] = chosen
        taken.add(chosen)
    return {field: found[field] for field in fields}


def mean_the_same(*fields: str) -> bool:
    """Return whether fields are customary names of one size, such as d_model and hidden_size.

    A field of a part means the same only in a part of this name.
    """
    bare = {
        (*(part.removesuffix("_config") for part in parts), _MEANING_OF.get(name, name))
        for *parts, name in (field.split(".") for field in fields)
    }
    return len(bare) == 1


def _customary(name: str) -> str:
    return _MEANING_OF[name].letter if name in _MEANING_OF else ""


def _initials(name: str) -> str:
    words = [word for word in name.split("_") if word]
    initials = "".join(word[0] for word in words).lower()
    return initials if len(initials) > 1 else name[:2].lower()


def with_experts_per_token(derivation: Derivation, keys: Mapping[str, Any]) -> Derivation:
    """Return a derivation with a symbol for experts per token, taken from a config's ``keys``.

    No constructor reads this number, so a formula has no symbol for it if its default is null.
    """
    known = {parent(field) for field in derivation.fields.values() if says_per_token(field)}
    absent = {
        path: size
        for path, size in sizes_in(keys)
        if says_per_token(path) and parent(path) not in known
    }
    letters = letters_for([*derivation.fields.values(), *absent])
    new = {letters[path]: path for path in absent}
    return replace(
        derivation,
        sizes={**derivation.sizes, **{name: absent[path] for name, path in new.items()}},
        fields={**derivation.fields, **new},
        inert=(*derivation.inert, *new),
    )


def sizes_in(keys: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, int]]:
    """Yield every positive int of a configuration and of its parts, with its path."""
    for key, value in keys.items():
        if isinstance(value, Mapping):
            yield from sizes_in(value, f"{before}{key}.")
        elif type(value) is int and value > 0:
            yield f"{before}{key}", value
