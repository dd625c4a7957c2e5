"""``paramproof checkpoint``: compare a file of weights with the formula, by its header."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from paramproof.algebra.residual import explained
from paramproof.checking.model import require_agreement
from paramproof.cli.output import say
from paramproof.cli.resolving import resolving
from paramproof.formulas.families import family_of
from paramproof.formulas.printing import legible, path_text, some_of
from paramproof.live.stored import compare_stored
from paramproof.resolver import AnyModel, DerivedModel, ResolvedModel
from paramproof.sources.checkpoints import (
    Checkpoint,
    CheckpointReport,
    checkpoint,
    compare_checkpoint,
)
from paramproof.sources.checkpoints.header import recorded_spec
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
    and FSDP put into them is passed over. Of a model without a family they are those of
    transformers, and the formula is the catalogue's, or derived. Weights that this project saved
    have their spec in the file; others need a config.json.
    """
    read = checkpoint(file)
    resolved = resolving(config or recorded_spec(file) or _beside(file), architecture)
    if isinstance(resolved, DerivedModel):
        equal = _compared_by_names(read, resolved)
        raise SystemExit(0 if equal else 1)
    require_agreement([family_of(resolved.spec).name])
    found = compare_checkpoint(read, resolved.spec)
    lines = _about(read, found.wrappers, found.buffers, resolved)
    for line in [*lines, *_verdict(found, resolved)]:
        say(line)
    if not found.report.equal:
        raise SystemExit(1)


def _beside(file: Path) -> str:
    config = file.parent / "config.json"
    if not config.exists():
        where = path_text(file)
        raise ValueError(f"there is no config.json beside {where}: give one with --config")
    return str(config)


def _compared_by_names(read: Checkpoint, resolved: DerivedModel) -> bool:
    """Print how a file compares with a derived formula; return whether it is equal."""
    buffers, report = compare_stored(read, resolved.derivation)
    lines = _about(read, (), buffers, resolved)
    for line in [*lines, report.render(resolved.derivation)]:
        say(line)
    return report.equal


def _about(
    read: Checkpoint, wrappers: Sequence[str], buffers: Sequence[str], resolved: AnyModel
) -> Iterator[str]:
    where = f" in {read.shards} shards" if read.shards > 1 else ""
    dtypes = some_of([*map(legible, read.dtypes)], MAX_DTYPES_NAMED)
    yield f"{path_text(read.path)}: {len(read.tensors)} tensors{where}, {dtypes}"
    yield from resolved.origin()
    if wrappers:
        names = ", ".join(f"{name}. ({WRAPPERS[name]})" for name in wrappers)
        yield f"passed over in names: {names}"
    if buffers:
        yield f"buffers, which are no weights: {some_of([*map(legible, buffers)], 1)}"


def _verdict(found: CheckpointReport, resolved: ResolvedModel) -> Iterator[str]:
    if found.report.equal:
        yield found.report.render(resolved.spec)
        return
    yield explained(found.report, resolved.spec)
