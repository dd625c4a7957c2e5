"""Select the frameworks of a run by name, and load them from the registry."""

from functools import cache

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
