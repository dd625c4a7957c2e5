"""A built site, served, and the system's Chromium; many tests share a page with Python."""

import os
import shutil
from pathlib import Path

import pytest

from tests.browser.watched import PATIENCE, Watched, served

SITE = "PARAMPROOF_SITE"
MODULES = "PARAMPROOF_NODE_MODULES"
"""Variables for the folders where the lane has built the site, and npm has put its packages."""


def require(config, what):
    """Skip if something is missing, or fail if it is required."""
    (pytest.fail if config.getoption("--require") else pytest.skip)(what)


@pytest.fixture(scope="session")
def site(pytestconfig):
    folder = os.environ.get(SITE, "")
    if not folder:
        require(pytestconfig, f"no site: {SITE} names no folder, as tox run -e browser lets it")
    return Path(folder)


@pytest.fixture(scope="session")
def modules():
    return Path(os.environ[MODULES])


@pytest.fixture(scope="session")
def address(site):
    with served(site) as found:
        yield found


@pytest.fixture(scope="session")
def browser(pytestconfig):
    chromium = shutil.which("chromium") or require(pytestconfig, "no chromium: a Debian package")
    # Every address outside this machine is unreachable.
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
    """Return a browser context that allows neither requests to other addresses nor errors."""
    made = browser.new_context(viewport={"width": 1200, "height": 900})
    made.grant_permissions(["clipboard-read", "clipboard-write"], origin=address)
    made.set_default_timeout(PATIENCE)
    yield made
    made.close()


def watching(context, address, path=None):
    """Open a page on the site that must not contact others or log errors until it is closed."""
    watched = Watched(context, address)
    if path:
        watched.open(path)
        watched.settle()
    yield watched
    assert [url for url in watched.asked if not url.startswith(address)] == []
    assert watched.complaints == []
    watched.page.close()


def running_at(path):
    """Return a fixture: a page of the site with Python running, which tests share."""

    @pytest.fixture(scope="session")
    def page(context, address):
        yield from watching(context, address, path)

    return page


models = running_at("model.html#model=bert-base&L=12")
numbers = running_at("number.html#n=2362368")
differences = running_at("difference.html#a=bert-base&b=gpt2")


@pytest.fixture
def new_page(context, address):
    """Return a new page, on which Python is still to start."""
    yield from watching(context, address)


@pytest.fixture
def static_page(browser, address):
    """Return a new page as built, on which no Python starts."""
    context = browser.new_context(viewport={"width": 1200, "height": 900})
    context.grant_permissions(["clipboard-read", "clipboard-write"], origin=address)
    context.route("**/worker.js", lambda route: route.fulfill(content_type="text/javascript"))
    yield from watching(context, address)
    context.close()


@pytest.fixture(scope="session")
def no_script(browser, address):
    """Return a page of a browser that runs no scripts."""
    context = browser.new_context(java_script_enabled=False, base_url=address)
    yield context.new_page()
    context.close()
