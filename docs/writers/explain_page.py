"""The generated parts of docs/explain.md, and the index of ``explain`` that its samples show."""

from docs.writers import explain_index
from docs.writers.blocks import ROOT, write_samples

PAGE = ROOT / "docs" / "explain.md"


def write() -> None:
    """Rewrite the index, and the samples of ``explain`` and ``count``."""
    explain_index.write()
    write_samples(PAGE)
