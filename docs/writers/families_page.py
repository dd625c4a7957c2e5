"""The tables in docs/families.md: specifications, closed forms and named models."""

from collections.abc import Iterator

from docs.writers.blocks import ROOT, write_blocks
from paramproof.algebra.symbols import symbols
from paramproof.formulas import FAMILIES, closed_form
from paramproof.formulas.models import named_models
from paramproof.formulas.notation import text
from paramproof.views.table import markdown_rows

PAGE = ROOT / "docs" / "families.md"


def blocks() -> dict[str, str]:
    """Return the text of every block, by its name."""
    return {
        "families": markdown_rows(["family", "specification", "trainable parameters"], _families()),
        "models": markdown_rows(["family", "named models"], _models()),
    }


def write() -> None:
    """Rewrite every block."""
    write_blocks(PAGE, blocks())


def _families() -> Iterator[tuple[str, str, str]]:
    for name, family in FAMILIES.items():
        total = text(closed_form(symbols(family.letters)))
        yield f"`{name}`", f"`{family.spec.__name__}`", total


def _models() -> Iterator[tuple[str, str]]:
    for family in FAMILIES:
        names = [name for name, model in named_models().items() if model.spec.family == family]
        yield f"`{family}`", ", ".join(f"`{name}`" for name in names)
