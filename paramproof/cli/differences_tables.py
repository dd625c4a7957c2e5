"""The differences between frameworks as tables for a terminal, and the components they are in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from paramproof.differences.answer import Answer, Section
from paramproof.differences.tables import FACTS, difference_table
from paramproof.formulas import EncoderSpec, inventory
from paramproof.formulas.lookup import no_such
from paramproof.formulas.path import LAYER, parent
from paramproof.tables.table import Column, Table, TableRow

HEADINGS: dict[Section, str] = {
    "shapes": "tensor",
    "defaults": "default",
    "counts": "number of",
    "abstract": "without memory",
}
"""The heading of the first column, by section."""


def difference_tables(answers: Sequence[Answer]) -> Iterator[Table]:
    """Yield a table for each section that has answers, with each question on its own line."""
    for section, facts in FACTS.items():
        table = difference_table(section, answers)
        columns = (Column(f"{HEADINGS[section]}, framework"), *facts)
        rows: list[TableRow] = []
        for found in table.rows:
            row, what, *cells, _ = found.cells
            if found.starts_section:
                title = f"{row} {what}" if section == "shapes" else what
                blank = [None] * len(facts)
                rows.append(TableRow((title, *blank), is_bold=True, starts_section=True))
            rows.append(TableRow(tuple(cells), level=1))
        if rows:
            yield Table.of(columns, rows)


def require_component(component: str) -> None:
    """Raise ``ValueError``, which lists the components, for one that no encoder has."""
    if not any(f".{component}." in f".{path}." for path in _paths() if component):
        raise no_such("component", component, components())


def components() -> list[str]:
    """Return the names of an encoder's components, at any depth."""
    parts = (part for path in _paths() for part in path.split("."))
    return list(dict.fromkeys(part for part in parts if part not in (LAYER, "layers")))


def _paths() -> list[str]:
    """Return the path of each tensor's component, in an encoder that has every part."""
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
