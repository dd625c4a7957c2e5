"""Join frameworks that agree, and names that differ in one part, into one line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from typing import NamedTuple

from paramproof.differences.answer import Answer
from paramproof.formulas.order import merged
from paramproof.formulas.path import in_braces, leaf, parent

MAX_QUESTIONS_NAMED = 3
"""So many ways of asking are named beside an answer; where there were more, none is."""


class Line(NamedTuple):
    """The frameworks with the same answer to a row, and the answer; ``what`` is the row's."""

    what: str
    frameworks: str
    facts: Mapping[str, str]


def rows(answers: Sequence[Answer], every: Sequence[str]) -> Iterator[tuple[str, list[Line]]]:
    """Yield each row with its lines, in which frameworks with equal facts are joined.

    ``every`` names all frameworks that answered any question.
    """
    for row in _in_order(answers):
        found: dict[tuple[tuple[str, str], ...], list[Answer]] = {}
        for answer in answers:
            if answer.row == row:
                found.setdefault(_key(answer), []).append(answer)
        yield row, [_line(same, every) for same in found.values()]


def _line(same: Sequence[Answer], every: Sequence[str]) -> Line:
    asked = dict.fromkeys(answer.facts["asked"] for answer in same if "asked" in answer.facts)
    few = "; ".join(asked) if len(asked) <= MAX_QUESTIONS_NAMED else ""
    return Line(same[0].what, names(same, every), {**same[0].facts, "asked": few})


def _key(answer: Answer) -> tuple[tuple[str, str], ...]:
    return tuple(sorted((fact, text) for fact, text in answer.facts.items() if fact != "asked"))


def _in_order(answers: Sequence[Answer]) -> list[str]:
    """Return the rows of all frameworks, in an order that agrees with each framework's own."""
    orders: dict[str, list[str]] = {}
    for answer in answers:
        orders.setdefault(answer.framework, []).append(answer.row)
    return merged(orders.values())


def names(answers: Sequence[Answer], every: Sequence[str]) -> str:
    """Return ``all``, or the names, those of one beginning as ``keras-{jax,torch}``."""
    frameworks = [answer.framework for answer in answers]
    if len(every) > 1 and frameworks == list(every):
        return "all"
    beginnings = dict.fromkeys(name.partition("-")[0] for name in frameworks)
    groups = [[n for n in frameworks if n.partition("-")[0] == first] for first in beginnings]
    return ", ".join(map(braced, groups))


def braced(texts: Sequence[str]) -> str:
    """Return one text for all of ``texts``, which differ between a common beginning and end."""
    if len(set(texts)) == 1:
        return texts[0]
    start = _beginning(texts)
    end = _beginning([text[len(start) :][::-1] for text in texts])[::-1]
    middles = (text[len(start) : len(text) - len(end)] for text in texts)
    return f"{start}{in_braces(list(middles))}{end}"


def _beginning(texts: Sequence[str]) -> str:
    """Return the common beginning of ``texts``, up to the end of a word."""
    alike = takewhile(lambda letters: len(set(letters)) == 1, zip(*texts, strict=False))
    return re.sub(r"[A-Za-z0-9]+$", "", "".join(letters[0] for letters in alike))


def tensors(answers: Sequence[Answer]) -> list[Answer]:
    """Return the answers on shapes, with siblings as one that every framework stores alike.

    ``layers.*.attention.{query,key,value}.kernel``: the names of tensors and their native
    paths differ in a part, and nothing else does.
    """
    signatures: dict[str, list[tuple[str, ...]]] = {}
    for answer in answers:
        stored = (answer.facts[fact] for fact in ("shape", "layout", "dtype"))
        signatures.setdefault(answer.row, []).append((answer.framework, *stored))
    groups: dict[tuple[object, ...], list[str]] = {}
    for row, signature in signatures.items():
        groups.setdefault((parent(parent(row)), leaf(row), *signature), []).append(row)
    merged = []
    for group in groups.values():
        for framework in dict.fromkeys(answer.framework for answer in answers):
            same = [
                answer
                for answer in answers
                if answer.framework == framework and answer.row in group
            ]
            if same:
                paths = braced([answer.facts["path"] for answer in same])
                facts = {**same[0].facts, "path": paths}
                merged.append(Answer(framework, "shapes", braced(group), same[0].what, facts))
    return merged
