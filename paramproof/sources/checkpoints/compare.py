"""Compare a checkpoint with the formula: tensors missing, extra, or of another shape."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from paramproof.builders.names import Storage
from paramproof.formulas import Report, Spec, Weight, compare, inventory
from paramproof.formulas.families import family_of
from paramproof.sources.checkpoints.header import Checkpoint, StoredTensor, checkpoint
from paramproof.sources.checkpoints.names import CheckpointNames


@dataclass(frozen=True, slots=True)
class CheckpointReport:
    """What a checkpoint has, what of it are buffers, and the report on the rest."""

    checkpoint: Checkpoint
    buffers: tuple[str, ...]
    report: Report

    @property
    def dtypes(self) -> tuple[str, ...]:
        """The types of its tensors, each once, in the words of the format."""
        return tuple(dict.fromkeys(stored.dtype for stored in self.checkpoint.tensors))


def compare_checkpoint(path: str | Path, spec: Spec) -> CheckpointReport:
    """Compare the checkpoint at ``path`` with the formula of ``spec``, by its headers.

    Names are those of Hugging Face, with or without the prefix of the model inside, or the
    canonical ones. A header does not say what is trainable, so that is as the formula has it.
    A file has no shared storage either: a tied tensor that is stored is an extra one.

    Raises ``ValueError``, in one line, for a checkpoint that cannot be read.
    """
    found = checkpoint(path)
    named = inventory(spec.letters())
    names = CheckpointNames(family_of(spec).name, named)
    buffers = tuple(stored.name for stored in found.tensors if names.is_buffer(stored.name))
    fixed = {tensor.path for tensor in named if not tensor.trainable and tensor.present}
    weights = [
        _weight(stored, names.storage(stored.name), fixed)
        for stored in found.tensors
        if not names.is_buffer(stored.name)
    ]
    return CheckpointReport(found, buffers, compare(named, weights))


def _weight(stored: StoredTensor, storage: Storage, fixed: set[str]) -> Weight:
    trainable = not fixed.intersection(storage.parts)
    return Weight(stored.name, stored.shape, trainable, *storage)
