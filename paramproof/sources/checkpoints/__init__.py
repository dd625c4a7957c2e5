"""Compare checkpoints with the formula, by their headers: no weight is loaded."""

from paramproof.sources.checkpoints.compare import CheckpointReport, compare_checkpoint
from paramproof.sources.checkpoints.header import Checkpoint, checkpoint

__all__ = ["Checkpoint", "CheckpointReport", "checkpoint", "compare_checkpoint"]
