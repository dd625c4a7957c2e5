"""Compare a checkpoint with the formula: missing, extra and differently shaped tensors."""

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
"""The most layers that get rows of their own, unless the file has more tensors than that."""


@dataclass(frozen=True, slots=True)
class CheckpointReport:
    """A checkpoint, the names of its buffers, and the report on its other tensors.

    ``prefix`` is an unknown prefix of all names, without which they would be known, or "".
    ``instead`` is the usual prefix, which could replace it, or "".
    """

    checkpoint: Checkpoint
    buffers: tuple[str, ...]
    report: Report
    prefix: str = ""
    instead: str = ""

    @property
    def prefix_hint(self) -> str:
        """The line on a prefix that keeps all names from being known, or "" without one."""
        perhaps = f": perhaps it should be {self.instead}" if self.instead else ""
        return f"all names begin with {legible(self.prefix)}{perhaps}" if self.prefix else ""

    @property
    def dtypes(self) -> tuple[str, ...]:
        """The types of its tensors, each once, as the format names them."""
        return self.checkpoint.dtypes

    @property
    def wrappers(self) -> tuple[str, ...]:
        """Names of wrappers in the names of its tensors, which were ignored."""
        return self.checkpoint.wrappers


def compare_checkpoint(path: str | Path | Checkpoint, spec: Spec) -> CheckpointReport:
    """Compare the checkpoint at ``path`` with the formula of ``spec``, by its headers.

    Names are those of Hugging Face, with or without the prefix of the base model, or the canonical
    ones; names of wrappers in them (``module.``, ``_orig_mod.``) are ignored. A header does not
    tell which tensors are trainable, so the formula decides. A file cannot share storage either,
    so a tied tensor that is stored counts as extra.

    Raises ``ValueError``, in one line, for a checkpoint that cannot be read, or whose tensors are
    not plain weights.
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
    """Compare layer by layer; of very many layers, those beyond the file's share one row."""
    paths = (path for weight in weights for path in weight.parts)
    beyond = 1 + max((layer_of(path) or 0 for path in paths), default=-1)
    most = max(MAX_LAYERS_IN_ROWS, len(weights))
    cut = [t if t.repeat <= most else replace(t, repeat=min(beyond, most)) for t in named]
    report = compare(Inventory(named.letters, tuple(cut)), weights)
    pairs = zip(named, cut, strict=True)
    absent = (row for tensor, part in pairs for row in _absent(tensor, part.repeat))
    return Report(named.total(), report.actual, (*report.rows, *absent))


def _absent(tensor: Tensor, first: int) -> Iterator[Row]:
    """Yield one row for ``tensor`` in all its layers from ``first`` on."""
    layers = tensor.present * (tensor.repeat - first)
    if layers and tensor.trainable and tensor.tied_to is None:
        path = tensor.path.replace(LAYER, f"{first}-{tensor.repeat - 1}")
        yield Row("missing", path, tensor.shape, None, None, -layers * tensor.size)
