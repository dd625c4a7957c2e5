"""Derive every model type of transformers, and write the catalogue's data."""

from importlib.util import find_spec

if find_spec("torch"):  # which the entries from mlx-lm do without
    # Before transformers imports torchvision.
    from sweep.library import torchvision_operators  # noqa: F401
