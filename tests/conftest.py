"""Which frameworks a run is about, and what a test may ask for.

A test never names a framework it is parametrised over: it asks for ``framework`` (the
header) or ``builder`` (the loaded file), and for ``family`` (a name) to run for each family.
``abstract`` is the builder for tests of shapes that come back to the same specs.
Tests of one framework's own traps are marked ``framework("name")``, tests that compute nothing
``shapes_only``, and tests of what one version of a library is ``documented("library")``.
"""

import gc
import os
import signal

import pytest
from hypothesis import settings

from paramproof.builders.protocol import Builder
from paramproof.builders.registry import Framework
from paramproof.formulas import FAMILIES
from tests import profiles
from tests.documented import stand_aside
from tests.remembered import Remembering
from tests.selection import SHAPES_ARE_THOSE_OF, loaded, registered, selected

pytest_plugins = ["tests.fixtures"]

# How wide somebody's terminal is decides no test.
os.environ.pop("COLUMNS", None)

# What is begun in the background or with nohup ignores these, and so would all that it begins.
signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP"):  # Windows does not have it.
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

profiles.register()
settings.load_profile("ci" if os.environ.get("CI") else "dev")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--framework",
        action="append",
        default=[],
        metavar="NAME",
        help="only this framework (may be repeated; default: all)",
    )
    parser.addoption(
        "--require", action="store_true", help="a framework that is absent is a failure, no skip"
    )


def pytest_configure(config: pytest.Config) -> None:
    # This process is ours: it may be set up as a worker is. Of frameworks that contradict
    # each other the first has its way, and the others say what they would need.
    for name in selected(config):
        for variable, value in registered(name).environment.items():
            os.environ.setdefault(variable, value)


def pytest_report_header(config: pytest.Config) -> list[str]:
    seed = config.getoption("--hypothesis-seed") or "random"
    order = "derandomised" if settings().derandomize else f"seed {seed}"
    profile = config.getoption("--hypothesis-profile") or settings.get_current_profile_name()
    lines = [f"hypothesis profile {profile}, {settings().max_examples} examples, {order}"]
    for name in selected(config):
        versions = registered(name).versions().items()
        lines.append(f"{name}: " + ", ".join(f"{k} {v or 'not installed'}" for k, v in versions))
    return lines


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    chosen = set(selected(config))
    deselected = []
    for item in items:
        marker = item.get_closest_marker("framework")
        if marker and not chosen.intersection(marker.args):
            deselected.append(item)
    config.hook.pytest_deselected(items=deselected)
    items[:] = [item for item in items if item not in deselected]


def pytest_collection_finish() -> None:
    # What thousands of collected tests are made of is alive to the end: the collector of
    # garbage need not walk over it again and again.
    gc.collect()
    gc.freeze()


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("shapes_only"):
        name = item.callspec.params["framework"]
        if name in SHAPES_ARE_THOSE_OF:
            pytest.skip(f"{name}'s shapes are made and tested as {SHAPES_ARE_THOSE_OF[name]}'s")
    stand_aside(item)
    marker = item.get_closest_marker("framework")
    if marker:
        name = next(name for name in selected(item.config) if name in marker.args)
        loaded(name, item.config)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "framework" in metafunc.fixturenames:
        metafunc.parametrize("framework", selected(metafunc.config), indirect=True)


@pytest.fixture(scope="session", params=FAMILIES)
def family(request: pytest.FixtureRequest) -> str:
    """A family's name."""
    return request.param


@pytest.fixture(scope="session")
def framework(request: pytest.FixtureRequest) -> Framework:
    """A framework's header."""
    return registered(request.param)


@pytest.fixture(scope="session")
def builder(framework: Framework, request: pytest.FixtureRequest) -> Builder:
    """A framework's file, loaded."""
    return loaded(framework.name, request.config)


@pytest.fixture(scope="session")
def abstract(builder: Builder) -> Remembering:
    """A framework's file for abstract models, which are built once for each spec."""
    return Remembering(builder)
