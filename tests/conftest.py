"""Select the frameworks of a run, and define the fixtures and markers for them.

A test never names a framework that it is parametrised over: it requests ``framework`` (the
header) or ``builder`` (the loaded file), and ``family`` (a name) to run for each family.
Tests of one framework's own traps are marked ``framework("name")``, tests that compute nothing
``shapes_only``, and tests that depend on one version of a library ``documented("library")``.
Tests with a case for each type, variant or model are ``shared("why")``: see ``tests/share.py``.
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
from tests.selection import SHAPES_ARE_THOSE_OF, loaded, registered, selected, skip_undocumented
from tests.share import SHARE, Share, share_in, take_share

pytest_plugins = ["tests.fixtures"]

CASES = pytest.StashKey[tuple[int, int]]()

# The width of the developer's terminal must not influence a test.
os.environ.pop("COLUMNS", None)

# Processes started in the background or with nohup ignore these, and pass that on to children.
signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP"):  # Windows does not have SIGHUP.
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
    parser.addoption(
        "--share",
        default=os.environ.get("TEST_SHARE") or "1/1",
        metavar="I/N",
        help="the part of the cases of shared tests, or commit/N (default: TEST_SHARE, or all)",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.stash[SHARE] = share_in(config.getoption("--share"))
    # Pytest owns this process, so the environment may be set up as for a worker. Where frameworks
    # need conflicting variables the first wins, and the others report what they need.
    for name in selected(config):
        for variable, value in registered(name).environment.items():
            os.environ.setdefault(variable, value)


def pytest_report_header(config: pytest.Config) -> list[str]:
    seed = config.getoption("--hypothesis-seed") or "random"
    order = "derandomised" if settings().derandomize else f"seed {seed}"
    profile = config.getoption("--hypothesis-profile") or settings.get_current_profile_name()
    lines = [
        f"hypothesis profile {profile}, {settings().max_examples} examples, {order}",
        f"share {config.stash[SHARE]} of shared tests: TEST_SHARE={config.stash[SHARE]} repeats it",
    ]
    for name in selected(config):
        versions = registered(name).versions().items()
        lines.append(f"{name}: " + ", ".join(f"{k} {v or 'not installed'}" for k, v in versions))
    return lines


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    chosen = set(selected(config))
    markers = {item: item.get_closest_marker("framework") for item in items}
    ours = [one for one in items if not markers[one] or chosen.intersection(markers[one].args)]
    kept, there, taken = take_share(config.stash[SHARE], ours)
    left = set(kept)
    config.hook.pytest_deselected(items=[item for item in items if item not in left])
    items[:] = kept
    config.stash[CASES] = (there, taken)


def pytest_report_collectionfinish(config: pytest.Config) -> list[str]:
    there, taken = config.stash.get(CASES, (0, 0))
    share = f"share {config.stash[SHARE]}: {taken} of {there} cases of shared tests"
    return [share] if there else []


def pytest_collection_finish() -> None:
    # The objects behind thousands of collected tests live to the end: freeze them, so that the
    # garbage collector does not visit them again and again.
    gc.collect()
    gc.freeze()


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("shapes_only"):
        name = item.callspec.params["framework"]
        if name in SHAPES_ARE_THOSE_OF:
            pytest.skip(f"{name}'s shapes are made and tested as {SHAPES_ARE_THOSE_OF[name]}'s")
    skip_undocumented(item)
    marker = item.get_closest_marker("framework")
    if marker:
        name = next(name for name in selected(item.config) if name in marker.args)
        loaded(name, item.config)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "framework" in metafunc.fixturenames:
        metafunc.parametrize("framework", selected(metafunc.config), indirect=True)


@pytest.fixture(scope="session")
def share(request: pytest.FixtureRequest) -> Share:
    return request.config.stash[SHARE]


@pytest.fixture(scope="session", params=FAMILIES)
def family(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(scope="session")
def framework(request: pytest.FixtureRequest) -> Framework:
    return registered(request.param)


@pytest.fixture(scope="session")
def builder(framework: Framework, request: pytest.FixtureRequest) -> Builder:
    return loaded(framework.name, request.config)
