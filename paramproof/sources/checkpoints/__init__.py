"""Read the headers of checkpoints: no weight is loaded."""

from paramproof.sources.checkpoints.header import Checkpoint, checkpoint

__all__ = ["Checkpoint", "checkpoint"]
