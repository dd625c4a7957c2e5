"""Tensors of an entry, as text and read back: ``"layers.*.q_proj.weight": "L × A·K, H"``."""

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
"""What is said behind a shape, in brackets: that the tensor is not trained, that its shape was
read from values, that how many there are was read from counts."""


def format_tensor(tensor: DerivedTensor) -> str:
    """Return what an entry says of a tensor: how often, its shape, and what is not usual of it."""
    shape = ", ".join(map(text, tensor.shape)) or SCALAR
    times = f"{text(tensor.times)} × " if tensor.times != 1 else ""
    marks = [
        MARKS[name]
        for name, there in (
            ("frozen", tensor.role == "frozen"),
            ("read", not tensor.traced),
            ("counted", not tensor.looped),
        )
        if there
    ]
    return f"{times}{shape}" + (f" [{', '.join(marks)}]" if marks else "")


def parse_tensor(path: str, written: str, *, buffer: bool = False) -> DerivedTensor:
    """Return the tensor that ``format_tensor`` wrote. Raises ``ValueError`` for what it did not."""
    shapes, _, marks = written.removesuffix("]").partition(" [")
    said = marks.split(", ") if marks else []
    if unknown := set(said) - set(MARKS.values()):
        raise ValueError(f"{sorted(unknown)[0]!r} is said of {path}")
    *times, shape = _split(shapes, " × ")
    role: Role = "buffer" if buffer else "frozen" if MARKS["frozen"] in said else "trainable"
    return DerivedTensor(
        path,
        () if shape == SCALAR else tuple(map(expression_in, _split(shape, ", "))),
        expression_in(times[0]) if times else expression(1),
        role,
        (),
        MARKS["read"] not in said,
        MARKS["counted"] not in said,
    )


def _split(written: str, sign: str) -> list[str]:
    """Return what stands between the signs that are in no brackets: ``int(K × 0.5), H`` has two."""
    found, depth, start = list[str](), 0, 0
    for index, one in enumerate(written):
        depth += (one in "(⌊⌈") - (one in ")⌋⌉")
        if not depth and index >= start and written.startswith(sign, index):
            found.append(written[start:index])
            start = index + len(sign)
    return [*found, written[start:]]


def parse_tensors(data: Mapping[str, Any], *, buffer: bool = False) -> Iterator[DerivedTensor]:
    """Yield the tensors of a mapping from paths to texts, or to lists of several."""
    for path, written in data.items():
        for one in [written] if isinstance(written, str) else written:
            yield parse_tensor(path, one, buffer=buffer)


def tensors_data(tensors: Iterable[DerivedTensor]) -> dict[str, Any]:
    """Return tensors as ``parse_tensors`` reads them."""
    found: dict[str, Any] = {}
    for tensor in tensors:
        written = format_tensor(tensor)
        there = found.get(tensor.path)
        if there is None:
            found[tensor.path] = written
        else:
            found[tensor.path] = [*([there] if isinstance(there, str) else there), written]
    return found


def with_prefix(prefix: str, tensors: Iterable[DerivedTensor]) -> list[DerivedTensor]:
    """Return tensors of a part, with the paths they have in the whole."""
    before = f"{prefix}." if prefix else ""
    return [replace(tensor, path=f"{before}{tensor.path}") for tensor in tensors]


def with_ties(
    tensors: Iterable[DerivedTensor], ties: Mapping[str, Any]
) -> tuple[DerivedTensor, ...]:
    """Return tensors with the other paths that ``ties_data`` says they have."""
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
    """Return the other paths of tensors by their own, as ``with_ties`` reads them.

    Where tensors of one path differ in them, as those of layers do of which some are tied, there
    is a list for each, in their order.
    """
    found: dict[str, list[list[str]]] = {}
    for one in tensors:
        found.setdefault(one.path, []).append(list(one.aliases))
    return {
        path: others[0] if all(one == others[0] for one in others) else others
        for path, others in found.items()
        if any(others)
    }
