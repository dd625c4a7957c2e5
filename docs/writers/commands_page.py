"""The samples in docs/commands.md."""

from docs.writers.blocks import ROOT, write_blocks, write_samples
from paramproof.bulk import count_line, json_line

PAGE = ROOT / "docs" / "commands.md"

LINES = (
    '{"model_type": "mistral", "hidden_size": 2048, "head_dim": 64, "architectures": null}',
    '{"name": "a", "config": {"model_type": "bert", "num_hidden_layers": 6}}',
    '{"model_type": "mistral", "hidden_sise": 2048}',
)
"""Lines of a file that ``count --jsonl`` takes; one of them is refused."""


def lines() -> dict[str, str]:
    """Return the lines that ``count --jsonl`` reads and those that it writes, by block."""
    counted = (json_line(count_line(n, one.encode())) for n, one in enumerate(LINES, 1))
    return {"lines in": "\n".join(LINES), "lines out": b"".join(counted).decode()}


def write() -> None:
    """Rewrite every sample."""
    write_blocks(PAGE, lines(), margin="    ")
    write_samples(PAGE)
