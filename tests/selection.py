"""Which frameworks a run is about: chosen by name, found in the registry, loaded."""

import pytest

from paramproof.builders.protocol import Builder, FrameworkUnavailable
from paramproof.builders.registry import Framework, frameworks


def selected(config: pytest.Config) -> list[str]:
    names = config.getoption("--framework") or list(frameworks())
    unknown = set(names) - set(frameworks())
    if unknown:
        raise pytest.UsageError(f"no framework is named {', '.join(unknown)}")
    return names


def registered(name: str) -> Framework:
    return frameworks()[name]


def loaded(name: str, config: pytest.Config) -> Builder:
    """The builder; absent, it is a skip on a laptop and a failure where it was required."""
    try:
        return registered(name).load()
    except FrameworkUnavailable as error:
        if config.getoption("--require"):
            pytest.fail(f"required and unavailable: {error}", pytrace=False)
        pytest.skip(str(error))
