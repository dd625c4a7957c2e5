"""Cells side by side: frameworks that agree, and names that differ in a part, as one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from typing import NamedTuple

from paramproof.differences.answer import Answer
from paramproof.formulas.path import in_braces, leaf, parent

FEW = 3
"""Of what was asked, as much as is named beside an answer."""


class Line(NamedTuple):
    """The frameworks that answer a row alike, and how; ``what`` is the row's."""

    what: str
    frameworks: str
    facts: Mapping[str, str]


def rows(cells: Sequence[Answer], every: Sequence[str]) -> Iterator[tuple[str, list[Line]]]:
    """Each row with its lines: frameworks of equal facts are together, in order.

    ``every`` names the frameworks that were asked at all.
    """
    for row in _in_order(cells):
        found: dict[tuple[tuple[str, str], ...], list[Answer]] = {}
        for cell in cells:
            if cell.row == row:
                found.setdefault(_key(cell), []).append(cell)
        yield row, [_line(same, every) for same in found.values()]


def _line(same: Sequence[Answer], every: Sequence[str]) -> Line:
    asked = dict.fromkeys(cell.facts["asked"] for cell in same if "asked" in cell.facts)
    few = "; ".join(asked) if len(asked) <= FEW else ""
    return Line(same[0].what, names(same, every), {**same[0].facts, "asked": few})


def _key(cell: Answer) -> tuple[tuple[str, str], ...]:
    return tuple(sorted((fact, text) for fact, text in cell.facts.items() if fact != "asked"))


def _in_order(cells: Sequence[Answer]) -> list[str]:
    """The rows of all frameworks, each after those that come before it in its own."""
    order: list[str] = []
    for framework in dict.fromkeys(cell.framework for cell in cells):
        place = 0
        for cell in cells:
            if cell.framework != framework:
                continue
            if cell.row not in order:
                order.insert(place, cell.row)
            place = order.index(cell.row) + 1
    return order


def names(cells: Sequence[Answer], every: Sequence[str]) -> str:
    """``all``, or names with those of one beginning together: ``keras-{jax,torch}, torch``."""
    frameworks = [cell.framework for cell in cells]
    if len(every) > 1 and frameworks == list(every):
        return "all"
    beginnings = dict.fromkeys(name.partition("-")[0] for name in frameworks)
    groups = [[n for n in frameworks if n.partition("-")[0] == first] for first in beginnings]
    return ", ".join(map(braced, groups))


def braced(texts: Sequence[str]) -> str:
    """One text for all of ``texts``, which differ between a common beginning and end."""
    if len(set(texts)) == 1:
        return texts[0]
    start = _beginning(texts)
    end = _beginning([text[len(start) :][::-1] for text in texts])[::-1]
    middles = (text[len(start) : len(text) - len(end)] for text in texts)
    return f"{start}{in_braces(list(middles))}{end}"


def _beginning(texts: Sequence[str]) -> str:
    """What all of ``texts`` begin with, up to the end of a word."""
    alike = takewhile(lambda letters: len(set(letters)) == 1, zip(*texts, strict=False))
    return re.sub(r"[A-Za-z0-9]+$", "", "".join(letters[0] for letters in alike))


def tensors(cells: Sequence[Answer]) -> list[Answer]:
    """Those of ``shapes``, with siblings as one that every framework stores alike.

    ``layers.*.attention.{query,key,value}.kernel``: the names of tensors and their native
    paths differ in a part, and nothing else does.
    """
    signatures: dict[str, list[tuple[str, ...]]] = {}
    for cell in cells:
        stored = (cell.facts[fact] for fact in ("shape", "layout", "dtype"))
        signatures.setdefault(cell.row, []).append((cell.framework, *stored))
    groups: dict[tuple[object, ...], list[str]] = {}
    for row, signature in signatures.items():
        groups.setdefault((parent(parent(row)), leaf(row), *signature), []).append(row)
    merged = []
    for group in groups.values():
        for framework in dict.fromkeys(cell.framework for cell in cells):
            same = [cell for cell in cells if cell.framework == framework and cell.row in group]
            if same:
                paths = braced([cell.facts["path"] for cell in same])
                facts = {**same[0].facts, "path": paths}
                merged.append(Answer(framework, "shapes", braced(group), same[0].what, facts))
    return merged
