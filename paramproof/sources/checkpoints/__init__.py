"""Checkpoints held to the formula: their headers, and not a weight."""

from paramproof.sources.checkpoints.compare import Held, held
from paramproof.sources.checkpoints.header import Checkpoint, checkpoint

__all__ = ["Checkpoint", "Held", "checkpoint", "held"]
