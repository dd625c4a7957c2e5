"""Checkpoints held to the formula: their headers, and not a weight."""

from builders.checkpoint.header import Checkpoint, checkpoint
from builders.checkpoint.hold import Held, held

__all__ = ["Checkpoint", "Held", "checkpoint", "held"]
