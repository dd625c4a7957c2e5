"""The reference as tables for a terminal, from its cells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.markup import escape
from rich.table import Table

from paramproof.cli.tables import PLAIN
from paramproof.differences import rows as grid
from paramproof.differences.answer import Answer, Section
from paramproof.formulas import EncoderSpec, inventory
from paramproof.formulas.path import parent

NUMBERS = ("bert-tiny", "bert-base-uncased")
HEADS: dict[Section, tuple[str, ...]] = {
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


def difference_tables(cells: Sequence[Answer]) -> Iterator[Table | str]:
    """A table for each section that ``cells`` have something in; a line for what is broken."""
    every = list(dict.fromkeys(cell.framework for cell in cells))
    for section, heads in HEADS.items():
        own = [cell for cell in cells if cell.section == section]
        if own:
            own = grid.tensors(own) if section == "shapes" else own
            yield _table(section, heads, own, every)
    for cell in cells:
        if cell.section == "broken":
            yield f"{cell.framework} is installed and broken: {escape(cell.facts['reason'])}"


def _table(
    section: Section, heads: Sequence[str], cells: Sequence[Answer], every: Sequence[str]
) -> Table:
    table = Table(**PLAIN)
    for head in heads:
        table.add_column(head, overflow="fold", no_wrap=head in NUMBERS)
    for row, lines in grid.rows(cells, every):
        for number, line in enumerate(lines):
            facts = (line.facts[fact] for fact in FACTS[section])
            title = f"{row} {line.what}" if section == "shapes" else line.what
            first = "" if number else title
            table.add_row(*map(escape, (first, line.frameworks, *facts)))
        table.add_section()
    return table


def require_component(component: str) -> None:
    """Raise ``ValueError``, listing those there are, for a component that no encoder has."""
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
    paths = [parent(tensor.path) for tensor in inventory(spec.letters())]
    if not any(f".{component}." in f".{path}." for path in paths if component):
        parts = (part for path in paths for part in path.split(".") if part not in ("*", "layers"))
        known = ", ".join(dict.fromkeys(parts))
        raise ValueError(f"no component is named {component!r}; there are: {known}")
