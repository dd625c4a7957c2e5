"""``paramproof checkpoint``: compare the header of a checkpoint with the formula."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from paramproof.algebra.residual import explained
from paramproof.cli.options import class_option, derive_option, model_option
from paramproof.cli.output import say
from paramproof.cli.resolving import require_families, resolving
from paramproof.formulas.printing import legible, path_text, some_of
from paramproof.matching.checkpoints import compare_checkpoint
from paramproof.resolver import Model
from paramproof.sources.checkpoints import Checkpoint, checkpoint
from paramproof.sources.checkpoints.header import recorded_spec
from paramproof.sources.telltale import WRAPPERS

MAX_DTYPES_NAMED = 6


@click.command("checkpoint", short_help="Compare a checkpoint with the formula.")
@click.argument("file", metavar="FILE", type=Path)
@model_option(
    "Model to compare with: a name or a config.json. "
    "Default: the spec in FILE, or the config.json next to it."
)
@class_option
@derive_option
def checkpoint_command(file: Path, model: str, class_name: str) -> None:
    """Compare the tensors in FILE with the formula, by their names and shapes.

    FILE is a safetensors file, or the index of a sharded checkpoint
    (model.safetensors.index.json). Only headers are read, never the weights.

    Names are mapped as transformers maps them when it loads a checkpoint. FILE may therefore use
    the names that transformers saves, with one tensor for each expert, or those of a model in
    memory. Prefixes that DataParallel, torch.compile and FSDP add are ignored. If the names cannot
    be mapped, FILE is reported as different, even if its shapes are right.

    A file that paramproof saved contains its spec. Any other file needs a config.json.
    """
    read = checkpoint(file)
    resolved = resolving(model or recorded_spec(file) or _beside(file), class_name)
    require_families([resolved.canonical])
    report = compare_checkpoint(read, resolved.canonical, is_untied=bool(resolved.heads))
    for line in [*_about(read, resolved), explained(report, resolved.canonical)]:
        say(line)
    if not report.equal:
        raise SystemExit(1)


def _beside(file: Path) -> str:
    config = file.parent / "config.json"
    if not config.exists():
        raise ValueError(f"no config.json next to {path_text(file)}: give one with --model")
    return str(config)


def _about(read: Checkpoint, resolved: Model) -> Iterator[str]:
    where = f" in {read.shards} shards" if read.shards > 1 else ""
    dtypes = some_of([*map(legible, read.dtypes)], MAX_DTYPES_NAMED)
    yield f"{path_text(read.path)}: {len(read.tensors):,} tensors{where}, {dtypes}"
    yield from resolved.origin()
    if read.wrappers:
        names = ", ".join(f"{name}. ({WRAPPERS[name]})" for name in read.wrappers)
        yield f"ignored in names: {names}"
