"""The ledger as Markdown: every printed number with its verdict."""

from __future__ import annotations

from collections import Counter

from docs.writers.blocks import ROOT, place
from docs.writers.claims.data import Entry, TensorRow, entries, sources
from docs.writers.claims.verdict import Verdict, verdict
from paramproof.views.table import markdown_rows

PAGE = ROOT / "docs" / "claims.md"
HEADINGS = ("where", "as stated", "verdict", "what it is", "claimed − formula", "right is")
ROW_HEADINGS = ("name there", "as stated", "verdict", "what it is", "claimed − formula", "right is")


@place("summary", "claims")
def summary() -> str:
    """Return how many numbers have each verdict, in a line each."""
    kinds = Counter(verdict(entry).kind for entry in entries())
    lines = [f"- {number} {kind}" for kind, number in sorted(kinds.items())]
    return "\n".join([f"{sum(kinds.values())} numbers:", "", *lines])


@place("refuted", "claims")
def refuted() -> str:
    """Return a table of the wrong numbers."""
    wrong = [entry for entry in entries() if verdict(entry).kind == "refuted"]
    headings = ("source, model", *HEADINGS[:2], *HEADINGS[3:])
    rows = []
    for entry in wrong:
        where, stated, _, *found = cells(entry.where, entry)
        rows.append((_escaped(f"{entry.source}, {entry.model}"), where, stated, *found))
    return markdown_rows(headings, rows)


@place("ledger", "claims")
def ledger() -> str:
    """Return a section for each source, with a table for each model and one for its tensors."""
    lines: list[str] = []
    for number, title in sources().items():
        own = [entry for entry in entries() if entry.source == number]
        lines += [f"## {number}: {title}", ""]
        for model in dict.fromkeys(entry.model for entry in own):
            of_model = [entry for entry in own if entry.model == model]
            said = [entry for entry in of_model if not isinstance(entry, TensorRow)]
            rows = [entry for entry in of_model if isinstance(entry, TensorRow)]
            lines += [f"### {number}, {model}", ""]
            if said:
                lines += [
                    markdown_rows(HEADINGS, (cells(entry.where, entry) for entry in said)),
                    "",
                ]
            if rows:
                lines += [markdown_rows(ROW_HEADINGS, (cells(row.name, row) for row in rows)), ""]
    return "\n".join(lines).rstrip()


def cells(first: str, entry: Entry) -> tuple[str, ...]:
    """Return the cells of an entry's row."""
    found = verdict(entry)
    stated, kind = f"`{entry.stated}`", f"**{found.kind}**"
    own = (first, stated, kind, found.what, _residual(found), found.correct)
    return tuple(map(_escaped, own))


def _residual(found: Verdict) -> str:
    where = f" ({found.component})" if found.component else ""
    return f"{found.residual}{where}" if found.residual else ""


def _escaped(cell: str) -> str:
    """Return a cell with its stars escaped; stars in backticks need no escape."""
    return cell if cell.startswith(("`", "**")) else cell.replace("*", r"\*")
