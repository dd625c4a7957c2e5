"""One name for the tensors of both libraries."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files


@cache
def common_name(path: str) -> str:
    """Return the name that the tensor at a path has in this comparison: see ``names.toml``."""
    for old, new in _rules():
        path = old.sub(new, path)
    return path


@cache
def _rules() -> list[tuple[re.Pattern[str], str]]:
    data = tomllib.loads(files(__package__).joinpath("names.toml").read_text("utf-8"))
    return [(re.compile(old), new) for old, new in data["rules"]]
