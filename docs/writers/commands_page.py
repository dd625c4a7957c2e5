"""The samples in docs/commands.md."""

from docs.writers.blocks import ROOT, write_samples

PAGE = ROOT / "docs" / "commands.md"


def write() -> None:
    """Rewrite every sample."""
    write_samples(PAGE)
