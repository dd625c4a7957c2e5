"""An answer: what one framework does about one question. Rows and tables show alike ones as one."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from pathlib import Path
from typing import Literal, TypeAlias

from paramproof.builders.registry import Framework
from paramproof.formulas.path import LAYER, in_braces, leaf, merged, parent
from paramproof.tables import Column, Table, TableRow
from paramproof.verify.workers import Record

Section: TypeAlias = Literal["shapes", "defaults", "counts", "broken"]

COUNTED = ("bert-tiny", "bert-base-uncased")
"""The models whose counts give a difference in letters; the number of the last one is printed."""

RECORDED = Path(__file__).with_name("recorded.json")


@dataclass(frozen=True, slots=True)
class Answer(Record):
    """One thing that was found out about a framework by running it.

    ``row`` identifies the question: a canonical tensor, a default or a way of counting. ``what``
    is the question in words, or the tensor's shape in the formula. ``facts`` are the answer as
    text, by column. ``components`` are those that it concerns, none for the whole model.
    """

    section: Section
    row: str
    what: str = ""
    facts: Mapping[str, str] = field(default_factory=dict)
    components: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """The name of the test that measures it again: ``differences::torch::gelu``."""
        return f"differences::{self.framework}::{self.row}"

    @property
    def failed(self) -> bool:
        return self.section == "broken"

    def concerns(self, component: str) -> bool:
        """Return whether this is about ``component``: one of ``components``, or within them.

        ``attention``, ``attention.query`` and ``layers.*.attention`` all are in
        ``layers.*.attention.query.kernel``.
        """
        return any(f".{component}." in f".{path}." for path in self.components)

    @classmethod
    def broken(cls, framework: Framework, reason: str) -> Answer:
        """Return the record of a worker that died."""
        return cls(framework.name, "broken", "worker", facts={"reason": reason})


def recorded() -> tuple[dict[str, dict[str, str | None]], list[Answer]]:
    """Return the answers that the package has recorded, and the versions of each framework.

    ``tox run -e docs`` records them, and the tests of each framework measure them again.
    """
    data = json.loads(RECORDED.read_text("utf-8"))
    answers = [
        Answer(framework, row["section"], row["row"], row["what"], facts, tuple(row["components"]))
        for row in data["rows"]
        for names, facts in row["answers"]
        for framework in names.split()
    ]
    order = [*data["versions"]]  # as measured: one framework after the other
    return data["versions"], sorted(answers, key=lambda one: order.index(one.framework))


def components() -> list[str]:
    """Return the names of an encoder's components, at any depth."""
    shapes = (answer for answer in recorded()[1] if answer.section == "shapes")
    parts = (part for one in shapes for part in parent(one.components[0]).split("."))
    return list(dict.fromkeys(part for part in parts if part not in (LAYER, "layers")))


FACTS: dict[Section, tuple[Column, ...]] = {
    "defaults": (Column("answer", "answer"),),
    "counts": (
        Column("counted by", "how", is_code=True),
        Column(COUNTED[-1], COUNTED[-1]),
        Column("minus the formula", "difference"),
    ),
    "shapes": (
        Column("path", "path", is_code=True),
        Column("stored", "shape"),
        Column("layout", "layout"),
    ),
}
"""The columns of the answers, by section."""

HEADINGS: dict[Section, tuple[str, str]] = {
    "defaults": ("default", ""),
    "counts": (f"number of, in {COUNTED[-1]}", "With both heads and a tied decoder."),
    "shapes": (
        "tensor",
        "In the first column a kernel is (in, out): L layers, hidden size H, A heads of size K, "
        "feed-forward size F, V tokens, P positions, T token types.",
    ),
}
"""The heading of the questions and the note of the table of each section, in this order."""

MAX_BESIDE = 3  # So many frameworks have a column each; more of them share lines.


def facts_of(answer: Answer, *, compared: bool = False) -> tuple[str, ...]:
    """Return the answer by column; if ``compared``, without the code by which one counts."""
    columns = (column.key for column in FACTS[answer.section])
    return tuple(answer.facts[key] for key in columns if not (compared and key == "how"))


