"""A built site, served, and the system's Chromium on it; one page with Python for many tests."""

import os
import shutil
import threading
from pathlib import Path
from urllib.parse import urlencode

import pytest

from paramproof.cli.serve import server_of

ROOT = Path(__file__).parents[2]
SITE = "PARAMPROOF_SITE"
MODULES = "PARAMPROOF_NODE_MODULES"
"""Variables that say where the lane has built the site, and where npm has put its packages."""

PATIENCE = 120_000
"""Milliseconds; how fast it is is measured, and decides no test."""


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


class Watched:
    """A page on the site, with what it asked for, what it complained of and what popped up."""

    def __init__(self, context, address):
        self.page, self.address = context.new_page(), address
        self.asked, self.complaints = [], []
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("console", lambda m: m.type == "error" and self.complaints.append(m.text))
        self.page.on("dialog", self._dialog)

    def _dialog(self, dialog):
        self.complaints.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def open(self, path):
        """Open a path of the site, and wait for its script."""
        self.page.goto(f"{self.address}{path}")
        self.page.wait_for_selector("body[data-loaded]", state="attached")

    def state(self, path, **state):
        """Go to a state by its link, and wait for the answer."""
        target = f"{self.address}{path}#{urlencode(state)}"
        if self.page.url != target:
            self.page.evaluate("delete document.body.dataset.answered")
            self.page.goto(target)
        self.settle()

    def settle(self):
        """Wait until every question is answered."""
        answered = "body[data-answered]:not([data-pending])"
        self.page.wait_for_selector(answered, state="attached")

    def text(self, selector):
        return self.page.inner_text(selector)

    @property
    def total(self):
        return int(self.text("#total").replace(",", ""))

    @property
    def problem(self):
        return self.text("#problem")


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
