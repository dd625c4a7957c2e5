"""The samples in the README."""

from docs.writers.blocks import ROOT, paramproof, write_blocks, write_samples

PAGE = ROOT / "README.md"
VERIFY = ("verify", "--model", "bert-base", "--examples", "50")


def report() -> str:
    """Return what a comparison says of PyTorch's encoder without its first feed-forward bias."""
    from paramproof.algebra.residual import explained
    from tests.frameworks import broken_torch

    encoder, nn = broken_torch.built()
    broken_torch.bias_dropped(encoder, nn)
    return explained(broken_torch.report_of(encoder), broken_torch.SPEC)


def write() -> None:
    """Rewrite every sample."""
    write_blocks(PAGE, {"verify": paramproof(*VERIFY), "report": report()}, margin="    ")
    write_samples(PAGE)
