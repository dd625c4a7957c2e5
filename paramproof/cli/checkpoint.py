"""``paramproof checkpoint``: compare a file of weights with the formula, by its header."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from paramproof.algebra.residual import explained
from paramproof.checking.model import require_agreement
from paramproof.cli.output import say
from paramproof.formulas.families import family_of
from paramproof.formulas.printing import legible, path_text, some_of
from paramproof.sources.checkpoints import CheckpointReport, checkpoint, compare_checkpoint
from paramproof.sources.checkpoints.header import recorded_spec
from paramproof.sources.resolve import ResolvedModel, resolve_model
from paramproof.sources.telltale import WRAPPERS

MAX_DTYPES_NAMED = 6


@click.command("checkpoint", short_help="Compare a file of weights with the formula.")
@click.argument("file", metavar="FILE", type=Path)
@click.option(
    "--config",
    metavar="MODEL",
    help="A config.json or a model's name. Default: the spec in FILE, else the config.json beside.",
)
@click.option(
    "--architecture",
    metavar="CLASS",
    default="",
    help="Read the config.json as this class, not the one that it names.",
)
def checkpoint_command(file: Path, config: str | None, architecture: str) -> None:
    """Compare the tensors in FILE with the formula, by their names and shapes.

    FILE is a safetensors file, or the index of a sharded one (model.safetensors.index.json).
    Only headers are read, and no weight. Names are those of Hugging Face's BERT, ERNIE,
    RoBERTa, GPT-2, LLaMA and Phi-3, or this project's own; what DataParallel, torch.compile
    and FSDP put into them is passed over. Weights that this project saved have
    their spec in the file; others need a config.json.
    """
    read = checkpoint(file)
    resolved = resolve_model(config or recorded_spec(file) or _beside(file), architecture)
    require_agreement([family_of(resolved.spec).name])
    found = compare_checkpoint(read, resolved.spec)
    for line in [*_about(found, resolved), *_verdict(found, resolved)]:
        say(line)
    if not found.report.equal:
        raise SystemExit(1)


def _beside(file: Path) -> str:
    config = file.parent / "config.json"
    if not config.exists():
        where = path_text(file)
        raise ValueError(f"there is no config.json beside {where}: give one with --config")
    return str(config)


def _about(found: CheckpointReport, resolved: ResolvedModel) -> Iterator[str]:
    number, shards = len(found.checkpoint.tensors), found.checkpoint.shards
    where = f" in {shards} shards" if shards > 1 else ""
    dtypes = some_of([legible(dtype) for dtype in found.dtypes], MAX_DTYPES_NAMED)
    yield f"{path_text(found.checkpoint.path)}: {number} tensors{where}, {dtypes}"
    yield from resolved.origin()
    if found.wrappers:
        names = ", ".join(f"{name}. ({WRAPPERS[name]})" for name in found.wrappers)
        yield f"passed over in names: {names}"
    if found.buffers:
        yield f"buffers, which are no weights: {some_of([*map(legible, found.buffers)], 1)}"


def _verdict(found: CheckpointReport, resolved: ResolvedModel) -> Iterator[str]:
    if found.report.equal:
        yield found.report.render(resolved.spec)
        return
    yield explained(found.report, resolved.spec)
