"""Derive every model type of transformers, and write the catalogue's data."""

from importlib.util import find_spec

if find_spec("torch"):  # which the entries from mlx-lm do without
    from sweep import torchvision_operators  # noqa: F401  # before transformers imports torchvision
