"""The text form of an entry's tensors: ``"layers.*.q_proj.weight": "L × A·K, H"``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from paramproof.formulas.derivation import DerivedTensor, Role
from paramproof.formulas.expression import expression
from paramproof.formulas.notation import text
from paramproof.formulas.parsing import expression_in

SCALAR = "scalar"

MARKS = {"frozen": "frozen", "read": "read from values", "counted": "counted"}
"""Marks in brackets after a shape.

The tensor is not trained, its shape was read from values, or its number was read from counts.
"""


def format_tensor(tensor: DerivedTensor) -> str:
    """Return the text of a tensor: its number, its shape, and its marks."""
    shape = ", ".join(map(text, tensor.shape)) or SCALAR
    times = f"{text(tensor.times)} × " if tensor.times != 1 else ""
    marks = [
        MARKS[name]
        for name, applies in (
            ("frozen", tensor.role == "frozen"),
            ("read", not tensor.traced),
            ("counted", not tensor.looped),
        )
        if applies
    ]
    return f"{times}{shape}" + (f" [{', '.join(marks)}]" if marks else "")


def parse_tensor(path: str, written: str, *, buffer: bool = False) -> DerivedTensor:
    """Parse the text that ``format_tensor`` writes. Raises ``ValueError`` for any other."""
    shapes, _, marks = written.removesuffix("]").partition(" [")
    found_marks = marks.split(", ") if marks else []
    if unknown := set(found_marks) - set(MARKS.values()):
        raise ValueError(f"{path} has the unknown mark {sorted(unknown)[0]!r}")
    *times, shape = _split(shapes, " × ")
    role: Role = "buffer" if buffer else "frozen" if MARKS["frozen"] in found_marks else "trainable"
    return DerivedTensor(
        path,
        () if shape == SCALAR else tuple(map(expression_in, _split(shape, ", "))),
        expression_in(times[0]) if times else expression(1),
        role,
        (),
        MARKS["read"] not in found_marks,
        MARKS["counted"] not in found_marks,
    )


def _split(written: str, sign: str) -> list[str]:
    """Split text at a sign outside brackets: ``int(K × 0.5), H`` has two pieces."""
    found, depth, start = list[str](), 0, 0
    for index, one in enumerate(written):
        depth += (one in "(⌊⌈") - (one in ")⌋⌉")
        if not depth and index >= start and written.startswith(sign, index):
            found.append(written[start:index])
            start = index + len(sign)
    return [*found, written[start:]]


def parse_tensors(data: Mapping[str, Any], *, buffer: bool = False) -> Iterator[DerivedTensor]:
    """Yield the tensors of a mapping from paths to texts, or to lists of texts."""
    for path, written in data.items():
        for one in [written] if isinstance(written, str) else written:
            yield parse_tensor(path, one, buffer=buffer)


def tensors_data(tensors: Iterable[DerivedTensor]) -> dict[str, Any]:
    """Return the mapping from which ``parse_tensors`` reads these tensors."""
    found: dict[str, Any] = {}
    for tensor in tensors:
        written = format_tensor(tensor)
        present = found.get(tensor.path)
        if present is None:
            found[tensor.path] = written
        else:
            found[tensor.path] = [*([present] if isinstance(present, str) else present), written]
    return found


def with_prefix(prefix: str, tensors: Iterable[DerivedTensor]) -> list[DerivedTensor]:
    """Return the tensors of a part with the paths that they have in the whole model."""
    before = f"{prefix}." if prefix else ""
    return [replace(tensor, path=f"{before}{tensor.path}") for tensor in tensors]


def with_ties(
    tensors: Iterable[DerivedTensor], ties: Mapping[str, Any]
) -> tuple[DerivedTensor, ...]:
    """Return tensors with the other paths that ``ties_data`` wrote."""
    found: list[DerivedTensor] = []
    seen: Counter[str] = Counter()
    for one in tensors:
        others = ties.get(one.path, ())
        if others and isinstance(others[0], list):
            others = others[seen[one.path]]
        seen[one.path] += 1
        found.append(replace(one, aliases=tuple(others)))
    return tuple(found)


def ties_data(tensors: Iterable[DerivedTensor]) -> dict[str, Any]:
    """Return the other paths of tensors, by path, in the form that ``with_ties`` reads.

    If tensors of one path differ in them, because only some layers are tied, there is a list for
    each tensor, in order.
    """
    found: dict[str, list[list[str]]] = {}
    for one in tensors:
        found.setdefault(one.path, []).append(list(one.aliases))
    return {
        path: others[0] if all(one == others[0] for one in others) else others
        for path, others in found.items()
        if any(others)
    }