def text_of(answer: Answer) -> str:
    facts = answer.facts
    if answer.section == "shapes":
        layout = "" if facts["layout"] == "as it is" else f", {facts['layout']}"
        return f"{facts['path']} {facts['shape']}{layout}"
    if answer.section == "counts":
        more = f" ({facts['difference']})" if facts["difference"][0] in "+−" else ""
        return f"{facts[COUNTED[-1]]}{more}: {facts['how']}"
    return facts["answer"]


def differing(answers: Sequence[Answer]) -> list[Answer]:
    """Return the answers to those questions that the frameworks answer differently.

    A framework that does not answer a question, because it has nothing to ask, differs too.
    """
    frameworks = {answer.framework for answer in answers}
    said: dict[str, dict[tuple[str, ...], set[str]]] = {}
    for answer in answers:
        same = said.setdefault(answer.row, {}).setdefault(facts_of(answer, compared=True), set())
        same.add(answer.framework)
    return [answer for answer in answers if [*said[answer.row].values()] != [frameworks]]


def by_row(section: Section, answers: Sequence[Answer]) -> Iterator[list[Answer]]:
    own = [answer for answer in answers if answer.section == section]
    own = [*tensors(own)] if section == "shapes" else own
    for row in in_order(own):
        yield [answer for answer in own if answer.row == row]


def in_order(answers: Sequence[Answer]) -> list[str]:
    """Return the rows of all frameworks, in an order that agrees with each framework's own."""
    orders: dict[str, list[str]] = {}
    for answer in answers:
        orders.setdefault(answer.framework, []).append(answer.row)
    return merged(orders.values())


def names_text(frameworks: Sequence[str], every: Sequence[str]) -> str:
    """Return ``all``, or the names, those of one beginning as ``keras-{jax,torch}``."""
    if len(every) > 1 and frameworks == every:
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


def tensors(answers: Sequence[Answer]) -> Iterator[Answer]:
    """Yield the answers on shapes, with siblings as one that every framework stores alike.

    ``layers.*.attention.{query,key,value}.kernel``: the names of tensors and their native
    paths differ in a part, and nothing else does.
    """
    stored: dict[str, list[tuple[str, ...]]] = {}
    for answer in answers:
        how = (answer.framework, answer.facts["shape"], answer.facts["layout"])
        stored.setdefault(answer.row, []).append(how)
    groups: dict[tuple[object, ...], list[str]] = {}
    for row, hows in stored.items():
        groups.setdefault((parent(parent(row)), leaf(row), *hows), []).append(row)
    names = {row: braced(rows) for rows in groups.values() for row in rows}
    found: dict[tuple[str, str], list[Answer]] = {}
    for answer in answers:
        found.setdefault((names[answer.row], answer.framework), []).append(answer)
    for (row, _), same in found.items():
        facts = {**same[0].facts, "path": braced([one.facts["path"] for one in same])}
        yield replace(same[0], row=row, facts=facts)


def versions_text(versions: Iterable[Mapping[str, str | None]]) -> str:
    """Return the versions of all distributions, each once: ``keras 3.15.1, torch 2.13.0``."""
    every = {name: version for one in versions for name, version in one.items()}
    return ", ".join(f"{name} {every[name]}" for name in sorted(every))


def difference_tables(
    answers: Sequence[Answer], frameworks: Sequence[str], *, apart: bool
) -> Iterator[Table]:
    """Yield a table for each section with answers; ``apart`` parts rows, whose lines are folded."""
    beside = len(frameworks) <= MAX_BESIDE
    for section, (heading, note) in HEADINGS.items():
        rows: list[TableRow] = []
        for own in by_row(section, answers):
            said = {one.framework: text_of(one) for one in own}
            alike = {text: [name for name in said if said[name] == text] for text in said.values()}
            cells = [(text, names_text(same, frameworks)) for text, same in alike.items()]
            question = f"{own[0].row} {own[0].what}" if section == "shapes" else own[0].what
            first, *more = [[*map(said.get, frameworks)]] if beside else cells
            rows.append(TableRow((question, *first), starts_section=apart or not beside))
            rows += [TableRow((None, *line)) for line in more]
        headings = frameworks if beside else ("answer", "framework")
        columns = (Column(heading), *(Column(one, absent="-") for one in headings))
        if rows:
            yield Table.of(columns, rows, [note] if note else [])
