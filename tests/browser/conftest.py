"""A built site, served, and the system's Chromium on it; one page with Python for many tests."""

import os
import shutil
import threading
from pathlib import Path

import pytest

from paramproof.cli.site import server_of
from tests.browser.watched import PATIENCE, Watched

SITE = "PARAMPROOF_SITE"
MODULES = "PARAMPROOF_NODE_MODULES"
"""Variables that say where the lane has built the site, and where npm has put its packages."""


def needed(config, what):
    """Skip for what is not there, or fail where it is required."""
    (pytest.fail if config.getoption("--require") else pytest.skip)(what)


@pytest.fixture(scope="session")
def site(pytestconfig):
    folder = os.environ.get(SITE, "")
    if not folder:
        needed(pytestconfig, f"no site: {SITE} names no folder, as tox run -e browser lets it")
    return Path(folder)


@pytest.fixture(scope="session")
def modules():
    return Path(os.environ[MODULES])


@pytest.fixture(scope="session")
def address(site):
    with server_of(site) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture(scope="session")
def browser(pytestconfig):
    chromium = shutil.which("chromium") or needed(pytestconfig, "no chromium: a Debian package")
    # What goes to an address that is not this machine's finds nobody.
    rules = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", rules]
        )
        yield launched
        launched.close()


@pytest.fixture(scope="session")
def context(browser, address):
    """A browser's memory, in which nothing may be asked of another address or go wrong."""
    made = browser.new_context(viewport={"width": 1200, "height": 900})
    made.grant_permissions(["clipboard-read", "clipboard-write"], origin=address)
    made.set_default_timeout(PATIENCE)
    yield made
    made.close()


@pytest.fixture(scope="session")
def models(context, address):
    """The page of any model, with Python in it."""
    watched = Watched(context, address)
    watched.open("model.html#model=bert-base")
    watched.settle()
    yield watched
    assert [url for url in watched.asked if not url.startswith(address)] == []
    assert watched.complaints == []
    watched.page.close()


@pytest.fixture
def opened(context, address):
    """A page of its own."""
    watched = Watched(context, address)
    yield watched
    assert [url for url in watched.asked if not url.startswith(address)] == []
    assert watched.complaints == []
    watched.page.close()
