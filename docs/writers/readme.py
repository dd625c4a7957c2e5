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


def derived() -> str:
    """Return BERT's formula, as it is derived from the code of Hugging Face transformers."""
    from paramproof.cli.derive_text import formula_lines
    from paramproof.derivation.derive import derive
    from paramproof.derivation.transformers_models import constructor

    return "\n".join(formula_lines(derive(constructor("bert"))))


def write() -> None:
    """Rewrite every sample."""
    blocks = {"verify": paramproof(*VERIFY), "report": report(), "derived": derived()}
    write_blocks(PAGE, blocks, margin="    ")
    write_samples(PAGE)
