"""``paramproof checkpoint``: compare the header of a checkpoint with the formula."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from paramproof.algebra.residual import explained
from paramproof.cli.options import class_option, model_option
from paramproof.cli.output import say
from paramproof.cli.resolving import require_families, resolving
from paramproof.formulas import Spec
from paramproof.formulas.printing import legible, path_text, some_of
from paramproof.live.weight_file import WeightFileReport, compare_weight_file
from paramproof.resolver import Model
from paramproof.sources.checkpoints import (
    Checkpoint,
    CheckpointReport,
    checkpoint,
    compare_checkpoint,
)
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
    require_families([resolved])
    spec = resolved.spec
    equal = _equal_to_spec(read, spec, resolved) if spec else _equal_by_names(read, resolved)
    if not equal:
        raise SystemExit(1)


def _beside(file: Path) -> str:
    config = file.parent / "config.json"
    if not config.exists():
        raise ValueError(f"no config.json next to {path_text(file)}: give one with --model")
    return str(config)


def _equal_to_spec(read: Checkpoint, spec: Spec, resolved: Model) -> bool:
    """Compare a checkpoint with a family's spec, print the result, and return whether equal."""
    found = compare_checkpoint(read, spec)
    lines = _about(read, found.wrappers, found.buffers, resolved)
    for line in [*lines, *_verdict(found, spec)]:
        say(line)
    return found.report.equal


def _equal_by_names(read: Checkpoint, resolved: Model) -> bool:
    """Compare a checkpoint with a derived formula, print the result, and return whether equal."""
    found = compare_weight_file(read, resolved.architecture, is_untied=bool(resolved.heads))
    lines = _about(read, read.wrappers, found.buffers, resolved)
    equal = "every tensor has the expected name and shape"
    for line in [*lines, *_about_names(found), found.report.render(equal)]:
        say(line)
    return found.equal


def _about_names(found: WeightFileReport) -> Iterator[str]:
    if found.by_shapes:
        yield "compared by shapes only: the formula has none of the names in the file"
    if found.prefix:
        yield f"different names: all begin with {legible(found.prefix)} and match without it"
    for weight in found.untied:
        yield (
            f"untied in the file: {legible(weight.path)} has {weight.size:,} values of its own, "
            "which the formula does not count"
        )
    if found.untied:
        total = found.report.formula + sum(weight.size for weight in found.untied)
        yield f"total with the tensors untied in the file: {total:,}"


def _about(
    read: Checkpoint, wrappers: Sequence[str], buffers: Sequence[str], resolved: Model
) -> Iterator[str]:
    where = f" in {read.shards} shards" if read.shards > 1 else ""
    dtypes = some_of([*map(legible, read.dtypes)], MAX_DTYPES_NAMED)
    yield f"{path_text(read.path)}: {len(read.tensors):,} tensors{where}, {dtypes}"
    yield from resolved.origin()
    if wrappers:
        names = ", ".join(f"{name}. ({WRAPPERS[name]})" for name in wrappers)
        yield f"ignored in names: {names}"
    if buffers:
        yield f"buffers, not compared: {some_of([*map(legible, buffers)], 1)}"


def _verdict(found: CheckpointReport, spec: Spec) -> Iterator[str]:
    if found.report.equal:
        yield found.report.render(spec)
        return
    if hint := found.prefix_hint:
        yield hint
    yield explained(found.report, spec)
