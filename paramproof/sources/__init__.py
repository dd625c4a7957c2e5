"""Readers for what users give (JSON, checkpoints, live models, functions) and for our own data."""

from functools import cache
from pathlib import Path
from typing import Any


@cache
def data_file(path: str) -> dict[str, Any]:
    """Return the contents of a TOML file, by its path inside the package."""
    import tomllib  # Most models need no such file.

    return tomllib.loads((Path(__file__).parents[1] / path).read_text("utf-8"))
