"""The differences between frameworks as tables for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.markup import escape
from rich.table import Table

from paramproof.cli.tables import PLAIN
from paramproof.differences import rows as side_by_side
from paramproof.differences.answer import Answer, Section
from paramproof.formulas import EncoderSpec, inventory
from paramproof.formulas.lookup import no_such
from paramproof.formulas.path import LAYER, parent

NUMBERS = ("bert-tiny", "bert-base-uncased")
HEADINGS: dict[Section, tuple[str, ...]] = {
    "shapes": ("tensor", "framework", "path", "stored", "layout"),
    "defaults": ("default", "framework", "answer"),
    "counts": ("number of", "framework", "counted by", *NUMBERS, "less N"),
    "abstract": ("without allocating", "framework", "held", "asked for its value"),
}
FACTS: dict[Section, tuple[str, ...]] = {
    "shapes": ("path", "shape", "layout"),
    "defaults": ("answer",),
    "counts": ("how", *NUMBERS, "difference"),
    "abstract": ("held", "value"),
}


def difference_tables(answers: Sequence[Answer]) -> Iterator[Table | str]:
    """Yield a table for each section that has answers, and a line for what is broken."""
    every = list(dict.fromkeys(answer.framework for answer in answers))
    for section, headings in HEADINGS.items():
        own = [answer for answer in answers if answer.section == section]
        if own:
            own = side_by_side.tensors(own) if section == "shapes" else own
            yield _table(section, headings, own, every)
    for answer in answers:
        if answer.section == "broken":
            yield f"{answer.framework} is installed and broken: {escape(answer.facts['reason'])}"


def _table(
    section: Section, headings: Sequence[str], answers: Sequence[Answer], every: Sequence[str]
) -> Table:
    table = Table(**PLAIN)
    for heading in headings:
        table.add_column(heading, overflow="fold", no_wrap=heading in NUMBERS)
    for row, lines in side_by_side.rows(answers, every):
        for number, line in enumerate(lines):
            facts = (line.facts[fact] for fact in FACTS[section])
            title = f"{row} {line.what}" if section == "shapes" else line.what
            first = "" if number else title
            table.add_row(*map(escape, (first, line.frameworks, *facts)))
        table.add_section()
    return table


def require_component(component: str) -> None:
    """Raise ``ValueError``, listing those there are, for a component that no encoder has."""
    if not any(f".{component}." in f".{path}." for path in _paths() if component):
        raise no_such("component", component, components())


def components() -> list[str]:
    """Return the names of an encoder's components, at any depth."""
    parts = (part for path in _paths() for part in path.split("."))
    return list(dict.fromkeys(part for part in parts if part not in (LAYER, "layers")))


def _paths() -> list[str]:
    """The paths of the components that tensors of an encoder with every part lie in."""
    spec = EncoderSpec(
        vocab_size=1,
        hidden_size=1,
        num_hidden_layers=1,
        num_attention_heads=1,
        intermediate_size=1,
        max_position_embeddings=1,
        type_vocab_size=1,
        mlm_head=True,
        nsp_head=True,
    )
    return [parent(tensor.path) for tensor in inventory(spec.letters())]
