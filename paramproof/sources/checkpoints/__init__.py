"""Checkpoints compared with the formula: their headers, and not a weight."""

from paramproof.sources.checkpoints.compare import CheckpointReport, compare_checkpoint
from paramproof.sources.checkpoints.header import Checkpoint, checkpoint

__all__ = ["Checkpoint", "CheckpointReport", "checkpoint", "compare_checkpoint"]
