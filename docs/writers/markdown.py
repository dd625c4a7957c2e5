"""Tables of Markdown."""

from collections.abc import Iterable, Sequence


def table(
    headings: Sequence[str], rows: Iterable[Iterable[str]], rule: Sequence[str] | None = None
) -> str:
    """Return a table, without a final line end; ``rule`` is the line below the headings.

    Bars in cells are escaped.
    """
    cells = ([cell.replace("|", r"\|") for cell in row] for row in rows)
    lines = [headings, rule or ["---"] * len(headings), *cells]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
