"""``paramproof checkpoint``: a file of weights, held to the formula by its header."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from paramproof.formulas.text import some_of
from paramproof.sources.checkpoints import CheckpointReport, compare_checkpoint
from paramproof.sources.checkpoints.header import recorded_spec
from paramproof.sources.resolve import ResolvedModel, resolve_model
from paramproof.sources.strict_json import require_file


@click.command("checkpoint")
@click.argument("file", metavar="FILE", type=Path)
@click.option(
    "--config",
    metavar="MODEL",
    help="A config.json or a model's name; else as FILE says, or that beside it.",
)
@click.option("--architecture", metavar="CLASS", default="", help="Instead of the config's own.")
def checkpoint_command(file: Path, config: str | None, architecture: str) -> None:
    """Hold the tensors in FILE to the formula, by their names and shapes.

    FILE is a safetensors file, or the index of a sharded one (model.safetensors.index.json).
    Only headers are read, and no weight. Names are those of Hugging Face's BERT, ERNIE,
    RoBERTa, GPT-2 and LLaMA, or canonical ones. Weights that this project saved say whose
    they are; beside others lies a config.json.
    """
    require_file(file)
    given = resolve_model(config or recorded_spec(file) or _beside(file), architecture)
    found = compare_checkpoint(file, given.spec)
    for line in [*_about(found, given), *_verdict(found, given)]:
        click.echo(line)
    if not found.report.equal:
        raise SystemExit(1)


def _beside(file: Path) -> str:
    config = file.parent / "config.json"
    if not config.exists():
        raise ValueError(f"there is no config.json beside {file}: give one with --config")
    return str(config)


def _about(found: CheckpointReport, given: ResolvedModel) -> Iterator[str]:
    number, shards = len(found.checkpoint.tensors), found.checkpoint.shards
    where = f" in {shards} shards" if shards > 1 else ""
    yield f"{found.checkpoint.path}: {number} tensors{where}, {', '.join(found.dtypes)}"
    yield from given.origin()
    if found.buffers:
        yield f"buffers, which are no weights: {some_of(found.buffers, 1)}"


def _verdict(found: CheckpointReport, given: ResolvedModel) -> Iterator[str]:
    if found.report.equal:
        yield found.report.render(given.spec)
        return
    # Only where something differs: SymPy takes its time to import.
    from paramproof.algebra.residual import explained

    yield explained(found.report, given.spec)
