"""Two files of one type: what is otherwise, as algebra."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from paramproof.catalogue.derivations import tensors_of, variants
from paramproof.catalogue.files import TypeFile, type_in
from paramproof.formulas.derivation import DerivedTensor
from paramproof.formulas.expression import Expression
from paramproof.formulas.notation import text


def differences(old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
    """Yield a line for each thing that ``new`` says otherwise; versions and evidence may differ."""
    before, after = (type_in(one, one["model_type"]) for one in (old, new))
    for name in (
        "letters",
        "null",
        "parts",
        "given",
        "fields",
        "aliases",
        "free",
        "texts",
        "layers",
        "below",
    ):
        there, here = getattr(before, name), getattr(after, name)
        for key in [*there, *(key for key in here if key not in there)]:
            if there.get(key) != here.get(key):
                yield f"{name} {key}: {there.get(key)!r} was, {here.get(key)!r} is"
    for name in [*before.classes, *(n for n in after.classes if n not in before.classes)]:
        if name not in after.classes or name not in before.classes:
            yield f"{name} is {'new' if name in after.classes else 'gone'}"
        else:
            yield from _classes(before, after, name)


def _classes(before: TypeFile, after: TypeFile, name: str) -> Iterator[str]:
    old, new = ({_key(one): one for one in variants(f, name)} for f in (before, after))
    for key in [*old, *(key for key in new if key not in old)]:
        where = f"{name}{key}"
        if key not in old or key not in new:
            yield f"{where} is {'new' if key in new else 'gone'}"
            continue
        there, here = tensors_of(before, old[key]), tensors_of(after, new[key])
        apart = _formula(here) - _formula(there)
        if apart:
            yield f"{where} = what it was + ({text(apart)})"
        for sign, ones, others in (("−", there, here), ("+", here, there)):
            yield from (
                f"{where} {sign} {one.path} {' × '.join(map(text, (one.times, *one.shape)))}"
                for one in ones
                if one not in others
            )
        for said in ("conditions", "fixed", "status", "withdrawn", "decides"):
            was, now = (_in_order(one[key].data.get(said)) for one in (old, new))
            if was != now:
                yield f"{where} {said}: {was} was, {now} is"


def _in_order(said: Any) -> Any:
    return sorted(said) if isinstance(said, list) else said


def _key(written: Any) -> str:
    said = [f"{path}={value}" for path, value in {**written.where}.items()]
    return f"[{', '.join([*said, *written.sized])}]"


def _formula(tensors: list[DerivedTensor]) -> Expression:
    sizes = (one.size for one in tensors if one.role == "trainable")
    return sum(sizes, Expression())
