"""Compare a checkpoint with the formula: tensors missing, extra, or of another shape."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from paramproof.builders.names import Storage
from paramproof.formulas import Inventory, Report, Row, Spec, Tensor, Weight, compare, inventory
from paramproof.formulas.families import family_of
from paramproof.formulas.path import LAYER, layer_of
from paramproof.formulas.printing import legible
from paramproof.sources.checkpoints.header import Checkpoint, StoredTensor, checkpoint
from paramproof.sources.checkpoints.names import CheckpointNames

MAX_LAYERS_IN_ROWS = 1000
"""So many layers, or as many as a file has tensors, have rows of their own."""


@dataclass(frozen=True, slots=True)
class CheckpointReport:
    """A checkpoint, the names of its buffers, and the report on its other tensors.

    ``prefix`` is what all names begin with, if the names are known without it; else it is "".
    ``instead`` is the prefix that would be known in its place, or "".
    """

    checkpoint: Checkpoint
    buffers: tuple[str, ...]
    report: Report
    prefix: str = ""
    instead: str = ""

    @property
    def prefix_hint(self) -> str:
        """The line that says which prefix explains why no name is known, or "" without one."""
        perhaps = f": perhaps it should be {self.instead}" if self.instead else ""
        return f"all names begin with {legible(self.prefix)}{perhaps}" if self.prefix else ""

    @property
    def dtypes(self) -> tuple[str, ...]:
        """The types of its tensors, each once, in the words of the format."""
        return self.checkpoint.dtypes

    @property
    def wrappers(self) -> tuple[str, ...]:
        """Names of wrappers within the names of its tensors, which were passed over."""
        return self.checkpoint.wrappers


def compare_checkpoint(path: str | Path | Checkpoint, spec: Spec) -> CheckpointReport:
    """Compare the checkpoint at ``path`` with the formula of ``spec``, by its headers.

    Names are those of Hugging Face, with or without the prefix of the model inside, or the
    canonical ones; names of wrappers in them (``module.``, ``_orig_mod.``) are passed over. A
    header does not say what is trainable, so that is as the formula has it. A file has no
    shared storage either: a tied tensor that is stored is an extra one.

    Raises ``ValueError``, in one line, for a checkpoint that cannot be read, or does not have
    a model's weights one by one.
    """
    found = path if isinstance(path, Checkpoint) else checkpoint(path)
    named = inventory(spec.letters())
    names = CheckpointNames(family_of(spec).name, named)
    buffers = tuple(stored.name for stored in found.tensors if names.is_buffer(stored.name))
    fixed = {tensor.path for tensor in named if not tensor.trainable and tensor.present}
    weights = [
        _weight(stored, names.storage(stored.name), fixed)
        for stored in found.tensors
        if not names.is_buffer(stored.name)
    ]
    prefix = names.unknown_prefix([stored.name for stored in found.tensors])
    instead = names.usual_prefix if prefix else ""
    return CheckpointReport(found, buffers, _compared(named, weights), prefix, instead)


def _weight(stored: StoredTensor, storage: Storage, fixed: set[str]) -> Weight:
    trainable = not fixed.intersection(storage.parts)
    return Weight(stored.name, stored.shape, trainable, *storage)


def _compared(named: Inventory, weights: list[Weight]) -> Report:
    """Compare layer by layer; where layers are very many, those beyond the file's in one row."""
    paths = (path for weight in weights for path in weight.parts)
    beyond = 1 + max((layer_of(path) or 0 for path in paths), default=-1)
    most = max(MAX_LAYERS_IN_ROWS, len(weights))
    held = [t if t.repeat <= most else replace(t, repeat=min(beyond, most)) for t in named]
    report = compare(Inventory(named.letters, tuple(held)), weights)
    pairs = zip(named, held, strict=True)
    absent = (row for tensor, part in pairs for row in _absent(tensor, part.repeat))
    return Report(named.total(), report.actual, (*report.rows, *absent))


def _absent(tensor: Tensor, first: int) -> Iterator[Row]:
    """A row for ``tensor`` in all its layers from ``first`` on."""
    layers = tensor.present * (tensor.repeat - first)
    if layers and tensor.trainable and tensor.tied_to is None:
        path = tensor.path.replace(LAYER, f"{first}-{tensor.repeat - 1}")
        yield Row("missing", path, tensor.shape, None, None, -layers * tensor.size)
