"""The generated parts of docs/explain.md: samples, and the rate of false explanations."""

from collections.abc import Mapping

from docs.writers.blocks import ROOT, write_blocks, write_samples

PAGE = ROOT / "docs" / "explain.md"


def rate_table(found: Mapping[str, float]) -> str:
    """Return the rates as lines of text."""
    return "".join(f"{what:<42}{percent:6.2f} %\n" for what, percent in found.items())


def write() -> None:
    """Rewrite the samples of ``explain`` and ``count``, and the rates."""
    from docs.writers.explain_rate import rates

    write_blocks(PAGE, {"rate": rate_table(rates())}, margin="    ")
    write_samples(PAGE)
