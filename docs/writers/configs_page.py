"""The samples in docs/configurations.md: how a configuration is read, and what is refused."""

import shlex

from docs.writers.blocks import ROOT, refusal, write_blocks, write_samples

PAGE = ROOT / "docs" / "configurations.md"

REFUSED = (
    "qwen9",
    "01-ai/Yi-6B",
    '{"model_type":"qwen3","hidden_sise":2048}',
    '{"model_type":"qwen3","hidden_size":"2048"}',
    '{"model_type":"qwen3","architectures":["Qwen3Model","Qwen3ForCausalLM"]}',
)
"""Models that ``count`` refuses, whatever is installed."""


def refusals() -> str:
    """Return each refused command, and below it the error that it prints."""
    return "\n".join(
        f"$ paramproof count {shlex.quote(model)}\n{refusal('count', model)}" for model in REFUSED
    )


def write() -> None:
    """Rewrite every sample."""
    write_blocks(PAGE, {"refusals": refusals()}, margin="    ")
    write_samples(PAGE)
