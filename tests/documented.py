"""Versions that pages, data and recent models are of: those of ``constraints.txt``."""

from collections.abc import Iterable
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

from tests.selection import registered

CONSTRAINTS = Path(__file__).parent.parent / "constraints.txt"


@cache
def documented() -> dict[str, str]:
    """Return the version of each distribution that ``constraints.txt`` names, as tf-keras."""
    lines = CONSTRAINTS.read_text("utf-8").replace("_", "-").splitlines()
    return dict(line.split("==") for line in lines if line and not line.startswith("#"))


def others(distributions: Iterable[str]) -> list[str]:
    """Return what is installed in another version than the documented one, and which is meant."""
    found = []
    for name in distributions:
        try:
            there = version(name).partition("+")[0]
        except PackageNotFoundError:
            there = "none"
        if there != documented()[name]:
            found.append(f"{name} {documented()[name]} is documented, and {there} is here")
    return found


def of_keras(framework: str) -> list[pytest.MarkDecorator]:
    """Return the marker of a test of what Keras's own code does where this framework is Keras."""
    is_keras = "keras" in registered(framework).distributions
    return [pytest.mark.documented("keras")] if is_keras else []


def stand_aside(item: pytest.Item) -> None:
    """Skip a test of what is documented where another version of it is installed.

    A marker that names nothing is about what the test's framework needs.
    """
    for marker in item.iter_markers("documented"):
        own = () if marker.args else registered(item.callspec.params["framework"]).distributions
        if other := others(marker.args or own):
            pytest.skip("; ".join(other))
