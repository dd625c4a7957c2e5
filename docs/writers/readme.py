"""The samples in the README."""

from typing import Any

from docs.writers.blocks import ROOT, script_in, write_blocks, write_samples

PAGE = ROOT / "README.md"


def report() -> str:
    """Return the comparison of PyTorch's encoder without its first feed-forward bias."""
    from paramproof.algebra.residual import explained
    from paramproof.algebra.symbols import FamilyArchitecture
    from tests.frameworks import broken_torch

    encoder, nn = broken_torch.built()
    broken_torch.bias_dropped(encoder, nn)
    spec = FamilyArchitecture.of(broken_torch.SPEC)
    return explained(broken_torch.report_of(encoder), spec)


def derived() -> str:
    """Return the formula of the page's own model, its guards, and its status."""
    from paramproof.derivation.pipeline import derive
    from paramproof.tracing.constructors.function import function_constructor
    from paramproof.views.formula import formula_lines

    names: dict[str, Any] = {"__name__": "mine"}
    exec(script_in(PAGE.read_text("utf-8"), "mine.py"), names)
    found = derive(function_constructor("mine:model", names["model"]))
    conditions = ", ".join(str(stated.condition) for stated in found.conditions)
    return "\n".join([*formula_lines(found), f"holds where {conditions}", found.status])


def write() -> None:
    """Rewrite every sample."""
    write_blocks(PAGE, {"report": report(), "derived": derived()}, margin="    ")
    write_samples(PAGE)
