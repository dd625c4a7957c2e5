"""A derivation as data, and back: one form for documents, workers, and the files of the catalogue.

Expressions and conditions are text in their printed form. A tensor group is a text under its
path, with its number, its shape and its marks: ``"layers.*.q.weight": "L × A·K, H [frozen]"``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from itertools import compress, repeat
from typing import Any

from paramproof.formulas.architecture import Evidence
from paramproof.formulas.condition import Consequence, Outcome, StatedCondition, condition_in
from paramproof.formulas.derivation import Derivation, DerivedTensor, Role
from paramproof.formulas.expression import expression, text
from paramproof.formulas.notation import expression_in

OUTCOMES = {one.value[0]: one for one in Outcome}

LISTS = {"inert": "inert", "unexplained": "unexplained", "doubts": "caveats"}
"""The lists of texts of a derivation, by their keys in its data."""

SCALAR = "scalar"

BRACKETS = (("(", ")"), ("⌊", "⌋"), ("⌈", "⌉"))

VALIDATED = re.compile(r"([^\s,]+) ([0-9]+)\.\.([0-9]+)")

FROZEN, READ, COUNTED = MARKS = "frozen", "read from values", "counted"
"""Marks after a shape: not trained, its shape fitted to values, its number to counts."""


def derivation_data(derivation: Derivation) -> dict[str, Any]:
    where, stated = derivation.proved_where, derivation.conditions
    return {
        "name": derivation.name,
        "status": derivation.status,
        "reasons": list(derivation.reasons_at(derivation.sizes)),
        "proved_where": None if where is None else list(where),
        "formula": text(derivation.formula),
        "parameters": derivation.count(derivation.sizes),
        "sizes": dict(derivation.sizes),
        "fields": dict(derivation.fields),
        **all_tensors_data(derivation.tensors),
        **scope_data(derivation),
        "messages": {str(s.condition): s.consequence.why for s in stated if s.consequence.why},
        "places": {str(s.condition): [list(one) for one in s.places] for s in stated if s.places},
        "evidence": asdict(derivation.evidence),
    }


def scope_data(derivation: Derivation) -> dict[str, Any]:
    """Return where a formula holds, as data: all but its tensors, its sizes and its evidence."""
    return {
        "conditions": {
            str(one.condition): one.consequence.outcome.value[0] for one in derivation.conditions
        },
        "harmless": list(dict.fromkeys(map(str, derivation.irrelevant_guards))),
        "fixed": {one: derivation.sizes[one] for one in derivation.fixed},
        **{key: list(getattr(derivation, name)) for key, name in LISTS.items()},
        "validated": format_validated(derivation.validated),
    }


def derivation_from(
    data: Mapping[str, Any], tensors: Iterable[DerivedTensor] | None = None
) -> Derivation:
    """Return the derivation in the data of ``derivation_data``, in their order.

    Keys that are absent are empty. ``tensors`` are those of the data, unless they are given.
    Conditions that are printed alike are one.
    """
    found = all_tensors_from(data) if tensors is None else tensors
    validated = VALIDATED.findall(data.get("validated", ""))
    sizes, messages, places = data["sizes"], data.get("messages", {}), data.get("places", {})
    conditions = (
        StatedCondition(
            condition_in(written),
            Consequence(OUTCOMES[outcome], messages.get(written, "")),
            tuple((file, line) for file, line in places.get(written, ())),
        )
        for written, outcome in data.get("conditions", {}).items()
    )
    return Derivation(
        name=data["name"],
        sizes=sizes,
        fields=data["fields"],
        tensors=with_ties(in_order(found), data.get("ties", {})),
        conditions=tuple(conditions),
        fixed=tuple(sorted(data.get("fixed", ()))),
        irrelevant_guards=tuple(map(condition_in, data.get("harmless", ()))),
        evidence=Evidence(**data["evidence"]),
        validated={name: (int(low), int(high)) for name, low, high in validated if name in sizes},
        **{name: tuple(data.get(key, ())) for key, name in LISTS.items()},
    )


def in_order(tensors: Iterable[DerivedTensor]) -> list[DerivedTensor]:
    """Return tensors in the order of their data: buffers last, and those of one path together."""
    listed = list(tensors)
    place = {path: n for n, path in enumerate(dict.fromkeys(one.path for one in listed))}
    return sorted(listed, key=lambda one: (one.role == "buffer", place[one.path]))


def all_tensors_data(tensors: Iterable[DerivedTensor]) -> dict[str, Any]:
    listed = list(tensors)
    data: dict[str, Any] = {}
    for key, are_buffers in (("tensors", False), ("buffers", True)):
        own = (one for one in listed if (one.role == "buffer") is are_buffers)
        data[key] = {
            path: [*map(format_tensor, found)] if len(found) > 1 else format_tensor(found[0])
            for path, found in _by_path(own).items()
        }
    return {**data, "ties": ties_data(listed)}


def _by_path(tensors: Iterable[DerivedTensor]) -> dict[str, list[DerivedTensor]]:
    found: dict[str, list[DerivedTensor]] = {}
    for one in tensors:
        found.setdefault(one.path, []).append(one)
    return found


def all_tensors_from(data: Mapping[str, Any]) -> list[DerivedTensor]:
    return [
        parse_tensor(path, one, buffer=key == "buffers")
        for key in ("tensors", "buffers")
        for path, written in data.get(key, {}).items()
        for one in ([written] if isinstance(written, str) else written)
    ]


def format_tensor(tensor: DerivedTensor) -> str:
    shape = ", ".join(map(text, tensor.shape)) or SCALAR
    times = f"{text(tensor.times)} × " if tensor.times != 1 else ""
    applies = tensor.role == FROZEN, not tensor.traced, not tensor.looped
    marks = compress(MARKS, applies)
    return f"{times}{shape}" + (f" [{', '.join(marks)}]" if any(applies) else "")


def parse_tensor(path: str, written: str, *, buffer: bool = False) -> DerivedTensor:
    shapes, _, marks = written.removesuffix("]").partition(" [")
    found_marks = marks.split(", ") if marks else []
    if unknown := sorted({*found_marks} - {*MARKS}):
        raise ValueError(f"{path} has the unknown mark {unknown[0]!r}")
    *times, shape = _split(shapes, " × ")
    role: Role = "buffer" if buffer else "frozen" if FROZEN in found_marks else "trainable"
    return DerivedTensor(
        path,
        () if shape == SCALAR else tuple(map(expression_in, _split(shape, ", "))),
        expression_in(times[0]) if times else expression(1),
        role,
        (),
        READ not in found_marks,
        COUNTED not in found_marks,
    )


def _split(written: str, sign: str) -> list[str]:
    """Split text at a sign outside brackets: ``int(K × 0.5), H`` has two pieces."""
    found: list[str] = []
    for piece in written.split(sign):
        if found and any(found[-1].count(one) != found[-1].count(end) for one, end in BRACKETS):
            found[-1] += sign + piece
        else:
            found.append(piece)
    return found


def with_ties(
    tensors: Iterable[DerivedTensor], ties: Mapping[str, Any]
) -> tuple[DerivedTensor, ...]:
    others = {
        path: iter(names) if names and isinstance(names[0], list) else repeat(names)
        for path, names in ties.items()
    }
    own = ((one, next(others.get(one.path, iter(())), ())) for one in tensors)
    return tuple(replace(one, aliases=tuple(names)) for one, names in own)


def ties_data(tensors: Iterable[DerivedTensor]) -> dict[str, Any]:
    """Return the other paths of tensors, by path, in the form that ``with_ties`` reads.

    If tensors of one path differ in them, because only some layers are tied, there is a list for
    each tensor, in order.
    """
    data: dict[str, Any] = {}
    for path, own in _by_path(tensors).items():
        others = [list(one.aliases) for one in own]
        if any(others):
            data[path] = others[0] if all(one == others[0] for one in others) else others
    return data


def format_validated(validated: Mapping[str, tuple[int, int]]) -> str:
    return ", ".join(f"{name} {low}..{high}" for name, (low, high) in validated.items())
