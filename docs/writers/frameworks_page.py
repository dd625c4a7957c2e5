"""The sample of ``paramproof verify`` in docs/frameworks.md."""

from docs.writers.blocks import ROOT, paramproof, write_blocks

PAGE = ROOT / "docs" / "frameworks.md"
VERIFY = ("verify", "--model", "bert-base", "--examples", "50")


def write() -> None:
    """Run ``verify`` in every framework, and rewrite the sample."""
    write_blocks(PAGE, {"verify": paramproof(*VERIFY)}, margin="    ")
