"""Which frameworks a run is about: chosen by name, found in the registry, loaded."""

from functools import cache

import pytest

from paramproof.builders.protocol import Builder, FrameworkUnavailable
from paramproof.builders.registry import Framework, frameworks

SHAPES_ARE_THOSE_OF = {"keras-jax": "keras-tensorflow", "keras-torch": "keras-tensorflow"}
"""One file builds for the three, and a backend computes no shape: TensorFlow's, whose
bookkeeping is the fullest, has the tests that are ``shapes_only``."""


@cache
def registry() -> dict[str, Framework]:
    """The frameworks that are installed as a run begins; each of its tests asks for them."""
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
def settle(name: str) -> Builder:
    """The builder, once: what its framework's import leaves is passed over by the collector."""
    # Here, since the formulas' mutants are tested beside little else of the project.
    from paramproof.workers.worker import load_builder

    return load_builder(registered(name))


def loaded(name: str, config: pytest.Config) -> Builder:
    """The builder; absent, it is a skip on a laptop and a failure where it was required."""
    try:
        return settle(name)
    except FrameworkUnavailable as error:
        if config.getoption("--require"):
            pytest.fail(f"required and unavailable: {error}", pytrace=False)
        pytest.skip(str(error))
