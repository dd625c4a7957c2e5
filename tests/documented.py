"""The library versions that pages, data and recent models depend on, from ``constraints.txt``."""

from collections.abc import Iterable
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

from tests.selection import registered

CONSTRAINTS = Path(__file__).parent.parent / "constraints.txt"


@cache
def documented() -> dict[str, str]:
    """Return the version of each distribution in ``constraints.txt``; names as tf-keras."""
    lines = CONSTRAINTS.read_text("utf-8").replace("_", "-").splitlines()
    return dict(line.split("==") for line in lines if line and not line.startswith("#"))


def version_differences(distributions: Iterable[str]) -> list[str]:
    differing = []
    for name in distributions:
        try:
            installed = version(name).partition("+")[0]
        except PackageNotFoundError:
            installed = "none"
        if installed != documented()[name]:
            differing.append(f"{name} {documented()[name]} is documented, {installed} is installed")
    return differing


def documented_keras_marker(framework: str) -> list[pytest.MarkDecorator]:
    """Return the marker for a test of Keras's own code if this framework is Keras, else nothing."""
    is_keras = "keras" in registered(framework).distributions
    return [pytest.mark.documented("keras")] if is_keras else []


def skip_undocumented(item: pytest.Item) -> None:
    """Skip a test marked ``documented`` if another version of the library is installed.

    A marker without arguments is about the distributions that the test's framework needs.
    """
    for marker in item.iter_markers("documented"):
        own = () if marker.args else registered(item.callspec.params["framework"]).distributions
        if other := version_differences(marker.args or own):
            pytest.skip("; ".join(other))
