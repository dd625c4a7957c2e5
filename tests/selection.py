"""Select the frameworks of a run by name and load them, and what needs a documented version."""

from collections.abc import Iterable
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

from paramproof.builders.protocol import Builder, FrameworkUnavailable
from paramproof.builders.registry import Framework, frameworks

SHAPES_ARE_THOSE_OF = {"keras-jax": "keras-tensorflow", "keras-torch": "keras-tensorflow"}
"""One file builds for all three, and backends do not compute shapes, so TensorFlow alone, which
registers most variables, runs the tests that are ``shapes_only``."""


@cache
def registry() -> dict[str, Framework]:
    """Return the frameworks that are installed when the run begins; every test uses this list."""
    return frameworks()


def selected(config: pytest.Config) -> list[str]:
    names = config.getoption("--framework") or list(registry())
    unknown = set(names) - set(registry())
    if unknown:
        raise pytest.UsageError(f"no framework is named {', '.join(unknown)}")
    return names


def registered(name: str) -> Framework:
    return registry()[name]


@cache
def load_once(name: str) -> Builder:
    """Load a builder once; exempt the objects that its import created from garbage collection."""
    # Imported here: the formulas' mutation tests run with little else of the project.
    from paramproof.verify.workers import load_builder

    return load_builder(registered(name))


def loaded(name: str, config: pytest.Config) -> Builder:
    """Return the builder; if it is absent, skip, or fail where ``--require`` is given."""
    try:
        return load_once(name)
    except FrameworkUnavailable as error:
        if config.getoption("--require"):
            pytest.fail(f"required and unavailable: {error}", pytrace=False)
        pytest.skip(str(error))


CONSTRAINTS = Path(__file__).parent.parent / "constraints.txt"
"""The library versions that pages, data and recent models depend on."""


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
